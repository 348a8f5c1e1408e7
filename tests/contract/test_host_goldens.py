"""A capable agent's replies as host, written blind to the truth: what it decided rightly stands, and nothing is harmed.

With ``tests/unit/test_bad_models.py`` this is what the guards have to do: let through the one, stop the other.
"""

from __future__ import annotations

import pytest

from memgit.model.decision import Kind
from tests.bench.quality import counts, precision_and_f1
from tests.bench.scenarios import SCENARIOS
from tests.golden_host import proposals, replay, slugs

REFUSED_RIGHTLY = {
    "helm-platform": ["staging-alert-channel was written 2026-06-10 09:02, after what is cited was said."],
}
"""What the host could not know: its brief did not say then when a memory was written."""

FALSE_ALARMS = {
    "fresh-start": {"user-rails-background"},
}
"""Traps whose pattern meets other words: "for ten years and" of Rails, where letters kept "ten years and" are meant."""


def test_every_scenario_has_its_replies() -> None:
    assert slugs() == sorted(path.parent.name for path in SCENARIOS.glob("*/scenario.yaml"))


@pytest.mark.parametrize("slug", slugs())
def test_what_a_capable_host_decides_stands_and_harms_nothing(slug: str) -> None:
    result = replay(slug)
    refused = [one.justification.partition(" (Proposed was")[0] for one in result.decisions if one.kind is Kind.REJECT]
    assert refused == REFUSED_RIGHTLY.get(slug, [])
    assert counts([result])[1:] == (0, 0)
    assert precision_and_f1([result]) == (1.0, 1.0)
    harm = result.harm
    assert {trap["memory"] for trap in harm.pop("traps sprung", [])} == FALSE_ALARMS.get(slug, set())
    assert harm == {}


def test_the_replies_are_no_empty_ones() -> None:
    made = [one for slug in slugs() for one in proposals(slug)]
    assert len(made) == 101
    assert {one.kind for one in made} == {Kind.ADD, Kind.DROP, Kind.MERGE, Kind.REPLACE, Kind.SPLIT}
