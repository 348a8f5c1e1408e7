"""How many questions a pass puts to a person, and which are not put again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memgit.model.decision import Approval, Decision, FactName, Kind, Said, Seen, Standing
from memgit.rulings.rejections import question_key, turned_down, withheld
from memgit.rulings.standing import MOST, asked_at_most
from tests.unit.rulings.world import ADD, REPLACE, STORE, one


def question(number: int) -> Decision:
    return Decision(f"M{number}", Kind.ADD, "maybe", standing=Standing.HELD, asks=f"Shall {number} be remembered?")


def test_a_pass_asks_no_more_than_anybody_reads_and_says_how_many_there_would_be() -> None:
    found = asked_at_most([question(number) for number in range(1, MOST + 4)])
    assert (len(found.decisions), found.beyond) == (MOST, 3)
    assert found.decisions[0].asks == "Shall 1 be remembered?"


def test_what_is_no_mere_question_is_not_counted() -> None:
    held = Decision("M1", Kind.DROP, "maybe", standing=Standing.HELD)
    found = asked_at_most([held, *(question(number) for number in range(4)), held], most=2)
    assert [each.asks for each in found.decisions] == ["", "Shall 0 be remembered?", "Shall 1 be remembered?", ""]
    assert [each.id for each in found.decisions] == ["M1", "M2", "M3", "M4"]


def test_a_question_that_was_answered_is_left_out_and_not_counted_as_one_too_many() -> None:
    answered = replace(question(1), standing=Standing.REFUSED, refused_by=FactName.TURNED_DOWN)
    found = asked_at_most([answered, question(2)], most=1)
    assert ([each.asks for each in found.decisions], found.beyond) == (["Shall 2 be remembered?"], 0)


ASKED = replace(one(replace(ADD, asks="Shall this be remembered?")), id="M1")


@pytest.mark.parametrize("answer", [Approval.APPROVED, Approval.REJECTED])
def test_a_question_that_was_answered_either_way_is_not_put_again(answer: Approval) -> None:
    before = turned_down([replace(ASKED, approval=answer)], STORE, "P1")
    (again,) = withheld([replace(ASKED, kind=Kind.REPLACE, memories=("style",))], STORE, before)
    assert again.refused_by is FactName.TURNED_DOWN


@pytest.mark.parametrize("answer", [Approval.PROPOSED, Approval.DEFERRED])
def test_one_that_nobody_answered_is(answer: Approval) -> None:
    before = turned_down([replace(ASKED, approval=answer)], STORE, "P1")
    assert withheld([ASKED], STORE, before) == (ASKED,)


def test_an_approved_change_that_was_no_mere_question_may_be_proposed_again() -> None:
    taken = replace(one(REPLACE), id="M1", approval=Approval.APPROVED)
    assert turned_down([taken], STORE, "P1") == ()


def test_a_question_is_the_same_by_the_words_that_it_rests_on() -> None:
    words = (Said("s", "use  pnpm", record="r"),)
    assert question_key(words) == question_key((Said("s", "use pnpm"),)) != ""
    assert question_key(words) != question_key((Said("t", "use pnpm"),))
    assert question_key((Seen("memory:a", "use pnpm"),)) == ""
