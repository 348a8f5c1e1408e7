"""The original script's figures for one project, re-enacted here, and ours: equal, or other for a named reason."""

from __future__ import annotations

import json
import math
import os
import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memgit.core.passes.plan import select
from memgit.model.session import Limits, RecordClass, Selection, Survey
from tests.unit.sessions.forge import SILENCE, START, assistant, enqueue, key, record, transcripts, user, write

PROJECT = "/p/app"


# --- the original, by its published rules ---


@dataclass
class Enacted:
    """One session as the original saw it: every ``*.jsonl``, its time the file's, four characters a token."""

    name: str
    mtime: float
    tokens: int
    records: Counter[str] = field(default_factory=Counter)


def enact(path: Path) -> Enacted:
    records: Counter[str] = Counter()
    characters = 0
    for line in path.read_text(encoding="utf-8").split("\n"):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
        except ValueError:
            fields = {}
        kind, text = _original_class(fields)
        records[kind] += 1
        characters += len(text.encode("utf-16-le")) // 2
    return Enacted(path.stem, path.stat().st_mtime, math.ceil(characters / 4), records)


def _original_text(content: Any) -> str:
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    text = "\n".join(block["text"] for block in blocks if block.get("type") == "text")
    return re.sub(r"<system-reminder>.*?</system-reminder>", "", text, flags=re.DOTALL).strip()


_ORIGINAL_OPENINGS = (
    (r"\s*<command-(message|name|args)>", "slash-command"),
    (r"\s*<local-command-(caveat|stdout|stderr)>", "local-command-output"),
    (r"\s*Base directory for this skill:", "skill-body"),
)


def _original_class(fields: dict[str, Any]) -> tuple[str, str]:
    content = (fields.get("message") or {}).get("content")
    match fields.get("type"):
        case "user":
            return _original_user(fields, content)
        case "assistant" if isinstance(content, list):
            types = [block.get("type") for block in content]
            if "text" in types:
                return "assistant-prose", _original_text(content)
            found = ("tool_use" in types and "tool-call") or ("thinking" in types and "thinking")
            return found or "session-metadata", ""
        case "attachment":
            skill = fields["attachment"].get("type") in ("skill_listing", "dynamic_skill")
            return "skill-body" if skill else "system-reminder", ""
        case "system" if fields.get("subtype") == "local_command":
            return "local-command-output", ""
    return "session-metadata", ""


def _original_user(fields: dict[str, Any], content: Any) -> tuple[str, str]:
    if isinstance(content, list) and any(block.get("type") == "tool_result" for block in content):
        return "tool-result", ""
    text = _original_text(content)
    for opening, kind in _ORIGINAL_OPENINGS:
        if re.match(opening, text):
            return kind, ""
    if not text:
        return "system-reminder" if "<system-reminder>" in json.dumps(content) else "session-metadata", ""
    return ("session-metadata", "") if fields.get("isMeta") else ("user-prose", text)


@dataclass
class EnactedPlan:
    selected: list[str]
    near_empty: list[str]
    beyond_budget: list[str]
    beyond_cap: list[str]
    batches: list[list[str]]


def enact_plan(pool: list[Enacted], limits: Limits) -> EnactedPlan:
    plan = EnactedPlan([], [], [], [], [])
    spent = filled = 0
    for session in sorted(pool, key=lambda session: -session.mtime):
        if session.tokens < limits.near_empty:
            plan.near_empty.append(session.name)
        elif len(plan.selected) >= limits.session_cap:
            plan.beyond_cap.append(session.name)
        elif spent >= limits.token_budget:
            plan.beyond_budget.append(session.name)
        else:
            if not plan.batches or filled + session.tokens > limits.batch_window:
                plan.batches.append([])
                filled = 0
            plan.batches[-1].append(session.name)
            plan.selected.append(session.name)
            filled += session.tokens
            spent += session.tokens
    return plan


# --- a project both read ---


