"""Which decisions stand and which are taken back, read from the operation log alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memgit.errors import WrongState
from memgit.model.history import Operation, OpKind


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
