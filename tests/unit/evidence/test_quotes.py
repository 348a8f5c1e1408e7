"""When a quote counts: it stands word for word where it is said to, and a person typed it there."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.evidence.quotes import Passage, Place, Prose, Void, find_said, find_seen, fold, is_a_persons
from memgit.evidence.voices import typed
from memgit.model.decision import FactName, Said, Seen
from memgit.model.session import Digest, Message, Origin, Role
from memgit.model.store import Memory

SESSION = "aec3f868-4d14-49ed-a6f4-cfa1bfb5967e"
START = datetime(2026, 6, 3, 9, 41, tzinfo=UTC)
U, A = Role.USER, Role.ASSISTANT


def messages(*turns: tuple[Role, str] | Message, session: str = SESSION) -> tuple[Message, ...]:
    return tuple(
        turn if isinstance(turn, Message) else Message(session, f"r{number}", START + timedelta(minutes=number), *turn)
        for number, turn in enumerate(turns)
    )


def prose(*turns: tuple[Role, str] | Message, session: str = SESSION) -> Prose:
    return Prose([Digest(1, messages(*turns, session=session))])


def found(quote: str, *turns: tuple[Role, str] | Message, answers: str = "") -> Said | Void:
    return find_said(Said(SESSION, quote, answers=answers), prose(*turns))


def record(result: Said | Void) -> str:
    assert isinstance(result, Said), result
    return result.record


def void(result: Said | Seen | Void) -> tuple[str, str]:
    assert isinstance(result, Void), result
    return result.fact.value, result.says


# --- where it stands


def test_a_found_quote_comes_back_folded_with_record_and_time() -> None:
    result = found("the deploy window\n to 15 minutes", (U, "We moved the deploy window  to 15 minutes."))
    assert result == Said(SESSION, "the deploy window to 15 minutes", "r0", "2026-06-03T09:41:00+00:00")


def test_a_message_without_a_time_gives_evidence_without_one() -> None:
    timeless = Message(SESSION, "r9", None, U, "We moved the deploy window.")
    assert found("the deploy window", timeless) == Said(SESSION, "the deploy window", "r9")


@pytest.mark.parametrize("name", [SESSION, "aec3f868", "aec3f868-4d14"])
def test_a_session_is_named_whole_or_by_eight_characters_and_more(name: str) -> None:
    result = find_said(Said(name, "deploy window"), prose((U, "the deploy window")))
    assert isinstance(result, Said)
    assert result.session == SESSION


@pytest.mark.parametrize("name", ["aec3f86", "", "another-session-altogether"])
def test_any_other_name_is_no_session(name: str) -> None:
    fact, says = void(find_said(Said(name, "deploy window"), prose((U, "the deploy window"))))
    assert fact == FactName.NO_SESSION
    assert "not among those that this pass read" in says


def test_an_ambiguous_prefix_is_no_session() -> None:
    twins = [Digest(1, messages((U, "the window"), session=name)) for name in (SESSION, "aec3f868-other")]
    assert "ambiguous" in void(find_said(Said("aec3f868", "the window"), Prose(twins)))[1]


def test_a_session_in_several_batches_is_one() -> None:
    batches = [Digest(1, messages((U, "the window"))), Digest(2, messages((U, "the budget")))]
    assert isinstance(find_said(Said(SESSION, "the window"), Prose(batches)), Said)
    assert isinstance(find_said(Said(SESSION, "the budget"), Prose(batches)), Said)


@pytest.mark.parametrize(
    ("quote", "reason"),
    [
        ("", "is empty"),
        (" \n ", "is empty"),
        ("…?!", "is empty"),
        ("the deploy Window is", "word for word"),
        ("the deploy window isn", "word for word"),
        ("he deploy window", "word for word"),
        ("30 the deploy", "word for word"),
        ("the deploy window is 30", "word for word"),
    ],
)
def test_a_quote_that_is_not_there_word_for_word_is_void(quote: str, reason: str) -> None:
    fact, says = void(found(quote, (U, "the deploy window isnt 30")))
    assert (fact, reason in says) == ("quote-not-found", True)


@pytest.mark.parametrize("quote", ["yes", "12", "30", "a b"])
def test_a_short_quote_is_a_quote(quote: str) -> None:
    assert record(found(quote, (U, f"so {quote}."))) == "r0"


def test_a_quote_must_not_run_from_one_message_into_the_next() -> None:
    assert void(found("first half second half", (U, "first half"), (U, "second half")))[0] == "quote-not-found"


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("发布窗口改为", "我们把发布窗口改为十五分钟"),
        ("リトライは五回", "リトライは五回まで"),
        ("배포 창은", "이제 배포 창은15분"),
    ],
)
def test_where_words_are_not_parted_by_blanks_a_quote_may_begin_and_end_anywhere(quote: str, text: str) -> None:
    assert record(found(quote, (U, text))) == "r0"


def test_a_quote_that_cuts_off_a_word_before_it_is_a_quote_all_the_same() -> None:
    """What a sentence means is judgement: that a "never" was left out is a doubt, and no fact."""
    assert record(found("squash the release branch", (U, "never squash the release branch"))) == "r0"


# --- who said it


@pytest.mark.parametrize(
    ("turn", "fact"),
    [
        ((A, "the window is 15 minutes"), "agent-only"),
        (Message(SESSION, "r", START, U, "the window is 15 minutes", Origin.PROGRAM), "program"),
        ((U, "<pasted_content>\nthe window is 15 minutes\n</pasted_content>"), "not-typed"),
        ((U, "```\nthe window is 15 minutes\n```"), "not-typed"),
        ((U, "> the window is 15 minutes"), "not-typed"),
        ((U, "the window is [masked: password] 15 minutes"), "quote-not-found"),
    ],
)
def test_what_nobody_typed_is_void_and_the_reason_says_whose_it_is(turn: tuple[Role, str] | Message, fact: str) -> None:
    assert void(found("the window is 15 minutes", turn))[0] == fact


def test_a_quote_that_is_typed_only_in_part_is_not_typed() -> None:
    assert void(found("the window > is 15", (U, "mind the window\n> is 15 minutes")))[0] == "not-typed"
    assert void(found("so: ``` make", (U, "run it so:\n```\nmake\n```")))[0] == "not-typed"


def test_what_was_typed_while_the_agent_worked_is_typed() -> None:
    assert record(found("the window is 15", Message(SESSION, "q", START, U, "the window is 15", Origin.QUEUED))) == "q"


def test_a_quote_may_neither_hold_nor_touch_a_mask() -> None:
    text = "log in with [masked: password] and deploy"
    assert void(found("with [masked: password] and", (U, text)))[0] == "masked"
    assert void(found("password] and deploy", (U, text)))[0] == "masked"
    assert record(found("and deploy", (U, text))) == "r0"


def test_of_several_places_one_that_counts_is_taken() -> None:
    turns = ((U, "keep the window at 15"), (A, "I keep the window at 15 then."), (U, "> keep the window at 15\nno"))
    assert record(found("keep the window at 15", *turns)) == "r0"
    beside = "```\nkeep the window at 15\n```\nkeep the window at 15"
    assert record(found("keep the window at 15", (U, beside))) == "r0"


def test_of_several_statements_the_latest_counts() -> None:
    assert record(found("the deploy window", (U, "the deploy window"), (U, "the deploy window"))) == "r1"


def test_a_statement_that_was_taken_back_counts_where_nothing_else_says_it() -> None:
    back = Message(SESSION, "back", START, U, "the deploy window", taken_back=True)
    assert record(found("the deploy window", (U, "the deploy window"), back)) == "r0"
    assert record(found("the deploy window", back)) == "back"


def test_a_persons_message_is_one_that_was_typed_and_let_stand() -> None:
    own = Message(SESSION, "r", START, U, "x")
    assert is_a_persons(own)
    assert is_a_persons(replace(own, origin=Origin.QUEUED))
    for other in (replace(own, role=A), replace(own, origin=Origin.PROGRAM), replace(own, taken_back=True)):
        assert not is_a_persons(other)


# --- answers

ASKED = "Shall it be merged before or after the normalisation, and by the mean or by the median?"


def test_an_answer_counts_together_with_what_it_answers() -> None:
    result = found("after. median", (A, ASKED), (U, "after.  median"), answers="by the mean or\nby the median?")
    assert result == Said(SESSION, "after. median", "r1", "2026-06-03T09:42:00+00:00", "by the mean or by the median?")


def test_what_the_agent_said_since_the_users_last_message_may_be_answered() -> None:
    turns = ((A, ASKED), (A, "I would take the median."), (U, "yes"))
    for asked in ("by the median?", "I would take the median."):
        assert record(found("yes", *turns, answers=asked)) == "r2"


@pytest.mark.parametrize(
    "turns",
    [
        ((U, "yes"),),
        ((U, "yes"), (A, ASKED)),
        ((A, ASKED), (U, "let me think"), (U, "yes")),
        ((A, "Done."), (U, "yes")),
        ((A, f"{ASKED[:-2]}ns"), (U, "yes")),
    ],
)
def test_what_was_not_said_just_before_is_not_answered(turns: tuple[tuple[Role, str], ...]) -> None:
    fact, says = void(found("yes", *turns, answers="or by the median?"))
    assert fact == "answer-not-found"
    assert 'just before "yes" does not hold "or by the median?"' in says


def test_of_several_same_answers_the_one_to_that_question_is_meant() -> None:
    turns = ((A, ASKED), (U, "yes"), (A, "Shall I go on?"), (U, "yes"), (A, "And now?"), (U, "yes"))
    assert record(found("yes", *turns)) == "r5"
    assert record(found("yes", *turns, answers="Shall I go on?")) == "r3"
    assert record(found("yes", *turns, answers=ASKED)) == "r1"


def test_what_was_answered_is_named_from_the_place_of_the_answer() -> None:
    read = prose((U, "hm"), (A, "One."), (A, "Two?"), (U, "yes"))
    place = read.locate(Said(SESSION, "yes"))
    assert isinstance(place, Place)
    assert [passage.text for passage in read.answered(place)] == ["One.", "Two?"]


# --- around it


@pytest.mark.parametrize(
    ("text", "quote", "sentence"),
    [
        ("Hello there. Would tool X help us here? I doubt it.", "tool X help us", "Would tool X help us here?"),
        ("We use X", "use", "We use X"),
        ("So: we use X.\n> no. we use Y\nand X stays", "X stays", "and X stays"),
        ("```\ncode\n```\nwe use X. fine", "use X", "we use X."),
        ("我们用这个。那个不用。", "那个", "那个不用。"),
    ],
)
def test_a_place_knows_its_sentence_as_far_as_its_stretch_goes(text: str, quote: str, sentence: str) -> None:
    place = prose((U, text)).locate(Said(SESSION, quote))
    assert isinstance(place, Place)
    assert place.sentence == sentence


def test_what_people_said_later_is_found_in_this_session_and_by_time_in_others() -> None:
    mine = messages((U, "one"), (A, "agent"), (U, "two"))
    program = Message(SESSION, "p", START, U, "by a program", Origin.PROGRAM)
    other = [
        Message("other", "o1", START - timedelta(days=1), U, "before"),
        Message("other", "o2", START + timedelta(days=1), U, "after"),
        Message("other", "o3", None, U, "whenever"),
    ]
    read = Prose([Digest(1, (*mine, program)), Digest(2, tuple(other))])
    place = read.locate(Said(SESSION, "one"))
    assert isinstance(place, Place)
    assert [passage.text for passage in read.later(place)] == ["two", "after"]


# --- what is seen

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
    fact, says = void(find_seen(Seen(where, quote), [MEMORY], None))
    assert (fact, reason in says) == ("quote-not-found", True)


def test_the_working_tree_is_asked_for_its_own_lines() -> None:
    lines = {"tree:a.py:1": "x  = 1\n"}
    assert find_seen(Seen("tree:a.py:1", "x = 1"), [], lines.get) == Seen("tree:a.py:1", "x = 1")
    assert "nothing at" in void(find_seen(Seen("tree:a.py:2", "x = 1"), [], lines.get))[1]


# --- folding


def test_folding_touches_white_space_and_broken_unicode_only() -> None:
    assert fold(" A\u00a0b\n\t“c” \ud800") == "A b “c” \ufffd"


MARKS = ("word", " ", "\n", "```", "> ", "<pasted_content>", "</pasted_content>", "，", "我", "\ud800", "  ")
TEXTS = st.lists(st.sampled_from(MARKS), max_size=12).map("".join)


@given(TEXTS)
def test_the_voices_of_a_folded_message_cover_it_in_order(text: str) -> None:
    passage = Passage(Message(SESSION, "r", START, U, text))
    at = 0
    for start, end, _ in passage.voices:
        assert passage.text[at:start].strip() == ""
        at = end
    assert passage.text[at:].strip() == ""


@given(TEXTS, st.data())
def test_whatever_is_found_stands_there_and_was_typed(text: str, data: st.DataObject) -> None:
    folded = fold(text)
    start = data.draw(st.integers(0, len(folded)))
    quote = folded[start : data.draw(st.integers(start, len(folded)))]
    place = prose((U, text)).locate(Said(SESSION, quote))
    if isinstance(place, Place):
        assert folded[place.start : place.end] == fold(quote)
        assert fold(quote) in fold(typed(text))
