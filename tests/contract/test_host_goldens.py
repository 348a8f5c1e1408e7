"""A capable agent's replies as host, written blind to the truth: no fact stands against what it decided rightly, it can
confirm what is doubted, and nothing is harmed.

With ``tests/unit/test_bad_models.py`` this is what facts have to do: let through the one, stop the other.
"""

from __future__ import annotations

import pytest

from memgit.model.decision import Kind, Standing
from tests.bench.quality import harm, left
from tests.data.scenarios.score import citations
from tests.golden_host import DATA, project, proposals, replay, slugs

SURE = "The user says so in what is cited."

OLDER = {
    "helm-platform": {"staging-alert-channel"},
}
"""What the host could not know and would not confirm: its brief did not say then when a memory was written."""

FALSE_ALARMS = {
    "fresh-start": {"user-rails-background"},
}
"""Traps whose pattern meets other words: "for ten years and" of Rails, where letters kept "ten years and" are meant."""


@pytest.mark.parametrize("slug", slugs())
def test_no_fact_stands_against_what_a_capable_host_decides(slug: str) -> None:
    assert [one.refusal for one in replay(slug) if one.standing is Standing.REFUSED] == []


@pytest.mark.parametrize("slug", slugs())
def test_what_it_confirms_stands_is_the_truth_and_harms_nothing(slug: str) -> None:
    decisions = replay(slug, confirm=SURE, but=OLDER.get(slug, ()))
    held = [one for one in decisions if one.changes and not one.stands]
    assert {name for one in held for name in one.memories} == OLDER.get(slug, set())
    assert all("older" in [doubt.name for doubt in one.doubts] for one in held)
    score = left(project(slug), decisions)
    assert (score["precision"], score["recall"], score["missed"], score["wrong"]) == (1.0, 1.0, 0, 0)
    assert {trap["memory"] for trap in score["traps_sprung"]} == FALSE_ALARMS.get(slug, set())
    harmed = set(harm(project(slug), decisions))
    assert harmed <= ({"traps sprung"} if slug in FALSE_ALARMS else set())


@pytest.mark.parametrize("slug", slugs())
def test_what_is_doubted_is_held_with_its_files_and_its_reasons(slug: str) -> None:
    for one in replay(slug):
        if one.standing is Standing.HELD:
            assert one.doubts
            assert one.writes or one.removes
            assert not one.stands


@pytest.mark.parametrize("slug", slugs())
def test_every_citation_of_what_is_taken_stands_in_its_session(slug: str) -> None:
    said = [
        {"kind": one.kind.value, "session": found.session, "quote": found.quote}
        for one in replay(slug, confirm=SURE)
        if one.stands
        for found in one.evidence[:1]
        if hasattr(found, "session")
    ]
    assert citations(DATA / "scenarios" / slug, said)["bad"] == []


def test_the_replies_are_no_empty_ones() -> None:
    made = [one for slug in slugs() for one in proposals(slug)]
    assert len(made) == 101
    assert {one.kind for one in made} == {Kind.ADD, Kind.DROP, Kind.MERGE, Kind.REPLACE, Kind.SPLIT}