def ordinary(number: int) -> list[dict[str, Any]]:
    """A session in plain English whose records both classify alike; its size differs by number."""
    minute = number * 10
    words = f"session {number} says that retries are capped at five. " * (30 + number * 37 % 400)
    return [
        user(f"{words}\n<system-reminder>be good</system-reminder>", minute, uuid=f"{number}-1"),
        assistant([{"type": "thinking", "thinking": "hm"}], minute + 1, uuid=f"{number}-2"),
        assistant(f"Understood: {words}", minute + 2, uuid=f"{number}-3"),
        assistant([{"type": "tool_use"}], minute + 3, uuid=f"{number}-4"),
        user([{"type": "tool_result", "content": words}], minute + 4, uuid=f"{number}-5"),
        user("<command-name>/x</command-name>", minute + 5, uuid=f"{number}-6"),
        user("<local-command-stdout>y</local-command-stdout>", minute + 5, uuid=f"{number}-7"),
        user("<system-reminder>alone</system-reminder>", minute + 5, uuid=f"{number}-8"),
        user("Base directory for this skill: /s", minute + 5, uuid=f"{number}-9"),
        user("an expanded command", minute + 5, uuid=f"{number}-10", isMeta=True),
        record("attachment", minute + 5, attachment={"type": "skill_listing"}),
        record("attachment", minute + 5, attachment={"type": "date"}),
        record("system", minute + 5, subtype="local_command", content="z"),
        record("system", minute + 5, subtype="turn_duration"),
        record("summary", minute + 5, summary="A title"),
    ]


@pytest.fixture
def projects(tmp_path: Path) -> Path:
    """Forty sessions whose files were last written when their last record was."""
    folder = tmp_path / "projects"
    for number in range(40):
        put(folder, f"s{number:02}", *ordinary(number))
    return folder


def put(projects: Path, name: str, *records: dict[str, Any], minutes: float | None = None) -> Path:
    path = write(projects / key(PROJECT) / f"{name}.jsonl", *records)
    last = max(one["timestamp"] for one in records)
    stamp = datetime.fromisoformat(last).timestamp() if minutes is None else START.timestamp() + minutes * 60
    os.utime(path, (stamp, stamp))
    return path


def theirs(projects: Path) -> dict[str, Enacted]:
    return {path.stem: enact(path) for path in sorted((projects / key(PROJECT)).glob("*.jsonl"))}


def ours(projects: Path) -> Survey:
    return transcripts(projects).survey(PROJECT, SILENCE)


def tokens(survey: Survey) -> dict[str, int]:
    return {session.id: session.tokens for session in survey.sessions}


def records(survey: Survey) -> Counter[str]:
    return sum((Counter({kind.value: n for kind, n in one.records.items()}) for one in survey.sessions), Counter())


def named(selection: Selection) -> EnactedPlan:
    def ids(sessions: Any) -> list[str]:
        return [session.id for session in sessions]

    return EnactedPlan(
        ids(selection.selected),
        ids(selection.near_empty),
        ids(selection.beyond_budget),
        ids(selection.beyond_cap),
        [ids(batch.sessions) for batch in selection.batches],
    )


def test_on_plain_english_sessions_pool_classes_and_tokens_agree(projects: Path) -> None:
    enacted, survey = theirs(projects), ours(projects)
    assert tokens(survey) == {name: session.tokens for name, session in enacted.items()}
    assert records(survey) == sum((session.records for session in enacted.values()), Counter())


@pytest.mark.parametrize(
    "limits",
    [
        Limits(),
        Limits(token_budget=20_000),
        Limits(token_budget=10**6, session_cap=7),
        Limits(token_budget=10**6, batch_window=6_000),
        Limits(near_empty=3_000, typed_enough=10**6),
    ],
)
def test_on_plain_english_sessions_selection_and_batches_agree(projects: Path, limits: Limits) -> None:
    selection = select(ours(projects).sessions, limits)
    assert named(selection) == enact_plan(list(theirs(projects).values()), limits)
    assert selection.selected, "the fixture is too small to show anything"


