"""The stores of a machine, and what lies around one of them, as they can be told without reading their memories."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import combinations

from memgit.evidence.findings import printable, printable_name
from memgit.memory.index import Drift, named
from memgit.memory.index_lines import LINE_LIMIT, UNIT_LIMIT
from memgit.memory.shapes import SUMMARY_LIMIT, shape_named
from memgit.model.history import OpKind
from memgit.model.store import Memory
from memgit.model.times import days_before
from memgit.model.verification import Area, Finding
from memgit.text.layout import counted

# --- catalogue ---
# The stores of a machine, as they can be told without reading their memories.

GONE = "gone"
"""The shape of a store that is on record and no longer at its place."""


@dataclass(frozen=True, slots=True)
class Record:
    """What a vault says of its store without being opened: the operations it holds, and the newest one of a pass (its
    id, and what was done), empty where there is none or nobody noted it."""

    store: str
    operations: int
    last_pass: str = ""
    did: str = ""


@dataclass(frozen=True, slots=True)
class Loaded:
    """How much agents are given of a store at the start of a session: lines and UTF-16 units of an index, or bytes."""

    lines: int = 0
    units: int = 0
    bytes: int = 0

    @property
    def is_over(self) -> bool:
        return self.lines > LINE_LIMIT or self.units > UNIT_LIMIT or self.bytes >= SUMMARY_LIMIT

    def __str__(self) -> str:
        if self.bytes:
            return f"summary {self.bytes:,} of {SUMMARY_LIMIT:,} bytes"
        return f"{self.lines} of {LINE_LIMIT} lines, {self.units:,} of {UNIT_LIMIT:,} units"


IN_STEP = Drift()
"""No drift."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """Another store that holds many of the same memories, as copies of one store do: its ``path``, and how many."""

    path: str
    shared: int


@dataclass(frozen=True, slots=True)
class Listed:
    """One store: ``why`` it is known, the ``project`` it belongs to (empty where nothing tells), and its ``kin``: what
    makes it a store that agents no longer read. ``memories`` is None where counting them takes more than looking,
    ``problem`` why it could not be looked at, ``unconfirmed`` says that only a project's own settings name it;
    ``names`` are the paths of its memories in it, and ``overlaps`` the stores that it has many of them in common with.
    """

    path: str
    shape: str
    why: str
    project: str = ""
    memories: int | None = 0
    loaded: Loaded = Loaded()
    drift: Drift = IN_STEP
    kin: str = ""
    record: Record | None = None
    problem: str = ""
    unconfirmed: bool = False
    names: frozenset[str] = frozenset()
    overlaps: tuple[Overlap, ...] = ()

    @property
    def unusable(self) -> str:
        """Why nothing over all stores touches it; empty where it may."""
        if self.unconfirmed:
            return "The project's own settings name it, and a cloned repository can do that; name it with --store."
        return ""

    @property
    def no_pass(self) -> str:
        """Why no pass over all stores works on it; empty where one does."""
        if self.kin:
            return f"Agents no longer read it: {self.kin}."
        if shape_named(self.shape).no_pass:
            return shape_named(self.shape).no_pass
        return "" if self.project else "Nothing tells which project it belongs to; name it with --store, there."


def alike(found: Sequence[Listed]) -> Iterator[tuple[Listed, Listed, frozenset[str]]]:
    """Pairs of stores of which one holds at least half of the other's memories, by their names: perhaps copies of one
    store. Names that very many stores have, and names of a mere day, say nothing."""
    having: dict[str, list[int]] = {}
    for number, one in enumerate(found):
        for name in filter(_TELLING.search, one.names):
            having.setdefault(name, []).append(number)
    shared: dict[tuple[int, int], set[str]] = {}
    for name, numbers in having.items():
        for pair in combinations(numbers, 2) if len(numbers) <= _COMMON else ():
            shared.setdefault(pair, set()).add(name)
    for (first, second), names in shared.items():
        one, other = found[first], found[second]
        if len(names) >= max(_FEWEST, min(len(one.names), len(other.names)) / 2):
            yield one, other, frozenset(names)


_FEWEST = 3
"""Memories that copies of one store have in common at least."""

_COMMON = 12
"""Stores that may have a memory of one name for that to say something."""

_TELLING = re.compile(r"[^\W\d_](?=[^/]*\.md$)")


def rows(one: Listed) -> Iterator[str]:
    """A store in a few lines: where it is and what it is; then what somebody should know of it."""
    yield printable(one.path)
    what = shape_named(one.shape).what if one.shape != GONE else "no longer there"
    number = [counted(one.memories, "memory")] if one.memories is not None and one.shape != GONE else []
    size = [str(one.loaded)] if one.loaded != Loaded() else []
    project = [f"project {printable(one.project)}"] if one.project else []
    yield f"  {', '.join([what, *number, *size])}; {', '.join([*project, one.why])}; {_recorded(one.record)}"
    yield from (f"  {each}" for each in concerns(one))


def concerns(one: Listed) -> Iterator[str]:
    """What somebody should know of a store."""
    if one.kin:
        yield f"{printable(one.kin)[:1].upper()}{printable(one.kin)[1:]}."
    for other in one.overlaps:
        yield (
            f"It has {other.shared:,} of its {counted(one.memories or 0, 'memory')} in common with"
            f" {printable(other.path)}: copies of one store, each a store of its own here."
        )
    if one.problem:
        yield f"Not looked at: {printable(one.problem)}"
    if one.loaded.is_over:
        yield "Over what agents are given of it: the rest is never seen."
    if not one.drift.is_clean:
        found = one.drift
        counts = f"{len(found.orphans)} not in it, {len(found.dead)} gone, {len(found.doubles)} twice"
        yield f"The index has drifted: {counts}."
    if one.shape == GONE:
        yield "`memgit relink` gives a store that was moved its history back."
    if one.unconfirmed:
        yield "Only the project's own settings name it: nothing uses it without your word (--store)."


def _recorded(record: Record | None) -> str:
    if record is None:
        return "nothing recorded"
    if not record.last_pass:
        return counted(record.operations, "operation")
    done = _DONE.get(record.did)
    return f"last pass {record.last_pass}" + (f" ({done})" if done else "")


_DONE: dict[str, str] = {
    OpKind.PLAN: "planned",
    OpKind.PASS: "waits for your decision",
    OpKind.REVISION: "candidate edited",
    OpKind.APPROVE: "answered",
    OpKind.ADOPT: "adopted",
    OpKind.DISCARD: "discarded",
    OpKind.UNDO: "taken back",
    OpKind.REDO: "done again",
}
"""What was done with a pass last, by the operation that did it, as a person would say it."""


def summary(found: Sequence[Listed]) -> str:
    """All of them in one line."""
    there = [one for one in found if one.shape != GONE]
    told = [
        (sum(one.loaded.is_over for one in there), "over their limits"),
        (sum(not one.drift.is_clean for one in there), "with a drifted index"),
        (sum(bool(one.kin) for one in there), "that agents do not read"),
        (len(found) - len(there), "no longer there"),
    ]
    rest = "".join(f", {number} {what}" for number, what in told if number)
    copies = sum(bool(one.overlaps) for one in there)
    told_twice = f", counted once each where {copies} stores are copies of one" if copies else ""
    return f"{counted(len(found), 'store')}, {counted(_memories(there), 'memory')}{told_twice}{rest}."


def _memories(found: Sequence[Listed]) -> int:
    """How many memories there are, those that copies of one store have in common once."""
    once: set[str] = set()
    total = 0
    for one in found:
        shared = {other.path for other in one.overlaps}
        total += (one.memories or 0) - (len(one.names & once) if shared else 0)
        once |= one.names if shared else frozenset()
    return total


def row(one: Listed) -> tuple[str, str]:
    """A store in one line: where it is, and what it is."""
    what = "no longer there" if one.shape == GONE else counted(one.memories or 0, "memory")
    size = f", {one.loaded.lines} lines of index" if one.loaded.lines else ""
    if one.memories is None and one.shape != GONE:
        what = shape_named(one.shape).what
    return printable(one.path), f"{what}{size}, {_recorded(one.record)}"


# --- surroundings ---
# What lies around a store: which one the agents of a project use and why, further ones, and how long the transcripts
# that memories cite are still there.

SOON, AT_ONCE = timedelta(days=7), timedelta(days=3)
"""How long before the agent deletes a cited transcript, and any, it is told."""

_SESSION = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")


@dataclass(frozen=True, slots=True)
class OtherStore:
    """A further store of the project: its path, why it could be taken for the one in use, and the file of the project
    that sends agents there (empty where none does)."""

    path: str
    why: str
    named_by: str = ""


@dataclass(frozen=True, slots=True)
class Misplaced:
    """A memory that speaks of another project: the folder of that one, and whether its session ran there (else its
    text names the folder)."""

    memory: str
    folder: str
    by_session: bool

    def __str__(self) -> str:
        how = "its session ran in" if self.by_session else "it names"
        return f"{printable_name(self.memory)} ({how} {printable(self.folder)})"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """``used`` is the store that the agents' client reads and writes by itself, found by ``rule``; ``off`` says what
    keeps it from using any. ``days`` is how long it keeps transcripts, ``chosen`` whether the user said so, and
    ``written`` when those that memories cite were last written, ``oldest`` when the oldest of the project was.
    ``misplaced`` are memories of another project.
    ``readers`` says who reads this store where that is not the project's main agent. ``refusal`` is what git says where
    it does not read the project's repository, ``unfinished`` what the store's work tree is in the middle of, ``near``
    are stores that may have been meant where this one has no memory."""

    store: str
    used: str
    rule: str
    off: str = ""
    others: tuple[OtherStore, ...] = ()
    days: int = 30
    chosen: bool = False
    written: Mapping[str, datetime] = field(default_factory=dict)
    misplaced: tuple[Misplaced, ...] = ()
    readers: str = ""
    oldest: datetime | None = None
    refusal: str = ""
    unfinished: tuple[str, ...] = ()
    near: tuple[str, ...] = ()

    @property
    def usage(self) -> str:
        """Which store agents of the project read and write, and why, in a sentence."""
        if self.readers:
            return self.readers
        if self.off:
            return f"Agents of this project read and write no store by themselves: it is switched off ({self.off})."
        which = "this store" if self.store == self.used else printable(self.used)
        return f"Agents of this project read and write {which}, found by {self.rule}."

    @property
    def unread(self) -> str:
        """That no agent reads this store by itself, in a sentence; empty where one does."""
        return "" if self.readers or not (self.off or self.store != self.used) else self.usage

    @property
    def keeping(self) -> str:
        """How long transcripts are kept, in a sentence."""
        whose = "your settings" if self.chosen else "its default"
        return f"The agent deletes transcripts after {self.days} days ({whose})."


def retained(around: Surroundings, memories: Iterable[Memory], now: datetime) -> Iterator[str]:
    """How long transcripts stay, when the oldest goes where that is soon, and which memories have lost theirs."""
    yield around.keeping
    due = around.oldest + timedelta(days=around.days) if around.oldest else None
    if due and due <= now + AT_ONCE:
        left = max(0, (due - now).days)
        when = f"within {counted(left + 1, 'day')}" if due > now else "when the agent next starts"
        yield f"The oldest of this project goes {when} (last written {around.oldest:%Y-%m-%d})."
    gone = [memory for memory in memories if memory.origin_session and memory.origin_session not in around.written]
    if gone:
        each = named(f"{memory.id} ({(memory.origin_session or '')[:8]})" for memory in gone)
        yield f"The sessions that {counted(len(gone), 'memory')} came from are gone: {each}."


def cited(memories: Iterable[Memory]) -> dict[str, list[str]]:
    """The sessions that memories come from or name, each with the ids of those memories."""
    found: dict[str, list[str]] = {}
    for memory in memories:
        origin = [memory.origin_session] if memory.origin_session else []
        for session in dict.fromkeys([*origin, *_SESSION.findall(memory.body)]):
            found.setdefault(session, []).append(memory.id)
    return found


def surrounding_findings(around: Surroundings, memories: Sequence[Memory], now: datetime) -> Iterator[Finding]:
    """What somebody should know who relies on this store."""
    if around.refusal:
        what = f"Git does not read this repository; the store was found by its files. It says: {around.refusal}"
        yield Finding(Area.PLACE, printable(what), "Mend that in git; what needs the project's history waits for it.")
    for what in around.unfinished:
        yield Finding(
            Area.PLACE, f"The work tree that the store lies in is in the middle of {what}.", "Finish it in git first."
        )
    if around.unread:
        yield Finding(Area.PLACE, around.unread, "" if around.off else "Leave --store away to work on that one.")
    if around.near:
        there = ", ".join(map(printable, around.near))
        what = f"This project has no memories at {printable(around.store)}. Stores named most like it: {there}."
        yield Finding(Area.PLACE, what, "If one of them was meant, name it with --store.")
    for other in around.others:
        yield _other(other, around)
    if around.misplaced:
        told = ", ".join(str(each) for each in around.misplaced[:5])
        more = f" and {len(around.misplaced) - 5} more" if len(around.misplaced) > 5 else ""
        yield Finding(
            Area.PLACE,
            f"Memories that may belong to another project: {told}{more}.",
            "Where they do, `memgit remember` in that project writes them there; nothing is dropped for it.",
        )
    yield from _ending(around, memories, now)


def _other(other: OtherStore, around: Surroundings) -> Finding:
    what = f"Further memories of this project are in {printable(other.path)} ({other.why})"
    if other.named_by:
        what += f"; the client does not read them by itself, {other.named_by} sends agents there"
    elif not around.off:
        what += ", which agents do not read"
    return Finding(Area.PLACE, f"{what}.", "`memgit status --store` looks at them; memgit never merges two stores.")


def _ending(around: Surroundings, memories: Sequence[Memory], now: datetime) -> Iterator[Finding]:
    due = days_before(now, around.days) + SOON
    ending = {session: ids for session, ids in cited(memories).items() if around.written.get(session, due) < due}
    if ending:
        ids = sorted({memory for each in ending.values() for memory in each})
        one = len(ending) == 1
        yield Finding(
            Area.PLACE,
            f"{around.keeping} Within a week {'that' if one else 'those'} of {len(ending)} "
            f"session{'' if one else 's'} that memories cite {'is' if one else 'are'} due: {named(ids)}.",
            "`memgit curate` reads them while they are there; a higher cleanupPeriodDays in your settings keeps them.",
        )
