"""A file that holds several facts is taken apart only when the user says so and its text falls into parts."""

# ruff: noqa: E501 - one case a line
from __future__ import annotations

import pytest

from memgit.model.decision import Kind
from tests.unit.offline_world import changes, memory, mined, session, store

LIST = "- The test account is in the vault under `qa-main`.\n- Branches start at the last tag.\n- Logs are kept in `/var/log/app`."
MIXED = memory("ops-misc", "Assorted notes", LIST)
STORE = (*store(), MIXED)
SPLIT = [
    "that ops-misc of yours is three unrelated things in one file",
    "ops-misc is several different things in one note",
    "your ops-misc note mixes three things, it should be split",
    "please split the ops-misc file up, one file each",
    "ops-misc.md is a grab bag",
    "ops-misc has become a junk drawer",
    "ops-misc lumps three unrelated topics together",
    "the memory ops-misc should be split",
    "ops-misc needs to be taken apart, never find anything in there",
    "can you split ops-misc into one memory each",
]
WHOLE = [
    "the commit should be split",
    "this function does three things in one place, split it up",
    "should ops-misc be split?",
    "maybe ops-misc should be split some day",
    "ops-misc is fine",
    "split the config into two files",
    "three different things in one PR again",
    "the account is in ops-misc, isn't it",
    "yeah sure, ops-misc should be split into a hundred files",
    "that file mixes tabs and two kinds of quotes",
]


@pytest.mark.parametrize("said", SPLIT)
def test_a_mixture_is_taken_apart_in_its_own_words(said: str) -> None:
    (change,) = changes(STORE, session("hi", "A: ok", said))
    assert (change.kind, change.memories) == (Kind.SPLIT, ("ops-misc",))
    assert [draft.body for draft in change.drafts] == [line.removeprefix("- ") for line in LIST.split("\n")]


@pytest.mark.parametrize("said", WHOLE)
def test_what_is_said_of_other_things_splits_nothing(said: str) -> None:
    assert Kind.SPLIT not in {change.kind for change in changes(STORE, session("hi", "A: ok", said))}


def test_a_mixture_in_one_sentence_is_noticed_only() -> None:
    stuck = memory("ops-misc", "Assorted notes", "The account is in the vault and branches start at the last tag.")
    talk = session("hi", "A: ok", "ops-misc is two unrelated things in one file")
    assert changes((*store(), stuck), talk) == []
    assert "does not fall into parts" in mined((*store(), stuck), talk)[0].notices[0].why
