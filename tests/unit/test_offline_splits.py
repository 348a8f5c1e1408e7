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


ROW = "- Flags begin with `bx_` and go two releases later.\n- Both apps exchange files through `group.shared`.\n- The build number is the run number of the workflow."


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("odds-and-ends", "Flags, groups, builds"),
        ("app-misc", "Several small things"),
        ("app-notes", "App notes - flags, groups, builds"),
    ],
)
def test_a_file_that_calls_itself_a_collection_is_taken_apart_unasked(name: str, description: str) -> None:
    (change,) = changes((*store(), memory(name, description, ROW)), session("hi", "A: ok", "thanks"))
    assert (change.kind, len(change.drafts)) == (Kind.SPLIT, 3)


@pytest.mark.parametrize(
    ("name", "description", "body"),
    [
        ("flag-rules", "How flags are named", ROW),
        (
            "odds-and-ends",
            "Odds and ends",
            "- Flags begin with `bx_` and go later.\n- Builds are numbered by the workflow.",
        ),
        (
            "release-notes",
            "How release notes are written",
            "- Release notes have no emoji.\n- Release notes name the ticket.\n- Release notes are short.",
        ),
        ("odds-and-ends", "Various notes", f"{ROW}\n\n**Why:** they all came up in one review."),
        (
            "odds-and-ends",
            "Various notes",
            "- The flag file lists each flag.\n- The flag file lists owners of each flag.\n- The flag file is read at start.",
        ),
    ],
)
def test_lists_that_are_one_fact_or_make_no_claim_to_be_several_stay_whole(
    name: str, description: str, body: str
) -> None:
    assert changes((*store(), memory(name, description, body)), session("hi", "A: ok", "thanks")) == []
