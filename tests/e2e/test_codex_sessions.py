"""What was said to Codex counts as what was said to Claude Code does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memgit.model.session import Message, Origin, Role
from memgit.stores.locate import project_key
from tests.unit.sessions.forge import SILENCE, run_git


def told(message: Message) -> dict:
    """A message as Codex records it."""
    side = "output_text" if message.role is Role.ASSISTANT else "input_text"
    payload = {"type": "message", "role": message.role, "content": [{"type": side, "text": message.text}]}
    payload["internal_chat_message_metadata_passthrough"] = {"content_item_kinds": ["user.text"]}
    time = message.time.isoformat() if message.time else None
    return {"timestamp": time, "type": "response_item", "payload": payload}


@pytest.fixture
def as_codex(example):
    """``as_codex()`` puts every session of the example into Codex's folder instead of Claude Code's."""

    def moved() -> None:
        from memgit.sessions.claude import ClaudeTranscripts

        reader = ClaudeTranscripts(str(example.store.parents[1]), key=project_key, run=run_git)
        for session in reader.survey(str(example.project), SILENCE).sessions:
            messages = reader.messages(session)
            program = any(message.origin is Origin.PROGRAM for message in messages)
            about = {"id": session.id, "cwd": session.cwd, "source": "exec" if program else "cli"}
            rows = [{"timestamp": None, "type": "session_meta", "payload": about}, *map(told, messages)]
            path = example.home / f".codex/sessions/2026/11/01/rollout-2026-11-01T00-00-00-{session.id}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
            Path(session.path).unlink()

    return moved


def settled(passed: dict) -> list[tuple]:
    return [(each["kind"], each["memories"], each["results"], each["quote"]) for each in passed["decisions"]]


def test_the_same_conversation_leads_to_the_same_decisions_with_the_same_quotes(go, as_codex):
    code, claudes = go("curate")
    assert code == 0
    go("discard", claudes["pass"])
    as_codex()
    code, codexs = go("curate")
    assert code == 0
    assert settled(codexs) == settled(claudes)
    assert any(each["quote"] for each in codexs["decisions"])
    number = claudes["preflight"]["sessions_in_pool"]
    assert codexs["preflight"]["sessions_by_agent"] == {"Codex": number}
    report = Path(codexs["paths"]["report"]).read_text()
    assert f"Pool: {number} sessions (0 of Claude Code, {number} of Codex);" in report


def test_a_project_that_only_codex_has_worked_in_is_known(go, example, as_codex):
    as_codex()
    for path in sorted(example.store.parent.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    example.store.parent.rmdir()
    code, passed = go("curate", "--dry-run")
    assert (code, passed["mode"]) == (0, "cold-start")
