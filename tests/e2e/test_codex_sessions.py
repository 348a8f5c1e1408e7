"""What was said to Codex counts as what was said to Claude Code does, whichever of its versions wrote it down."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memgit.model.session import Message, Origin, Role, Session
from memgit.stores.rules import project_key
from tests.unit.sessions.forge import SILENCE, run_git

AGENTS = "# AGENTS.md instructions for the project\n\n<INSTRUCTIONS>\nThe deploy window is 99 minutes.\n</INSTRUCTIONS>"
QUOTE = "We moved the deploy window to 15 minutes, agreed in the review this morning."


def item(role: str, text: str, kind: str = "") -> dict:
    """A message as an item; ``kind`` marks what its text is."""
    side = "output_text" if role == "assistant" else "input_text"
    marks = {"internal_chat_message_metadata_passthrough": {"content_item_kinds": [kind]}} if kind else {}
    return {"type": "message", "role": role, "content": [{"type": side, "text": text}], **marks}


def surroundings(cwd: str) -> str:
    return f"<environment_context>\n  <cwd>{cwd}</cwd>\n  <shell>bash</shell>\n</environment_context>"


def work() -> Iterator[dict]:
    """What an agent does between two messages."""
    yield {"type": "reasoning", "summary": [], "encrypted_content": "gAAA"}
    yield {"type": "function_call", "name": "exec_command", "arguments": '{"cmd": "cat x"}', "call_id": "c1"}
    yield {"type": "function_call_output", "call_id": "c1", "output": "The deploy window is 77 minutes."}


def enveloped(session: Session, messages: tuple[Message, ...], *, marked: bool) -> Iterator[dict]:
    """A session as clients with an envelope write it, with all that stands between what was said."""
    start = messages[0].time.isoformat() if messages[0].time else None
    source = "exec" if any(message.origin is Origin.PROGRAM for message in messages) else "cli"
    about = {
        "id": session.id,
        "cwd": session.cwd,
        "source": source,
        "cli_version": "0.171.0",
        "git": {"branch": "main"},
    }
    yield {"timestamp": start, "type": "session_meta", "payload": about}
    for text, kind in ((AGENTS, "user.instructions"), (surroundings(session.cwd or ""), "environment_context")):
        yield {"timestamp": start, "type": "response_item", "payload": item("user", text, kind if marked else "")}
    for message in messages:
        time = message.time.isoformat() if message.time else None
        said = "user_message" if message.role is Role.USER else "agent_message"
        typed = "user.text" if marked and message.role is Role.USER else ""
        yield {"timestamp": time, "type": "turn_context", "payload": {"cwd": session.cwd, "model": "gpt-5-codex"}}
        yield {"timestamp": time, "type": "response_item", "payload": item(message.role, message.text, typed)}
        yield {"timestamp": time, "type": "event_msg", "payload": {"type": said, "message": message.text}}
        yield from ({"timestamp": time, "type": "response_item", "payload": each} for each in work())
        yield {"timestamp": time, "type": "event_msg", "payload": {"type": "token_count", "info": None}}


def marked(session: Session, messages: tuple[Message, ...]) -> Iterator[dict]:
    return enveloped(session, messages, marked=True)


def unmarked(session: Session, messages: tuple[Message, ...]) -> Iterator[dict]:
    return enveloped(session, messages, marked=False)


def bare(session: Session, messages: tuple[Message, ...]) -> Iterator[dict]:
    """The first clients: an item is the line itself, and none has a time."""
    start = messages[0].time.isoformat() if messages[0].time else None
    yield {"id": session.id, "timestamp": start, "instructions": AGENTS, "git": {"branch": "main"}}
    yield {"record_type": "state"}
    for text in (f"<user_instructions>\n\n{AGENTS}\n\n</user_instructions>", surroundings(session.cwd or "")):
        yield {"id": None, **item("user", text)}
    for message in messages:
        yield {"id": None, **item(message.role, message.text)}
        yield from work()
        yield {"record_type": "state"}


FORMS = {"with marks": marked, "without marks": unmarked, "without an envelope": bare}


@pytest.fixture
def as_codex(example):
    """``as_codex(form)`` puts every session of the example into Codex's folder instead of Claude Code's."""

    def moved(form: Callable[[Session, tuple[Message, ...]], Iterator[dict]]) -> None:
        from memgit.sessions.claude import ClaudeTranscripts

        reader = ClaudeTranscripts(str(example.store.parents[1]), key=project_key, git=run_git)
        for session in reader.survey(str(example.project), SILENCE).sessions:
            rows = [*form(session, reader.messages(session))]
            path = example.home / f".codex/sessions/2026/11/01/rollout-2026-11-01T00-00-00-{session.id}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
            Path(session.path).unlink()

    return moved


def settled(passed: dict) -> list[tuple]:
    return [(each["kind"], each["memories"], each["results"], each["quote"]) for each in passed["decisions"]]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_the_same_conversation_leads_to_the_same_decisions_with_the_same_quotes(form, go, example, as_codex):
    code, claudes = go("curate")
    assert code == 0
    go("discard", claudes["pass"])
    as_codex(form)
    code, codexs = go("curate")
    assert code == 0
    assert settled(codexs) == settled(claudes)
    (window,) = (each for each in codexs["decisions"] if each["memories"] == ["deploy-window"])
    assert window["kind"] == "replace"
    assert QUOTE in window["quote"]
    number = claudes["preflight"]["sessions_in_pool"]
    assert codexs["preflight"]["sessions_by_agent"] == {"Codex": number}
    report = Path(codexs["paths"]["report"]).read_text()
    assert f"Pool: {number} sessions (0 of Claude Code, {number} of Codex);" in report
    assert window["quote"] in report
    assert window["session"].startswith("rollout-2026-11-01T00-00-00-")
    assert "99 minutes" not in report
    assert "77 minutes" not in report
    assert go("approve", codexs["pass"], f"approve {window['id']}")[0] == 0
    assert go("adopt", codexs["pass"])[0] == 0
    assert "15 minutes" in (example.store / "deploy-window.md").read_text()


def test_a_project_that_only_codex_has_worked_in_is_known(go, example, as_codex):
    as_codex(marked)
    for path in sorted(example.store.parent.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    example.store.parent.rmdir()
    code, passed = go("curate", "--dry-run")
    assert (code, passed["mode"]) == (0, "cold-start")
