"""The agent's own way to write: facts of its session into the live store, memories out of it, under the lock, one undo
away.

This is the one exception to the rule that memgit changes no live store unasked: the agent asks for just that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from memgit import files
from memgit.errors import WrongState
from memgit.evidence.findings import printable, printable_name
from memgit.flows.desk import Change, Desk, Done, carry_out
from memgit.flows.observe import observe, recognise
from memgit.flows.recovery import at_work
from memgit.memory.apply import apply
from memgit.memory.fingerprint import fingerprint
from memgit.memory.index_edit import refuse_other_index
from memgit.memory.links import Names
from memgit.memory.memory import memories
from memgit.model.decision import Decision, Kind
from memgit.model.fact import Act, Extracted, Fact
from memgit.model.history import OpKind
from memgit.model.store import Memory, StoreContent
from memgit.rulings.session_facts import extract


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
        _record_as_it_is(desk, live)
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
        _record_as_it_is(desk, live)
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


def _record_as_it_is(desk: Desk, live: StoreContent) -> None:
    if recognise(desk, live) is None:
        observe(desk.vault, live, fingerprint(live))


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
