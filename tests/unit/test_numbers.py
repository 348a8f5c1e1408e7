"""Counts in sentences."""

from __future__ import annotations

import pytest

from memgit.text.layout import counted


@pytest.mark.parametrize(
    ("count", "noun", "told"),
    [
        (1, "dead pointer", "1 dead pointer"),
        (2, "dead pointer", "2 dead pointers"),
        (0, "memory", "0 memories"),
        (1, "memory", "1 memory"),
        (2, "day", "2 days"),
        (3, "pass", "3 passes"),
        (1200, "session", "1,200 sessions"),
    ],
)
def test_a_noun_follows_its_count(count, noun, told):
    assert counted(count, noun) == told


def test_what_follows_the_noun_stays_as_it_is():
    assert counted(1, "line", "with several links") == "1 line with several links"
