"""What models do that quote truly and propose wrongly, and what the guards make of it; each rule with its near miss."""

from __future__ import annotations

from dataclasses import replace

import pytest
from memgit.core.decisions.endings import ends
from memgit.core.decisions.hoards import MOST_OF_A_SESSION

from memgit.model.decision import Draft, Kind, Proposal, Seen
from memgit.rulings.settle import settle
from tests.bench.bad_models import NAMES
from tests.bench.quality import bad, run
from tests.unit.test_settle import (
    ADD,
    ADDED,
    REPLACE,
    STORE,
    WINDOW,
    digest,
    file,
    one,
    refusal,
    said,
    store,
    with_body,
)

HARMLESS = (  # the others are measured by the bench
    "nonsense",
    "obedient",
    "piles_up",
    "splits",
    "borrows",
    "misquotes",
    "strays",
    "copies",
    "truncated",
    "chatty",
)


@pytest.mark.parametrize("habit", HARMLESS)
def test_a_bad_model_does_no_harm(habit: str) -> None:
    assert run("checkout-api", bad(habit)).harm == {}


def test_every_habit_is_known_to_the_bench() -> None:
    assert set(HARMLESS) < set(NAMES)


# --- what ends a memory


@pytest.mark.parametrize(
    ("words", "dropped"),
    [
        ("the deploy window note is wrong, forget that", True),
        ("we have no deploy window any more", True),
        ("what's wrong with the deploy window in staging", False),
        ("start the deploy in that window please", False),
        ("the retry cap is nonsense. look at the deploy window", False),
    ],
)
def test_a_memory_is_dropped_only_where_it_is_said_to_be_over(words: str, dropped: bool) -> None:
    drop = Proposal(Kind.DROP, "over", (said(words),), ("deploy-window",))
    assert (one(drop, digests=digest(words)).kind is Kind.DROP) == dropped


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("die Notiz kann weg", True),
        ("ça n'est plus valable", True),
        ("das ist Quatsch", True),
        ("もう不要です", True),
        ("that can go wrong", False),
        ("when the students are gone home", True),
        ("ich gehe weg", False),
        ("what's wrong with it", False),
    ],
)
def test_words_for_an_end_are_known_in_several_languages(text: str, over: bool) -> None:
    assert ends(text) == over


# --- what a replacement touches


def test_a_replacement_keeps_the_sentences_that_its_quote_does_not_touch() -> None:
    body = "The deploy window for production is 30 minutes (`DEPLOY_WINDOW_MINUTES`). The canary starts in Lyon.\n"
    content = store(file("deploy-window", body), file("style", "Keep answers terse.", "feedback"))
    moved = body.replace("30", "15")
    assert one(_window(moved), content).kind is Kind.REPLACE
    lost = replace(_window(moved.replace(" The canary starts in Lyon.", "")), leaves_out=("Lyon",))
    assert "does not touch" in refusal(lost, content)


def test_a_yes_does_not_become_a_no_that_nobody_said() -> None:
    words = "the production deploy window is 15 minutes"
    changed = replace(_window(WINDOW.replace("30", "15")), evidence=(said(words),))
    denied = WINDOW.replace("30", "15").replace("nobody wants", "people do not want")
    assert one(changed, digests=digest(words)).kind is Kind.REPLACE
    assert "does not touch" in refusal(with_body(changed, denied), digests=digest(words))


def test_what_replaces_nothing_is_no_replacement() -> None:
    assert "replaces nothing" in refusal(_window(WINDOW + "\nWe moved the deploy window to 15 minutes.\n"))


def _window(body: str) -> Proposal:
    return replace(REPLACE, drafts=(replace(REPLACE.drafts[0], body=body),))


# --- what an addition says


def test_an_addition_says_what_is_cited() -> None:
    other = Draft("vendor", "The vendor answers", "project", "The vendor answers invoice questions by telephone.")
    assert one(ADD).kind is Kind.ADD
    assert "not what is cited" in refusal(replace(ADD, drafts=(other,)))


def test_an_addition_does_not_carry_along_what_nobody_said() -> None:
    more = replace(ADDED, body=f"{ADDED.body}\n\nReviewers squash commits and delete stale worktrees.")
    assert "Nobody said" in refusal(replace(ADD, drafts=(more,)))


@pytest.mark.parametrize(
    "words",
    [
        "just for tonight, open one bundled PR per ticket",
        "what if we open one bundled PR per ticket",
        "> open one bundled PR per ticket",
        "in my other repo we open one bundled PR per ticket",
        "2026-06-03 12:00:01 open one bundled PR per ticket",
        "lol, open one bundled PR per ticket",
    ],
)
def test_what_states_nothing_lasting_adds_nothing(words: str) -> None:
    assert refusal(ADD, digests=digest(words))


@pytest.mark.parametrize(
    "words", ["from tonight on open one bundled PR per ticket", "open one bundled PR per ticket, one day at a time"]
)
def test_what_only_looks_like_one_occasion_is_added(words: str) -> None:
    assert one(ADD, digests=digest(words)).kind is Kind.ADD


def test_whoever_keeps_everything_has_chosen_nothing() -> None:
    rules = [f"always keep the {name} folder tidy" for name in ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]]
    adds = [
        Proposal(Kind.ADD, "kept", (said(rule),), drafts=(Draft(f"rule-{n}", rule, "feedback", rule),))
        for n, rule in enumerate(rules)
    ]
    assert len(adds) > MOST_OF_A_SESSION
    kinds = [decision.kind for decision in settle(adds, STORE, [digest(*rules)])]
    assert kinds == [Kind.REJECT] * len(adds)
    kept = [decision.kind for decision in settle(adds[:MOST_OF_A_SESSION], STORE, [digest(*rules)])]
    assert kept == [Kind.ADD] * MOST_OF_A_SESSION


# --- what is one fact


def test_a_memory_of_one_fact_is_not_split() -> None:
    halves = WINDOW.split("\n\n")
    drafts = (
        replace(REPLACE.drafts[0], body=halves[0]),
        Draft("half", "the reason", "project", halves[1]),
    )
    lines = (Seen("memory:deploy-window", "The deploy window for production is 30 minutes"),)
    assert refusal(Proposal(Kind.SPLIT, "two", lines, ("deploy-window",), drafts))


@pytest.mark.parametrize(
    ("words", "changes"),
    [("the staging deploy window is 15 minutes now", False), ("the prod deploy window is 15 minutes now", True)],
)
def test_what_is_said_of_one_environment_changes_no_other(words: str, changes: bool) -> None:
    proposal = replace(_window(WINDOW.replace("30", "15")), evidence=(said(words),))
    assert (one(proposal, digests=digest(words)).kind is Kind.REPLACE) == changes
