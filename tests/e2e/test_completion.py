"""Completion as the shells themselves do it: the installed script is sourced, and asked for a word."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BASH = """
source <("$MEMGIT" completion bash)
COMP_WORDS=(memgit "$@"); COMP_CWORD=$#
COMP_LINE="memgit $*"; COMP_POINT=${#COMP_LINE}
_memgit_completion "$MEMGIT"
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def command(tmp_path) -> Path:
    path = tmp_path / "memgit"
    path.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m memgit "$@"\n')
    path.chmod(0o755)
    return path


@pytest.fixture
def completed(example, command):
    """``completed(*words)``: what bash offers for the last of the words, and what it says meanwhile."""
    if shutil.which("bash") is None:
        pytest.skip("there is no bash here")

    def run(*words: str) -> list[str]:
        done = subprocess.run(
            ["bash", "--norc", "-c", BASH, "bash", *words],
            cwd=example.project,
            env={**example.env, "MEMGIT": str(command)},
            capture_output=True,
            text=True,
        )
        assert done.stderr == ""
        return done.stdout.split()

    return run


@pytest.fixture
def passed(go) -> str:
    return go("curate")[1]["pass"]


def test_a_pass_is_completed(completed, passed):
    for verb in ("adopt", "diff", "approve"):
        assert completed(verb, "") == [passed], verb
    assert completed("show", "")[0] == passed  # memories follow
    assert completed("adopt", passed[:6]) == [passed]
    assert completed("adopt", "1999") == []


def test_commands_and_options_are_completed(completed):
    assert completed("hist") == ["history"]
    assert completed("diff", "--wo") == ["--word"]


def test_operations_are_completed_newest_first(completed, passed):
    assert completed("undo", "op") == ["op4", "op3", "op2", "op1"]
    assert completed("restore", "--at", "")[:2] == ["op4", "op3"]


def test_memories_are_completed_by_id_and_by_file(completed, passed):
    assert completed("history", "ret") == ["retries-are-capped", "retry-budget"]
    assert completed("restore", "--at", "op2", "retr") == ["retries-are-capped.md", "retry-budget.md"]


def test_decisions_are_completed_one_after_the_other(completed, hosted):
    passed = hosted()["pass"]
    assert completed("adopt", passed, "--only", "M") == ["M1", "M2"]
    assert completed("adopt", passed, "--only", "M1,") == ["M1,M2"]


def test_miners_are_completed(completed):
    assert completed("curate", "--miner", "off") == ["offline"]


def test_another_store_is_completed_from(completed, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "far-away.md").write_text("x\n")
    assert completed("history", "--store", str(other), "f") == ["far-away"]


def test_a_name_that_a_shell_could_take_for_more_is_not_offered(completed, example):
    for name in ("$(touch hit).md", "two words.md", "-rf.md", "a;b.md", "a\nb.md", "`x`.md", "*.md", "q'q.md"):
        (example.store / name).write_text("x\n")
    assert completed("history", "") == ["deploy-window", "retries-are-capped", "retry-budget", "runbook-location"]
    assert not (example.project / "hit").exists()


def test_where_nothing_is_recorded_nothing_is_offered_and_nothing_said(completed):
    assert completed("adopt", "") == []
    assert completed("adopt", "2026-01-01.1", "--only", "") == []


def test_a_damaged_vault_gives_nothing_and_says_nothing(completed, passed, world):
    for path in world.data_home.rglob("*"):
        if path.is_file():
            path.chmod(0o600)
            path.write_bytes(b"\0junk")
    assert completed("undo", "") == []
    assert completed("adopt", passed, "--only", "") == []


def test_no_library_of_git_is_loaded_for_a_pass(example, passed, memgit):
    env = {**example.env, "_MEMGIT_COMPLETE": "complete_bash", "COMP_WORDS": "memgit adopt ", "COMP_CWORD": "2"}
    probe = "import sys\nfrom memgit._entry import main\ntry:\n main()\nfinally:\n print('pygit2' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", probe],
        cwd=example.project,
        env={**env, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == [passed, "False"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_take_the_script(example, command, passed, shell):
    script = subprocess.run(
        [command, "completion", shell], env=dict(example.env), capture_output=True, text=True, check=True
    ).stdout
    assert "_MEMGIT_COMPLETE=complete_" + shell in script
    asked = {"_MEMGIT_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_ARGS": "memgit adopt "}
    fish = {"_TYPER_COMPLETE_FISH_ACTION": "get-args"} if shell == "fish" else {}
    said = subprocess.run(
        [command], cwd=example.project, env={**example.env, **asked, **fish}, capture_output=True, text=True
    )
    assert (passed in said.stdout, said.stderr) == (True, "")
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} here to read the script")
    done = subprocess.run([shell, "-n", "/dev/stdin"], input=script, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
