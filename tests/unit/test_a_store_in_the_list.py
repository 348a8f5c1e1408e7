"""A store in the list of stores, as a person reads it."""

from __future__ import annotations

import pytest

from memgit.memory.stores import Listed, Record, rows


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (None, "nothing recorded"),
        (Record("/s", 3), "3 operations"),
        (Record("/s", 3, "2026-11-29.1", "pass"), "last pass 2026-11-29.1 (waits for your decision)"),
        (Record("/s", 3, "2026-11-29.1", "adopt"), "last pass 2026-11-29.1 (adopted)"),
        (Record("/s", 3, "2026-11-29.1", "something new"), "last pass 2026-11-29.1"),
    ],
)
def test_what_is_on_record_of_it_is_said_in_words(record, said):
    _, told = rows(Listed("/s", "directory", "this project", memories=1, record=record))
    assert told == f"  memories with an index, 1 memory; this project; {said}"
