"""What happened to a store and its memories, told from its operations: lives, decisions that stand, the graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from memgit.errors import WrongState
from memgit.evidence.findings import mask, printable
from memgit.model.decision import Decision, Kind
from memgit.model.history import Operation, OpKind, PassHeader

# --- lives ---
# What became of each memory: the states of a store one after the other, told memory by memory.


class Turn(StrEnum):
    """What happened to a memory at one point of its life."""

    FOUND = "found"  # it was there when the store was first recorded
    CREATED = "created"
    CHANGED = "changed"
    MERGED = "merged"  # another went into it
    ABSORBED = "merged away"  # it went into another
    REPLACED = "replaced"  # its value gave way to a newer one
    REMOVED = "removed"
    RESTORED = "restored"  # its text is one that it had before


@dataclass(frozen=True, slots=True)
class State:
    """The live store after an operation that changed it: what each memory's text was, as the name of its blob."""

    operation: Operation
    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Event:
    """One turn in a memory's life, the operation that brought it, and the ``decision`` behind it where a pass did.
    ``origin`` is the session that the memory itself names as the one it comes from."""

    turn: Turn
    operation: Operation
    decision: Decision | None = None
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Life:
    """A memory's story, oldest event first, and whether it is in the live store."""

    memory: str
    events: tuple[Event, ...]
    is_live: bool


def lives(states: Sequence[State], decided: Mapping[str, Sequence[Decision]]) -> tuple[Life, ...]:
    """The story of every memory that any of the states holds, sorted by id.

    ``states`` come oldest first; ``decided`` are the decisions of passes by pass id.
    """
    told: dict[str, list[Event]] = {}
    seen: dict[str, set[str]] = {}
    for before, after in pairwise((None, *states)):
        assert after is not None
        for memory in _differing(before, after):
            told.setdefault(memory, []).append(_event(memory, before, after, seen.get(memory, set()), decided))
        for memory, text in after.texts.items():
            seen.setdefault(memory, set()).add(text)
    live = states[-1].texts if states else {}
    return tuple(Life(memory, tuple(events), memory in live) for memory, events in sorted(told.items()))


def _differing(before: State | None, after: State) -> Iterator[str]:
    old = before.texts if before else {}
    yield from sorted(memory for memory in {*old, *after.texts} if old.get(memory) != after.texts.get(memory))


def _event(
    memory: str, before: State | None, after: State, seen: set[str], decided: Mapping[str, Sequence[Decision]]
) -> Event:
    operation = after.operation
    text = after.texts.get(memory)
    if text in seen:
        return Event(Turn.RESTORED, operation)
    behind = _behind(memory, operation, decided)
    if before is None:
        return Event(Turn.FOUND, operation)
    if text is None:
        merged = behind is not None and behind.kind is Kind.MERGE
        return Event(Turn.ABSORBED if merged else Turn.REMOVED, operation, behind)
    if memory not in before.texts:
        return Event(Turn.CREATED, operation, behind)
    return Event(_reworded(behind), operation, behind)


def _reworded(behind: Decision | None) -> Turn:
    match behind.kind if behind else None:
        case Kind.MERGE:
            return Turn.MERGED
        case Kind.REPLACE:
            return Turn.REPLACED
        case _:
            return Turn.CHANGED


def _behind(memory: str, operation: Operation, decided: Mapping[str, Sequence[Decision]]) -> Decision | None:
    """The decision of an adopted pass that changed a memory; one that only follows links comes last."""
    if operation.kind not in (OpKind.ADOPT, OpKind.REDO):
        return None
    path = f"{memory}.md"
    speaking = [
        each for each in decided.get(operation.pass_id or "", ()) if path in each.writes or path in each.removes
    ]
    return min(speaking, key=lambda each: each.kind is Kind.REPAIR, default=None)


# --- life told ---
# A memory's story in words: what happened to it, who or what did it, and which memories it came from or went into.

TURNS: Mapping[Turn, str] = {
    Turn.FOUND: "There when the store was first recorded",
    Turn.CREATED: "Created",
    Turn.CHANGED: "Changed",
    Turn.MERGED: "Took in another memory",
    Turn.ABSORBED: "Merged into another memory",
    Turn.REPLACED: "Replaced by a newer value",
    Turn.REMOVED: "Removed",
    Turn.RESTORED: "An earlier text restored",
}

_BY: Mapping[OpKind, str] = {
    OpKind.EXTERNAL: "not by memgit",
    OpKind.SNAPSHOT: "seen by a snapshot",
    OpKind.REMEMBER: "by memgit remember",
    OpKind.FORGET: "by memgit forget",
    OpKind.UNDO: "by an undo",
    OpKind.REDO: "by a redo",
    OpKind.RESTORE: "by a restore",
    OpKind.REDACT: "by a redaction",
    OpKind.ADOPT: "by an adopted pass",
}


def cause(event: Event) -> str:
    """Who or what brought an event, to stand behind its turn; secrets are masked."""
    operation, behind = event.operation, event.decision
    if behind is not None:
        return f" by {behind.id} of pass {operation.pass_id}: {printable(mask(behind.justification).text)}"
    session = session_of(event)
    if session:
        return f", written in session {session[:8]}"
    if event.origin:
        return f", from session {printable(mask(event.origin).text)[:8]} as it says itself"
    if event.turn is Turn.FOUND:
        return ""
    return f", {_BY.get(operation.kind, operation.kind)}"


