"""The shell lines that a pass prints do, in a real shell, what memgit would do."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from memgit.core.passes.message import adopt_line, discard_line
from memgit.model.history import Paths


@pytest.fixture(params=["it's $HOME; a store", "two\nlines 50% \\n", os.fsdecode(b"\xff\x1b[31m'")])
def places(tmp_path: Path, request: pytest.FixtureRequest) -> tuple[Path, Paths]:
    parent = tmp_path / request.param
    paths = Paths(*(str(parent / name) for name in ("memory-candidate", "memory-candidate-REPORT.md", "digests")))
    Path(paths.candidate).mkdir(parents=True)
    (Path(paths.candidate) / "new.md").touch()
    Path(paths.report).touch()
    Path(paths.digests).mkdir()
    return parent / "memory", paths


def shell(line: str) -> int:
    return subprocess.run(["sh", "-c", line], capture_output=True).returncode


def test_adopting_moves_the_old_store_away_and_takes_other_tools_folders_along(places):
    live, paths = places
    (live / ".git").mkdir(parents=True)
    old = f"{live}-superseded"
    line = adopt_line(str(live), paths.candidate, old, [".git"])
    assert shell(line) == 0
    assert sorted(path.name for path in live.iterdir()) == [".git", "new.md"]
    assert Path(old).is_dir()


def test_a_store_that_does_not_exist_is_only_moved_in(places):
    live, paths = places
    line = adopt_line(str(live), paths.candidate, None)
    assert line.count("mv") == 1
    assert shell(line) == 0
    assert (live / "new.md").exists()


def test_a_candidate_is_never_moved_into_a_store_that_came_up_meanwhile(places):
    live, paths = places
    live.mkdir()
    (live / "mine.md").touch()
    line = adopt_line(str(live), paths.candidate, None)
    assert shell(line) != 0
    assert [path.name for path in live.iterdir()] == ["mine.md"]


def test_discarding_removes_what_the_pass_made_and_nothing_else(places):
    live, paths = places
    live.mkdir()
    line = discard_line(paths)
    assert shell(line) == 0
    assert list(live.parent.iterdir()) == [live]


def test_the_lines_can_be_printed(places):
    live, paths = places
    assert adopt_line(str(live), paths.candidate, f"{live}-superseded").isprintable()
    assert discard_line(paths).isprintable()
