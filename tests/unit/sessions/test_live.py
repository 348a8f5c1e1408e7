"""Which sessions count as running: a live process that is the registered one, on the project, and not the caller."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memgit.sessions.live import LiveSession, live_sessions

ME = os.getpid()
STARTED = Path(f"/proc/{ME}/stat").read_text().rpartition(")")[2].split()[19] if Path("/proc").exists() else "1"


def register(config: Path, pid: int = ME, **facts: object) -> None:
    folder = config / "sessions"
    folder.mkdir(parents=True, exist_ok=True)
    entry = {"pid": pid, "sessionId": "abc", "cwd": "/work/shop/src", "procStart": STARTED, "status": "busy", **facts}
    (folder / f"{pid}.json").write_text(json.dumps(entry))


def test_a_running_session_of_the_project_is_found(tmp_path):
    register(tmp_path)
    assert live_sessions(tmp_path, "/work/shop", {}) == (LiveSession("abc", ME, "/work/shop/src", "busy"),)


def test_without_a_project_every_running_session_counts(tmp_path):
    register(tmp_path)
    assert len(live_sessions(tmp_path, None, {})) == 1


@pytest.mark.parametrize(
    "facts",
    [{"pid": 2**22 + 1}, {"procStart": "1"}, {"cwd": "/work/shopping"}, {"pid": -1}],
    ids=["process gone", "number given to another process", "another project", "no process"],
)
def test_others_do_not_count(tmp_path, facts):
    register(tmp_path, **facts)
    assert live_sessions(tmp_path, "/work/shop", {}) == ()


@pytest.mark.parametrize("env", [{"CLAUDE_CODE_SESSION_ID": "abc"}, {"CLAUDE_PID": str(ME)}])
def test_the_session_that_called_memgit_is_exempt(tmp_path, env):
    register(tmp_path)
    assert live_sessions(tmp_path, "/work/shop", env) == ()


@pytest.mark.parametrize("text", ["", "[]", "{", '{"pid": "x"}', "null"])
def test_an_entry_that_cannot_be_read_counts_for_nothing(tmp_path, text):
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions/1.json").write_text(text)
    assert live_sessions(tmp_path, None, {}) == ()


def test_no_registry_means_no_session(tmp_path):
    assert live_sessions(tmp_path, None, {}) == ()
