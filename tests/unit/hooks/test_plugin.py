"""The plugin by itself: what its files promise is there, and its shim does no harm."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from memgit import __version__
from memgit.cli import app
from memgit.hooks.event import EVENTS
from tests.unit.hooks.conftest import ROOT

PLUGIN = ROOT / "hooks"
SHIM = PLUGIN / "scripts" / "memgit-hook"
SKILLS = sorted(PLUGIN.glob("skills/*/SKILL.md"))


def manifest(path: str) -> dict:
    return json.loads((ROOT / path).read_text(encoding="utf-8"))


def test_the_manifest_names_the_hooks_which_would_not_fire_otherwise() -> None:
    plugin = manifest("hooks/.claude-plugin/plugin.json")

    assert plugin["hooks"] == "./hooks.json"
    assert plugin["version"] == __version__


def test_the_marketplace_leads_to_the_plugin() -> None:
    (entry,) = manifest(".claude-plugin/marketplace.json")["plugins"]

    assert (ROOT / entry["source"] / ".claude-plugin" / "plugin.json").exists()
    assert entry["name"] == manifest("hooks/.claude-plugin/plugin.json")["name"]


def test_every_event_has_one_line_with_a_time_limit() -> None:
    hooks = manifest("hooks/hooks.json")["hooks"]

    assert {event: groups[0]["hooks"][0]["command"].split()[-1] for event, groups in hooks.items()} == {
        event: verb for verb, event in EVENTS.items()
    }
    assert all(line["timeout"] >= 10 for groups in hooks.values() for group in groups for line in group["hooks"])


@pytest.mark.parametrize("page", [*SKILLS, PLUGIN / "README.md"], ids=lambda path: path.parent.name)
def test_skills_promise_only_commands_that_exist(page: Path) -> None:
    known = {each.name or each.callback.__name__.rstrip("_") for each in app.registered_commands if each.callback}
    named = set(re.findall(r"(?:`|    )memgit ([a-z]+)", page.read_text(encoding="utf-8")))

    assert named
    assert named <= known


@pytest.mark.parametrize("page", SKILLS, ids=lambda path: path.parent.name)
def test_a_skill_has_the_name_of_its_folder_and_a_description_that_is_read_whole(page: Path) -> None:
    import yaml

    head = yaml.safe_load(page.read_text(encoding="utf-8").split("---\n")[1])

    assert head["name"] == page.parent.name
    assert len(head["description"]) < 1024


@pytest.mark.parametrize("page", SKILLS, ids=lambda path: path.parent.name)
def test_a_skill_says_what_it_is_about_to_do_and_works_on_the_session_s_own_store(page: Path) -> None:
    text = " ".join(page.read_text(encoding="utf-8").split())

    assert re.search(r"[Ss]ay (?:so |at the start|in a sentence)", text)
    assert "memory directory that your" in text
    store = "--store beads" if page.parent.name == "sweep-memory" else "--store DIR"
    assert store in text
    commands = re.findall(r"^    memgit .*$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert [line for line in commands if store not in line] == []


HARMLESS = {"plan", "propose", "decide", "show", "check", "status", "log", "history", "verify", "audit"}
"""Commands that change no store and no settings, start nothing and send nothing, whatever options come along."""
STARTING_OR_WRITING = {"--tool", "--open", "--html", "--confirm", "--yes", "--facts", "--miner", "--decider", "--take"}


def allowed(page: Path) -> list[str]:
    """What a skill lets the model do unasked."""
    import yaml

    return yaml.safe_load(page.read_text(encoding="utf-8").split("---\n")[1])["allowed-tools"].split(", ")


@pytest.mark.parametrize("page", SKILLS, ids=lambda path: path.parent.name)
def test_a_skill_lets_the_model_run_harmless_commands_of_memgit_only(page: Path) -> None:
    rules = [rule for rule in allowed(page) if "memgit" in rule]

    assert rules
    for rule in rules:
        words = re.fullmatch(r"Bash\(memgit ([a-z -]+)(?::\*)?\)", rule)
        assert words, rule
        verb, *rest = words[1].split()
        exact = not rule.endswith(":*)")
        assert verb in HARMLESS or "--dry-run" in rest or (exact and verb == "sweep"), rule


@pytest.mark.parametrize("verb", sorted(HARMLESS))
def test_a_command_that_is_let_run_unasked_has_no_option_that_starts_or_writes(verb: str) -> None:
    from typer.main import get_command

    options = {name for each in get_command(app).get_command(None, verb).params for name in each.opts}

    assert not options & STARTING_OR_WRITING


@pytest.mark.parametrize("page", SKILLS, ids=lambda path: path.parent.name)
def test_a_skill_opens_neither_the_shell_nor_every_file(page: Path) -> None:
    bare = {rule for rule in allowed(page) if "(" not in rule}

    assert bare <= {"Read", "Task", "Agent"}
    assert [rule for rule in allowed(page) if rule.startswith(("Write", "Edit"))] in ([], ["Edit(//tmp/**)"])


def test_the_miner_can_only_read_and_keeps_the_session_s_model() -> None:
    import yaml

    (page,) = PLUGIN.glob("agents/*.md")
    head = yaml.safe_load(page.read_text(encoding="utf-8").split("---\n")[1])

    assert (head["name"], head["tools"], head["model"]) == ("memory-miner", "Read", "inherit")
    assert "memory-miner" in (PLUGIN / "skills" / "curate-memory" / "SKILL.md").read_text(encoding="utf-8")


# --- the shim ---


def shim(event: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", str(SHIM), event],
        env={"PATH": "/usr/bin:/bin", **env},
        input='{"session_id": "s"}',
        capture_output=True,
        text=True,
        timeout=60,
    )


def program(folder: Path, script: str) -> str:
    folder.mkdir(exist_ok=True)
    path = folder / "memgit"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_a_start_without_memgit_is_told_to_the_user() -> None:
    done = shim("session-start")

    assert done.returncode == 0
    assert "memgit is not found" in json.loads(done.stdout)["systemMessage"]


@pytest.mark.parametrize("event", [event for event in EVENTS if event != "session-start"])
def test_the_other_hooks_without_memgit_are_silent(event: str) -> None:
    done = shim(event)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_event_reaches_memgit_whole(tmp_path: Path) -> None:
    done = shim("stop", MEMGIT_COMMAND=program(tmp_path, 'echo "$@"; cat'))

    assert done.stdout == 'hook stop --via plugin\n{"session_id": "s"}'


@pytest.mark.parametrize("where", ["PATH", "HOME"])
def test_memgit_is_found_where_it_usually_is(tmp_path: Path, where: str) -> None:
    home = tmp_path / "home with space"
    (home / ".local").mkdir(parents=True)
    path = program(home / ".local" / "bin", "echo found")
    env = {"HOME": str(home)} if where == "HOME" else {"PATH": f"{Path(path).parent}:/usr/bin:/bin"}

    assert shim("stop", **env).stdout == "found\n"


def test_another_program_of_the_name_that_fails_blocks_nothing(tmp_path: Path) -> None:
    assert shim("stop", MEMGIT_COMMAND=program(tmp_path, "echo no such command >&2; exit 2")).returncode == 0
