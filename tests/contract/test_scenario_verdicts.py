"""The verdicts that a careful person reached for the labelled scenarios."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from memgit.claims.verify import verify
from memgit.memory.memory import read_memory
from memgit.model.store import Memory, StoreFile
from memgit.model.verification import MemoryCheck, Verdict
from memgit.process import git
from memgit.tree.git import GitTree
from tests.conftest import SCENARIOS, Scenario

SLUGS = sorted(path.name for path in SCENARIOS.iterdir() if (path / "expected.yaml").is_file())


@pytest.mark.parametrize("slug", SLUGS)
def test_every_verdict_is_the_right_one(slug: str, render_scenario: Callable[[str], Scenario]) -> None:
    scenario = render_scenario(slug)
    wanted = scenario.truth["verification"]
    memories = memories_as_merged(scenario)
    checks = verify(memories.values(), GitTree(scenario.project, git), names=list(memories))
    assert {name: told(checks[name]) for name in wanted} == wanted


def memories_as_merged(scenario: Scenario) -> dict[str, Memory]:
    """The input memories; each member of a merge with the bodies of all, since the truth speaks of the survivor."""
    read = {path.stem: memory_at(path) for path in scenario.store.glob("*.md") if path.name != "MEMORY.md"}
    bodies = {name: memory.body for name, memory in read.items()}
    for decision in scenario.truth["decisions"]:
        if decision["kind"] == "merge":
            together = "\n\n".join(bodies[name] for name in decision["memories"])
            read |= {name: replace(read[name], body=together) for name in decision["memories"]}
    return read


def memory_at(path: Path) -> Memory:
    return read_memory(StoreFile(path.name, path.read_bytes()))


def told(check: MemoryCheck) -> object:
    if check.verdict is Verdict.UNVERIFIABLE:
        return {"unverifiable": [span.span for span in check.missing]}
    return str(check.verdict)
