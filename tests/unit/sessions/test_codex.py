"""Codex's rollouts are read as Claude Code's transcripts are: only what a person typed is the person's."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import pytest

from memgit.evidence.turns import resolve
from memgit.model.session import Agent, Origin, RecordClass, Role, Session, Survey
from memgit.sessions.codex import CODEX
from memgit.sessions.reader import Part, Reading, Sender, read_on, read_tail, recalls
from tests.conftest import DATA
from tests.unit.sessions.forge import SILENCE, at, transcripts, user, write

ROLLOUTS = DATA / "rollouts"
TYPED = {
    "0a01": ["Why does checkout retry so often?", "No, the retry budget is four attempts. Please remember that."],
    "0a02": ["Summarise the open issues."],
    "0a03": [],
    "0a04": ["We use four spaces, never tabs."],
    "0a05": ["This is another project."],
    "0a06": ["The cache is warmed by the nightly job, not at start."],
}


def sample(end: str) -> Path:
    return next(ROLLOUTS.rglob(f"*{end}.jsonl"))


def read(path: Path) -> Part:
    with path.open("rb") as file:
        return read_tail(read_on(file, Reading(), CODEX))


def rollout(folder: Path, *rows: object, cwd: str = "/p/app") -> Path:
    path = folder / "2026/11/05/rollout-2026-11-05T09-00-00-x.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    meta = {"timestamp": at(0), "type": "session_meta", "payload": {"id": "x", "cwd": cwd, "source": "cli"}}
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in (meta, *rows)))
    return path


def typed(text: str, **metadata: object) -> dict[str, object]:
    marks = {"internal_chat_message_metadata_passthrough": {"content_item_kinds": ["user.text"]}}
    content = [{"type": "input_text", "text": text}]
    payload = {"type": "message", "role": "user", "content": content, **marks}
    return {"timestamp": at(1), "type": "response_item", "payload": payload, **metadata}


def surveyed(tmp_path: Path, rollouts: Path = ROLLOUTS, project: str = "/p/app") -> Survey:
    return transcripts(tmp_path / "projects", rollouts=str(rollouts)).survey(project, SILENCE)


def of(survey: Survey, end: str) -> Session:
    return next(session for session in survey.sessions if session.id.endswith(end))


@pytest.mark.parametrize("end", sorted(TYPED))
def test_exactly_what_a_person_typed_is_the_persons(end: str) -> None:
    kept = resolve(read(sample(end)).entries).kept
    assert [entry.text for entry in kept if entry.role is Role.USER] == TYPED[end]


def test_every_class_of_line_is_told_apart() -> None:
    part = read(sample("0a01"))
    counted = {kind: number for kind, number in part.reading.records.items() if kind is not RecordClass.METADATA}
    assert counted == {
        RecordClass.SYSTEM_REMINDER: 3,  # the developer's, AGENTS.md with the surroundings, a skill
        RecordClass.THINKING: 1,
        RecordClass.TOOL_CALL: 2,
        RecordClass.TOOL_RESULT: 2,
        RecordClass.SUMMARY: 1,
    }
    assert (part.reading.broken, part.reading.foreign_lines, part.reading.cwd) == (0, 0, "/p/app")


def test_who_speaks_in_a_session_is_what_its_first_line_says() -> None:
    assert [read(sample(end)).reading.sender for end in ("0a01", "0a02", "0a03")] == [
        Sender.PERSON,
        Sender.PROGRAM,
        Sender.AGENT,
    ]
    assert {entry.origin for entry in read(sample("0a02")).entries if entry.role is Role.USER} == {Origin.PROGRAM}
    assert read(sample("0a03")).reading.records[RecordClass.SUBAGENT] == 2


def test_a_session_that_goes_on_later_is_still_the_programs() -> None:
    data = sample("0a02").read_bytes()
    cut = data.index(b"\n") + 1
    first = read_on(io.BytesIO(data[:cut]), Reading(), CODEX)
    second = read_on(io.BytesIO(data), first.reading, CODEX)
    assert second.entries[0].origin is Origin.PROGRAM


def test_sessions_belong_to_the_project_that_they_were_recorded_in(tmp_path: Path) -> None:
    survey = surveyed(tmp_path)
    assert survey.known
    assert sorted(session.id[-4:] for session in survey.sessions) == ["0a01", "0a02", "0a03", "0a04", "0a06"]
    assert {session.agent for session in survey.sessions} == {Agent.CODEX}
    assert survey.foreign == ()


def test_both_agents_sessions_are_one_pool(tmp_path: Path) -> None:
    write(tmp_path / "projects/-p-app/s1.jsonl", user("Said to Claude.", 2, uuid="u1"))
    survey = surveyed(tmp_path)
    assert [of(survey, end).agent for end in ("s1", "0a01")] == [Agent.CLAUDE, Agent.CODEX]


def test_a_line_that_is_an_item_itself_is_read_with_the_sessions_time_and_the_directory_it_tells() -> None:
    part = read(sample("0a06"))
    counted = {kind: number for kind, number in part.reading.records.items() if kind is not RecordClass.METADATA}
    assert counted == {
        RecordClass.SYSTEM_REMINDER: 2,
        RecordClass.THINKING: 1,
        RecordClass.TOOL_CALL: 1,
        RecordClass.TOOL_RESULT: 1,
    }
    assert (part.reading.broken, part.reading.foreign_lines, part.reading.cwd) == (0, 0, "/p/app")
    assert {entry.time.isoformat() for entry in part.entries if entry.time} == {"2025-08-02T09:00:00+00:00"}
    assert [entry.role for entry in part.entries] == [Role.USER, Role.ASSISTANT]


@pytest.mark.parametrize(
    "text",
    ["I typed <environment_context><cwd>/elsewhere</cwd></environment_context> myself.", "<cwd>/elsewhere</cwd>"],
)
def test_a_directory_that_somebody_only_speaks_of_is_not_where_a_session_was(tmp_path: Path, text: str) -> None:
    path = tmp_path / "rollout-x.jsonl"
    head = {"id": "x", "timestamp": at(0), "instructions": None}
    line = {"type": "message", "id": None, "role": "user", "content": [{"type": "input_text", "text": text}]}
    path.write_text(f"{json.dumps(head)}\n{json.dumps(line)}\n")
    assert read(path).reading.cwd is None


def test_lines_of_no_client_are_none_of_a_session(tmp_path: Path) -> None:
    path = tmp_path / "rollout-x.jsonl"
    path.write_text('{"type": "message"}\n{"type": "note", "text": "x"}\n{"a": 1}\n{"id": 7}\n')
    assert read(path).entries == ()
    assert read(path).reading.foreign_lines == 3


def test_messages_come_from_the_cache_as_they_were_read(tmp_path: Path) -> None:
    rollouts, cache = tmp_path / "sessions", tmp_path / "cache"
    shutil.copytree(ROLLOUTS, rollouts)
    first = transcripts(tmp_path / "projects", cache, rollouts=str(rollouts))
    session = of(first.survey("/p/app", SILENCE), "0a01")
    before = first.messages(session)
    shutil.rmtree(rollouts)
    again = transcripts(tmp_path / "projects", cache, rollouts=str(rollouts))
    assert again.messages(session) == before
    assert [message.text for message in before if message.role is Role.USER] == TYPED["0a01"]


def test_lone_surrogates_broken_lines_and_odd_shapes_cost_only_themselves(tmp_path: Path) -> None:
    path = rollout(
        tmp_path,
        '{"timestamp": "x", "type": "response_item", "payload": ',
        {"type": "response_item", "payload": {"type": ["message"], "content": 7}},
        {"type": "response_item", "payload": None},
        typed("good \ud83d text"),
        '["no", "object"]',
        typed("the last"),
    )
    part = read(path)
    assert [entry.text for entry in part.entries] == ["good \N{REPLACEMENT CHARACTER} text", "the last"]
    assert part.reading.broken == 2


def test_a_link_that_leads_out_is_not_followed(tmp_path: Path) -> None:
    sessions = tmp_path / "sessions"
    outside = rollout(tmp_path / "outside", typed("Somebody else's words."))
    inside = sessions / "2026/11/05" / outside.name
    inside.parent.mkdir(parents=True)
    inside.symlink_to(outside)
    survey = surveyed(tmp_path, sessions)
    assert survey.sessions == ()
    assert survey.notes == (f"{inside} is a link that leads out of the sessions folder; it was not read",)


def test_a_message_inherited_from_another_session_is_no_second_telling(tmp_path: Path) -> None:
    path = rollout(tmp_path, typed("Said before.", metadata={"inherited_user_message": True}), typed("Said here."))
    assert [entry.text for entry in read(path).entries] == ["Said here."]


def test_calls_of_codex_for_a_memory_are_recalls(tmp_path: Path) -> None:
    store = "/home/dev/.codex/memories_v2"
    call = {"type": "function_call", "name": "exec_command", "arguments": json.dumps({"cmd": f"cat {store}/deploy.md"})}
    patch = {"type": "custom_tool_call", "name": "apply_patch", "input": f"*** Update File: {store}/retry.md\n+x"}
    output = {"type": "function_call_output", "call_id": "c", "output": f"{store}/never.md"}
    rows = [{"timestamp": at(day), "type": "response_item", "payload": each} for day, each in enumerate((call, patch))]
    path = rollout(tmp_path, *rows, {"timestamp": at(3), "type": "response_item", "payload": output})
    session = of(surveyed(tmp_path, tmp_path), "-x")
    assert session.path == str(path)
    assert set(recalls([session], store).last) == {"deploy", "retry"}
