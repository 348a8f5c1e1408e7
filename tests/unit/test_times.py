"""A time that somebody wrote down is one that can be reckoned with, or none."""

from datetime import UTC, datetime, timedelta

import pytest

from memgit.errors import UsageError
from memgit.model.times import days_before, time_of_seconds, time_of_text
from memgit.sessions.reader import moment
from memgit.wiring.settings import parse_time

EDGES = [
    "0001-01-01T00:00:00Z",
    "0001-01-01T00:00:00+14:00",
    "0001-01-01",
    "9999-12-31T23:59:59.999999-12:00",
    "9999-12-31T23:59:59Z",
]


@pytest.mark.parametrize("text", EDGES)
def test_a_time_at_the_edge_of_the_calendar_is_none(text: str):
    assert time_of_text(text) is None
    assert moment(text) is None
    with pytest.raises(UsageError, match="is no time"):
        parse_time(text)


@pytest.mark.parametrize("seconds", [1e300, -1e300, float("nan"), float("inf"), 2**63, -(2**40), 1 << 70])
def test_seconds_that_no_calendar_has_are_no_time(seconds: float):
    assert time_of_seconds(seconds) is None
    assert moment(seconds) is None or moment(seconds).year < 9001


@pytest.mark.parametrize("text", ["2026-11-29T12:00:00+14:00", "1970-01-01", "2026-11-29T12:00:00.123Z"])
def test_any_other_time_can_be_reckoned_with(text: str):
    time = time_of_text(text)
    assert time is not None
    assert time.astimezone(UTC) - timedelta(days=1) < time < time + timedelta(days=365)


def test_more_days_ago_than_history_has_is_before_all_of_it():
    assert days_before(datetime(2026, 11, 29, tzinfo=UTC), 10**15) < datetime(1970, 1, 1, tzinfo=UTC)
