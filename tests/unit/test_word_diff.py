"""A word diff shows the words that changed, and loses nothing of either text."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.text.diff import word_diff


def told(before: str, after: str) -> list[tuple[str, str]]:
    return [(piece.fate, piece.text) for piece in word_diff(before, after)]


@pytest.mark.parametrize(
    ("before", "after", "pieces"),
    [
        (
            "The window is 30 minutes.\n",
            "The window is 15 minutes.\n",
            [("same", "The window is "), ("removed", "30"), ("added", "15"), ("same", " minutes.\n")],
        ),
        ("one two three", "one three", [("same", "one "), ("removed", "two "), ("same", "three")]),
        ("a\n", "a\nb\n", [("same", "a\n"), ("added", "b\n")]),
        ("", "new\n", [("added", "new\n")]),
        ("gone\n", "", [("removed", "gone\n")]),
        ("alike\n", "alike\n", [("same", "alike\n")]),
        ("", "", []),
        (
            "Deploys follow `docs/runbooks/deploy.md` closely",
            "Deploys follow `docs/ops/deploy.md` closely",
            [
                ("same", "Deploys follow `"),
                ("removed", "docs/runbooks/deploy.md"),
                ("added", "docs/ops/deploy.md"),
                ("same", "` closely"),
            ],
        ),
        ("部署窗口是三十分钟", "部署窗口是十五分钟", [
            ("same", "部署窗口是"), ("removed", "三"), ("same", "十"), ("added", "五"), ("same", "分钟"),
        ]),
    ],
)  # fmt: skip
def test_only_the_words_that_differ_are_told_as_changed(before, after, pieces):
    assert told(before, after) == pieces


def test_a_blank_between_two_changed_words_belongs_to_the_change():
    assert told("the retry budget is three tries for every call", "the retry budget is five runs for every call") == [
        ("same", "the retry budget is "),
        ("removed", "three tries"),
        ("added", "five runs"),
        ("same", " for every call"),
    ]


def test_a_passage_that_shares_little_is_told_as_replaced_whole():
    old, new = "Ask Mira before a release.\n", "Backups of a kind run nightly at four.\n"
    assert told(old, new) == [("removed", old), ("added", new)]


def test_a_change_of_line_ends_alone_is_seen():
    assert told("one\r\n", "one\n") == [("same", "one"), ("removed", "\r\n"), ("added", "\n")]


def test_a_very_long_line_is_told_as_replaced_and_its_neighbours_as_kept():
    old, new = "x " * 3_000 + "\n", "y " * 3_000 + "\n"
    assert told("top\n" + old + "end\n", "top\n" + new + "end\n") == [
        ("same", "top\n"),
        ("removed", old),
        ("added", new),
        ("same", "end\n"),
    ]


texts = st.text(st.sampled_from("ab3 .\n\r\t-/`é日\udcff\u2028"), max_size=60) | st.text(max_size=40)


@given(texts, texts)
def test_both_texts_come_out_of_their_pieces_again(before, after):
    pieces = word_diff(before, after)
    assert "".join(piece.text for piece in pieces if piece.fate != "added") == before
    assert "".join(piece.text for piece in pieces if piece.fate != "removed") == after


@given(texts, texts)
def test_no_piece_is_empty_and_neighbours_differ(before, after):
    pieces = word_diff(before, after)
    assert all(piece.text for piece in pieces)
    fates = [piece.fate for piece in pieces]
    assert not [(one, two) for one, two in pairwise(fates) if one == two]


@given(texts)
def test_a_text_does_not_differ_from_itself(text):
    assert {piece.fate for piece in word_diff(text, text)} <= {"same"}
