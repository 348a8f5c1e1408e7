"""The real ``bd`` in a throw-away project.

An optional peer: these tests run where ``MEMGIT_BD`` names its binary or ``.ci/bd`` has built it, and are skipped,
visibly, where it is not.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

BINARY = Path(os.environ.get("MEMGIT_BD", "") or Path(__file__).parents[2] / ".ci" / "bd-installed" / "bd")
QUIET = {"BD_DISABLE_METRICS": "1", "DO_NOT_TRACK": "1"}
"""It would report which commands are run to its makers."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = pytest.mark.skip(reason=f"bd is not installed at {BINARY} (.ci/bd builds it)")
    for item in items:
        if Path(__file__).parent in item.path.parents and not BINARY.exists():
            item.add_marker(missing)


@dataclass(frozen=True)
class Project:
    """A project with a database of the real bd. ``folder`` is its ``.beads``."""

    root: Path

    @property
    def folder(self) -> Path:
        return self.root / ".beads"

    def bd(self, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
        env = {**os.environ, "BEADS_DIR": str(self.folder), "BD_JSON_ENVELOPE": "1"}
        return subprocess.run(["bd", *arguments], cwd=self.root, env=env, input=text, capture_output=True, text=True)

    def answer(self, *arguments: str) -> object:
        return json.loads(self.bd(*arguments, "--json").stdout)["data"]

    @property
    def memories(self) -> Mapping[str, str]:
        found = self.answer("memories")
        assert isinstance(found, dict)
        return found

    def remember(self, memories: Mapping[str, str]) -> None:
        for key, value in memories.items():
            self.bd("remember", f"--key={key}", "--", value).check_returncode()


@pytest.fixture(scope="session")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new project, made once: making one takes seconds."""
    root = tmp_path_factory.mktemp("bd") / "project"
    root.mkdir()
    env = {"PATH": os.environ["PATH"], "HOME": str(root.parent), "GIT_CONFIG_NOSYSTEM": "1", **QUIET}
    settings = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *settings, "init", "-q", "."], cwd=root, env=env, check=True)
    init = [str(BINARY), "init", "--stealth", "--non-interactive", "--skip-hooks", "--prefix", "bd", "-q"]
    made = subprocess.run(init, cwd=root, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    return root


@pytest.fixture
def project(pristine: Path, tmp_path: Path, world: object, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("PATH", f"{BINARY.parent}{os.pathsep}{os.environ['PATH']}")
    for name, value in QUIET.items():
        monkeypatch.setenv(name, value)
    root = tmp_path / "project"
    shutil.copytree(pristine, root, symlinks=True)
    for path, text in {"docs/caching.md": "# Caching\n", "scripts/kb-label-vocab.txt": "kb\ncaching\n"}.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    subprocess.run(["git", "add", "docs", "scripts"], cwd=root, check=True)
    monkeypatch.chdir(root)
    return Project(root)


@pytest.fixture
def go(project: Project, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, dict]]:
    from memgit.cli import run

    def ran(*arguments: str) -> tuple[int, dict]:
        named = () if arguments[0] == "sweep" else ("--store", "beads")
        code = run([*arguments, *named, "--json", "--now", "2026-11-29T12:00:00Z"])
        return code, json.loads(capsys.readouterr().out)

    return ran
