"""The approval grammar: every accepted form, everything refused whole, and reading what was written."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from memgit.errors import BadReply
from memgit.model.decision import Approval, Decision, FactName, Kind, Standing
from memgit.rulings.approval import Choice, Clause, Ruling, Span, parse, render, ruled, rulings

APPROVED, REJECTED, DEFERRED, PROPOSED = (
    Approval.APPROVED,
    Approval.REJECTED,
    Approval.DEFERRED,
    Approval.PROPOSED,
)


def decision(number: int, kind: Kind = Kind.DROP, **facts) -> Decision:
    return Decision(f"M{number}", kind, "because", memories=(f"memory-{number}",), **facts)


SIX = tuple(decision(number) for number in range(1, 7))


def said(reply: str, decisions=SIX) -> dict[str, str]:
    return {name: ruling.verdict.value for name, ruling in rulings(parse(reply), decisions).items()}


@pytest.mark.parametrize(
    ("reply", "named"),
    [
        ("approve all", "M1 M2 M3 M4 M5 M6"),
        ("Approve M1, M3", "M1 M3"),
        ("approve M1 and M3", "M1 M3"),
        ("approve M1, M3, and M5.", "M1 M3 M5"),
        ("approve m1 m3", "M1 M3"),
        ("approve M2-M5", "M2 M5 M3 M4"),
        ("approve M2–5", "M2 M5 M3 M4"),
        ("approve M2 — M3", "M2 M3"),
        ("APPROVE ALL EXCEPT M2", "M1 M3 M4 M5 M6"),
        ("approve all but M2, M4-M6", "M1 M3"),
        ("please approve M1", "M1"),
    ],
)
def test_a_form_of_approval_names_what_it_says(reply, named):
    assert said(reply) == dict.fromkeys(named.split(), "approved")


@pytest.mark.parametrize("dash", ["—", "–", "-", " - ", "--", ":", " because "])
def test_any_dash_leads_to_the_reason(dash):
    assert rulings(parse(f"reject M4{dash}it still holds"), SIX)["M4"] == Ruling(REJECTED, reason="it still holds")


def test_several_clauses_stand_in_one_reply():
    reply = "approve M1, M3; reject M4 — the port is right, approve of it. defer M6\napprove M2 with edit: Five.\n"
    assert said(reply) == {
        "M1": "approved",
        "M3": "approved",
        "M4": "rejected",
        "M6": "deferred",
        "M2": "approved",
    }
    assert rulings(parse(reply), SIX)["M4"].reason == "the port is right, approve of it."
    assert rulings(parse(reply), SIX)["M2"].edit == "Five."


def test_an_edit_holds_any_text_up_to_a_line_that_begins_a_clause():
    reply = "approve M3 with edit: Reject M4-typed input; approve all of it.\n\nSecond paragraph.\nreject M4 - no"
    given = rulings(parse(reply), SIX)
    assert given["M3"].edit == "Reject M4-typed input; approve all of it.\n\nSecond paragraph."
    assert given["M4"] == Ruling(REJECTED, reason="no")


def test_all_means_those_that_no_other_clause_names():
    assert said("approve all; reject M4 — wrong", SIX[:4]) == {
        "M1": "approved",
        "M2": "approved",
        "M3": "approved",
        "M4": "rejected",
    }


def test_what_all_leaves_out_may_be_ruled_on_by_another_clause():
    given = said("approve all except M2; reject M2 — wrong", SIX[:3])
    assert given == {"M1": "approved", "M2": "rejected", "M3": "approved"}


def test_what_is_not_named_stays_open():
    after = ruled(SIX, rulings(parse("approve M1"), SIX))
    assert [each.approval for each in after] == [APPROVED, *[PROPOSED] * 5]


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        ("approve M9", "M9 is no proposal"),
        ("approve M1, M7, M9", "M7 is no proposal of this pass; M9 is no proposal"),
        ("approve M4-M9", "M9 is no proposal"),
        ("approve M1, M1", "M1 named more than once"),
        ("approve M1-M3; reject M2 - no", "M2 named more than once"),
        ("approve all; defer all", "all named more than once"),
        ("approve M5-M2", "M5-M2 runs backwards"),
        ("approve", 'from "approve"'),
        ("", "says nothing"),
        ("yes", 'from "yes"'),
        ("approve M1 soon", 'from "soon"'),
        ("approve M1 except M2", 'from "except M2"'),
        ("approve M1-M3 and some", 'from "and some"'),
        ("approve all with edit: x", "An edit goes with approving one"),
        ("reject M1 with edit: x", "An edit goes with approving one"),
        ("approve M1 with edit:   ", "edit of M1 is empty"),
        ("approve M0", "M0 is no proposal"),
    ],
)
def test_a_reply_that_is_not_clear_is_refused_whole(reply, complaint):
    with pytest.raises(BadReply, match=complaint):
        rulings(parse(reply), SIX)


def test_what_proposes_nothing_cannot_be_approved_and_the_reply_says_why():
    refused = {"standing": Standing.REFUSED, "refused_by": FactName.QUOTE, "refusal": "Nobody said that."}
    rows = (decision(1), decision(2, Kind.REJECT), decision(3, Kind.REPAIR), decision(4, **refused), decision(5))
    with pytest.raises(BadReply) as raised:
        rulings(parse("approve M2, M3, M4"), rows)
    assert raised.value.message == (
        "Nothing was decided: M2 was turned down and proposes nothing; M3 follows from the others by itself; "
        "M4 was refused, and nobody overrules a fact (quote-not-found): Nobody said that."
    )
    assert said("approve M1-M5", rows) == {"M1": "approved", "M5": "approved"}
    assert said("approve all", rows) == {"M1": "approved", "M5": "approved"}


QUESTION = {"standing": Standing.HELD}
ASKED = (decision(1), decision(2, **QUESTION), decision(3), decision(4, **QUESTION))


@pytest.mark.parametrize(
    ("reply", "approved"),
    [
        ("approve all", "M1 M3"),
        ("approve all except M1", "M3"),
        ("approve M2", "M2"),
        ("approve M1-M3", "M1 M3 M2"),
        ("approve all; approve M2", "M1 M3 M2"),
        ("approve M4 with edit: Five tries.", "M4"),
    ],
)
def test_a_question_is_taken_by_its_name_and_left_by_all(reply, approved):
    assert said(reply, ASKED) == dict.fromkeys(approved.split(), "approved")


@pytest.mark.parametrize(("verb", "state"), [("reject", "rejected"), ("defer", "deferred")])
def test_all_turns_questions_down_and_puts_them_off_with_the_rest(verb, state):
    assert said(f"{verb} all", ASKED) == dict.fromkeys(("M1", "M2", "M3", "M4"), state)


@pytest.mark.parametrize("before", [DEFERRED, REJECTED])
def test_a_question_that_was_put_off_or_turned_down_is_not_taken_by_all_either(before):
    asked = replace(ASKED[1], approval=before)
    assert said("approve all", (ASKED[0], asked)) == {"M1": "approved"}
    assert said("approve M2", (ASKED[0], asked)) == {"M2": "approved"}


def _clause(random_: random.Random) -> Clause:
    verdict = random_.choice((APPROVED, REJECTED, DEFERRED))
    spans = tuple(
        Span(first, first + random_.choice((0, 0, 3)))
        for first in random_.sample(range(1, 900), random_.randrange(1, 4))
    )
    words = " ".join(random_.choices(("it", "M4", "holds,", "approve", "all-in", "—", "naïve", "x=3"), k=5)).strip(
        "— ,"
    )
    match random_.randrange(4):
        case 0:
            return Clause(verdict, Choice(everything=True))
        case 1:
            return Clause(verdict, Choice(spans, everything=True))
        case 2 if verdict is APPROVED:
            return Clause(verdict, Choice(spans[:1]), edit=f"Line one {words}.\n\n  - indented; {words}")
        case _:
            reason = (
                f"why {words}".replace("approve all", "approve").replace("approve M4", "M4")
                if verdict is not APPROVED
                else ""
            )
            return Clause(verdict, Choice(spans), reason=reason)


@pytest.mark.parametrize("seed", range(300))
def test_reading_a_written_reply_gives_its_clauses_back(seed):
    random_ = random.Random(seed)
    clauses = tuple(_clause(random_) for _ in range(random_.randrange(1, 5)))
    assert parse(render(clauses)) == clauses
