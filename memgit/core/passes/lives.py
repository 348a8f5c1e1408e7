"""What became of each memory: the states of a store one after the other, told memory by memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from memgit.model.decision import Decision, Kind
from memgit.model.history import Operation, OpKind


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
