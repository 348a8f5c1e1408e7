"""The agent's own way to write: facts of its session into the live store, under the lock, one undo away.

This is the one exception to the rule that memgit changes no live store unasked: the agent asks for just that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memgit import files
from memgit.core.facts.extraction import extract
from memgit.core.memories.memory import memories
from memgit.core.screening.findings import printable
from memgit.core.store.fingerprint import fingerprint
from memgit.errors import WrongState
from memgit.flows.desk import Change, Desk, Done, at_work, carry_out
from memgit.flows.observe import observe, recognise
from memgit.flows.prepare import freeze_batch
from memgit.model.decision import Intent
from memgit.model.fact import Act, Extracted, Fact
from memgit.model.passes import OpKind
from memgit.model.session import Batch, Session

if TYPE_CHECKING:
    from memgit.flows.prepare import Workshop


@dataclass(frozen=True)
class Remembered:
    """What became of facts, and the operation that wrote them (None: nothing was to be written)."""

    extracted: Extracted
    done: Done | None = None

    @property
    def complete(self) -> bool:
        return not self.extracted.refused


def remember(desk: Desk, facts: Sequence[Fact], session: str, *, dry_run: bool = False) -> Remembered:
    """Write facts into the live store, in place and journalled, with a snapshot before and after.

    What is refused is not written, and says what to change; the rest is. Raises what the installer raises.
    """
    if dry_run:
        return Remembered(extract(facts, desk.store.read(), desk.clock()))
    with at_work(desk, "remember") as notes:
        live = desk.store.read()
        if recognise(desk, live) is None:
            observe(desk.vault, live, fingerprint(live))
        extracted = extract(facts, live, desk.clock())
        if fingerprint(extracted.content) == fingerprint(live):
            return Remembered(extracted)
        desk = _in_place(desk)
        head = desk.vault.head()
        change = Change(
            kind=OpKind.REMEMBER,
            subject=_subject(extracted),
            after=head.number if head else 0,
            details={"session": printable(session)} if session else {},
        )
        done = carry_out(desk, change, live, extracted.content)
        if done.superseded:
            files.remove_tree(done.superseded)  # the vault holds it
        return Remembered(extracted, replace(done, superseded=None, notes=(*notes, *done.notes)))


def _in_place(desk: Desk) -> Desk:
    """The same desk, writing single files: a session that has the store open goes on reading the same folder."""
    return replace(desk, installer=desk.installer.in_place(aside=desk.vault.private))


def _subject(extracted: Extracted) -> str:
    names = [placed.memory for placed in extracted.placed if placed.act is not Act.UNCHANGED]
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"remember {printable(names[0])[:40]}{more}"


# --- without facts: what could be remembered ---


@dataclass(frozen=True)
class Found:
    """What a look at one session came to: facts worth handing in, what speaks against others, and the session."""

    session: str
    extracted: Extracted


def mine_session(shop: Workshop, named: str, calling: str = "") -> Found:
    """Mine one session and propose: the one that is named, else the one that calls, else the newest. Nothing is
    written.

    Raises WrongState for a named session that is not in the pool, and where there is none at all.
    """
    content = shop.store.read()
    session = _session(shop.transcripts.survey(shop.project, shop.progress).sessions, named, calling)
    digest, _ = freeze_batch(Batch(1, (session,)), shop.transcripts.messages)
    reply = shop.miner.mine(digest, memories(content))
    facts = [
        Fact(draft.name, draft.description, draft.type, draft.body, memory=draft.id)
        for candidate in reply.candidates
        if candidate.intent in (Intent.NEW, Intent.REPLACE)
        for draft in candidate.drafts
    ]
    return Found(session.id, extract(facts, content, shop.clock()))


def _session(pool: Sequence[Session], named: str, calling: str) -> Session:
    found = [session for session in pool if session.id.startswith(named)]
    if not found:
        raise WrongState(
            f"There is no session {printable(named)!r} of this project." if named else "There is no session yet.",
            "`memgit curate --dry-run` lists the sessions that can be read.",
        )
    return next((session for session in found if session.id == calling), found[0])
