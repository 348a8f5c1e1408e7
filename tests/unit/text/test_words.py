"""Sentences, terms and letters: where one ends, what two texts are compared by, and what is left without form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.text.words import LONGEST, length, letters, sentences, terms


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("no capitals here. and none there", ["no capitals here.", "and none there"]),
        ('He said "stop." Then he left.', ['He said "stop."', "Then he left."]),
        ("a line\nanother line\n\nand one more", ["a line", "another line", "and one more"]),
        ("e.g. this one stays", ["e.g. this one stays"]),
        ("version 1.2 is out", ["version 1.2 is out"]),
        ("see a.py and b.py", ["see a.py and b.py"]),
        ("我们用这个。那个不用！好吗？", ["我们用这个。", "那个不用！", "好吗？"]),
        (" … --- \n ...", []),
        ("", []),
    ],
)
def test_a_sentence_ends_at_a_stop_or_with_its_line(text: str, found: list[str]) -> None:
    assert [each.text for each in sentences(text)] == found


@given(st.text(alphabet=st.sampled_from("ab .!?\n。\"')"), max_size=40))
def test_every_sentence_stands_where_it_says_and_no_word_is_left_out(text: str) -> None:
    found = list(sentences(text))
    assert all(text[each.start : each.end] == each.text for each in found)
    assert letters("".join(each.text for each in found)) == letters(text)


def test_an_endless_line_is_cut() -> None:
    (one,) = sentences("word " * 1_000)
    assert len(one.text) == LONGEST


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Deployments déployées", ("deploy", "deploy")),
        ("buildIndex2 and RETRY_BUDGET", ("build", "index", "2", "and", "retry", "budget")),
        ("发布窗口", ("发布", "布窗", "窗口")),
        ("窗", ("窗",)),
        ("リトライ五回", ("リト", "トラ", "ライ", "五回")),
        ("배포 창", ("배포", "창")),
        ("12345678", ("12345678",)),
        ("", ()),
    ],
)
def test_terms_are_the_words_of_any_script(text: str, found: tuple[str, ...]) -> None:
    assert terms(text) == found
    assert length(text) == len(found)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("Open *one* bundled PR.", "open one bundled pr", True),
        ("a_b", "a b", True),
        ("a\n\nb", "ab", True),
        ("- one\n- two", "one\ntwo", True),
        ("> one\n> two", "one two", True),
        ("# One\n\n====\n", "one", True),
        ("Run `make`!", "run make", True),
        ("“one” … two", '"one" - two', True),
        ("我们，用这个。", "我们用这个", True),
        ("never squash", "squash", False),
        ("15 minutes", "16 minutes", False),
        ("1.5 hours", "15 hours", False),
        ("v1.2", "v12", False),
        ("-5 degrees", "5 degrees", False),
        ("10:30", "1030", False),
        ("coverage < 80", "coverage > 80", False),
        ("a != b", "a = b", False),
        ("C++", "C", False),
        ("C#", "C", False),
        ("20 %", "20", False),
        ("✅ squash", "❌ squash", False),
        ("a → b", "a ← b", False),
        ("我们", "我們", False),
        ("", "…", True),
    ],
)
def test_letters_are_what_is_left_without_form(one: str, other: str, equal: bool) -> None:
    assert (letters(one) == letters(other)) == equal
