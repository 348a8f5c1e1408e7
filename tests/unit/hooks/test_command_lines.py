"""The lines as shells read them. There is no Windows here: any POSIX shell stands in for Git Bash, and for ``cmd`` the
characters that it takes for something else."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from memgit.agent.hooks.own_lines import runs
from memgit.agent.installing.settings_edit import MARK, command_line, is_own, telling_line

WINDOWS = ("C:\\Program Files\\memgit\\memgit.exe",)
REST = f"hook session-start {MARK}"


def shell(line: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["sh", "-c", line], cwd=cwd, capture_output=True, text=True, stdin=subprocess.DEVNULL)


@pytest.fixture
def drive(tmp_path: Path) -> Path:
    """A folder in which ``C:/Program Files/memgit/memgit.exe`` can be run."""
    program = tmp_path / "C:" / "Program Files" / "memgit" / "memgit.exe"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\necho "$@"\n')
    program.chmod(0o755)
    return tmp_path


@pytest.mark.parametrize("line", [command_line(WINDOWS, REST), telling_line(WINDOWS, REST)])
def test_a_line_for_windows_is_one_that_both_of_its_shells_read(line: str) -> None:
    assert line.startswith('"C:/Program Files/memgit/memgit.exe" hook session-start')
    assert not set("\\'`$;()<>&^%!") & set(line.replace("|| ", ""))


@pytest.mark.parametrize("line", [command_line(WINDOWS, REST), telling_line(WINDOWS, REST)])
def test_a_line_for_windows_runs_its_program_in_a_posix_shell(line: str, drive: Path) -> None:
    done = shell(line, drive)

    assert (done.returncode, done.stdout) == (0, "hook session-start --via settings\n")


def test_a_program_that_is_gone_is_told_on_windows_too(tmp_path: Path) -> None:
    done = shell(telling_line(WINDOWS, REST), tmp_path)

    assert done.returncode == 0
    assert done.stdout.startswith("memgit is not at C:/Program Files/memgit/memgit.exe any more")


def test_a_line_for_windows_is_known_again_as_memgit_s_own() -> None:
    line = telling_line(WINDOWS, REST)
    settings = {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": line}]}]}}

    assert is_own(line)
    assert runs(settings, "session-start") is False  # not there


def test_elsewhere_the_telling_line_answers_with_one_object(tmp_path: Path) -> None:
    done = shell(telling_line([str(tmp_path / "it's gone")], REST), tmp_path)

    assert "it's gone any more" in json.loads(done.stdout)["systemMessage"]
