"""What counts as a detail, when one is lost, and which pairs of texts must never be merged."""

from __future__ import annotations

import pytest

from memgit.core.decisions.contradictions import conflicts
from memgit.core.text.details import Detail, DetailKind, details, lost, missing


def test_details_are_read_by_kind() -> None:
    text = (
        "Run `make deploy` (v1.2.3, since 2026-06-03) at https://ci.example/x for 30 minutes, so Jana; DEPLOY_WINDOW."
    )
    assert details(text) == (
        Detail(DetailKind.SPAN, "make deploy", "make deploy"),
        Detail(DetailKind.LINK, "https://ci.example/x", "https://ci.example/x"),
        Detail(DetailKind.DATE, "2026-06-03", "2026-06-03"),
        Detail(DetailKind.VERSION, "1.2.3", "v1.2.3"),
        Detail(DetailKind.NAME, "deploy_window", "DEPLOY_WINDOW"),
        Detail(DetailKind.NUMBER, "30", "30 minutes", "minute"),
        Detail(DetailKind.NAME, "jana", "Jana"),
    )


def test_labels_and_memory_links_are_no_details() -> None:
    assert details("**Why:** because. **How to apply:** see [[deploy-window]].") == ()


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ("three retries", "there are 3 retries"),
        ("3 retries", "three in total"),
        ("30 min", "30 minutes"),
        ("1,000 requests", "1000 requests"),
        ("`RETRY_BUDGET`", "the RETRY_BUDGET variable"),
        ("ask Jana", "we ask jana first"),
    ],
)
def test_another_spelling_holds_the_detail(wanted: str, text: str) -> None:
    assert missing(details(wanted), text) == ()


@pytest.mark.parametrize(
    ("wanted", "text", "gone"),
    [
        ("30 minutes", "30 seconds", "30 minutes"),
        ("`make deploy`", "make deployment", "make deploy"),
        ("v1.2.3", "v1.2.4", "v1.2.3"),
        ("we ask Jana", "we ask Janathan", "Jana"),
    ],
)
def test_a_detail_that_is_gone_is_named(wanted: str, text: str, gone: str) -> None:
    assert [detail.text for detail in missing(details(wanted), text)] == [gone]


def test_details_left_out_on_purpose_are_not_lost() -> None:
    assert [detail.text for detail in lost(["30 minutes, 5 pods"], "")] == ["30 minutes", "5"]
    assert lost(["30 minutes, 5 pods"], "", ("the 30 minutes", "5 pods")) == ()
    assert [detail.text for detail in lost(["3 pods"], "", ("the 30 minutes",))] == ["3"]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("The limit is 600.", "The limit is 1000."),
        ("The deploy window is 30 minutes.", "Leave 15 min as the deploy window."),
        ("The client speaks v1 of the protocol.", "The client speaks v2 of the protocol."),
        ("Always squash feature branches.", "Never squash feature branches."),
        ("The dev database listens on port 5432.", "The prod database listens on port 5432."),
        ("Frozen from 2026-06-01 for the release.", "Frozen from 2026-07-01 for the release."),
        ("The cache is enabled in CI runs.", "The cache is disabled in CI runs."),
        ("The release branch is cut on Thursday.", "The release branch is cut on Tuesday."),
        ("Tracking is done in the board INGEST.", "Tracking is no longer done in the board INGEST."),
    ],
)
def test_a_contradiction_or_a_sibling_is_no_duplicate(left: str, right: str) -> None:
    assert conflicts(left, right)
    assert conflicts(right, left)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Three retries per request.", "A request gets 3 retries altogether. They are not counted call by call."),
        ("Use pnpm, not npm.", "Use pnpm instead of npm."),
        ("Never force-push to shared branches.", "Force-pushing to shared branches is banned."),
        ("In March one checkout hit the gateway twelve times; three retries.", "Three retries."),
        ("Build 2210 was rejected by the store.", "Release 5.4 had a fresh number."),
    ],
)
def test_other_words_for_one_lesson_are_no_contradiction(left: str, right: str) -> None:
    assert conflicts(left, right) == ()


def test_german_nouns_are_no_names() -> None:
    text = "Die Version im Handschlag muss bei jeder Änderung der Pakete mit dem Zähler der Clients steigen."
    assert details(text) == ()
