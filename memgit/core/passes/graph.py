"""The store's line through all operations, and the candidates that branch off it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memgit.model.history import Operation, OpKind, PassHeader


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
