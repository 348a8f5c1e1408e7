"""Of several quotes those that are there count; what is not is left out and told."""

from __future__ import annotations

from dataclasses import replace

from memgit.model.decision import Said, Seen, Standing
from memgit.model.session import Digest, Role
from memgit.rulings.case import cited
from tests.unit.rulings.world import ADD, LINES, MERGE, REPLACE, case, digest, one, said, settled

ASKED = (Role.ASSISTANT, "Shall it be merged before or after the normalisation? And by the mean or by the median?")
TALK = digest("how do I merge them", ASKED, "after. median", (Role.ASSISTANT, "Anything else?"), "no")


def found(*evidence: Said | Seen, digests: Digest = TALK) -> list[tuple[str, str]]:
    """The quotes that count, each with what it answers."""
    looked_up = cited(replace(ADD, evidence=evidence), case(digests=digests)).found
    return [(each.quote, each.answers if isinstance(each, Said) else "") for each in looked_up]


def test_a_quote_that_is_not_there_is_left_out_with_a_remark() -> None:
    decision = one(replace(REPLACE, evidence=(*REPLACE.evidence, said("never said by anybody"))))
    assert decision.standing is Standing.TAKEN
    assert [each.quote for each in decision.evidence] == ["moved the deploy window to 15 minutes"]
    assert decision.remarks == ('Left out: No message of session aec3f868 says "never said by anybody" word for word.',)


def test_so_is_every_other_that_does_not_count() -> None:
    digests = digest("we moved the deploy window to 15 minutes", "> and the cap too", (Role.ASSISTANT, "I did so."))
    more = (said("and the cap too"), said("I did so"), Said("elsewhere", "x"), Seen("memory:gone", "x"))
    decision = one(replace(REPLACE, evidence=(*more, *REPLACE.evidence)), digests=digests)
    assert (decision.standing, len(decision.evidence), len(decision.remarks)) == (Standing.TAKEN, 1, 4)


def test_where_nothing_is_left_the_first_that_is_void_says_why() -> None:
    evidence = (said("never said by anybody"), Said("00000000-other", "x"))
    decision = one(replace(REPLACE, evidence=evidence))
    assert decision.refused_by == "quote-not-found"
    assert "never said by anybody" in decision.refusal


def test_a_line_that_is_not_there_does_not_carry_a_merge() -> None:
    decision = one(replace(MERGE, evidence=(LINES[0], Seen("memory:retries-are-capped", "not a line of it"))))
    assert (decision.standing, decision.refused_by) == (Standing.REFUSED, "quote-not-found")


def test_what_is_cited_twice_is_cited_once() -> None:
    again = said("moved the deploy  window to 15 minutes")
    assert len(one(replace(REPLACE, evidence=(*REPLACE.evidence, again))).evidence) == 1


def test_the_agents_words_count_with_the_answer_of_the_user() -> None:
    assert found(said("after. median"), said("by the mean or by the median?")) == [
        ("after. median", "by the mean or by the median?")
    ]
    assert found(said("by the mean or by the median?"), said("after. median")) == [
        ("after. median", "by the mean or by the median?")
    ]


def test_they_count_with_no_other_message() -> None:
    assert found(said("no"), said("by the mean or by the median?")) == [("no", "")]
    assert found(said("how do I merge them"), said("by the mean or by the median?")) == [("how do I merge them", "")]
    assert found(said("by the mean or by the median?")) == []


def test_of_the_same_answer_twice_the_one_that_answers_is_joined() -> None:
    talk = digest((Role.ASSISTANT, "Shall it be squashed?"), "yes", (Role.ASSISTANT, "Shall I go on?"), "yes")
    assert found(said("yes"), said("Shall it be squashed?"), digests=talk) == [("yes", "Shall it be squashed?")]


def test_one_question_is_answered_by_one_quote_and_a_given_answer_stays_as_it_is() -> None:
    both = said("before or after the normalisation?"), said("by the mean or by the median?")
    assert found(said("after. median"), *both) == [("after. median", "before or after the normalisation?")]
    given = said("after. median", "by the mean or by the median?")
    assert found(given, both[0]) == [("after. median", "by the mean or by the median?")]


def test_a_rule_that_was_agreed_on_is_taken_with_both() -> None:
    fact = replace(ADD, drafts=(replace(ADD.drafts[0], type="project", body="They are merged by the median."),))
    (decision,) = settled([replace(fact, evidence=(said("after. median"), said("by the median?")))], digests=TALK)
    assert decision.standing is Standing.TAKEN
    assert decision.remarks == ()
    assert [each.answers for each in decision.evidence if isinstance(each, Said)] == ["by the median?"]
