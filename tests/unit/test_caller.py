"""Who calls: programs of the caller's choice are for a person at a terminal, the client's settings for no client."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from memgit import caller, process
from memgit.agent.clients import marks
from memgit.caller import client_mark, refuse_programs, refuse_writing
from memgit.errors import UsageError


def started(tmp_path: Path, start) -> bool:
    """Whether ``start`` ran the program that it was given, or one that the environment names."""
    with pytest.raises(UsageError, match="was not started"):
        start([sys.executable, "-c", f"open({str(tmp_path / 'ran')!r}, 'w')"])
    return (tmp_path / "ran").exists()


def paged(argv) -> None:
    with process.fed(argv, {}):
        pass


def in_browser(argv) -> None:
    process.in_browser("file:///nowhere")


STARTERS = [process.at_terminal, paged, in_browser]
"""All ways in which memgit starts a program that its caller names."""


@pytest.mark.parametrize("start", STARTERS)
@pytest.mark.parametrize("mark", marks())
def test_no_program_of_the_caller_s_choice_is_started_in_a_client(person, monkeypatch, tmp_path, mark, start) -> None:
    monkeypatch.setenv("BROWSER", f"touch {tmp_path / 'ran'}")
    monkeypatch.setenv(mark, "1")
    assert not started(tmp_path, start)


@pytest.mark.parametrize("start", STARTERS)
def test_no_program_of_the_caller_s_choice_is_started_without_a_terminal(monkeypatch, tmp_path, start) -> None:
    monkeypatch.setenv("BROWSER", f"touch {tmp_path / 'ran'}")
    assert not started(tmp_path, start)


def test_a_person_gets_his_program(person, tmp_path) -> None:
    assert process.at_terminal([sys.executable, "-c", "raise SystemExit(7)"]) == 7


def test_the_refusal_names_the_program_the_reason_and_the_remedy(person) -> None:
    with pytest.raises(UsageError) as refused:
        refuse_programs("The difftool", {"CURSOR_AGENT": "1"})
    assert refused.value.message == (
        "The difftool was not started, because an agent's client called memgit (CURSOR_AGENT is set)."
    )
    assert refused.value.hint == "Run the command yourself, at a terminal of yours."


def test_settings_are_changed_by_a_script_but_never_from_within_a_client() -> None:
    refuse_writing("The settings", {})
    with pytest.raises(UsageError, match="The settings was not written"):
        refuse_writing("The settings", {"CLAUDECODE": "1"})


@pytest.mark.parametrize("name", ["CLAUDE_CONFIG_DIR", "CLAUDE_CODE_DISABLE_AUTO_MEMORY", "CODEX_HOME", "PAGER"])
def test_what_a_person_sets_is_no_mark_of_a_client(name) -> None:
    assert client_mark({name: "1"}) == ""


def test_a_mark_that_is_taken_away_by_an_empty_value_is_none() -> None:
    assert client_mark({"CLAUDECODE": ""}) == ""


@pytest.mark.parametrize("missing", ["stdin", "stdout and stderr"])
def test_a_terminal_is_where_one_can_type_and_see(monkeypatch, missing) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None if name in missing else Terminal())
    assert not caller.at_terminal()
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert caller.at_terminal()
