"""A project with a recorded store, as the client would show it to a hook."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from memgit.agent.clients.client import Answer
from memgit.agent.hooks.event import Event
from memgit.agent.hooks.place import Place, place_of
from memgit.flows import observe
from memgit.stores.rules import project_key
from memgit.wiring import Settings, Site
from tests.conftest import World
from tests.desks import OLD, write

ROOT = Path(__file__).parents[3]
TIDY = {
    **OLD,
    "MEMORY.md": "# Memory\n\n- [Retry budget](retry-budget.md) — three tries\n- [Deploys](deploys.md) — on Tuesdays\n"
    "- [On call](team/oncall.md) — who\n",
}
"""A store with which nothing is wrong."""


@dataclass(frozen=True)
class Hooked:
    """One project, its store and the two ways to run a hook on it: the function, or the whole process."""

    project: Path
    store: Path
    env: Mapping[str, str]

    @property
    def place(self) -> Place:
        return place_of(str(self.project), self.env)

    @property
    def site(self) -> Site:
        return Site(Settings(dict(self.env), str(self.project)))

    @property
    def private(self) -> Path:
        return Path(self.place.private)

    def event(self, **fields: object) -> Event:
        return Event(self.fields(**fields))

    def fields(self, **fields: object) -> dict[str, object]:
        return {"session_id": "s-1", "cwd": str(self.project), "hook_event_name": "x", **fields}

    def snapshot(self) -> None:
        observe.snapshot(self.site.new_desk())

    def run(self, *arguments: str, stdin: str | None = None, **fields: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-P", "-m", "memgit", "hook", *arguments],
            input=json.dumps(self.fields(**fields)) if stdin is None else stdin,
            cwd=self.project,
            env=dict(self.env),
            capture_output=True,
            text=True,
            timeout=60,
        )


@pytest.fixture
def hooked(world: World, monkeypatch: pytest.MonkeyPatch) -> Hooked:
    """A git project whose store is recorded and in good health."""
    project = Path(os.path.realpath(world.root)) / "project"
    project.mkdir()
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    store = world.home / ".claude" / "projects" / project_key(str(project)) / "memory"
    write(store, TIDY)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    made = Hooked(project, Path(os.path.realpath(store)), {**world.env, "PYTHONPATH": str(ROOT)})
    made.snapshot()
    return made


def said(answer: Mapping[str, object] | Answer | None) -> str:
    """What an answer tells the model, or blocks with."""
    if answer is None:
        return ""
    if isinstance(answer, Answer):
        return answer.model or answer.user
    inner = answer.get("hookSpecificOutput", {})
    assert isinstance(inner, dict)
    return str(inner.get("additionalContext") or answer.get("reason") or "")
