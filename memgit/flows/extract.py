"""The agent's own way to write: facts of its session into the live store, under the lock, one undo away.

This is the one exception to the rule that memgit changes no live store unasked: the agent asks for just that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memgit import files
from memgit.core.facts.extraction import extract
from memgit.core.screening.findings import printable
from memgit.core.store.fingerprint import fingerprint
from memgit.core.store.index_link import refuse_other_index
from memgit.flows.desk import Change, Desk, Done, carry_out
from memgit.flows.observe import observe, recognise
from memgit.flows.recovery import at_work
from memgit.model.fact import Act, Extracted, Fact
from memgit.model.history import OpKind


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
        now = desk.store.read()
        then = extract(facts, now, desk.clock())
        refuse_other_index(str(desk.live), now, then.content)
        return Remembered(then)
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
