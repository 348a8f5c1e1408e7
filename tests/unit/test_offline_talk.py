"""Later statements in the words of everyday talk: which memory they correct, and which only sound as if they did."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from memgit.model.decision import Kind
from memgit.model.store import Memory
from tests.unit.offline_world import changes, memory, session

TALK: dict[str, Any] = yaml.safe_load((Path(__file__).parents[1] / "data/offline/talk.yaml").read_text("utf-8"))
STORES: dict[str, tuple[Memory, ...]] = {
    store: tuple(memory(name, *texts) for name, texts in sorted(memories.items()))
    for store, memories in TALK["stores"].items()
}


@pytest.mark.parametrize("case", TALK["said"], ids=lambda case: f"{case[1]}: {case[-1][:40]}")
def test_what_is_said_later_takes_the_old_ones_place_and_leaves_nothing_of_it(case: list[str]) -> None:
    store, name, given, former, *turns = case
    (change,) = changes(STORES[store], session(*turns))
    text = f"{change.drafts[0].description}\n{change.drafts[0].body}"
    assert (change.kind, change.memories) == (Kind.REPLACE, (name,))
    assert re.search(given, text, re.IGNORECASE)
    assert not re.search(rf"{re.escape(former)}\b", text, re.IGNORECASE)


@pytest.mark.parametrize("case", TALK["left"], ids=lambda case: case[-1][:50])
def test_what_only_sounds_like_a_newer_value_changes_nothing(case: list[str]) -> None:
    store, *turns = case
    assert changes(STORES[store], session(*turns)) == []


@pytest.mark.parametrize("case", TALK["missed"], ids=lambda case: case[-1][:50])
def test_what_no_rule_can_place_changes_no_memory_wrongly(case: list[str]) -> None:
    store, *turns = case
    assert changes(STORES[store], session(*turns)) == []
