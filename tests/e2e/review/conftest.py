"""A pass over the worked example that waits for a review. It is run once, and put back as it was before each test."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from memgit.cli import run
from memgit.demo import EXAMPLE
from tests.conftest import SCENARIOS, Ran, Scenario

ROOT = Path(__file__).parents[3]
FOLDERS = {"XDG_DATA_HOME": "data", "XDG_STATE_HOME": "state", "XDG_CACHE_HOME": "cache", "XDG_CONFIG_HOME": "config"}


@dataclass(frozen=True)
class Prepared:
    """The folder in which everything lies, its copy from after the pass, and the scenario."""

    root: Path
    kept: Path
    scenario: Scenario


@pytest.fixture(scope="session")
def prepared(tmp_path_factory) -> Prepared:
    """The example rendered, and `memgit curate` run on it."""
    root = tmp_path_factory.mktemp("review") / "world"
    slug = SCENARIOS / "checkout-api"
    out = root / "checkout-api"
    subprocess.run([sys.executable, SCENARIOS / "render.py", slug, out], check=True, capture_output=True)
    facts = json.loads((out / "scenario.json").read_text())
    env = {name: str(root / folder) for name, folder in FOLDERS.items()} | {"HOME": facts["home"]}
    places = {name: Path(facts[name]) for name in ("project", "home", "store")}
    scenario = Scenario(slug="checkout-api", source=slug, now=facts["now"], env=env, **places)
    return Prepared(root, root.with_name("kept"), scenario)


def hand_in(scenario: Scenario, *kinds: str) -> None:
    """Run a pass as the worked example's agent does, with those of its decisions that are of these kinds."""
    env = {**scenario.env, "PYTHONPATH": str(ROOT)}

    def memgit(*arguments: str, given: str = "") -> dict:
        command = [sys.executable, "-m", "memgit", *arguments, "--json", "--now", scenario.now]
        ran = subprocess.run(command, cwd=scenario.project, env=env, input=given, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return json.loads(ran.stdout)

    name = memgit("plan")["pass"]
    candidates, decisions = (json.loads((EXAMPLE / f"{each}.json").read_text()) for each in ("candidates", "decisions"))
    decisions["decisions"] = [each for each in decisions["decisions"] if each["kind"] in kinds]
    memgit("propose", name, "-", given=json.dumps({**candidates, "pass": name}))
    memgit("decide", name, "-", "--final", given=json.dumps({**decisions, "pass": name}))


@pytest.fixture
def example(prepared, world, monkeypatch) -> Scenario:
    """The example with a pass of two changes that waits, in the environment of this test."""
    scenario = replace(prepared.scenario, env={**world.env, **prepared.scenario.env})
    for name, value in scenario.env.items():
        monkeypatch.setenv(name, value)
    if not prepared.kept.exists():
        hand_in(scenario, "replace", "merge")
        shutil.copytree(prepared.root, prepared.kept, symlinks=True)
    shutil.rmtree(prepared.root)
    shutil.copytree(prepared.kept, prepared.root, symlinks=True)
    monkeypatch.chdir(scenario.project)
    return scenario


@pytest.fixture
def passed(example, monkeypatch, capsys):
    """``passed(*keys)`` reviews the pass with these lines typed, in the tests' own process."""

    def review(*keys: str, arguments=(), env: Mapping[str, str] | None = None) -> Ran:
        for name, value in (env or {}).items():
            monkeypatch.setenv(name, value)
        typed = "".join(f"{key}\n" for key in keys).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed)))
        code = run(["review", *arguments, "--now", example.now])
        return Ran(code, *capsys.readouterr())

    return review
