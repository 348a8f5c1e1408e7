"""What was turned down stays so until its memories or its evidence change."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memgit.errors import Damaged
from memgit.model.decision import Approval, Decision, FactName, Kind, Said, Seen, Standing
from memgit.model.store import StoreContent, StoreFile
from memgit.rulings.rejections import Rejection, dump, key, load, turned_down, withheld


def store(**texts: str) -> StoreContent:
    return StoreContent({f"{name}.md": StoreFile(f"{name}.md", text.encode()) for name, text in sorted(texts.items())})


STORE = store(a="A retry budget of three.", b="See [[a]].", c="C.")
DROP = Decision(
    "M1",
    Kind.DROP,
    "It is gone.",
    (Seen("tree:conf.env:4", "BUDGET=5"),),
    ("a",),
    removes=frozenset({"a.md"}),
    dropped_text={"a": "A retry budget of three."},
)


def test_a_line_number_or_the_wording_of_the_reason_make_no_other_proposal():
    moved = replace(DROP, evidence=(Seen("tree:conf.env:9", "BUDGET=5"),), justification="Gone it is.")
    assert key(moved, STORE) == key(DROP, STORE)


@pytest.mark.parametrize(
    ("decision", "content"),
    [
        (replace(DROP, evidence=(Seen("tree:conf.env:4", "BUDGET=6"),)), STORE),
        (replace(DROP, evidence=(Seen("tree:other.env:4", "BUDGET=5"),)), STORE),
        (replace(DROP, evidence=(Said("s1", "the budget is five"),)), STORE),
        (replace(DROP, kind=Kind.UPDATE), STORE),
        (replace(DROP, memories=("b",)), STORE),
        (DROP, store(a="A retry budget of four.", b="See [[a]].", c="C.")),
    ],
)
def test_other_evidence_kind_or_memory_make_another_proposal(decision, content):
    assert key(decision, content) != key(DROP, STORE)


def test_lines_of_the_memories_themselves_are_no_evidence_beyond_them():
    merge = Decision("M1", Kind.MERGE, "same", (Seen("memory:a", "A retry"), Seen("memory:b", "See")), ("a", "b"))
    assert key(replace(merge, evidence=(Seen("memory:a", "budget"),)), STORE) == key(merge, STORE)


def test_another_question_of_the_agent_makes_another_proposal_of_the_same_answer():
    yes, other = (
        Decision("M1", Kind.ADD, "agreed", (Said("s1", "yes", answers=asked),)) for asked in ("Squash?", "Tag it?")
    )
    assert key(yes, STORE) != key(other, STORE)
    assert key(replace(yes, justification="so it is"), STORE) == key(yes, STORE)


def test_a_proposal_that_was_turned_down_comes_back_refused_and_says_so():
    repair = Decision("M2", Kind.REPAIR, "links", memories=("b",), results=("b",), writes={"b.md": b"See a."})
    rejected = turned_down((replace(DROP, approval=Approval.REJECTED, reason="it holds."),), STORE, "2026-06-30.1")
    (first,) = withheld((DROP, repair), STORE, rejected)
    assert (first.standing, first.refused_by) == (Standing.REFUSED, FactName.TURNED_DOWN)
    assert (first.kind, first.removes, first.results) == (Kind.DROP, frozenset(), ())
    assert (first.writes, first.dropped_text, first.stands) == ({}, {}, False)
    assert first.justification == "It is gone."
    assert first.refusal == ("You turned this down in pass 2026-06-30.1: it holds. Its evidence has not changed since.")


def test_a_question_that_was_answered_with_no_is_not_asked_again():
    question = replace(DROP, standing=Standing.HELD, asks="Is it over?")
    rejected = turned_down((replace(question, approval=Approval.REJECTED),), STORE, "2026-06-30.1")
    (again,) = withheld((question,), STORE, rejected)
    assert (again.standing, again.refusal) == (
        Standing.REFUSED,
        "You turned this down in pass 2026-06-30.1. Its evidence has not changed since.",
    )


def test_what_no_person_can_rule_on_stays_as_it_is():
    reject = Decision("M1", Kind.REJECT, "routine", DROP.evidence, ("a",))
    refused = replace(DROP, standing=Standing.REFUSED, refused_by=FactName.QUOTE, refusal="It is not there.")
    known = [Rejection(key(each, STORE), "2026-06-30.1") for each in (reject, refused)]
    assert withheld((reject, refused), STORE, known) == (reject, refused)


def test_what_was_not_turned_down_is_left_alone():
    assert withheld((DROP,), STORE, ()) == (DROP,)
    assert turned_down((DROP,), STORE, "p") == ()


def test_records_come_back_as_they_went_in_and_damage_is_said():
    rejections = (Rejection("abc", "2026-06-30.1", "it holds"), Rejection("def", "2026-06-30.2"))
    assert load(dump(rejections)) == rejections
    for damaged in (b"{", b"[[1]]", b"7"):
        with pytest.raises(Damaged):
            load(damaged)