MACHINE_TEXT = {
    "compaction summary": (user("A summary of it all.", 1, isCompactSummary=True), RecordClass.SUMMARY),
    "sub-agent prompt": (user("Count the files.", 1, isSidechain=True), RecordClass.SUBAGENT),
    "task notification": (user("<task-notification>x</task-notification>", 1), RecordClass.NOTIFICATION),
    "interrupt": (user("[Request interrupted by user]", 1), RecordClass.INTERRUPT),
    "! command": (user("<bash-input>ls</bash-input>", 1), RecordClass.LOCAL_COMMAND),
    "API error": (assistant("API Error: 529", 1, isApiErrorMessage=True), RecordClass.API_ERROR),
}


@pytest.mark.parametrize("case", MACHINE_TEXT)
def test_other_because_machine_text_that_the_original_kept_as_prose_has_its_own_class(
    tmp_path: Path, case: str
) -> None:
    fields, kind = MACHINE_TEXT[case]
    put(tmp_path, "s", fields)
    assert theirs(tmp_path)["s"].tokens > 0
    survey = ours(tmp_path)
    assert (tokens(survey), records(survey)) == ({"s": 0}, {kind.value: 1})


def test_other_because_words_typed_while_the_agent_works_are_prose(tmp_path: Path) -> None:
    put(tmp_path, "s", enqueue("Stop, use pnpm.", 1))
    assert (theirs(tmp_path)["s"].tokens, tokens(ours(tmp_path))["s"]) == (0, 4)


def test_other_because_bytes_and_not_characters_are_counted(tmp_path: Path) -> None:
    put(tmp_path, "s", user("再試行は五回までにする。" * 10, 1))
    assert (theirs(tmp_path)["s"].tokens, tokens(ours(tmp_path))["s"]) == (30, 90)


def test_other_because_a_session_is_as_new_as_its_records_and_not_its_file(tmp_path: Path) -> None:
    put(tmp_path, "touched", user("Old.", 1), minutes=999)
    put(tmp_path, "newest", user("New.", 50), minutes=50)
    limits = Limits(near_empty=0)
    assert enact_plan(list(theirs(tmp_path).values()), limits).selected == ["touched", "newest"]
    assert named(select(ours(tmp_path).sessions, limits)).selected == ["newest", "touched"]


def test_other_because_a_short_session_of_a_persons_typing_is_read(tmp_path: Path) -> None:
    put(tmp_path, "s", *(user(f"Correction {number}: use pnpm and not npm.", number) for number in range(11)))
    put(tmp_path, "by-program", user("Correction: use pnpm and not npm. " * 20, 60, entrypoint="sdk-py"))
    assert enact_plan(list(theirs(tmp_path).values()), Limits()).selected == []
    assert named(select(ours(tmp_path).sessions, Limits())).selected == ["s"]


def test_other_because_what_stands_behind_a_slash_command_is_prose(tmp_path: Path) -> None:
    put(tmp_path, "s", user("<command-name>/mend</command-name><command-args>Use pnpm.</command-args>", 1))
    assert (theirs(tmp_path)["s"].tokens, tokens(ours(tmp_path))["s"]) == (0, 3)


def test_other_because_what_a_fork_copies_and_a_reply_repeats_counts_once(tmp_path: Path) -> None:
    said = user("Use pnpm, not npm.", 1, uuid="u1")
    put(tmp_path, "a", said, assistant("Done.", 2, message_id="m"), assistant("Done.", 3, message_id="m"))
    put(tmp_path, "b", said, user("Go on.", 9, uuid="u2"))
    assert {name: session.tokens for name, session in theirs(tmp_path).items()} == {"a": 7, "b": 6}
    assert tokens(ours(tmp_path)) == {"a": 6, "b": 2}


def test_other_because_sub_agents_files_are_no_sessions_and_broken_lines_no_metadata(tmp_path: Path) -> None:
    put(tmp_path, "agent-a1", user("Warmup", 1))
    path = put(tmp_path, "s", user("Hi.", 1))
    path.write_bytes(path.read_bytes() + b"broken\n")
    assert set(theirs(tmp_path)) == {"agent-a1", "s"}
    assert theirs(tmp_path)["s"].records["session-metadata"] == 1
    (session,) = ours(tmp_path).sessions
    assert (session.id, session.broken_lines, session.records) == ("s", 1, {RecordClass.USER_PROSE: 1})
