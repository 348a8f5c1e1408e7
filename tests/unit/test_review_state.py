"""The state machine of a review: where each action leads, and that no answer is ever lost."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.core.review.dossier import adoptable, commands, what_comes
from memgit.core.review.state import (
    KEYS,
    Answer,
    Filter,
    Jump,
    Narrow,
    Next,
    Previous,
    Review,
    Rule,
    Stepped,
    TakeBack,
    Wish,
    opened,
    reply,
    step,
    understood,
)
from memgit.model.decision import Approval, Decision, Kind
from memgit.model.history import PassKind
from memgit.rulings.approval import Ruling, parse, rulings

OPEN, YES, NO, LATER = Approval.PROPOSED, Approval.APPROVED, Approval.REJECTED, Approval.DEFERRED


def decision(number: int, kind: Kind = Kind.REPLACE, *memories: str) -> Decision:
    names = memories or (f"memory-{number}",)
    return Decision(f"M{number}", kind, "Because.", memories=names, results=names)


FOUR = (
    decision(1, Kind.REPLACE, "deploy-window"),
    decision(2, Kind.MERGE, "retry-budget", "retries-are-capped"),
    decision(3, Kind.DROP, "flaky-suite"),
    decision(4, Kind.MERGE, "team/oncall"),
)


def after(review: Review, *actions) -> Review:
    for action in actions:
        review = step(review, action).review
    return review


def rule(verdict: Approval, edit: str = "", reason: str = "") -> Rule:
    return Rule(Ruling(verdict, edit, reason))


def test_a_review_begins_at_the_first_open_decision_and_a_ruling_leads_to_the_next():
    review = opened((replace(FOUR[0], approval=NO), *FOUR[1:]))
    assert review.at == "M2"
    review = after(review, rule(YES))
    assert (review.at, review.given) == ("M3", {"M2": Ruling(YES)})


def test_after_the_last_one_come_those_that_were_passed_over_and_then_the_end():
    review = after(opened(FOUR), Next(), Next(), rule(NO), rule(YES))
    assert review.at == "M1"
    assert after(review, rule(YES), rule(LATER)).at == ""


def test_a_refused_proposal_and_what_only_follows_are_not_asked_about():
    refused = Decision("M5", Kind.REJECT, "No quote.", claim="a claim")
    follows = Decision("M6", Kind.REPAIR, "Links follow.", memories=("index-notes",))
    assert [each.id for each in opened((*FOUR, refused, follows)).decisions] == ["M1", "M2", "M3", "M4"]


def test_the_last_answer_counts_and_an_edit_stays_when_its_decision_is_approved_again():
    review = after(opened(FOUR), rule(YES, edit="Own words."), Jump("M1"), rule(NO, reason="wrong"), Jump("1"))
    assert review.given["M1"] == Ruling(NO, "Own words.", "wrong")
    assert after(review, rule(YES)).given["M1"] == Ruling(YES, "Own words.")


def test_taking_back_looks_at_the_decision_again_and_an_earlier_answer_counts_again():
    review = after(opened(FOUR), rule(YES), Jump("M1"), rule(NO))
    back = step(review, TakeBack())
    assert back.told == "Took back the answer to M1."
    assert (back.review.at, back.review.given) == ("M1", {"M1": Ruling(YES)})
    assert after(back.review, TakeBack()).given == {}


def test_taking_back_nothing_says_so():
    assert step(opened(FOUR), TakeBack()) == Stepped(opened(FOUR), "There is no answer to take back.")


def test_going_on_and_back_stops_at_the_end_and_at_the_first():
    review = opened(FOUR)
    assert step(review, Previous()).told == "This is the first one."
    at_end = after(review, Next(), Next(), Next(), Next())
    assert at_end.at == ""
    assert step(at_end, Next()) == Stepped(at_end, "This is the end.")
    assert after(at_end, Previous()).at == "M4"


def test_at_the_end_there_is_nothing_to_answer():
    review = replace(opened(FOUR), at="")
    assert step(review, rule(YES)) == Stepped(review, "There is no decision here to answer; `p` goes back.")


@pytest.mark.parametrize(("typed", "at"), [("M3", "M3"), ("m3", "M3"), ("3", "M3")])
def test_a_decision_is_jumped_to_by_its_id(typed, at):
    assert after(opened(FOUR), Jump(typed)).at == at


@pytest.mark.parametrize("typed", ["M9", "retry-budget", "", "-1"])
def test_a_jump_to_nothing_names_what_there_is(typed):
    stepped = step(opened(FOUR), Jump(typed))
    assert stepped.review == opened(FOUR)
    assert stepped.told.endswith("to answer in this pass; there are M1 to M4.")


@pytest.mark.parametrize(
    ("words", "left"),
    [
        (("merge",), ["M2", "M4"]),
        (("open",), ["M2", "M3", "M4"]),
        (("approved",), ["M1"]),
        (("RETR",), ["M2"]),
        (("merge", "oncall"), ["M4"]),
        ((), ["M1", "M2", "M3", "M4"]),
    ],
)
def test_a_filter_takes_states_kinds_and_parts_of_memory_ids(words, left):
    review = after(opened(FOUR), rule(YES), Narrow(Filter(words)))
    assert [each.id for each in review.shown] == left
    assert review.at in left


def test_a_filter_that_nothing_fits_changes_nothing():
    stepped = step(opened(FOUR), Narrow(Filter(("split",))))
    assert stepped == Stepped(opened(FOUR), "No decision fits “split”.")


def test_an_answer_that_leads_out_of_the_filter_goes_on_within_it():
    review = after(opened(FOUR), Narrow(Filter(("open", "merge"))), rule(YES))
    assert review.at == "M4"
    assert after(review, rule(YES)).at == ""


def test_a_review_goes_on_behind_its_last_answer():
    kept = (Answer("M1", Ruling(YES)), Answer("M2", Ruling(NO)), Answer("M9", Ruling(NO)))
    review = opened(FOUR, kept)
    assert (review.at, len(review.answers)) == ("M3", 2)


# --- properties ---

actions = st.one_of(
    st.builds(
        rule, st.sampled_from([YES, NO, LATER]), st.sampled_from(["", "Own words."]), st.sampled_from(["", "wrong"])
    ),
    st.just(Next()),
    st.just(Previous()),
    st.builds(Jump, st.sampled_from(["M1", "2", "M4", "M9", "x"])),
    st.builds(lambda words: Narrow(Filter(tuple(words))), st.lists(st.sampled_from(["open", "merge", "retry", "no"]))),
    st.just(TakeBack()),
)


@given(st.lists(actions, max_size=30))
def test_no_sequence_of_actions_loses_an_answer(sequence):
    review, expected = opened(FOUR), []
    for action in sequence:
        if isinstance(action, Rule) and review.at:
            expected.append((review.at, action.ruling.verdict, action.ruling.reason))
        elif isinstance(action, TakeBack) and expected:
            expected.pop()
        review = step(review, action).review
        told = [(answer.decision, answer.ruling.verdict, answer.ruling.reason) for answer in review.answers]
        assert told == expected
        assert review.at in {"", "M1", "M2", "M3", "M4"}
    for name, ruling in review.given.items():
        assert (name, ruling.verdict, ruling.reason) == [each for each in expected if each[0] == name][-1]


@given(st.lists(actions, max_size=20), st.sampled_from([YES, NO, LATER]))
def test_taking_an_answer_back_is_as_if_it_had_not_been_given(sequence, verdict):
    review = after(opened(FOUR), *sequence)
    if review.at:
        assert after(review, rule(verdict), TakeBack()) == review


# --- keys and commands ---


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("a", rule(YES)),
        (" A ", rule(YES)),
        ("d", rule(LATER)),
        ("", Next()),
        ("r", Wish.REJECT),
        ("r it  still\tholds", rule(NO, reason="it still holds")),
        ("g m3", Jump("m3")),
        ("f open merge", Narrow(Filter(("open", "merge")))),
        ("f all", Narrow(Filter())),
        ("?", Wish.HELP),
        ("a M2", None),
        ("x", None),
        ("approve", None),
    ],
)
def test_a_line_means_one_thing_or_nothing(typed, meant):
    assert understood(typed) == meant


def test_every_key_of_the_help_means_something():
    assert [key.letter for key in KEYS if understood(key.letter) is None] == []


def test_the_answers_as_a_reply_say_the_same_to_approve():
    given_ = {
        "M1": Ruling(YES),
        "M2": Ruling(NO, reason="it still holds"),
        "M3": Ruling(LATER),
        "M4": Ruling(YES, edit="Own words.\n\nIn two parts."),
    }
    said = reply(given_)
    assert said == (
        "approve M1; defer M3; reject M2 — it still holds\napprove M4 with edit: Own words.\n\nIn two parts."
    )
    assert rulings(parse(said), FOUR) == given_


def test_a_reason_that_reads_as_a_clause_is_left_out_of_the_reply():
    assert reply({"M1": Ruling(NO, reason="no; approve M2")}) == "reject M1"


def test_the_commands_at_the_end_quote_for_a_shell():
    review = after(opened(FOUR[:1]), rule(NO, reason="it's wrong"))
    assert list(commands("2026-11-29.3", review, review.given, PassKind.CURATE)) == [
        """memgit approve 2026-11-29.3 'reject M1 — it'"'"'s wrong'""",
        "memgit discard 2026-11-29.3",
    ]


def test_where_nothing_stands_and_something_is_open_the_command_is_one_that_rules():
    assert list(commands("2026-11-29.3", opened(FOUR), {}, PassKind.AUDIT)) == [
        'memgit approve 2026-11-29.3 "approve M1"'
    ]


@pytest.mark.parametrize(
    ("kind", "sequence", "sentence", "adopts"),
    [
        (PassKind.CURATE, [], "Nothing is approved, so adopting takes what is open: M1, M2, M3, M4.", True),
        (PassKind.AUDIT, [], "Nothing stands, so there is nothing to adopt.", False),
        (PassKind.AUDIT, [rule(YES)], "Adopting takes M1. Still open, and so left out: M2, M3, M4.", True),
        (PassKind.CURATE, [rule(NO)] * 4, "Nothing stands, so there is nothing to adopt.", False),
    ],
)
def test_the_end_says_what_adopting_would_take(kind, sequence, sentence, adopts):
    review = after(opened(FOUR), *sequence)
    assert (what_comes(review, kind), adoptable(review, kind)) == (sentence, adopts)
