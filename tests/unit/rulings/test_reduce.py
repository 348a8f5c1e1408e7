"""Reducing candidate lists: bounded, ranked, nothing invented, no citation lost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memgit.model.decision import Candidate, Intent, Said
from memgit.rulings.reduce import Bounded, bound, check_reduced, merged, reduce


def said(quote: str, session: str = "aaaaaaaa") -> Said:
    return Said(session, quote)


def new(number: int, claim: str, rank: int = 1) -> Candidate:
    return Candidate(f"B1.{number}", Intent.NEW, claim, (said(f"quote {number}"),), rank=rank)


def stale(number: int, target: str, quote: str, rank: int = 1) -> Candidate:
    return Candidate(f"B2.{number}", Intent.STALE, "it is over", (said(quote),), (target,), rank=rank)


def test_the_bound_keeps_the_best_and_returns_the_rest() -> None:
    candidates = [new(number, f"claim {number}", rank=20 - number) for number in range(1, 18)]
    result = bound(candidates)
    assert [candidate.rank for candidate in result.kept] == list(range(3, 18))
    assert [candidate.rank for candidate in result.cut] == [18, 19]


def test_a_short_list_is_not_cut() -> None:
    assert bound([new(1, "claim")]) == Bounded((new(1, "claim"),))


def test_the_same_proposal_of_two_batches_becomes_one_with_both_citations() -> None:
    result = merged((stale(1, "a", "first words"),), (stale(2, "a", "other words"), stale(3, "b", "third words")))
    assert [candidate.targets for candidate in result] == [("a",), ("b",)]
    assert result[0].evidence == (said("first words"), said("other words"))
    assert [candidate.rank for candidate in result] == [1, 2]


def test_new_facts_are_one_when_their_claims_are_alike() -> None:
    left = (new(1, "Open one bundled PR per ticket"),)
    assert len(merged(left, (new(2, "one bundled PR per ticket, open"),))) == 1
    assert len(merged(left, (new(2, "Squash before the merge"),))) == 2


@pytest.mark.parametrize(("count", "expected"), [(1, 1), (8, 8), (9, 5), (16, 8), (17, 5), (40, 5)])
def test_rounds_go_on_until_the_threshold_is_met(count: int, expected: int) -> None:
    lists = [(new(number, f"quite distinct lesson number{number}"),) for number in range(count)]
    result = reduce(lists)
    assert len(result.lists) == expected
    assert sum(map(len, result.lists)) == count


def test_what_the_rounds_cut_is_returned() -> None:
    lists = [tuple(new(10 * n + m, f"lesson{n}x{m} stands alone", rank=m) for m in range(10)) for n in range(2)]
    result = reduce(lists, threshold=1)
    assert (len(result.lists[0]), len(result.cut)) == (15, 5)


def test_a_merge_that_loses_a_citation_is_replaced_by_the_offline_one() -> None:
    lists = [(stale(1, "a", "first words"),), (stale(2, "a", "other words"),)]
    result = reduce(lists, lambda left, _: left, threshold=1)
    assert result.lists[0][0].evidence == (said("first words"), said("other words"))


BEFORE = (stale(1, "a", "first words"), stale(2, "b", "other words"))


def test_a_faithful_reduction_passes() -> None:
    assert check_reduced(BEFORE, [replace(BEFORE[0], claim="in other words"), BEFORE[1]]) == []


@pytest.mark.parametrize(
    ("after", "problem"),
    [
        ([replace(BEFORE[0], evidence=(said("invented words"),)), *BEFORE], '"invented words" stands in neither list'),
        ([replace(BEFORE[0], evidence=(said("first words", "bbbbbbbb"),)), *BEFORE], "stands in neither list"),
        ([replace(BEFORE[0], targets=("c",)), *BEFORE], "neither list proposes a stale"),
        ([replace(BEFORE[0], intent=Intent.NEW), *BEFORE], "neither list proposes a new"),
        ([BEFORE[0]], '"other words" is gone'),
        ([BEFORE[0]] * 15 + [BEFORE[1]], "holds 16 candidates"),
    ],
)
def test_an_unfaithful_reduction_is_named(after: list[Candidate], problem: str) -> None:
    assert any(problem in found for found in check_reduced(BEFORE, after))
