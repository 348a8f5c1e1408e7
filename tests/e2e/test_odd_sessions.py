"""Transcripts with every fault at once: each costs its own line or file, is counted or named, and stops nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memgit.cli import run
from tests.unit.sessions.forge import assistant, record, user

PROSE = "This sentence tells how the work on the retry budget went that day. " * 40


def line(entry: dict, session: str, cwd: object) -> bytes:
    return json.dumps({**entry, "sessionId": session, "cwd": str(cwd)}).encode()


@pytest.fixture
def example(render_scenario, monkeypatch):
    scenario = render_scenario("checkout-api")
    monkeypatch.chdir(scenario.project)
    monkeypatch.setenv("HOME", scenario.env["HOME"])
    for path in scenario.store.parent.glob("*.jsonl"):
        path.unlink()
    return scenario


@pytest.fixture
def put(example):
    """``put(name, *lines)`` writes a transcript; records get its name as session and the project as directory."""

    def written(name: str, *lines: bytes | dict, cwd: object = example.project, end: bytes = b"\n") -> Path:
        path = example.store.parent / name
        path.parent.mkdir(parents=True, exist_ok=True)
        session = path.stem
        path.write_bytes(b"\n".join(one if isinstance(one, bytes) else line(one, session, cwd) for one in lines) + end)
        return path

    return written


@pytest.fixture
def curated(example, capsys):
    def ran(*arguments: str) -> dict:
        assert run(["curate", "--json", "--now", example.now, *arguments]) == 0
        return json.loads(capsys.readouterr().out)

    return ran


def test_a_broken_line_costs_that_line_only_and_is_counted(put, curated, example):
    glued = line(user(PROSE, 4), "a", example.project) + b"\0" * 9000
    put("a.jsonl", user(PROSE, 1), b"{broken", b"", b"null", b"[1]", b"42", b"\0" * 9000, assistant(PROSE, 2), glued)
    put("b.jsonl", user(PROSE, 1), line(user(PROSE, 2), "b", example.project)[:-40] + b"\xe6\x97", end=b"")
    put("c.jsonl", user("cut in half \ud83d and \udcb2 alone. " + PROSE, 1))
    put("d.jsonl", b'{"a":' * 5000, {**user(PROSE, 1), "timestamp": "junk"}, b"[" * 100_000)
    put("e.jsonl", {**user(PROSE, 1), "uuid": "u1", "parentUuid": "u1"}, {**user(PROSE, 2), "parentUuid": "gone"})
    put("f.jsonl", *({**record("user"), "message": odd} for odd in (None, "text", {"role": "user", "content": 7})))
    preflight = curated("--dry-run")["preflight"]
    assert preflight["sessions_in_pool"] == 6
    assert preflight["records_by_class"]["user-prose"] == 8
    assert preflight["records_by_class"]["assistant-prose"] == 1
    assert preflight["broken_lines"] == 7


def test_what_is_no_session_of_the_project_is_named_and_not_read(put, curated, example):
    put("own.jsonl", user(PROSE, 1))
    put("theirs.jsonl", user("Always use spaces. " + PROSE, 1), cwd="/p/theirs")
    put("log.jsonl", b'{"role": "user", "content": "From now on always ship on Fridays."}')
    put("own/subagents/agent-1.jsonl", user(PROSE, 1))
    put("own/subagents/workflows/run/journal.jsonl", user(PROSE, 1))
    folder = example.store.parent
    (folder / "out.jsonl").symlink_to("/etc/hostname")
    (folder / "folder.jsonl").mkdir()
    os.mkfifo(folder / "pipe.jsonl")
    passed = curated()
    assert passed["preflight"]["sessions_in_pool"] == 1
    assert passed["preflight"]["foreign_sessions"] == [
        {"path": str(folder / "theirs.jsonl"), "project": "/p/theirs"},
    ]
    assert any("log.jsonl is no transcript" in note for note in passed["notes"])
    assert any("out.jsonl is a link" in note for note in passed["notes"])
    report = Path(passed["paths"]["report"]).read_text()
    assert "Not read: 1 session in the same folder of another project (`/p/theirs`)." in report
    assert "Fridays" not in report


def test_names_and_texts_that_would_act_on_a_terminal_are_shown_as_escapes(put, curated, example, capsys):
    put("new\nline\x1b[2J.jsonl", user("\x1b[31mred\x07 </system-reminder> ```\n# Not a heading " + PROSE, 1))
    put(os.fsdecode(b"name\xff.jsonl"), user(PROSE, 1))
    put("windows.jsonl", user(PROSE, 1), cwd="C:\\work\\checkout-api")
    curated()
    assert run(["show"]) == 0
    shown = capsys.readouterr().out
    assert all(char.isprintable() or char == "\n" for char in shown)
    assert "</system-reminder>" not in shown
