"""Each hook, seen to fire in the real client, and what its output does there."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from memgit.agent.hooks import spool
from tests.client.conftest import ROOT, Client, calls, turns

NOTE = "---\nname: on-call\ndescription: Mira is on call\nmetadata:\n  type: project\n---\n\nMira is on call.\n"


def test_the_plugin_is_valid_under_the_strict_check(client: Client) -> None:
    for what in (ROOT / "hooks", ROOT):
        done = client.run("plugin", "validate", "--strict", str(what))
        assert done.returncode == 0, done.stdout


def test_every_hook_fires_once_at_its_event(plugged: Client) -> None:
    plugged.ask(turns(calls("Write", file_path=str(plugged.store / "on-call.md"), content=NOTE), ["done"]))
    plugged.ask("/compact", resume=True)

    assert plugged.fired()[:4] == ["session-start", "post-tool-use", "stop", "session-end"]
    assert "pre-compact" in plugged.fired()


SESSION = "00000001-0000-4000-8000-000000000000"
TOLD = {
    "session-start": {"hook_event_name": "SessionStart", "source": "startup"},
    "user-prompt-submit": {"hook_event_name": "UserPromptSubmit"},
    "post-tool-use": {"hook_event_name": "PostToolUse", "tool_name": "Write"},
    "stop": {"hook_event_name": "Stop", "stop_hook_active": False},
    "session-end": {"hook_event_name": "SessionEnd", "reason": "other"},
    "pre-compact": {"hook_event_name": "PreCompact", "trigger": "manual"},
}


def test_each_hook_gets_the_event_with_its_session_and_folder(plugged: Client) -> None:
    note = str(plugged.store / "on-call.md")
    plugged.ask(turns(calls("Write", file_path=note, content=NOTE), ["done"]), MEMGIT_GUARD="strict")
    plugged.ask("/compact", resume=True)

    for verb, facts in TOLD.items():
        event = plugged.events(verb)[0]
        known = {"session_id": SESSION, "cwd": str(plugged.project), **facts}
        assert {name: event.get(name) for name in known} == known
    (written,) = plugged.events("post-tool-use")
    assert written["tool_input"]["file_path"] == note


def test_nothing_is_told_when_all_is_well(plugged: Client) -> None:
    plugged.ask("hello")

    assert plugged.requests()
    assert not any("memgit looked at" in request for request in plugged.requests())


def test_a_tampered_store_is_told_to_the_model_and_to_the_user(plugged: Client) -> None:
    (plugged.store / "deploys.md").write_text("On Fridays.\n")

    plugged.ask("hello")

    assert any("not by a recorded write of any session: `deploys.md`" in each for each in plugged.requests())
    assert "hook_system_message" in plugged.transcript()


def test_an_index_over_the_limit_is_told(plugged: Client) -> None:
    rows = "".join(f"- [Filler {number}](deploys.md) — again\n" for number in range(230))
    (plugged.store / "MEMORY.md").write_text(rows)

    plugged.ask("hello")

    assert any("MEMORY.md has 230 lines" in each for each in plugged.requests())


CUT_SHORT = """
import os, signal, sys
from dataclasses import replace
from memgit import files
from memgit.flows import adopt
from memgit.stores.install import Way
from memgit.wiring import Settings, Site
from tests.desks import like, make_pass
desk = Site(Settings(dict(os.environ), sys.argv[1])).desk()
desk = replace(desk, installer=replace(desk.installer, ways=(Way.RENAMES,)))
texts = {path: file.data.decode() for path, file in desk.store.read().files.items()}
header = make_pass(desk, like(desk.store.read(), {**texts, "deploys.md": "On Mondays.\\n"}))
files.rename = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
adopt.adopt(desk, header.id)
"""


def test_a_store_that_an_interrupted_adopt_took_away_is_back_and_told(plugged: Client) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CUT_SHORT, str(plugged.project)], env=dict(plugged.env), cwd=ROOT, timeout=60
    )
    assert done.returncode == -signal.SIGKILL
    assert not plugged.store.exists()

    plugged.ask("hello")

    assert sorted(path.name for path in plugged.store.iterdir()) == ["MEMORY.md", "deploys.md"]
    assert any("memgit has put it back" in each for each in plugged.requests())


def test_a_write_of_the_client_s_own_tool_is_recorded_with_its_session(plugged: Client) -> None:
    plugged.ask(turns(calls("Write", file_path=str(plugged.store / "on-call.md"), content=NOTE), ["done"]))

    head = plugged.awaited(3)
    details = plugged.site.desk().vault.operation("op3").details
    assert head["unacknowledged"] == []
    assert details["session"] == "00000001-0000-4000-8000-000000000000"
    assert (details["tool"], details["attributed"]) == ("Write", "yes")


def test_what_the_session_s_own_shell_does_is_recorded_with_its_session(plugged: Client) -> None:
    run = f"sh -c 'rm {plugged.store}/deploys.md; echo > {plugged.store}/MEMORY.md'"
    plugged.ask(turns(calls("Bash", command=run, description="x"), ["done"]))

    head = plugged.awaited(3)
    details = plugged.site.desk().vault.operation("op3").details
    assert not (plugged.store / "deploys.md").exists()
    assert head["unacknowledged"] == []
    assert (details["session"], details["tool"], details["attributed"]) == (SESSION, "Bash", "yes")


def test_what_is_written_while_no_session_s_tool_runs_is_a_stranger_s(plugged: Client) -> None:
    plugged.ask(turns(calls("Bash", command="sh -c true", description="x"), ["done"]))
    (plugged.store / "by-hand.md").write_text("x\n")
    plugged.ask("hello", resume=True)

    assert [each["subject"] for each in plugged.awaited(3)["unacknowledged"]] == ["added by-hand.md"]


def test_a_memory_of_the_first_session_has_its_session(plugged: Client) -> None:
    shutil.rmtree(plugged.site.vault_folder)
    plugged.ask(turns(calls("Write", file_path=str(plugged.store / "on-call.md"), content=NOTE), ["done"]))

    plugged.awaited(2)
    assert plugged.site.desk().vault.operation("op2").details["session"] == SESSION


def test_the_snapshot_at_the_end_outlives_the_client(plugged: Client) -> None:
    """It waits for another memgit that holds the vault until the client is gone."""
    with plugged.site.vault().lock("a test"):
        plugged.ask(turns(calls("Write", file_path=str(plugged.store / "on-call.md"), content=NOTE), ["done"]))
        assert "session-end" in plugged.fired()
        assert json.loads((plugged.private / "head.json").read_bytes())["number"] == 2

    assert plugged.awaited(3)["unacknowledged"] == []


def test_headless_turns_keep_their_answers(plugged: Client) -> None:
    """Whoever runs a program reads what it prints."""
    answers = [
        plugged.ask(turns([f"answer {number}"]), resume=number > 0, MEMGIT_NUDGE="block").strip()
        for number in range(10)
    ]

    assert answers == [f"answer {number}" for number in range(10)]
    assert len(plugged.requests()) == 10


PERSON = {"WHO_SITS_THERE": "cli", "MEMGIT_NUDGE": "block"}
"""Where somebody sits, and wants a reminder whatever was said: the hooks are told so, for `-p` tells them otherwise."""


def test_where_a_person_sits_the_reminder_reaches_the_model_every_third_turn_and_never_loops(plugged: Client) -> None:
    for number in range(6):
        plugged.ask(f"question {number}", resume=number > 0, **PERSON)

    reminded = [number for number, each in enumerate(plugged.requests()) if "A routine reminder from memgit" in each]
    assert plugged.fired().count("stop") == 8  # six turns, and one more for each of two reminders
    assert len(plugged.requests()) == 8
    assert reminded[0] == 3


def test_the_strict_guard_holds_a_prompt_back(plugged: Client) -> None:
    (plugged.store / "deploys.md").write_text("On Fridays.\n")

    said = plugged.ask("hello", MEMGIT_GUARD="strict")

    assert plugged.requests() == []
    assert "memgit holds this prompt back" in said


def test_a_plugin_whose_memgit_is_gone_says_so(plugged: Client) -> None:
    shutil.rmtree(plugged.world.root / "bin")

    without = [folder for folder in plugged.env["PATH"].split(os.pathsep) if not Path(folder, "memgit").exists()]
    plugged.ask("hello", MEMGIT_COMMAND="/nowhere/memgit", PATH=os.pathsep.join(without))

    assert "the program memgit is not found" in plugged.transcript()


def test_settings_whose_memgit_is_gone_say_so(client: Client) -> None:
    client.install_hooks()
    settings = client.world.home / ".claude" / "settings.json"
    settings.write_text(settings.read_text().replace(sys.executable, "/nowhere/python"))

    client.ask("hello")

    assert "memgit is not at /nowhere/python any more" in client.transcript()


def test_plugin_and_settings_together_speak_once(plugged: Client) -> None:
    plugged.install_hooks()
    (plugged.store / "deploys.md").write_text("On Fridays.\n")

    plugged.ask(turns(calls("Write", file_path=str(plugged.store / "on-call.md"), content=NOTE), ["done"]))

    assert "session-start" in plugged.fired()  # the plugin's, which leaves it to the settings'
    assert plugged.requests()[0].count("memgit looked at") == 1
    assert len(spool.writes(str(plugged.private))) <= 1  # none once the snapshot has folded it in
    facts = plugged.awaited(3)
    assert [each["subject"] for each in facts["unacknowledged"]] == ["changed deploys.md; added on-call.md"]


def test_plugin_and_settings_together_remind_once(plugged: Client) -> None:
    plugged.install_hooks()
    settings = plugged.world.home / ".claude" / "settings.json"
    lines = settings.read_text().replace(f"{sys.executable} -P -m memgit", plugged.env["MEMGIT_COMMAND"])
    settings.write_text(lines.replace("--nudge found", "--nudge block"))

    for number in range(3):
        plugged.ask(f"question {number}", resume=number > 0, **PERSON)

    assert len(plugged.requests()) == 4  # three turns, and one for the reminder


def test_the_hooks_of_the_settings_fire_without_the_plugin(client: Client) -> None:
    client.install_hooks()
    (client.store / "deploys.md").write_text("On Fridays.\n")

    client.ask("hello")

    assert any("`deploys.md`" in each for each in client.requests())
    assert [each["subject"] for each in client.awaited(3)["unacknowledged"]] == ["changed deploys.md"]


SKILLS = sorted(path.parent.name for path in (ROOT / "hooks" / "skills").glob("*/SKILL.md"))


def test_the_skills_and_the_miner_are_offered(plugged: Client) -> None:
    plugged.ask("hello")

    told = "\n".join(plugged.requests())
    assert [name for name in [*SKILLS, "memory-miner"] if f"memgit:{name}" not in told] == []


def test_the_plain_skill_of_the_settings_answers_to_its_plain_name(client: Client) -> None:
    client.install_hooks()

    client.ask("/curate-memory --dry-run")

    assert any("You lead one pass. memgit reads the sessions" in each for each in client.requests())


def test_a_fact_goes_in_through_the_client_s_shell_and_one_undo_takes_it_back(plugged: Client) -> None:
    command = f"memgit remember on-call --store {plugged.store} -t feedback -d 'Mira is on call' -b 'Ask Mira.'"
    command += " --why 'she knows the pager' --how 'in even weeks'"

    plugged.ask(turns(calls("Bash", command=command, description="record"), ["done"]))

    head = plugged.site.desk().vault.head()
    assert head is not None
    assert (plugged.store / "on-call.md").exists(), plugged.requests()[-1][-3000:]
    assert (head.kind, head.details["session"]) == ("remember", "00000001-0000-4000-8000-000000000000")
    done = subprocess.run(["memgit", "undo"], cwd=plugged.project, env=dict(plugged.env), capture_output=True)
    assert done.returncode == 0
    assert not (plugged.store / "on-call.md").exists()
