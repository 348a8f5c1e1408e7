"""Text wrapped into columns, whatever it holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.text.layout import Run, Style, cut, plain, width, wrapped


def rows(text: str, columns: int, first: str = "", left: str | None = None) -> list[str]:
    return [plain(row) for row in wrapped([Run(text)], columns, first, left)]


@pytest.mark.parametrize(("text", "columns"), [("abc", 3), ("重試預算", 8), ("e\u0301", 1), ("한글", 4), ("", 0)])
def test_width_counts_columns_and_not_characters(text, columns):
    assert width(text) == columns


def test_rows_break_at_blanks_and_begin_at_the_left():
    assert rows("three tries for each request", 14, "- ") == ["- three tries", "  for each", "  request"]


def test_a_word_that_fits_no_row_is_cut():
    assert rows("a" * 20, 8) == ["a" * 8, "a" * 8, "a" * 4]
    assert rows("重試預算重試", 8) == ["重試預算", "重試"]


def test_line_feeds_begin_rows_and_blank_ones_hold_nothing():
    assert rows("one\n\n\ttwo", 20, "  ", "  ") == ["  one", "", "      two"]


def test_a_style_is_kept_across_the_break():
    found = list(wrapped([Run("keep "), Run("three long words", Style.ADDED)], 12))
    assert found == [(Run("keep "), Run("three", Style.ADDED)), (Run("long words", Style.ADDED),)]


@pytest.mark.parametrize(
    ("text", "columns", "shown"), [("short", 5, "short"), ("too long", 5, "too …"), ("重試預算", 5, "重試…")]
)
def test_what_is_cut_fits_and_says_so(text, columns, shown):
    assert cut(text, columns) == shown


@given(st.text(max_size=300), st.integers(8, 60))
def test_no_row_is_wider_than_the_screen_and_no_letter_is_lost(text, columns):
    found = rows(text, columns)
    assert all(width(row) <= columns for row in found)
    assert "".join("".join(found).split()) == "".join(text.replace("\n", " ").split())
