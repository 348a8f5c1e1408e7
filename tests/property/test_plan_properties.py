"""What holds of every selection."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from memgit.core.passes.plan import newest_first, select
from memgit.model.session import Limits, Provenance, Session

sessions = st.lists(
    st.builds(
        lambda number, hours, size: (number, hours, size),
        st.integers(0, 10**6),
        st.none() | st.integers(0, 50),
        st.integers(0, 90_000),
    ),
    max_size=40,
    unique_by=lambda drawn: drawn[0],
).map(
    lambda drawn: [
        Session(f"s{number}", "", Provenance.PROJECT, None, hours if hours is None else _time(hours), size, 1)
        for number, hours, size in drawn
    ]
)
limits = st.builds(
    Limits, token_budget=st.integers(1, 300_000), session_cap=st.integers(1, 20), near_empty=st.integers(0, 2000)
)


def _time(hours: int) -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=hours)


@given(sessions, limits)
def test_every_session_is_in_exactly_one_group(pool: list[Session], bounds: Limits) -> None:
    selection = select(pool, bounds)
    groups = (selection.selected, selection.near_empty, selection.beyond_budget, selection.beyond_cap)
    assert sorted(one.id for group in groups for one in group) == sorted(one.id for one in pool)
    assert selection.pool == len(pool)


@given(sessions, limits)
def test_only_the_last_session_taken_passes_the_budget(pool: list[Session], bounds: Limits) -> None:
    selection = select(pool, bounds)
    assert sum(one.tokens for one in selection.selected[:-1]) < bounds.token_budget
    assert len(selection.selected) <= bounds.session_cap
    assert all(one.tokens >= bounds.near_empty for one in selection.selected)


@given(sessions, limits)
def test_what_is_selected_is_newer_than_all_that_was_left_for_budget_or_cap(
    pool: list[Session], bounds: Limits
) -> None:
    selection = select(pool, bounds)
    order = [one.id for one in newest_first(pool)]
    taken = [order.index(one.id) for one in selection.selected]
    left = [order.index(one.id) for one in (*selection.beyond_budget, *selection.beyond_cap)]
    assert taken == sorted(taken)
    assert not taken or not left or max(taken) < min(left)


@given(sessions, limits)
def test_batches_hold_the_selection_in_order_within_their_window(pool: list[Session], bounds: Limits) -> None:
    selection = select(pool, bounds)
    assert tuple(one for batch in selection.batches for one in batch.sessions) == selection.selected
    assert all(batch.tokens <= bounds.batch_window or len(batch.sessions) == 1 for batch in selection.batches)


@given(sessions, limits, st.randoms())
def test_the_order_in_which_sessions_are_found_does_not_matter(pool: list[Session], bounds: Limits, random) -> None:
    shuffled = list(pool)
    random.shuffle(shuffled)
    assert select(shuffled, bounds) == select(pool, bounds)