def session_of(event: Event) -> str:
    """The agent's session that wrote a change itself, where a hook or a command told of it."""
    wrote = event.operation.kind in (OpKind.EXTERNAL, OpKind.REMEMBER, OpKind.FORGET, OpKind.SNAPSHOT)
    return printable(mask(event.operation.details.get("session", "")).text) if wrote else ""


def others(memory: str, event: Event) -> tuple[str, ...]:
    """The memories that took part in an event beside the one it is told of."""
    behind = event.decision
    named = (*behind.memories, *behind.results) if behind else ()
    return tuple(dict.fromkeys(name for name in named if name != memory))


# --- timeline ---
# Which decisions stand and which are taken back, read from the operation log alone.


@dataclass(frozen=True, slots=True)
class Timeline:
    """``standing`` are the decisions in force, ``taken_back`` the undone ones that redo can bring back; newest last.

    A new decision empties ``taken_back``, as in an editor: what was undone before it stays in the
    log and can be brought back with restore.
    """

    standing: tuple[Operation, ...] = ()
    taken_back: tuple[Operation, ...] = ()

    @classmethod
    def of(cls, operations: Iterable[Operation]) -> Timeline:
        """Replay a log, oldest operation first."""
        line = cls()
        for operation in operations:
            line = line._after(operation)
        return line

    def _after(self, operation: Operation) -> Timeline:
        if operation.kind is OpKind.UNDO:
            return Timeline(*_moved(operation.target, self.standing, self.taken_back))
        if operation.kind is OpKind.REDO:
            return Timeline(*reversed(_moved(operation.target, self.taken_back, self.standing)))
        return Timeline((*self.standing, operation)) if operation.kind.is_decision else self

    def to_undo(self, named: Operation | None = None) -> Operation:
        """The decision that undo takes back: the one named, else the newest. Raises WrongState with the reason."""
        if named is None:
            if not self.standing:
                raise WrongState("There is no decision to take back.", "`memgit log --ops` lists what happened.")
            return self.standing[-1]
        if named in self.standing:
            return named
        raise WrongState(f"{named.id} {_why_not(named)}.", "`memgit log --ops` lists what happened.")

    def to_redo(self) -> Operation:
        """The decision that redo brings back. Raises WrongState if there is none."""
        if not self.taken_back:
            raise WrongState(
                "There is nothing to redo: no decision was taken back since the last one was made.",
                "`memgit restore --at OP` brings back any earlier state.",
            )
        return self.taken_back[-1]


def _moved(
    target: str | None, source: tuple[Operation, ...], into: tuple[Operation, ...]
) -> tuple[tuple[Operation, ...], tuple[Operation, ...]]:
    moved = tuple(operation for operation in source if operation.id == target)
    return tuple(operation for operation in source if operation.id != target), (*into, *moved)


def _why_not(operation: Operation) -> str:
    if operation.kind.is_decision:
        return "has been taken back already"
    if operation.kind in (OpKind.UNDO, OpKind.REDO):
        return "is an undo or redo itself; `memgit redo` and `memgit undo` go back and forth"
    if operation.kind is OpKind.REDACT:
        return "has removed a secret for good: nothing brings it back"
    return f"is an observation ({operation.kind}), not a decision"


# --- graph ---
# The store's line through all operations, and the candidates that branch off it.


@dataclass(frozen=True, slots=True)
class Knot:
    """An operation after which the live store was another, the passes that started from that store (newest first),
    and the pass whose candidate it took in."""

    operation: Operation
    passes: tuple[PassHeader, ...] = ()
    takes_in: str | None = None


@dataclass(frozen=True, slots=True)
class Graph:
    """The line, newest first, and passes that started from no recorded store."""

    knots: tuple[Knot, ...]
    rootless: tuple[PassHeader, ...] = ()


def graph(operations: Iterable[Operation], passes: Sequence[PassHeader]) -> Graph:
    """Lay out a log. ``operations`` come oldest first, ``passes`` newest first."""
    line: list[Operation] = []
    for operation in operations:
        if operation.store and (not line or operation.store != line[-1].store):
            line.append(operation)
    bases = {header.id: _base(header, line) for header in passes}
    knots = [_knot(operation, [header for header in passes if bases[header.id] == operation.id]) for operation in line]
    return Graph(tuple(reversed(knots)), tuple(header for header in passes if bases[header.id] is None))


def _base(header: PassHeader, line: Sequence[Operation]) -> str | None:
    """The operation that made the store as a pass read it; the newest before the pass where it was so twice."""
    made = [operation for operation in line if operation.store == header.snapshot]
    before = [operation for operation in made if operation.time <= header.time] or made
    return before[-1].id if before else None


def _knot(operation: Operation, passes: Sequence[PassHeader]) -> Knot:
    takes_in = operation.pass_id if operation.kind in (OpKind.ADOPT, OpKind.REDO) else None
    return Knot(operation, tuple(passes), takes_in)
