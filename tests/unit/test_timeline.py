"""Which decision undo takes back and redo brings again, from the log alone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memgit.core.passes.history import Timeline
from memgit.errors import WrongState
from memgit.model.history import Operation, OpKind

A, D, U, R, S = OpKind.ADOPT, OpKind.DISCARD, OpKind.UNDO, OpKind.REDO, OpKind.SNAPSHOT


def log(*kinds: tuple[OpKind, str | None] | OpKind) -> list[Operation]:
    pairs = [kind if isinstance(kind, tuple) else (kind, None) for kind in kinds]
    time = datetime(2026, 11, 29, tzinfo=UTC)
    return [
        Operation(number, f"{number:040x}", kind, time, "", target=target)
        for number, (kind, target) in enumerate(pairs, start=1)
    ]


def test_observations_are_skipped():
    assert Timeline.of(log(A, S, S)).to_undo().id == "op1"


def test_two_undos_take_back_two_decisions():
    assert Timeline.of(log(A, D, (U, "op2"))).to_undo().id == "op1"


def test_redo_brings_back_what_was_undone_last_and_then_the_one_before():
    undone = log(A, D, (U, "op2"), (U, "op1"))
    assert Timeline.of(undone).to_redo().id == "op1"
    assert Timeline.of([*undone, *log(A, A, A, A, (R, "op1"))[4:]]).to_redo().id == "op2"


def test_a_redone_decision_can_be_undone_again():
    assert Timeline.of(log(A, (U, "op1"), (R, "op1"))).to_undo().id == "op1"


def test_a_new_decision_ends_redo():
    with pytest.raises(WrongState, match="nothing to redo"):
        Timeline.of(log(A, (U, "op1"), D)).to_redo()


@pytest.mark.parametrize(
    ("number", "reason"), [(1, "taken back already"), (2, "an undo or redo itself"), (3, "is an observation")]
)
def test_what_cannot_be_undone_is_told_apart(number, reason):
    operations = log(A, (U, "op1"), S, D)
    with pytest.raises(WrongState, match=reason):
        Timeline.of(operations).to_undo(operations[number - 1])


def test_a_named_decision_is_taken_back_out_of_turn():
    operations = log(A, D)
    assert Timeline.of(operations).to_undo(operations[0]).id == "op1"
