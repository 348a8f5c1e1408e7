"""Selection and batching, with the figures written out."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memgit.core.passes.plan import newest_first, select, tokens, tokens_of_bytes
from memgit.model.session import Limits, Provenance, Selection, Session

DEFAULT = Limits()
NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


def session(name: str, size: int, *, hours_ago: int | None = 0) -> Session:
    ended = None if hours_ago is None else NOON - timedelta(hours=hours_ago)
    return Session(name, f"/t/{name}.jsonl", Provenance.PROJECT, ended, ended, size, 1)


def pool(*sizes: int) -> list[Session]:
    """Sessions s0, s1, … of these sizes, s0 the newest."""
    return [session(f"s{number}", size, hours_ago=number) for number, size in enumerate(sizes)]


def names(sessions: tuple[Session, ...]) -> list[str]:
    return [one.id for one in sessions]


def batched(selection: Selection) -> list[list[str]]:
    return [names(batch.sessions) for batch in selection.batches]


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("漢字漢字", 3), ("🙂", 1), ("\ud83d", 1)]
)
def test_tokens_are_utf8_bytes_by_four_rounded_up(text: str, count: int) -> None:
    assert tokens(text) == count


def test_a_sum_of_bytes_is_rounded_once() -> None:
    assert tokens_of_bytes(3 * 5) == 4


def test_near_empty_sessions_never_count_against_cap_or_budget() -> None:
    selection = select(pool(499, 500, 0, 500), Limits(token_budget=1000, session_cap=2))
    assert names(selection.selected) == ["s1", "s3"]
    assert names(selection.near_empty) == ["s0", "s2"]
    assert (selection.beyond_budget, selection.beyond_cap) == ((), ())


def is_read(session: Session, limits: Limits = DEFAULT) -> bool:
    return bool(select([session], limits).selected)


def test_a_short_session_in_which_a_person_typed_much_is_not_near_empty() -> None:
    """Eleven corrections of one line each are the best session of a month."""
    short = session("s0", 80)
    assert not is_read(short)
    assert not is_read(replace(short, typed=59))
    assert is_read(replace(short, typed=60))
    assert is_read(replace(short, typed=10), Limits(typed_enough=10))


def test_what_a_fork_adds_to_a_long_session_is_not_near_empty() -> None:
    added = session("s0", 80)
    assert not is_read(replace(added, whole=499))
    assert is_read(replace(added, whole=500))
    assert select([replace(added, whole=500)], Limits()).tokens == 80, "and the copies are not counted again"


def test_a_session_that_adds_nothing_is_near_empty_whatever_it_copies() -> None:
    assert not is_read(replace(session("s0", 0), whole=90_000, typed=90_000))
    assert not is_read(session("s0", 0), Limits(near_empty=0))


def test_the_budget_is_tested_before_adding_so_one_session_may_pass_it() -> None:
    selection = select(pool(800, 900, 500), Limits(token_budget=1000))
    assert names(selection.selected) == ["s0", "s1"]
    assert (selection.tokens, selection.overshoot) == (1700, 700)


def test_nothing_after_a_spent_budget_is_taken_however_small() -> None:
    selection = select(pool(1000, 5000, 500), Limits(token_budget=1000))
    assert names(selection.selected) == ["s0"]
    assert names(selection.beyond_budget) == ["s1", "s2"]


def test_the_cap_is_named_where_both_cap_and_budget_are_reached() -> None:
    selection = select(pool(1000, 1000, 1000), Limits(token_budget=1000, session_cap=1))
    assert names(selection.beyond_cap) == ["s1", "s2"]
    assert selection.beyond_budget == ()


def test_batches_are_contiguous_runs_and_an_oversize_session_is_alone() -> None:
    selection = select(pool(30_000, 30_000, 1_000, 70_000, 500, 59_500), Limits(token_budget=10**6))
    assert batched(selection) == [["s0", "s1"], ["s2"], ["s3"], ["s4", "s5"]]
    assert [batch.number for batch in selection.batches] == [1, 2, 3, 4]


def test_reduce_engages_from_the_ninth_batch() -> None:
    limits = Limits(token_budget=10**7)
    assert not select(pool(*[50_000] * 8), limits).reduce_engaged
    assert select(pool(*[50_000] * 9), limits).reduce_engaged


def test_newest_first_breaks_ties_by_id_and_puts_sessions_without_a_time_last() -> None:
    mixed = [session("b", 1), session("z", 1, hours_ago=None), session("a", 1), session("old", 1, hours_ago=9)]
    assert names(tuple(newest_first(mixed))) == ["a", "b", "old", "z"]


def test_an_empty_pool_selects_nothing() -> None:
    selection = select([], Limits())
    assert (selection.pool, selection.selected, selection.batches, selection.overshoot) == (0, (), (), 0)
