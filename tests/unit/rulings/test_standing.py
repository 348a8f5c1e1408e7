"""Which decisions a person can answer, which stand, and which are in a candidate."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.errors import BadReply
from memgit.model.decision import Approval, Decision, FactName, Kind, Standing
from memgit.model.history import PassKind
from memgit.rulings.standing import (
    is_decidable,
    is_index_repair,
    is_question,
    is_untouched,
    refuse_two_for_one,
    standing,
)

TAKEN = Decision("M1", Kind.DROP, "because", memories=("a",))
HELD = replace(TAKEN, id="M2", memories=("b",), standing=Standing.HELD)
REFUSED = replace(TAKEN, id="M3", memories=("c",), standing=Standing.REFUSED, refused_by=FactName.QUOTE)
REJECT = Decision("M4", Kind.REJECT, "routine")
LINKS = Decision("M5", Kind.REPAIR, "links follow", memories=("d",))
INDEX = Decision("M6", Kind.REPAIR, "lines are wrong", claim="index")
ALL = (TAKEN, HELD, REFUSED, REJECT, LINKS, INDEX)


def ruled(decision: Decision, approval: Approval) -> Decision:
    return replace(decision, approval=approval)


def ids(decisions: tuple[Decision, ...], kind: PassKind = PassKind.CURATE) -> list[str]:
    return [each.id for each in standing(decisions, kind)]


def named(*decisions: Decision) -> list[str]:
    return [each.id for each in decisions]


def test_what_a_person_can_rule_on_changes_something_of_its_own_accord() -> None:
    assert named(*filter(is_decidable, ALL)) == ["M1", "M2", "M6"]
    assert named(*filter(is_index_repair, ALL)) == ["M6"]


def test_a_question_is_what_is_held_and_nobody_has_answered() -> None:
    assert named(*filter(is_question, ALL)) == ["M2"]
    for approval in (Approval.APPROVED, Approval.REJECTED, Approval.DEFERRED):
        assert not is_question(ruled(HELD, approval))


@pytest.mark.parametrize(
    ("decision", "approvals"),
    [
        (TAKEN, {"proposed", "approved"}),
        (HELD, {"approved"}),
        (REFUSED, set()),
        (REJECT, set()),
        (LINKS, {"proposed", "approved"}),
    ],
    ids=["taken", "held", "refused", "reject", "repair"],
)
def test_a_decision_stands_by_itself_or_by_a_persons_word(decision: Decision, approvals: set[str]) -> None:
    assert {approval.value for approval in Approval if ruled(decision, approval).stands} == approvals


def test_nothing_is_ruled_on_as_long_as_all_of_it_is_proposed() -> None:
    assert is_untouched(ALL)
    assert not is_untouched((TAKEN, ruled(HELD, Approval.DEFERRED)))


# --- what a candidate holds


def test_untouched_it_holds_what_was_taken_and_no_question() -> None:
    assert ids(ALL) == ["M1", "M6"]


def test_an_audit_holds_nothing_that_nobody_approved() -> None:
    assert ids(ALL, PassKind.AUDIT) == []
    assert ids((TAKEN, ruled(INDEX, Approval.APPROVED)), PassKind.AUDIT) == ["M6"]


def test_approving_one_narrows_it_to_what_was_approved() -> None:
    other = replace(TAKEN, id="M7", memories=("e",))
    assert ids((ruled(TAKEN, Approval.APPROVED), other)) == ["M1"]


def test_a_question_that_is_answered_with_yes_comes_on_top() -> None:
    assert ids((TAKEN, ruled(HELD, Approval.APPROVED))) == ["M1", "M2"]
    assert ids((ruled(TAKEN, Approval.REJECTED), ruled(HELD, Approval.APPROVED))) == ["M2"]
    assert ids((TAKEN, ruled(HELD, Approval.APPROVED)), PassKind.AUDIT) == ["M2"]


def test_turning_down_or_putting_off_alone_leaves_the_rest() -> None:
    other = replace(TAKEN, id="M7", memories=("e",))
    for approval in (Approval.REJECTED, Approval.DEFERRED):
        assert ids((ruled(TAKEN, approval), other)) == ["M7"]
        assert ids((ruled(TAKEN, approval), other), PassKind.AUDIT) == []


def test_nobody_takes_what_a_fact_refuses() -> None:
    assert ids((ruled(REFUSED, Approval.APPROVED),)) == []


approvals = st.sampled_from(list(Approval))
decisions = st.lists(st.tuples(st.sampled_from(ALL), approvals), max_size=6).map(
    lambda drawn: tuple(replace(each, approval=approval) for each, approval in drawn)
)


@given(decisions, st.sampled_from([PassKind.CURATE, PassKind.AUDIT]))
def test_whatever_was_ruled_only_what_stands_is_in_a_candidate(drawn: tuple[Decision, ...], kind: PassKind) -> None:
    held = standing(drawn, kind)
    assert all(each.stands and is_decidable(each) for each in held)
    assert all(each in held for each in drawn if is_decidable(each) and each.approval is Approval.APPROVED)
    assert not any(each.approval in (Approval.REJECTED, Approval.DEFERRED) for each in held)


# --- two for one


def test_two_changes_of_one_memory_cannot_both_stand() -> None:
    both = (TAKEN, replace(HELD, memories=("a",)))
    with pytest.raises(BadReply, match="M1 and M2 both change a"):
        refuse_two_for_one(both)
    refuse_two_for_one((TAKEN, HELD))
