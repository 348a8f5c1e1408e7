"""When a quote counts: found word for word, in one message, said or accepted by the user."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memgit.evidence.quotes import ACCEPTED, find_said, find_seen, fold, locate
from memgit.model.decision import Said, Seen
from memgit.model.session import Digest, Message, Origin, Role
from memgit.model.store import Memory

SESSION = "aec3f868-4d14-49ed-a6f4-cfa1bfb5967e"
START = datetime(2026, 6, 3, 9, 41, tzinfo=UTC)


def digest(*turns: tuple[Role, str], session: str = SESSION, origin: Origin = Origin.TYPED) -> Digest:
    messages = [
        Message(session, f"r{number}", START + timedelta(minutes=number), role, text, origin)
        for number, (role, text) in enumerate(turns)
    ]
    return Digest(1, tuple(messages))


def user(text: str) -> tuple[Role, str]:
    return (Role.USER, text)


def assistant(text: str) -> tuple[Role, str]:
    return (Role.ASSISTANT, text)


def test_a_found_quote_comes_back_with_record_time_and_speaker() -> None:
    said = find_said(
        Said(SESSION, "the deploy window\n to 15 minutes"), [digest(user("We moved the deploy window  to 15 minutes."))]
    )
    assert said == Said(SESSION, "the deploy window to 15 minutes", "r0", "2026-06-03T09:41:00+00:00", "user")


def test_a_prefix_of_eight_characters_names_a_session() -> None:
    said = find_said(Said("aec3f868", "deploy window"), [digest(user("the deploy window"))])
    assert isinstance(said, Said)
    assert said.session == SESSION


def test_a_shorter_prefix_names_nothing() -> None:
    assert "not among those" in str(find_said(Said("aec3f86", "deploy window"), [digest(user("the deploy window"))]))


def test_an_ambiguous_prefix_is_refused() -> None:
    twins = [digest(user("the deploy window")), digest(user("the deploy window"), session="aec3f868-other")]
    assert "ambiguous" in str(find_said(Said("aec3f868", "deploy window"), twins))


@pytest.mark.parametrize(
    ("quote", "reason"),
    [
        ("", "is empty"),
        (" \n ", "is empty"),
        ("window", "too short"),
        ("a b", "too short"),
        ("use [masked: npm token] here", "holds a masked secret"),
        ("the deploy Window is", "word for word"),
        ("the deploy window isn", "word for word"),
        ("he deploy window", "word for word"),
    ],
)
def test_an_unfit_quote_is_void_with_the_reason(quote: str, reason: str) -> None:
    assert reason in str(find_said(Said(SESSION, quote), [digest(user("the deploy window isnt 30"))]))


def test_a_quote_must_not_run_from_one_message_into_the_next() -> None:
    assert isinstance(
        find_said(Said(SESSION, "first half second half"), [digest(user("first half"), user("second half"))]), str
    )


def test_a_quote_may_not_reach_into_a_mask() -> None:
    text = "log in with [masked: password] and deploy"
    assert "masked" in str(find_said(Said(SESSION, "password] and deploy"), [digest(user(text))]))


def test_a_quote_that_cuts_off_its_negation_is_void() -> None:
    assert 'leaves out the "never"' in str(
        find_said(Said(SESSION, "squash the release branch"), [digest(user("never squash the release branch"))])
    )
    assert 'leaves out the "n\'t"' in str(
        find_said(Said(SESSION, "squash the release branch"), [digest(user("don't squash the release branch"))])
    )


def test_a_script_without_spaces_needs_no_second_word() -> None:
    assert isinstance(find_said(Said(SESSION, "发布窗口改为"), [digest(user("我们把发布窗口改为十五分钟"))]), Said)


def test_what_the_user_says_goes_before_what_the_assistant_says() -> None:
    said = find_said(
        Said(SESSION, "keep the window at 15"),
        [digest(user("keep the window at 15"), assistant("I keep the window at 15 then."), user("no"))],
    )
    assert isinstance(said, Said)
    assert (said.record, said.by) == ("r0", "user")


def test_of_several_statements_of_the_user_the_latest_counts() -> None:
    said = find_said(Said(SESSION, "the deploy window"), [digest(user("the deploy window"), user("the deploy window"))])
    assert isinstance(said, Said)
    assert said.record == "r1"


@pytest.mark.parametrize("answer", ["yes", "Ok, do it!", "sounds good", "Yes please. Thanks!", "LGTM", "that's right"])
def test_assistant_prose_counts_when_the_next_message_accepts_it(answer: str) -> None:
    said = find_said(
        Said(SESSION, "the window is 15 minutes"), [digest(assistant("So the window is 15 minutes?"), user(answer))]
    )
    assert isinstance(said, Said)
    assert said.by == ACCEPTED


@pytest.mark.parametrize(
    "answer", ["yes, but make it 20", "no", "ok?? why is that", "hm", "yesterday", "okapi", "thanks", "!"]
)
def test_assistant_prose_does_not_count_otherwise(answer: str) -> None:
    reason = find_said(
        Said(SESSION, "the window is 15 minutes"), [digest(assistant("the window is 15 minutes"), user(answer))]
    )
    assert "does not plainly accept" in str(reason)


def test_a_program_cannot_accept_anything() -> None:
    turns = digest(assistant("the window is 15 minutes"), user("yes"), origin=Origin.PROGRAM)
    assert isinstance(find_said(Said(SESSION, "the window is 15 minutes"), [turns]), str)


def test_assistant_prose_at_the_end_was_accepted_by_nobody() -> None:
    assert isinstance(
        find_said(Said(SESSION, "the window is 15"), [digest(assistant("the window is 15 minutes"))]), str
    )


def test_a_place_knows_its_sentence() -> None:
    place = locate(
        Said(SESSION, "tool X help us"), [digest(user("Hello there. Would tool X help us here? I doubt it."))]
    )
    assert not isinstance(place, str)
    assert place.sentence == "Would tool X help us here?"


MEMORY = Memory("team/oncall", "team/oncall.md", b"", "Jana is on call\n on Mondays.\n", description="who is on call")


def test_lines_of_a_memory_are_seen() -> None:
    assert find_seen(Seen("memory:team/oncall", "on call on  Mondays"), [MEMORY], None) == Seen(
        "memory:team/oncall", "on call on Mondays"
    )


@pytest.mark.parametrize(
    ("where", "quote", "reason"),
    [
        ("memory:team/oncall", "", "is empty"),
        ("memory:team/oncall", "Tuesdays", "does not say"),
        ("memory:gone", "Jana", "nothing at memory:gone"),
        ("tree:a.py:1", "x = 1", "nothing at tree:a.py:1"),
        ("web:x", "y", "nothing at web:x"),
    ],
)
def test_seen_evidence_that_is_not_there_is_void(where: str, quote: str, reason: str) -> None:
    assert reason in str(find_seen(Seen(where, quote), [MEMORY], None))


def test_the_working_tree_is_asked_for_its_own_lines() -> None:
    lines = {"tree:a.py:1": "x  = 1\n"}
    assert find_seen(Seen("tree:a.py:1", "x = 1"), [], lines.get) == Seen("tree:a.py:1", "x = 1")
    assert "nothing at" in str(find_seen(Seen("tree:a.py:2", "x = 1"), [], lines.get))


def test_folding_touches_white_space_and_broken_unicode_only() -> None:
    assert fold(" A\u00a0b\n\t“c” \ud800") == "A b “c” \ufffd"
