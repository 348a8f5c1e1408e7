"""What the offline way must never do on the labelled scenarios, and how good it must be over all."""

from __future__ import annotations

import pytest

from tests.bench.quality import Result, run
from tests.bench.scenarios import SCENARIOS

SLUGS = sorted(path.name for path in SCENARIOS.iterdir() if (path / "scenario.yaml").is_file())


@pytest.fixture(scope="module")
def results() -> list[Result]:
    return [run(slug) for slug in SLUGS]


def test_no_trap_is_sprung_and_no_unchanged_memory_altered(results: list[Result]) -> None:
    for key in ("traps_sprung", "unchanged_broken", "lost", "index_prose_lost"):
        assert {result.slug: result.score[key] for result in results if result.score[key]} == {}


def test_every_change_is_cited_word_for_word(results: list[Result]) -> None:
    assert sum(result.citations["uncited"] for result in results) == 0


def test_precision_and_f1_over_all_scenarios(results: list[Result]) -> None:
    found, missed, wrong = (sum(result.score[key] for result in results) for key in ("found", "missed", "wrong"))
    precision, recall = found / (found + wrong), found / (found + missed)
    assert precision >= 0.9
    assert 2 * precision * recall / (precision + recall) >= 0.6
