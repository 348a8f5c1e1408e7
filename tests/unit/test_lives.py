"""What became of each memory, told from the states of a store."""

from __future__ import annotations

from datetime import UTC, datetime

from memgit.core.passes.history import Event, Life, State, Turn, lives
from memgit.model.decision import Decision, Kind
from memgit.model.history import Operation, OpKind

MERGE = Decision(
    "M2", Kind.MERGE, "same", memories=("a", "b"), results=("a",), writes={"a.md": b"ab"}, removes=frozenset({"b.md"})
)
REPLACE = Decision("M1", Kind.REPLACE, "newer", memories=("c",), results=("c",), writes={"c.md": b"2"})
LINKS = Decision("M3", Kind.REPAIR, "follows", memories=("c",), results=("c",), writes={"c.md": b"2"})


def state(number: int, kind: OpKind, texts: dict[str, str], pass_id: str | None = None) -> State:
    moment = datetime(2026, 1, number, tzinfo=UTC)
    return State(Operation(number, "0" * 40, kind, moment, "", store=f"s{number}", pass_id=pass_id), texts)


def turns(life: Life) -> list[tuple[Turn, str, str | None]]:
    def told(event: Event) -> tuple[Turn, str, str | None]:
        return event.turn, event.operation.id, event.decision.id if event.decision else None

    return [told(event) for event in life.events]


FIRST = state(1, OpKind.SNAPSHOT, {"a": "a1", "b": "b1", "c": "c1"})
ADOPTED = state(2, OpKind.ADOPT, {"a": "a2", "c": "c2"}, "p1")
DECIDED = {"p1": (REPLACE, MERGE, LINKS)}


def told(*states: State) -> dict[str, list[tuple[Turn, str, str | None]]]:
    return {life.memory: turns(life) for life in lives(states, DECIDED)}


def test_no_state_has_no_story():
    assert lives((), {}) == ()


def test_an_adopted_pass_tells_by_which_decision_each_memory_changed():
    assert told(FIRST, ADOPTED) == {
        "a": [(Turn.FOUND, "op1", None), (Turn.MERGED, "op2", "M2")],
        "b": [(Turn.FOUND, "op1", None), (Turn.ABSORBED, "op2", "M2")],
        "c": [(Turn.FOUND, "op1", None), (Turn.REPLACED, "op2", "M1")],
    }


def test_an_undo_restores_what_was_there_before_and_a_memory_that_was_gone():
    undone = state(3, OpKind.UNDO, dict(FIRST.texts))
    story = told(FIRST, ADOPTED, undone)
    assert [each[-1] for each in story.values()] == [(Turn.RESTORED, "op3", None)] * 3


def test_what_an_agent_writes_is_created_changed_and_removed():
    states = (
        FIRST,
        state(2, OpKind.EXTERNAL, {**FIRST.texts, "d": "d1"}),
        state(3, OpKind.EXTERNAL, {**FIRST.texts, "d": "d2"}),
        state(4, OpKind.EXTERNAL, dict(FIRST.texts)),
    )
    assert told(*states)["d"] == [
        (Turn.CREATED, "op2", None),
        (Turn.CHANGED, "op3", None),
        (Turn.REMOVED, "op4", None),
    ]


def test_a_memory_that_is_gone_is_told_to_be_gone():
    stories = lives((FIRST, ADOPTED), DECIDED)
    assert {life.memory: life.is_live for life in stories} == {"a": True, "b": False, "c": True}


def test_an_undo_of_a_pass_is_no_work_of_its_decisions():
    undone = state(3, OpKind.UNDO, {"a": "new", "c": "c2"}, "p1")
    assert told(FIRST, ADOPTED, undone)["a"][-1] == (Turn.CHANGED, "op3", None)
