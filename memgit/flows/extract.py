"""The agent's own way to write: facts of its session into the live store, memories out of it, under the lock, one undo
away.

This is the one exception to the rule that memgit changes no live store unasked: the agent asks for just that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from memgit import files
from memgit.claims import values
from memgit.core.sweep.filing import filed
from memgit.core.sweep.injection import injected
from memgit.errors import WrongState
from memgit.evidence.findings import printable, printable_name
from memgit.flows.audit import holds_secret, library
from memgit.flows.desk import Change, Desk, Done, carry_out
from memgit.flows.observe import record_live
from memgit.flows.prepare import freeze_batch
from memgit.flows.recovery import at_work
from memgit.memory.apply import apply
from memgit.memory.fingerprint import fingerprint
from memgit.memory.index_edit import refuse_other_index
from memgit.memory.index_lines import fenced
from memgit.memory.links import Names
from memgit.memory.memory import dialect_of, memories, read_memory, render_new, slug
from memgit.memory.shapes import BEADS
from memgit.model.decision import Decision, Draft, Intent, Kind
from memgit.model.fact import Act, Extracted, Fact, Refusal, Refused
from memgit.model.history import OpKind
from memgit.model.session import Batch, Session
from memgit.model.store import Memory, StoreContent, StoreFile
from memgit.rulings.session_facts import about, extract, shown

if TYPE_CHECKING:
    from memgit.flows.prepare import Workshop
    from memgit.ports import StoreReader, WorkingTree


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
        record_live(desk, live)
        extracted = extract(facts, live, desk.clock())
        if fingerprint(extracted.content) == fingerprint(live):
            return Remembered(extracted)
        done = _write(desk, OpKind.REMEMBER, _subject(extracted), session, live, extracted.content)
        return Remembered(extracted, replace(done, notes=(*notes, *done.notes)))


def forget(desk: Desk, named: str, session: str) -> Done:
    """Take one memory out of the live store, and its line out of the index; nobody reads what it says for that.

    Raises WrongState where no memory has the name, or several have, and what the installer raises.
    """
    with at_work(desk, "forget") as notes:
        live = desk.store.read()
        memory = named_memory(memories(live), named)
        record_live(desk, live)
        drop = Decision("M1", Kind.DROP, "forget", memories=(memory.id,), removes=frozenset({memory.path}))
        content = apply(live, [drop], time_ns=int(desk.clock().timestamp()) * 1_000_000_000, repair_index=False)
        done = _write(desk, OpKind.FORGET, f"forget {printable_name(memory.id)[:60]}", session, live, content)
        return replace(done, notes=(*notes, *done.notes))


def named_memory(store: Sequence[Memory], named: str) -> Memory:
    """The memory that a name leads to, as a link's would: its id, its file, or what it is called. Raises WrongState."""
    found = Names(store).resolve(named)
    if found is not None:
        return next(memory for memory in store if memory.id == found)
    ids = [memory.id for memory in store]
    near = get_close_matches(named.removesuffix(".md"), ids, n=3, cutoff=0.5)
    hint = (
        f"Name one of these by its id: {', '.join(map(printable_name, near))}."
        if near
        else "`memgit status` counts them."
    )
    raise WrongState(f"{printable(named)[:80]!r} names no memory of this store, or several.", hint)


def _write(desk: Desk, kind: OpKind, subject: str, session: str, live: StoreContent, content: StoreContent) -> Done:
    """Install what the store becomes, in place, and record it."""
    desk = _in_place(desk)
    head = desk.vault.head()
    details = {"session": printable(session)} if session else {}
    change = Change(kind=kind, subject=subject, after=head.number if head else 0, details=details)
    done = carry_out(desk, change, live, content)
    if done.superseded:
        files.remove_tree(done.superseded)  # the vault holds it
    return replace(done, superseded=None)


def _in_place(desk: Desk) -> Desk:
    """The same desk, writing single files: a session that has the store open goes on reading the same folder."""
    return replace(desk, installer=desk.installer.in_place(aside=desk.vault.private))


