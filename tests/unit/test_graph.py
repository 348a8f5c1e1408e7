"""Where each candidate branches off the store's line, from the log alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memgit.core.passes.history import graph
from memgit.model.history import Mode, Operation, OpKind, PassHeader, PassKind, PassState, Paths

START = datetime(2026, 11, 29, tzinfo=UTC)


def operation(number: int, kind: OpKind, store: str | None, pass_id: str | None = None) -> Operation:
    return Operation(number, f"{number:040x}", kind, START + timedelta(hours=number), "", store, pass_id=pass_id)


def started(pass_id: str, hour: float, snapshot: str | None) -> PassHeader:
    when = START + timedelta(hours=hour)
    return PassHeader(
        pass_id, PassKind.CURATE, Mode.CURATE, PassState.READY, when, snapshot, None, Paths("c", "r", "d")
    )


def laid_out(operations: list[Operation], passes: list[PassHeader]) -> list[tuple[str, list[str], str | None]]:
    drawn = graph(operations, passes)
    return [(knot.operation.id, [header.id for header in knot.passes], knot.takes_in) for knot in drawn.knots]


def test_only_operations_after_which_the_store_was_another_are_on_the_line():
    log = [
        operation(1, OpKind.INIT, None),
        operation(2, OpKind.SNAPSHOT, "a"),
        operation(3, OpKind.PASS, "a", "p.1"),
        operation(4, OpKind.ADOPT, "b", "p.1"),
    ]
    assert laid_out(log, [started("p.1", 2.5, "a")]) == [("op4", [], "p.1"), ("op2", ["p.1"], None)]


def test_a_pass_branches_off_the_newest_such_store_before_it():
    log = [
        operation(1, OpKind.SNAPSHOT, "a"),
        operation(2, OpKind.EXTERNAL, "b"),
        operation(3, OpKind.UNDO, "a"),
        operation(4, OpKind.EXTERNAL, "c"),
    ]
    passes = [started("p.2", 3.5, "a"), started("p.1", 1.5, "a")]
    assert laid_out(log, passes) == [
        ("op4", [], None),
        ("op3", ["p.2"], None),
        ("op2", [], None),
        ("op1", ["p.1"], None),
    ]


def test_a_pass_whose_store_was_never_recorded_is_kept_apart():
    drawn = graph([operation(1, OpKind.SNAPSHOT, "a")], [started("p.1", 2, None), started("p.2", 2, "gone")])
    assert [header.id for header in drawn.rootless] == ["p.1", "p.2"]
    assert drawn.knots[0].passes == ()


def test_nothing_recorded_is_an_empty_graph():
    assert graph([], []).knots == ()
