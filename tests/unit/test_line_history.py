"""Which line of an older text a line is: followed past what was written around it, and none for what is new."""

from __future__ import annotations

import pytest

from memgit.tree.history import number_before, text_lines

BEFORE = ["one", "two", "three", "four", "five"]


@pytest.mark.parametrize(
    ("now", "line", "number"),
    [
        (BEFORE, "three", 3),
        (["zero", *BEFORE], "three", 3),
        ([*BEFORE, "six"], "three", 3),
        (["one", "three", "four", "five"], "four", 4),
        (["one", "1.5", "two", "three", "3.5", "four", "five"], "three", 3),
        (["one", "1.5", "two", "three", "3.5", "four", "five"], "3.5", None),
        (["one", "two", "3", "four", "five"], "3", None),
        (["other"], "other", None),
    ],
)
def test_a_line_is_followed_past_what_changed_around_it(now: list[str], line: str, number: int | None) -> None:
    assert number_before(now.index(line) + 1, now, BEFORE) == number


@pytest.mark.parametrize("number", [0, 6, -1])
def test_a_line_that_is_not_there_was_never_there(number: int) -> None:
    assert number_before(number, BEFORE, BEFORE) is None


def test_of_two_long_texts_without_a_common_end_nothing_is_said() -> None:
    now = ["a", *("x" for _ in range(3000)), "same", *("y" for _ in range(3000)), "b"]
    assert number_before(3002, now, ["c", "same", "d"]) is None


def test_what_ends_a_line_is_no_difference() -> None:
    assert text_lines("one\r\ntwo\n") == text_lines("one\ntwo\r\n") == ["one", "two", ""]