def _subject(extracted: Extracted) -> str:
    names = [placed.memory for placed in extracted.placed if placed.act is not Act.UNCHANGED]
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"remember {printable(names[0])[:40]}{more}"


# --- mine facts ---
# What one session holds that could be remembered, found without an agent: proposed, and nothing written.


@dataclass(frozen=True)
class Found:
    """What a look at one session came to: facts worth handing in, what speaks against others, and the session."""

    session: str
    extracted: Extracted


def mine_session(shop: Workshop, named: str, calling: str = "") -> Found:
    """Mine one session and propose: the one that is named, else the one that calls, else the newest. What the tree
    shows is refused. Nothing is written.

    Raises WrongState for a named session that is not in the pool, and where there is none at all.
    """
    content, now = shop.store.read(), shop.clock()
    session = _session(shop.transcripts.survey(shop.project, shop.progress).sessions, named, calling)
    digest, _ = freeze_batch(Batch(1, (session,)), shop.transcripts.messages)
    reply = shop.miner.mine(digest, memories(content))
    facts = [
        Fact(draft.name, draft.description, draft.type, draft.body, memory=draft.id)
        for candidate in reply.candidates
        if candidate.intent in (Intent.NEW, Intent.REPLACE)
        for draft in candidate.drafts
    ]
    found = extract(facts, content, now)
    known = _shown(shop.tree, facts, memories(content))
    return Found(session.id, _without(found, known))


def _without(found: Extracted, known: Mapping[Fact, tuple[Refusal, ...]]) -> Extracted:
    """The same with what is known elsewhere among the refused, whatever else speaks against it."""
    against = {each.fact: each.refusals for each in found.refused}
    refused = tuple(Refused(fact, (*against.get(fact, ()), *known.get(fact, ()))) for fact in {**against, **known})
    return Extracted(found.content, tuple(each for each in found.placed if each.fact not in known), refused)


def _session(pool: Sequence[Session], named: str, calling: str) -> Session:
    found = [session for session in pool if session.id.startswith(named)]
    if not found:
        raise WrongState(
            f"There is no session {printable(named)!r} of this project." if named else "There is no session yet.",
            "`memgit curate --dry-run` lists the sessions that can be read.",
        )
    return next((session for session in found if session.id == calling), found[0])


# --- what can be rebuilt ---


def _shown(tree: WorkingTree, facts: Sequence[Fact], store: Sequence[Memory]) -> Mapping[Fact, tuple[Refusal, ...]]:
    """The facts that need no memory. A correction of a memory is none of them: the memory would stay wrong."""
    new = {memory.id: (fact, memory) for fact in facts if about(fact, store) is None for memory in (_memory(fact),)}
    if not new:
        return {}
    told = {name: values.find(memory) for name, (_, memory) in new.items()}
    lines = tree.occurrences(values.wanted(value for each in told.values() for value in each))
    documents = library(tree)
    refusals = {
        fact: tuple(
            shown(memory, [one for one in values.judge(memory, told[name], lines) if not holds_secret(one)], documents)
        )
        for name, (fact, memory) in new.items()
    }
    return {fact: found for fact, found in refusals.items() if found}


def _memory(fact: Fact) -> Memory:
    """The memory that a fact would become, with names of code marked as such: people type them without."""
    draft = Draft(fact.name, fact.description, fact.type, _CONSTANT.sub(r"`\g<0>`", fact.body))
    return read_memory(StoreFile(f"{slug(fact.name)}.md", render_new(draft, dialect_of(()))))


_CONSTANT = re.compile(r"(?<![`\w])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![`\w])")

# --- inject ---
# What a session is given of a store at its start, for clients that load nothing by themselves.


def told(store: StoreReader, nonce: str) -> str:
    """The index of a store, or what matters most of one that has none, between lines that name ``nonce``."""
    content = store.read()
    if store.resolution.shape == BEADS:
        return injected(filed(memories(content)), nonce)
    return fenced(content.index_text, nonce)
