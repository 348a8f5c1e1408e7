"""Two passes without a new session: the second changes nothing."""

from __future__ import annotations

import pytest

from memgit.core.decisions.settle import settle
from memgit.core.memories.memory import memories
from memgit.core.store.apply import apply
from tests.bench.quality import decide
from tests.bench.scenarios import SCENARIOS, content, digests

YEAR_2027 = 1_800_000_000 * 10**9


@pytest.mark.parametrize(
    "slug", sorted(path.name for path in SCENARIOS.iterdir() if (path / "scenario.yaml").is_file())
)
def test_a_second_pass_over_the_same_sessions_changes_nothing(slug: str) -> None:
    before, batches = content(SCENARIOS / slug), digests(SCENARIOS / slug)
    first = settle(decide(memories(before), batches), before, batches)
    after = apply(before, first, time_ns=YEAR_2027)
    second = settle(decide(memories(after), batches), after, batches)
    assert [decision for decision in second if decision.changes] == []


def test_the_same_input_gives_the_same_proposals() -> None:
    scenario = SCENARIOS / "mobile-release"
    store, batches = memories(content(scenario)), digests(scenario)
    assert decide(store, batches) == decide(store, batches)
