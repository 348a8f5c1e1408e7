"""Who said it, one record at a time."""

from __future__ import annotations

from typing import Any

import pytest

from memgit.evidence.records import Classified, classify, prose, work_of_the_agent, wrapper
from memgit.model.session import Origin, RecordClass, Role
from memgit.sessions.reader import moment
from memgit.sessions.records import lenient
from tests.unit.sessions.forge import assistant, at, enqueue, queue, queued_command, record, user

SAID = "Use pnpm, not npm."
C = RecordClass


def classified(fields: dict[str, Any]) -> Classified:
    return classify(lenient(fields))


def text_block(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


KEPT = {
    "typed in the terminal": (user(SAID, promptSource="typed", origin={"kind": "human"}), Origin.TYPED),
    "typed, an old client": (user(SAID), Origin.TYPED),
    "typed, as blocks": (user([text_block("Use pnpm,"), {"type": "image"}, text_block("not npm.")]), Origin.TYPED),
    "sent with -p": (user(SAID, promptSource="sdk"), Origin.PROGRAM),
    "sent with -p, before promptSource": (user(SAID, entrypoint="sdk-cli"), Origin.PROGRAM),
    "after a slash command": (
        user(
            f"<command-message>x</command-message>\n<command-name>/x</command-name>\n<command-args>{SAID}</command-args>"
        ),
        Origin.TYPED,
    ),
    "after a slash command, by a program": (
        user(f"<command-name>/x</command-name><command-args>{SAID}</command-args>", entrypoint="sdk-py"),
        Origin.PROGRAM,
    ),
    "after a slash command in the queue": (enqueue(f"/compact {SAID}"), Origin.QUEUED),
    "typed while the agent works": (
        queued_command(SAID, commandMode="prompt", origin={"kind": "human"}),
        Origin.QUEUED,
    ),
    "the same before it had an origin": (queued_command(SAID, commandMode="prompt"), Origin.QUEUED),
    "the same, as blocks": (queued_command([text_block(SAID)]), Origin.QUEUED),
    "put in the queue": (enqueue(SAID), Origin.QUEUED),
    "put in the queue, as blocks": (enqueue([text_block(SAID)]), Origin.QUEUED),
    "with a reminder appended": (user(f"{SAID}\n<system-reminder>\nBe good.\n</system-reminder>"), Origin.TYPED),
    "with a reminder never closed": (user(f"{SAID}\n<system-reminder>\nBe good."), Origin.TYPED),
    "with an open file": (user(f"<ide_opened_file>The user opened a.py</ide_opened_file>\n{SAID}"), Origin.TYPED),
    "with a selection": (user(f"<ide_selection>lines 1 to 3\nx = 1</ide_selection>{SAID}"), Origin.TYPED),
}


@pytest.mark.parametrize("case", KEPT)
def test_what_a_user_says_is_kept_however_it_came_in(case: str) -> None:
    fields, origin = KEPT[case]
    found = classified(fields)
    assert (found.kind, found.role, found.origin) == (C.USER_PROSE, Role.USER, origin)
    assert found.text.replace("\n", " ") == SAID


def clients_fields(**fields: Any) -> Origin:
    found = classified(user(SAID, **fields))
    assert found.kind is C.USER_PROSE
    return found.origin


@pytest.mark.parametrize("place", ["cli", "claude-vscode", "claude-desktop", "remote", "jetbrains", "a-future-editor"])
def test_where_people_type_the_prompt_source_says_nothing(place: str) -> None:
    assert clients_fields(entrypoint=place, promptSource="sdk") is Origin.TYPED


@pytest.mark.parametrize(
    "program", ["sdk-cli", "sdk-ts", "sdk-py", "sdk", "github-action", "github_action", "bench", "mcp"]
)
def test_a_program_is_one_whatever_the_prompt_source_says(program: str) -> None:
    assert clients_fields(entrypoint=program, promptSource="typed") is Origin.PROGRAM


@pytest.mark.parametrize("field", ["promptSource", "turnOrigin"])
def test_the_prompt_source_counts_where_no_entry_point_is_known(field: str) -> None:
    assert clients_fields(**{field: "sdk"}) is Origin.PROGRAM
    assert clients_fields(**{field: "typed"}) is Origin.TYPED


def test_an_origin_that_names_a_person_goes_before_all_else() -> None:
    assert clients_fields(origin={"kind": "human"}, entrypoint="sdk-cli", promptSource="sdk") is Origin.TYPED
    assert clients_fields(origin="human", entrypoint="sdk-py") is Origin.TYPED


@pytest.mark.parametrize(
    ("text", "element"),
    [
        ("<agent_task>Use yarn.</agent_task>", "agent_task"),
        ("<agent_task>a</agent_task>\n<more-context>b</more-context>", "agent_task"),
        ('<house-rules lang="en">\nUse yarn.\n</house-rules>\n', "house-rules"),
    ],
)
def test_a_message_inside_elements_that_no_client_writes_is_nobodys_and_they_are_named(text: str, element: str) -> None:
    assert classified(user(text)) == Classified(C.UNKNOWN_WRAPPER, text=element)
    assert classified(enqueue(text)) == Classified(C.UNKNOWN_WRAPPER, text=element)


@pytest.mark.parametrize(
    "text",
    [
        "Use pnpm. <agent_task>a</agent_task>",
        "<agent_task>a</agent_task> Use pnpm.",
        "<agent_task>never closed",
        "<p>Use pnpm.</p>",
        "<agent_task>a</other_task>",
    ],
)
def test_words_beside_such_an_element_are_kept(text: str) -> None:
    assert wrapper(text) == ""
    assert classified(user(text)).kind is C.USER_PROSE


CONTRADICTORY = {
    "a user record with the agent's message": record("user", message={"role": "assistant", "content": SAID}),
    "an assistant record with the user's": record("assistant", message={"role": "user", "content": SAID}),
    "a user record with a system message": record("user", message={"role": "system", "content": SAID}),
    "the same, a tool result": record("user", message={"role": "assistant", "content": [{"type": "tool_result"}]}),
}


@pytest.mark.parametrize("case", CONTRADICTORY)
def test_where_the_fields_of_a_record_disagree_nobody_speaks(case: str) -> None:
    assert classified(CONTRADICTORY[case]) == Classified(C.CONTRADICTORY)
    assert work_of_the_agent(lenient(CONTRADICTORY[case])) is None


def test_a_record_without_a_role_is_what_its_type_says() -> None:
    assert classified(record("user", message={"content": SAID})).role is Role.USER
    assert classified(record("user", message={"role": "", "content": SAID})).role is Role.USER


CAVEAT = "Caveat: The messages below were generated by the user while running local commands. DO NOT respond"
DROPPED = {
    "tool result": (user([{"type": "tool_result", "content": "x"}], toolUseResult={}), C.TOOL_RESULT),
    "tool result beside text": (user([text_block("hm"), {"type": "tool_result"}]), C.TOOL_RESULT),
    "rejected tool": (user([{"type": "tool_result", "is_error": True}], toolDenialKind="user-rejected"), C.TOOL_RESULT),
    "interrupt": (user([text_block("[Request interrupted by user for tool use]")]), C.INTERRUPT),
    "interrupt, harness row": (user("[Request interrupted by user]", rowSource="harness"), C.INTERRUPT),
    "slash command": (user("<command-name>/x</command-name>\n <command-args></command-args>"), C.SLASH_COMMAND),
    "slash command of a model": (
        user("<command-name>/x</command-name><command-args>y</command-args>", isMeta=True),
        C.SLASH_COMMAND,
    ),
    "slash command, message first": (user("<command-message>x</command-message>"), C.SLASH_COMMAND),
    "unknown slash command": (user("Unknown slash command: house-style"), C.LOCAL_COMMAND),
    "command body": (user([text_block("Greet warmly.")], isMeta=True), C.METADATA),
    "skill by command": (user([text_block("Base directory for this skill: /s\n\nDo.")], isMeta=True), C.SKILL_BODY),
    "skill by tool": (user([text_block("Do it so.")], isMeta=True, sourceToolUseID="toolu_1"), C.SKILL_BODY),
    "local command caveat": (user("<local-command-caveat>…</local-command-caveat>", isMeta=True), C.LOCAL_COMMAND),
    "local command caveat, old": (user(CAVEAT, isMeta=True), C.LOCAL_COMMAND),
    "local command output": (user("<local-command-stdout>hi</local-command-stdout>"), C.LOCAL_COMMAND),
    "local command record": (record("system", subtype="local_command", content=SAID), C.LOCAL_COMMAND),
    "! command": (user("<bash-input> no wait, do it differently</bash-input>"), C.LOCAL_COMMAND),
    "! output": (user("<bash-stdout>x</bash-stdout><bash-stderr></bash-stderr>"), C.LOCAL_COMMAND),
    "compaction summary": (user("A summary.", isCompactSummary=True), C.SUMMARY),
    "compaction summary, no flag": (
        user("This session is being continued from a previous conversation that ran out of context."),
        C.SUMMARY,
    ),
    "shown in the transcript only": (user("A summary.", isVisibleInTranscriptOnly=True), C.SUMMARY),
    "task notification": (user("<task-notification>\n<task-id>a</task-id></task-notification>"), C.NOTIFICATION),
    "task notification by origin": (user("Task done", origin={"kind": "task-notification"}), C.NOTIFICATION),
    "sent by the client": (user("Task done", promptSource="system"), C.NOTIFICATION),
    "teammate": (user('<teammate-message teammate_id="lead">Use yarn</teammate-message>'), C.NOTIFICATION),
    "stop hook": (user("Stop hook feedback:\nsave lessons", isMeta=True, rowSource="hook"), C.SYSTEM_REMINDER),
    "prompt hook": (user("<user-prompt-submit-hook>x</user-prompt-submit-hook>"), C.SYSTEM_REMINDER),
    "only a reminder": (user("<system-reminder>\nBe good.\n</system-reminder>"), C.SYSTEM_REMINDER),
    "only editor tags": (user("<ide_opened_file>a.py</ide_opened_file>"), C.METADATA),
    "observed by another tool": (
        user("<observed_from_primary_session>\n<user_request>Use yarn</user_request></observed_from_primary_session>"),
        C.METADATA,
    ),
    "observed, cut short": (user("<observed_from_primary_session>\n<what_happened>x"), C.METADATA),
    "empty": (user(""), C.METADATA),
    "no content": (user(None), C.METADATA),
    "null block": (user([None]), C.METADATA),
    "number for content": (user(42), C.METADATA),
    "no message": (record("user"), C.METADATA),
    "sub-agent prompt": (user("Count the files.", isSidechain=True), C.SUBAGENT),
    "sub-agent reply": (assistant("12 files.", isSidechain=True), C.SUBAGENT),
    "API error": (assistant("API Error: 400 stub", isApiErrorMessage=True), C.API_ERROR),
    "API error, no flag": (assistant("API Error: 529 overloaded"), C.API_ERROR),
    "API error, system": (record("system", subtype="api_error"), C.API_ERROR),
    "thinking": (assistant([{"type": "thinking", "thinking": "The user likes npm."}]), C.THINKING),
    "tool call": (assistant([{"type": "tool_use", "name": "Bash", "input": {"command": "x"}}]), C.TOOL_CALL),
    "client's own words": (
        record("assistant", message={"model": "<synthetic>", "content": [text_block("No response requested.")]}),
        C.METADATA,
    ),
    "queued notification": (enqueue("<task-notification>done</task-notification>"), C.NOTIFICATION),
    "queued slash command": (enqueue("/compact"), C.SLASH_COMMAND),
    "queued without text": (enqueue(None), C.METADATA),
    "queued notification, attached": (queued_command("done", commandMode="task-notification"), C.NOTIFICATION),
    "queued by a channel": (queued_command("hi", origin={"kind": "channel"}), C.NOTIFICATION),
    "queued ! command": (queued_command("ls", commandMode="bash"), C.LOCAL_COMMAND),
    "dequeue": (queue("dequeue"), C.METADATA),
    "hook context": (record("attachment", attachment={"type": "hook_additional_context"}), C.SYSTEM_REMINDER),
    "skill listing": (record("attachment", attachment={"type": "skill_listing"}), C.SKILL_BODY),
    "attachment of nothing": (record("attachment"), C.METADATA),
    "request log": (record("api-request-blob", content="Use yarn"), C.METADATA),
    "summary title": (record("summary", summary="Use yarn"), C.METADATA),
    "last prompt": (record("last-prompt", lastPrompt="Use yarn"), C.METADATA),
    "of the future": (record("future-event", message={"content": "Use yarn"}), C.METADATA),
}


@pytest.mark.parametrize("case", DROPPED)
def test_what_no_user_said_is_dropped_under_its_own_class(case: str) -> None:
    fields, kind = DROPPED[case]
    assert classified(fields) == Classified(kind)


@pytest.mark.parametrize(
    "text", ["/usr/bin is not on the path", "<b>bold</b> claim", "the <system-reminder> tag confuses me", "! no wait"]
)
def test_a_persons_text_that_only_looks_like_the_clients_is_kept(text: str) -> None:
    assert classified(user(text)).text == text


def test_a_path_put_in_the_queue_is_no_slash_command() -> None:
    assert classified(enqueue("/usr/bin is not on the path")).kind is C.USER_PROSE


def test_assistant_prose_is_its_text_blocks_alone() -> None:
    blocks = [{"type": "thinking", "thinking": "hm"}, text_block("I will use pnpm."), {"type": "tool_use"}]
    assert classified(assistant(blocks)) == Classified(C.ASSISTANT_PROSE, Role.ASSISTANT, "I will use pnpm.")


def test_lone_surrogates_are_replaced_and_the_text_can_be_encoded() -> None:
    assert prose("cut \ud83d here \udcb2").encode() == "cut � here �".encode()


def test_a_million_opened_reminders_take_one_walk() -> None:
    assert prose("so <system-reminder>" * 200_000).startswith("so <system-reminder>so")


@pytest.mark.parametrize(
    ("stamp", "iso"),
    [
        (at(0), "2026-11-01T09:00:00+00:00"),
        ("2026-11-01T09:00:00", "2026-11-01T09:00:00+00:00"),
        (1793523600000, "2026-11-01T09:00:00+00:00"),
        ("soon", None),
        (1e30, None),
        (float("nan"), None),
        (None, None),
    ],
)
def test_a_time_is_read_or_absent_and_never_an_error(stamp: Any, iso: str | None) -> None:
    time = moment(stamp)
    assert (time.isoformat() if time else None) == iso


BLOCKS = ("tool_result", "tool_use", "server_tool_use", "thinking", "redacted_thinking", "text", "image", None)
ENVELOPES = ({}, {"isSidechain": True}, {"isApiErrorMessage": True}, {"isMeta": True}, {"isCompactSummary": True})


@pytest.mark.parametrize("kind", ["user", "assistant", "attachment", "system"])
@pytest.mark.parametrize("envelope", ENVELOPES)
def test_the_quick_look_at_the_agents_work_says_what_the_whole_one_does(kind: str, envelope: dict[str, bool]) -> None:
    contents: list[Any] = [None, "text", [], *([{"type": block, "text": "x"}] for block in BLOCKS)]
    contents += [[{"type": "tool_result"}, text_block("and a word")], ["a word"], [None]]
    looks = [
        (work_of_the_agent(found), classify(found))
        for content in contents
        for found in [lenient({"type": kind, "message": {"content": content}, **envelope})]
    ]
    assert all(whole == Classified(quick) for quick, whole in looks if quick)
    by_the_agent = kind in ("user", "assistant") and not {"isSidechain", "isApiErrorMessage"} & set(envelope)
    assert any(quick for quick, _ in looks) == by_the_agent
