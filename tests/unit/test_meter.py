"""Progress: what is read, how much of it, and an estimate only when there is ground for one."""

from __future__ import annotations

import io

import pytest

from memgit.console.terminal import Meter, drawn

BYTES = 1_000_000
QUARTER = "######------------------"


@pytest.mark.parametrize(
    ("what", "done", "total", "seconds", "columns", "line"),
    [
        ("deciding", 0, None, 9, 80, "deciding …"),
        ("mining batches", 2, 8, 1, 80, f"mining batches 2 of 8 [{QUARTER}]"),
        ("mining batches", 2, 8, 28, 80, f"mining batches 2 of 8, about 84 s left [{QUARTER}]"),
        ("reading", 250_000, BYTES, 10, 80, f"reading 25%, about 30 s left [{QUARTER}]"),
        ("reading", 250_000, BYTES, 10, 34, "reading 25%, about 30 s left …"),
        ("reading", 250_000, BYTES, 10, 20, "reading 25%, about…"),
        ("reading", 250_000, BYTES, 180, 80, f"reading 25%, about 9 min left [{QUARTER}]"),
        ("reading", 10_000, BYTES, 60, 80, f"reading 1% [{'-' * 24}]"),
        ("reading", 2 * BYTES, BYTES, 60, 80, f"reading 100% [{'#' * 24}]"),
    ],
)
def test_a_step_is_told_with_a_share_and_an_estimate(what, done, total, seconds, columns, line):
    told = drawn(what, done, total, seconds, columns)
    assert told == line
    assert len(told) < columns


class Clock:
    """Seconds as the test sets them."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_line_is_drawn_over_and_not_more_often_than_can_be_read():
    clock, stream = Clock(), io.StringIO()
    meter = Meter(stream, lambda: 40, clock)
    for done in range(100):
        meter.step("reading", done, 100)
    clock.now = 1.0
    meter.step("reading", 100, 100)
    meter.step("deciding")
    lines = stream.getvalue().split("\r\x1b[K")[1:]
    assert lines == [
        f"reading 0 of 100 [{'-' * 20}]",
        f"reading 100 of 100 [{'#' * 18}]",
        "deciding …",
    ]


def test_each_step_is_estimated_by_its_own_pace():
    clock, stream = Clock(), io.StringIO()
    meter = Meter(stream, lambda: 80, clock)
    meter.step("reading", 0, 10)
    clock.now = 100.0
    meter.step("mining", 5, 10)
    assert "left" not in stream.getvalue()
    clock.now = 110.0
    meter.step("mining", 6, 10)
    assert "mining 6 of 10, about 7 s left" in stream.getvalue()
