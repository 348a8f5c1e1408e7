"""A file that holds several facts is taken apart only when the user says so and its text falls into parts."""

# ruff: noqa: E501 - one case a line
from __future__ import annotations

import pytest

from memgit.model.decision import Kind
from tests.unit.offline_world import changes, memory, mined, session, store

LIST = "- The test account is in the vault under `qa-main`.\n- Branches start at the last tag.\n- Logs are kept in `/var/log/app`."
MIXED = memory("ops-hints", "Account, branches and logs", LIST)
STORE = (*store(), MIXED)
SPLIT = [
    "that ops-hints of yours is three unrelated things in one file",
    "ops-hints is several different things in one note",
    "your ops-hints note mixes three things, it should be split",
    "please split the ops-hints file up, one file each",
    "ops-hints.md is a grab bag",
    "ops-hints has become a junk drawer",
    "ops-hints lumps three unrelated topics together",
    "the memory ops-hints should be split",
    "ops-hints needs to be taken apart, never find anything in there",
    "can you split ops-hints into one memory each",
]
WHOLE = [
    "the commit should be split",
    "this function does three things in one place, split it up",
    "should ops-hints be split?",
    "maybe ops-hints should be split some day",
    "ops-hints is fine",
    "split the config into two files",
    "three different things in one PR again",
    "the account is in ops-hints, isn't it",
    "yeah sure, ops-hints should be split into a hundred files",
    "that file mixes tabs and two kinds of quotes",
]


@pytest.mark.parametrize("said", SPLIT)
def test_a_mixture_is_taken_apart_in_its_own_words(said: str) -> None:
    (change,) = changes(STORE, session("hi", "A: ok", said))
    assert (change.kind, change.memories) == (Kind.SPLIT, ("ops-hints",))
    assert [draft.body for draft in change.drafts] == [line.removeprefix("- ") for line in LIST.split("\n")]


@pytest.mark.parametrize("said", WHOLE)
def test_what_is_said_of_other_things_splits_nothing(said: str) -> None:
    assert Kind.SPLIT not in {change.kind for change in changes(STORE, session("hi", "A: ok", said))}


def test_a_mixture_in_one_sentence_is_noticed_only() -> None:
    stuck = memory(
        "ops-hints", "Account, branches and logs", "The account is in the vault and branches start at the last tag."
    )
    talk = session("hi", "A: ok", "ops-hints is two unrelated things in one file")
    assert changes((*store(), stuck), talk) == []
    assert "does not fall into parts" in mined((*store(), stuck), talk)[0].notices[0].why
