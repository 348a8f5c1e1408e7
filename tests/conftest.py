"""The sealed world: every test has its own HOME, XDG folders, git configuration and clock; none sees the machine's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

DATA = Path(__file__).parent / "data"
SCENARIOS = DATA / "scenarios"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--whole", action="store_true", help="run the crash and fault matrices whole, not sampled")


@dataclass(frozen=True)
class World:
    """The folders of one sealed test. ``home`` is empty but for what the test puts there."""

    root: Path
    home: Path
    data_home: Path
    state_home: Path
    cache_home: Path
    env: Mapping[str, str]


@pytest.fixture(autouse=True)
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """Replace the environment, so that a test that forgets where it is finds an empty place and not the user's."""
    root = tmp_path / "world"
    home = root / "home"
    home.mkdir(parents=True)
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "XDG_DATA_HOME": str(root / "data"),
        "XDG_STATE_HOME": str(root / "state"),
        "XDG_CACHE_HOME": str(root / "cache"),
        "XDG_CONFIG_HOME": str(root / "config"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "NO_COLOR": "1",
        "COLUMNS": "100",
    }
    for name in list(os.environ):
        if name.startswith(("PYTEST", "PYTHON")):
            env[name] = os.environ[name]
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    folders = {name: root / name for name in ("data", "state", "cache")}
    return World(root, home, *(path / "memgit-curator" for path in folders.values()), env=env)


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person at a terminal calls what this test runs in its own process."""
    monkeypatch.setattr("memgit.caller.at_terminal", lambda: True)


@dataclass(frozen=True)
class Scenario:
    """A rendered scenario: where everything is, and the environment in which its user works."""

    slug: str
    source: Path
    project: Path
    home: Path
    store: Path
    now: str
    env: Mapping[str, str]

    @property
    def truth(self) -> dict:
        import yaml

        return yaml.safe_load((self.source / "expected.yaml").read_text(encoding="utf-8")) or {}


@pytest.fixture
def render_scenario(world: World) -> Callable[[str], Scenario]:
    """``render_scenario(slug)``: project, transcripts and store as a machine would really hold them."""

    def render(slug: str) -> Scenario:
        out = world.root / slug
        subprocess.run(
            [sys.executable, str(SCENARIOS / "render.py"), str(SCENARIOS / slug), str(out)],
            check=True,
            capture_output=True,
        )
        facts = json.loads((out / "scenario.json").read_text())
        return Scenario(
            slug=slug,
            source=SCENARIOS / slug,
            project=Path(facts["project"]),
            home=Path(facts["home"]),
            store=Path(facts["store"]),
            now=facts["now"],
            env={**world.env, "HOME": facts["home"]},
        )

    return render


@dataclass(frozen=True)
class Ran:
    """What a command did: exit code, what it printed, and its JSON if it printed one object."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict:
        return json.loads(self.out)


@pytest.fixture
def memgit() -> Callable[..., Ran]:
    """``memgit(*arguments, cwd=…, env=…, stdin=…)`` runs the installed command in a process of its own."""

    def run(*arguments: object, cwd: Path, env: Mapping[str, str], stdin: str = "") -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "memgit", *map(str, arguments)],
            cwd=cwd,
            env={**env, "PYTHONPATH": str(Path(__file__).parents[1])},
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    return run
