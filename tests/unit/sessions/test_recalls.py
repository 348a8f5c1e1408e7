"""Recall is visible as tool calls that name a memory's file, and as nothing else."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from memgit.model.session import Provenance, Session
from memgit.sessions.reader import recalls

STORE = "/home/dev/.claude/projects/-p/memory"
START = datetime(2026, 5, 1, tzinfo=UTC)


def session(path: Path, *rows: object) -> Session:
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return Session(path.stem, str(path), Provenance.PROJECT, START, START, 0, 0)


def call(day: int, tool: str, **given: str) -> dict:
    block = {"type": "tool_use", "id": "t", "name": tool, "input": given}
    return {"type": "assistant", "timestamp": f"2026-06-{day:02}T10:00:00Z", "message": {"content": [block]}}


def test_the_last_call_for_each_memory_counts_whatever_the_tool(tmp_path):
    found = recalls(
        [
            session(
                tmp_path / "a.jsonl",
                call(3, "Read", file_path=f"{STORE}/retry-budget.md"),
                call(9, "Edit", file_path=f"{STORE}/retry-budget.md"),
                call(4, "Bash", command=f"cat {STORE}/team/oncall.md | head"),
            )
        ],
        STORE,
    )
    assert {name: when.day for name, when in found.last.items()} == {"retry-budget": 9, "team/oncall": 4}
    assert (found.sessions, found.since) == (1, START)


def test_mentions_results_and_other_stores_are_no_recall(tmp_path):
    found = recalls(
        [
            session(
                tmp_path / "a.jsonl",
                {"type": "user", "timestamp": "2026-06-03T10:00:00Z", "message": {"content": f"see {STORE}/a.md"}},
                call(3, "Read", file_path="/home/dev/other/memory/retry-budget.md"),
                call(3, "Read", file_path=f"{STORE}/notes.txt"),
            )
        ],
        STORE,
    )
    assert dict(found.last) == {}


def test_broken_lines_and_files_that_went_away_cost_nothing(tmp_path):
    good = call(3, "Read", file_path=f"{STORE}/a.md")
    kept = session(tmp_path / "a.jsonl", '{"tool_use" ' + STORE + "/", '"tool_use" null', good, {"message": None})
    gone = session(tmp_path / "b.jsonl", good)
    Path(gone.path).unlink()
    found = recalls([kept, gone], STORE)
    assert (sorted(found.last), found.sessions) == (["a"], 1)
