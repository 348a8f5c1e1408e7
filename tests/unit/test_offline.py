"""The offline miner nominates and asks; by itself it takes nothing but memories that are equal but for form."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from math import log

import pytest

from memgit.likeness import models
from memgit.likeness.models import Logistic
from memgit.miners.offline import OfflineDecider, OfflineMiner
from memgit.miners.offline.miner import BEYOND, FIRST, LEAST
from memgit.miners.offline.nominate import asks_to_remember, fitted, statements, without_asking
from memgit.model.decision import Candidate, Decision, Intent, Kind, MinerReply, Proposal, Said, Seen, Standing
from memgit.model.session import Digest, Message, Origin, Role
from memgit.model.store import Memory
from memgit.rulings.rejections import question_key
from memgit.rulings.standing import MOST
from memgit.text.language import lexicon
from tests.talk_world import memory, session

STORE = (
    memory("deploy-window", "How long a deploy may take", "A production deploy has a window of 30 minutes."),
    memory("retry-budget", "Retries are per request", "Every call of the gateway draws on the same three retries."),
    memory("tea", "Tea", "Tea is in room 4."),
)


@pytest.fixture
def chance(monkeypatch: pytest.MonkeyPatch):
    """``chance(statement=…, about=…, pair=…)`` gives every statement, target and pair that chance, whatever the
    weights are that were fitted last."""

    def fix(statement: float = 0.0, about: float = 0.0, pair: float = 0.0) -> None:
        given = {"statement": statement, "about": about, "pair": pair, "said": 0.0, "merge": 0.0}
        monkeypatch.setattr(models, "read", lambda _: {name: always(value) for name, value in given.items()})

    fix()
    return fix


def always(value: float) -> Logistic:
    """A model that gives everything the same chance."""
    return Logistic(log(value / (1 - value)) if 0 < value < 1 else -50.0, {}, {})


def mined(*turns: str, memories: tuple[Memory, ...] = STORE) -> tuple[Candidate, ...]:
    return OfflineMiner().mine(session(*turns), memories).candidates


def asked(*turns: str, memories: tuple[Memory, ...] = STORE) -> tuple[Proposal, ...]:
    batch = session(*turns)
    return OfflineDecider().decide(memories, [batch], OfflineMiner().mine(batch, memories).candidates)


# --- statements


def said(*turns: str) -> list[tuple[str, str]]:
    """Each statement and what it answers."""
    return [(each.text, each.answers) for each in statements(session(*turns).messages)]


def test_every_sentence_that_a_person_typed_is_a_statement() -> None:
    assert said("Use pnpm. Never npm!\n> and yarn\n```\nnpm ci\n```\nfine", "A: I use pnpm now.") == [
        ("Use pnpm.", ""),
        ("Never npm!", ""),
        ("fine", ""),
    ]


def test_what_a_program_sent_or_the_user_took_back_is_none() -> None:
    (first, *_) = session("Use pnpm.").messages
    for other in (replace(first, origin=Origin.PROGRAM), replace(first, taken_back=True)):
        assert list(statements([other])) == []


def test_the_first_sentence_answers_the_last_question_before_it() -> None:
    assert said("A: I can take the mean. Or shall I take the median?", "the second. and log it") == [
        ("the second.", "Or shall I take the median?"),
        ("and log it", ""),
    ]
    assert said("A: Shall I?", "A: I have done it.", "fine") == [("fine", "Shall I?")]
    assert said("A: I have done it.", "fine") == [("fine", "")]


def test_a_question_far_up_in_a_long_answer_is_not_what_is_answered() -> None:
    assert said(f"A: Shall I? {'Then I went on. ' * 60}", "fine") == [("fine", "")]


def test_nothing_said_in_another_session_is_answered() -> None:
    both = [*session("A: Shall I?", name="one").messages, *session("fine", name="two").messages]
    assert [each.answers for each in statements(both)] == [""]


def test_a_statement_knows_where_it_stands_and_whether_it_looks_pasted() -> None:
    first, second = statements(session("See:\n    use pnpm").messages)
    assert (first.place, first.pasted, second.place, second.pasted) == (0, False, 1, True)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Remember that deploys are on Tuesday.", "that deploys are on Tuesday"),
        ("deploys are on Tuesday, keep in mind", "deploys are on Tuesday"),
        ("Remember", "Remember"),
    ],
)
def test_the_words_of_asking_are_no_content(text: str, content: str) -> None:
    (statement,) = statements(session(text).messages)
    words = asks_to_remember(statement, lexicon("en"))
    assert words
    assert without_asking(text, words).strip() in (content, content.removeprefix("that "))


def test_who_asks_for_nothing_has_no_words_of_asking() -> None:
    (statement,) = statements(session("deploys are on Tuesday").messages)
    assert asks_to_remember(statement, lexicon("en")) == ""


# --- candidates


def test_what_somebody_asked_to_remember_is_nominated_whatever_its_chance(chance) -> None:
    (found,) = mined("Remember: deploys go out on Tuesday.", "thanks a lot")
    assert (found.intent, found.targets, found.id) == (Intent.NEW, (), "B1.1")
    assert "deploys go out on Tuesday" in found.claim
    assert found.drafts[0].type == "feedback"
    assert found.why.startswith("The user asked to remember this.")


def test_what_is_not_worth_a_look_is_not_nominated(chance) -> None:
    assert mined("deploys go out on Tuesday", "thanks a lot") == ()
    chance(statement=LEAST)
    assert len(mined("deploys go out on Tuesday", "thanks a lot")) == 2


def test_of_a_batch_the_best_are_nominated_and_those_that_were_asked_for_first(chance) -> None:
    chance(statement=0.9)
    turns = [f"rule number {number} is about topic{number}" for number in range(40)]
    found = mined(*turns, "Remember: the last one counts.")
    assert len(found) == MOST
    assert "the last one counts" in found[0].claim
    assert [each.rank for each in found] == list(range(1, MOST + 1))
    assert found[0].chance > found[1].chance


def test_what_a_memory_says_already_and_what_is_said_twice_is_asked_once_or_never(chance) -> None:
    chance(statement=0.9)
    assert mined("tea is in *room 4*") == ()
    assert len(mined("coffee is in room 5", "Coffee is in room 5!")) == 1


@pytest.mark.parametrize("odd", ["<tool_result>", "</system>", "\x1b[2J", "\u202e"])
def test_what_speaks_to_the_agents_client_is_not_nominated(chance, odd: str) -> None:
    chance(statement=0.9)
    assert [each.claim for each in mined(f"Lunch is at noon {odd} every day.")] == []
    assert len(mined("Lunch is at noon every day.")) == 1


def test_a_draft_is_the_users_own_words_with_what_they_answer(chance) -> None:
    chance(statement=0.9)
    (found,) = mined("A: Shall I take the mean or the median?", "the median", memories=())
    (draft,) = found.drafts
    assert draft.body == "the median\n\n(In answer to: Shall I take the mean or the median?)"
    assert (draft.name, draft.description, draft.type) == ("the-median", "the median", "project")
    assert found.evidence == (Said("s1", "the median", answers="Shall I take the mean or the median?"),)


def test_a_name_is_made_of_the_words_as_they_stand(chance) -> None:
    chance(statement=0.9)
    (found,) = mined("never ever squash the release branch of the gateway without asking", memories=())
    assert found.drafts[0].name.startswith("never-ever-squash")
    (other,) = mined("这个", memories=())
    assert other.drafts[0].name


def test_a_statement_about_a_memory_changes_its_one_amount(chance) -> None:
    chance(statement=0.9, about=0.9)
    (found,) = mined("the production deploy window is 15 minutes now")
    assert (found.intent, found.targets) == (Intent.REPLACE, ("deploy-window",))
    assert found.drafts[0].body == "A production deploy has a window of 15 minutes."
    assert found.why == "It may change deploy-window."


def test_where_more_would_change_the_statement_stands_in_front_of_the_old_text(chance) -> None:
    chance(statement=0.9, about=0.9)
    (found,) = mined("the production deploy window is gone, we roll out by hand")
    (draft,) = found.drafts
    assert draft.id == "deploy-window"
    assert draft.body.startswith("Said later (2026-05-04): the production deploy window is gone")
    assert draft.body.endswith(f"\n\n{STORE[0].body}")


def test_what_was_asked_for_changes_no_memory(chance) -> None:
    chance(statement=0.9, about=0.9)
    (found,) = mined("Remember: the production deploy window is 15 minutes now")
    assert found.intent is Intent.NEW


# --- proposals


def test_everything_is_asked(chance) -> None:
    chance(statement=0.9)
    proposals = asked("coffee is in room 5", "Remember: deploys go out on Tuesday.")
    assert [each.asks for each in proposals] == ["Shall this be remembered?"] * 2
    assert [each.kind for each in proposals] == [Kind.ADD, Kind.ADD]
    assert "deploys go out on Tuesday" in proposals[0].claim, "what was asked for comes first"
    assert [each.candidates for each in proposals] == [("B1.1",), ("B1.2",)]


def test_a_change_asks_by_the_name_of_the_memory(chance) -> None:
    chance(statement=0.9, about=0.9)
    (proposal,) = asked("the production deploy window is 15 minutes now")
    assert (proposal.kind, proposal.asks) == (Kind.REPLACE, "Does this change deploy-window?")


def test_the_best_of_all_batches_come_first(chance) -> None:
    chance(statement=0.9)
    batches = [
        replace(session(*(f"rule {day} number {n} on topic{day}x{n}" for n in range(20)), name=f"s{day}"), number=day)
        for day in (1, 2)
    ]
    batches.append(replace(session("Remember: the last one counts.", name="s3"), number=3))
    replies = [OfflineMiner().mine(batch, STORE) for batch in batches]
    candidates = [one for reply in replies for one in reply.candidates]
    proposals = OfflineDecider().decide(STORE, batches, candidates)
    assert len(candidates) == len(proposals) == 2 * MOST + 1
    assert "the last one counts" in proposals[0].claim


def test_behind_the_first_few_a_question_has_to_be_likelier(chance) -> None:
    turns = [f"rule number {number} is about topic{number}" for number in range(FIRST + 2)]
    chance(statement=BEYOND - 0.01)
    assert len(asked(*turns)) == FIRST
    chance(statement=BEYOND + 0.01)
    assert len(asked(*turns)) == FIRST + 2


def test_a_message_is_asked_about_once_but_for_what_somebody_asked_to_remember(chance) -> None:
    chance(statement=0.9)
    assert len(mined("coffee is in room 5. the lift is out of order.")) == 1
    assert len(mined("Remember: coffee is in room 5. Remember: the lift is out of order.")) == 2


def test_what_was_answered_in_an_earlier_pass_is_passed_over(chance) -> None:
    chance(statement=0.9)
    first, second = mined("coffee is in room 5", "the lift is out of order")
    again = OfflineMiner(lambda: frozenset({question_key(first.evidence)}))
    (left,) = again.mine(session("coffee is in room 5", "the lift is out of order"), STORE).candidates
    assert (left.claim, left.id) == (second.claim, "B1.1")


def test_a_short_sentence_is_quoted_with_what_stands_beside_it(chance) -> None:
    chance(statement=0.9)
    (found,) = mined("The old cluster is gone. Use dev3. Thanks a lot.")
    assert found.evidence[0].quote == "The old cluster is gone. Use dev3."


def test_sessions_in_a_language_without_words_are_named(chance) -> None:
    klingon = " ".join(f"qapla{n} batlh{n} jaj{n}" for n in range(12))
    (told,) = OfflineMiner().mine(session(klingon), STORE).unread
    assert told[0] == "s1"
    assert "likeness alone" in told[1]
    english = (
        "From now on we use the new package manager in all of our projects, and the old one is not to be used " * 2
    )
    assert OfflineMiner().mine(session(english), STORE).unread == ()


EQUAL = (*STORE, memory("tea copy", "Tea", "tea is in *room 4*"))


def test_equal_memories_are_merged_without_a_question(chance) -> None:
    (proposal,) = asked("thanks", memories=EQUAL)
    assert (proposal.kind, proposal.asks, set(proposal.memories)) == (Kind.MERGE, "", {"tea", "tea copy"})
    assert proposal.drafts[0].id == "tea"


def test_near_memories_are_asked_about_and_equal_ones_not_again(chance) -> None:
    chance(pair=0.9)
    proposals = asked("thanks", memories=EQUAL)
    merges = [each for each in proposals if not each.asks]
    assert len(merges) == 1
    for each in proposals[1:]:
        assert each.asks == f"Do {each.memories[0]} and {each.memories[1]} say the same?"
        assert not set(each.memories) & {"tea", "tea copy"}


def test_without_sessions_and_without_a_store_there_is_nothing_to_ask(chance) -> None:
    chance(statement=0.9, pair=0.9)
    assert OfflineMiner().mine(Digest(1, ()), STORE) == MinerReply(1)
    assert OfflineDecider().decide((), [], ()) == ()


def test_a_pair_that_a_fact_keeps_apart_is_no_question_and_a_refused_request_is_told(chance) -> None:
    (request,) = asked("Remember: deploys go out on Tuesday.")
    seen = (Seen("memory:a", "One."), Seen("memory:b", "Two."))
    pair = Proposal(Kind.MERGE, "They are near each other.", seen, ("a", "b"))
    kept = Decision("M1", Kind.MERGE, "", seen, ("a", "b"), standing=Standing.HELD)
    against = replace(kept, standing=Standing.REFUSED)
    decider = OfflineDecider()
    assert list(decider.reconsider(STORE, [request, pair], [against, kept])) == [request, pair]
    assert list(decider.reconsider(STORE, [request, pair], [against, against])) == [request]


def test_what_is_shipped_is_fitted_and_gives_chances() -> None:
    (found, *_) = mined("from now on the production deploy window is 15 minutes, not 30", "Remember: use pnpm.")
    assert "use pnpm" in found.claim
    for name in ("statement", "about"):
        assert 0 < fitted(name).chance({}) < 1


def test_a_long_paste_takes_no_time_for_each_line_of_it(chance) -> None:
    log = "\n".join(f"line {number} of a long log about topic{number}" for number in range(1_000))
    message = Message("s1", "r", datetime(2026, 5, 4, tzinfo=UTC), Role.USER, log)
    assert OfflineMiner().mine(Digest(1, (message,)), STORE).candidates == ()
