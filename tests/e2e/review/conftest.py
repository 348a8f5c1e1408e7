"""A pass over the worked example that its host decided and that waits for a review. It is made once, and put back as
it was before each test."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from memgit.cli import run
from tests.conftest import SCENARIOS, Ran, Scenario
from tests.hosting import decided

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
    """The example rendered."""
    root = tmp_path_factory.mktemp("review") / "world"
    slug = SCENARIOS / "checkout-api"
    out = root / "checkout-api"
    subprocess.run([sys.executable, SCENARIOS / "render.py", slug, out], check=True, capture_output=True)
    facts = json.loads((out / "scenario.json").read_text())
    env = {name: str(root / folder) for name, folder in FOLDERS.items()} | {"HOME": facts["home"]}
    places = {name: Path(facts[name]) for name in ("project", "home", "store")}
    scenario = Scenario(slug="checkout-api", source=slug, now=facts["now"], env=env, **places)
    return Prepared(root, root.with_name("kept"), scenario)


@pytest.fixture
def example(prepared, world, monkeypatch) -> Scenario:
    """The example with a pass that waits, in the environment of this test."""
    scenario = replace(prepared.scenario, env={**world.env, **prepared.scenario.env})
    for name, value in scenario.env.items():
        monkeypatch.setenv(name, value)
    if not prepared.kept.exists():
        decided(partial(_run, scenario), "checkout-api", order=(1, 0))
        shutil.copytree(prepared.root, prepared.kept, symlinks=True)
    shutil.rmtree(prepared.root)
    shutil.copytree(prepared.kept, prepared.root, symlinks=True)
    monkeypatch.chdir(scenario.project)
    return scenario


def _run(scenario: Scenario, *arguments: str, stdin: str = "") -> Ran:
    ran = subprocess.run(
        [sys.executable, "-m", "memgit", *arguments, "--now", scenario.now],
        cwd=scenario.project,
        env={**scenario.env, "PYTHONPATH": str(ROOT)},
        input=stdin,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    return Ran(ran.returncode, ran.stdout, ran.stderr)


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
