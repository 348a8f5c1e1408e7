"""Each client: who runs a hook, who sits there, how it takes an answer, and memgit's lines in its settings."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from memgit.agent.clients import NAMES, client_named, host_of
from memgit.agent.clients.client import ADD, GO_ON, HOLD, SHOW, TELL, Answer
from memgit.agent.installing.lines import HookLines, Wishes
from memgit.errors import UsageError
from tests.unit.hooks.test_hook_lines import FORMATS

EVENTS: Mapping[str, tuple[dict[str, object], dict[str, str]]] = {
    "claude": ({"session_id": "a"}, {"CLAUDE_CODE_SESSION_ID": "a"}),
    "codex": ({"session_id": "b", "transcript_path": "/home/u/.codex/sessions/2026/12/01/rollout-x.jsonl"}, {}),
    "copilot": ({"cwd": "/p"}, {"COPILOT_PROJECT_DIR": "/p"}),
    "gemini": ({"session_id": "c"}, {"GEMINI_SESSION_ID": "c"}),
    "cursor": ({"conversation_id": "d", "cursor_version": "3.1", "workspace_roots": ["/p"]}, {}),
}


@pytest.mark.parametrize("name", EVENTS)
def test_an_event_tells_which_client_it_came_from(name: str) -> None:
    fields, env = EVENTS[name]

    assert host_of(fields, env, "/home/u").name == name


@pytest.mark.parametrize("name", sorted(EVENTS.keys() - {"claude"}))
def test_a_client_that_was_started_within_another_is_itself(name: str) -> None:
    fields, env = EVENTS[name]

    assert host_of(fields, {**env, "CLAUDE_CODE_SESSION_ID": "outer", "CLAUDECODE": "1"}, "/home/u").name == name


def test_an_event_that_says_nothing_is_the_main_client_s() -> None:
    assert host_of({}, {}, "/home/u").name == NAMES[0]


def test_events_are_read_in_the_names_that_hooks_go_by() -> None:
    read = client_named("cursor").read(EVENTS["cursor"][0])

    assert (read["session_id"], read["cwd"]) == ("d", "/p")


@pytest.mark.parametrize("name", NAMES)
def test_what_is_for_the_model_reaches_it_and_nothing_empty_is_said(name: str) -> None:
    client = client_named(name)

    for kind in (TELL, ADD, GO_ON, HOLD, SHOW):
        worded = client.worded("Event", Answer(kind, model="for the model", user="for the user"))
        assert worded is None or json.dumps(worded).count("for the") >= 1
    assert "for the model" in json.dumps(client.worded("SessionStart", Answer(TELL, model="for the model", user="x")))


def test_a_codex_session_is_attended_unless_its_record_says_that_a_program_runs_it(tmp_path: Path) -> None:
    seen = {}
    for source in ("cli", "vscode", "exec"):
        record = tmp_path / f"{source}.jsonl"
        record.write_text(json.dumps({"type": "session_meta", "payload": {"source": source}}) + "\n")
        seen[source] = client_named("codex").is_attended({"transcript_path": str(record)}, {})

    assert seen == {"cli": True, "vscode": True, "exec": False}


# --- where the main client's memory is, as measured on it (`tests/client/test_where_memory_is.py`) ---

ELSEWHERE = {"CLAUDE_COWORK_MEMORY_PATH_OVERRIDE": "/elsewhere"}
NO_MEMORY = {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}
SAID = {
    "nothing": ({}, {}, {}, "own"),
    "the environment": ({}, {}, NO_MEMORY, "off"),
    "the user's env block": ({"env": NO_MEMORY}, {}, {}, "off"),
    "the project's env block": ({}, {"env": NO_MEMORY}, {}, "off"),
    "a truth that is no text": ({"env": {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": True}}, {}, {}, "off"),
    "an env block about something else": ({"env": {"EDITOR": "x"}}, {}, {}, "own"),
    "a key": ({"autoMemoryEnabled": False}, {}, {}, "off"),
    "a stronger key": ({"autoMemoryEnabled": False}, {"autoMemoryEnabled": True}, {}, "own"),
    "a variable against a key": (
        {"autoMemoryEnabled": False, "env": {**NO_MEMORY, **dict.fromkeys(NO_MEMORY, "0")}},
        {},
        {},
        "own",
    ),
    "what a project may not say": ({}, {"env": {**ELSEWHERE, "CLAUDE_CODE_SIMPLE": "1"}}, {}, "own"),
    "a path in the user's env block": ({"env": ELSEWHERE}, {}, {}, "/elsewhere"),
    "a settings file of junk": ("[", {}, {}, "own"),
    "an env block of junk": ({"env": ["x"]}, {}, {}, "own"),
}


@pytest.mark.parametrize(("user", "project", "env", "expected"), SAID.values(), ids=SAID.keys())
def test_every_settings_file_says_whether_and_where_there_is_memory(
    tmp_path: Path, user: object, project: object, env: dict[str, str], expected: str
) -> None:
    for folder, settings in (("home", user), ("project", project)):
        (tmp_path / folder / ".claude").mkdir(parents=True)
        text = settings if isinstance(settings, str) else json.dumps(settings)
        (tmp_path / folder / ".claude" / "settings.json").write_text(text)

    setup = client_named("claude").setup(str(tmp_path / "project"), env, str(tmp_path / "home"))

    found = next(setup.stores(str(tmp_path / "project"), None))[0]
    own = str(tmp_path / "home" / ".claude" / "projects")
    assert ("off" if setup.off else "own" if found.startswith(own) else found) == expected


# --- memgit's lines in their settings ---


def lines(folder: Path, name: str) -> HookLines:
    skills = folder / "shipped"
    (skills / "curate-memory").mkdir(parents=True, exist_ok=True)
    (skills / "curate-memory" / "SKILL.md").write_text("---\nname: curate-memory\n---\n")
    program = [sys.executable, "-P", "-m", "memgit"]
    note = folder / "state" / f"{name}.json"
    return HookLines(folder / "config", note, program, skills, client_named(name), folder / "skills")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", [None, *FORMATS.values()], ids=["nothing", *FORMATS])
def test_out_again_leaves_the_very_bytes_of_before(tmp_path: Path, name: str, text: str | None) -> None:
    made = lines(tmp_path, name)
    if text is not None:
        made.settings.parent.mkdir(parents=True)
        made.settings.write_bytes(text.encode())

    made.install(Wishes())
    assert made.standing().events
    assert made.standing().program_found
    assert made.install(Wishes()) == ()
    made.uninstall()

    assert (made.settings.read_bytes() if made.settings.exists() else None) == (None if text is None else text.encode())
    assert not (tmp_path / "skills").exists()


@pytest.mark.parametrize("name", NAMES)
def test_every_line_knows_its_client_and_has_a_short_time_limit(tmp_path: Path, name: str) -> None:
    made = lines(tmp_path, name)
    made.install(Wishes(guard="strict"))
    text = made.settings.read_text()

    named = re.findall(r"--for[ \",]+(\w+)", text)
    assert set(named) == ({name} if name != NAMES[0] else set())
    assert len(named) in (0, 1, len(made.client.hooks))
    assert all(hook.seconds <= 15 for hook in made.client.hooks)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "opencode"])
def test_lines_come_out_of_settings_that_changed_since(tmp_path: Path, name: str) -> None:
    made = lines(tmp_path, name)
    made.settings.parent.mkdir(parents=True)
    made.settings.write_text('{"model": "a"}\n')
    made.install(Wishes())
    made.settings.write_text(made.settings.read_text().replace('"a"', '"b"'))

    made.uninstall()

    assert json.loads(made.settings.read_text()) == {"model": "b"}


def test_a_client_that_nobody_knows_is_named(memgit, world, tmp_path: Path) -> None:
    done = memgit("hooks", "install", "--for", "emacs", cwd=tmp_path, env=world.env)

    assert done.code == 2
    assert "codex" in done.err


@pytest.mark.parametrize("name", NAMES)
def test_from_the_command_line_each_client_s_lines_go_in_stand_and_come_out(
    memgit, world, tmp_path: Path, name: str
) -> None:
    here = {"cwd": tmp_path, "env": world.env}
    before = sorted(str(path) for path in world.home.rglob("*"))

    assert memgit("hooks", "install", "--for", name, "--yes", **here).code == 0
    stood = memgit("hooks", "status", "--for", name, "--json", **here).json
    assert stood["events"]
    assert stood["skills"]
    assert memgit("hooks", "uninstall", "--for", name, "--yes", **here).code == 0

    made = sorted(str(path) for path in world.home.rglob("*") if "memgit" not in str(path))
    assert [path for path in made if path not in before] == []


def test_broken_settings_of_another_client_are_told_and_not_touched(tmp_path: Path) -> None:
    made = lines(tmp_path, "gemini")
    made.settings.parent.mkdir(parents=True)
    made.settings.write_text("{ // mine")

    with pytest.raises(UsageError):
        made.install(Wishes())

    assert made.settings.read_text() == "{ // mine"
