from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

import memgit
from memgit.errors import ToolFailed
from memgit.git_safety import VERBS, on_a_project
from memgit.process import Result, clean_environment, git, require_ok, run

PYTHON = sys.executable


def test_output_and_exit_code_come_back_and_a_failure_is_no_exception() -> None:
    result = run([PYTHON, "-c", "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"])
    assert (result.code, result.out.strip(), result.err.strip()) == (3, b"out", b"err")


def test_what_is_given_on_stdin_arrives_byte_for_byte() -> None:
    sent = bytes(range(256)) * 1000
    assert run([PYTHON, "-c", "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"], stdin=sent).out == sent


def test_without_stdin_a_program_reads_nothing_instead_of_waiting() -> None:
    assert run([PYTHON, "-c", "import sys; print(len(sys.stdin.read()))"]).out.strip() == b"0"


def test_arguments_reach_no_shell() -> None:
    assert run([PYTHON, "-c", "import sys; print(sys.argv[1])", "$HOME; `id`"]).out.strip() == b"$HOME; `id`"


def test_no_git_variable_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_CONFIG_VALUE_0"):
        monkeypatch.setenv(name, "1")
    left = {name for name in clean_environment() if name.startswith("GIT_")}
    assert left == {"GIT_OPTIONAL_LOCKS", "GIT_TERMINAL_PROMPT"}


def test_messages_are_in_plain_english_whatever_the_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert clean_environment()["LC_ALL"] == "C"


def test_a_caller_may_add_variables() -> None:
    assert clean_environment({"GIT_NO_LAZY_FETCH": "1"})["GIT_NO_LAZY_FETCH"] == "1"


def test_a_missing_program_is_named_with_the_remedy() -> None:
    with pytest.raises(ToolFailed, match="no-such-program-here") as caught:
        run(["no-such-program-here"])
    assert "Install no-such-program-here" in caught.value.hint


def test_a_missing_folder_is_not_taken_for_a_missing_program(tmp_path: Path) -> None:
    with pytest.raises(ToolFailed, match="no such folder"):
        run([PYTHON, "-c", ""], cwd=tmp_path / "gone")


def test_an_argument_with_nul_is_refused_in_one_sentence() -> None:
    with pytest.raises(ToolFailed, match="cannot be started"):
        run([PYTHON, "a\0b"])


@pytest.mark.skipif(os.name != "posix", reason="process groups")
def test_a_slow_program_is_stopped_together_with_what_it_started(tmp_path: Path) -> None:
    child = f"import time, pathlib; time.sleep(1); pathlib.Path({str(tmp_path / 'late')!r}).touch()"
    parent = f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {child!r}]); time.sleep(60)"
    with pytest.raises(ToolFailed, match=r"longer than 0\.4 s"):
        run([PYTHON, "-c", parent], timeout=0.4)
    run([PYTHON, "-c", "import time; time.sleep(1.2)"])
    assert not (tmp_path / "late").exists()


def test_a_failed_result_becomes_an_error_with_the_last_line_of_stderr() -> None:
    with pytest.raises(ToolFailed, match="reading the history failed with exit code 128: fatal: no"):
        require_ok(Result(128, b"", b"warning: x\nfatal: no\n"), "reading the history")


def test_a_complaint_cannot_carry_control_characters() -> None:
    assert Result(1, b"", b"fatal: \x1b[31mred\x00").complaint == "fatal: �[31mred�"


def test_a_good_result_passes_through() -> None:
    good = Result(0, b"x", b"")
    assert require_ok(good, "it") is good


def test_a_bare_repository_is_named_outright(tmp_path: Path) -> None:
    bare = tmp_path / "vault.git"
    require_ok(run(["git", "init", "-q", "--bare", str(bare)]), "init")
    config = ["-c", "safe.bareRepository=explicit"]
    assert git([*config, "rev-parse", "--is-bare-repository"], git_dir=bare).out.strip() == b"true"


@pytest.mark.parametrize("verb", ["diff", "add", "status", "checkout", "fetch", "grep", "archive", "-c"])
def test_a_verb_that_may_convert_content_or_fetch_is_never_run_on_a_project(tmp_path: Path, verb: str) -> None:
    with pytest.raises(ValueError, match="may start programs"):
        git([verb], cwd=tmp_path)


@pytest.mark.parametrize("verb", [verb for verb, options in VERBS.items() if options])
def test_a_verb_that_can_convert_content_is_told_not_to(verb: str) -> None:
    words = on_a_project([verb, "--", "a"])
    assert words[words.index(verb) :] == [verb, *VERBS[verb], "--", "a"]
    assert "--no-textconv" in words


def test_git_is_called_in_one_place() -> None:
    """But for the demo, which makes a repository of its own, and for commands that are shown to the user."""
    package = Path(memgit.__file__).parent
    calls = {path.name for path in package.rglob("*.py") if re.search(r'run\(\s*\["git"', path.read_text("utf-8"))}
    assert calls == {"process.py", "__init__.py"}
