from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from memgit.core.client.settings_edit import read_settings, with_hooks, without_hooks
from memgit.errors import UsageError
from memgit.flows.hook_lines import HookLines, Wishes
from memgit.hooks.event import EVENTS
from tests.unit.hooks.conftest import ROOT

USER = {
    "model": "opus",
    "hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
        "SessionStart": [{"matcher": "startup", "hooks": [{"type": "command", "command": "date"}]}],
    },
    "permissions": {"allow": ["Bash(ls:*)"]},
}
FORMATS = {
    "two spaces": json.dumps(USER, indent=2) + "\n",
    "four spaces, no final line end": json.dumps(USER, indent=4),
    "tabs": json.dumps(USER, indent="\t") + "\n",
    "one line": json.dumps(USER),
    "compact": json.dumps(USER, separators=(",", ":")) + "\n",
    "windows line ends": json.dumps(USER, indent=2).replace("\n", "\r\n") + "\r\n",
    "byte order mark": "\ufeff" + json.dumps(USER, indent=2),
    "umlauts": json.dumps({**USER, "x": "Jürgen 🙂"}, indent=2, ensure_ascii=False) + "\n",
    "odd": '{ "model":"opus",\n\n      "hooks" : {}, "list": [1,\n2] }\n\n',
    "empty object": "{}",
    "empty": "",
}
INDENTED = ["two spaces", "four spaces, no final line end", "tabs", "windows line ends", "byte order mark", "umlauts"]


@pytest.fixture
def lines(tmp_path: Path) -> HookLines:
    skills = tmp_path / "shipped"
    (skills / "curate-memory").mkdir(parents=True)
    (skills / "curate-memory" / "SKILL.md").write_text("---\nname: curate-memory\n---\nRun memgit.\n")
    config = tmp_path / "home" / ".claude"
    config.mkdir(parents=True)
    return HookLines(config, tmp_path / "state" / "installed.json", [sys.executable, "-P", "-m", "memgit"], skills)


def settings(lines: HookLines) -> dict:
    return json.loads(lines.settings.read_bytes().decode("utf-8-sig"))


@pytest.mark.parametrize("text", FORMATS.values(), ids=FORMATS.keys())
def test_out_again_leaves_the_very_bytes_of_before(lines: HookLines, text: str) -> None:
    lines.settings.write_bytes(text.encode())

    lines.install(Wishes())
    assert set(EVENTS.values()) <= settings(lines)["hooks"].keys()
    lines.uninstall()

    assert lines.settings.read_bytes() == text.encode()


def test_settings_that_were_not_there_are_gone_again(lines: HookLines) -> None:
    lines.install(Wishes())
    lines.uninstall()

    assert not lines.settings.exists()
    assert not lines.note.exists()


@pytest.mark.parametrize("text", FORMATS.values(), ids=FORMATS.keys())
def test_what_was_there_stays(lines: HookLines, text: str) -> None:
    lines.settings.write_bytes(text.encode())
    before = read_settings(text)

    lines.install(Wishes())

    after = settings(lines)
    assert {name: value for name, value in after.items() if name != "hooks"} == {
        name: value for name, value in before.items() if name != "hooks"
    }
    for event, groups in before.get("hooks", {}).items():
        assert after["hooks"][event][: len(groups)] == groups


@pytest.mark.parametrize("text", FORMATS.values(), ids=FORMATS.keys())
def test_the_second_time_changes_nothing(lines: HookLines, text: str) -> None:
    lines.settings.write_bytes(text.encode())
    lines.install(Wishes())
    once = lines.settings.read_bytes()

    assert lines.install(Wishes()) == ()
    assert lines.settings.read_bytes() == once


@pytest.mark.parametrize("name", INDENTED)
def test_the_diff_shows_memgit_s_lines_only(lines: HookLines, name: str) -> None:
    lines.settings.write_bytes(FORMATS[name].encode())

    (edit, *_) = lines.installing(Wishes())

    gone = [line[1:] for line in edit.diff[2:] if line.startswith("-")]
    added = [line[1:] for line in edit.diff[2:] if line.startswith("+")]
    assert gone == []
    assert sum(" hook " in line for line in added) == 6


@pytest.mark.parametrize("name", [*INDENTED, "compact"])
def test_hooks_come_out_of_a_changed_file_and_leave_the_rest_to_the_last_character(lines: HookLines, name: str) -> None:
    lines.settings.write_bytes(FORMATS[name].encode())
    lines.install(Wishes())
    changed = lines.settings.read_bytes().replace(b"opus", b"haiku")
    lines.settings.write_bytes(changed)

    lines.uninstall()

    assert lines.settings.read_bytes() == FORMATS[name].encode().replace(b"opus", b"haiku")


def test_other_wishes_replace_the_lines(lines: HookLines) -> None:
    lines.install(Wishes())
    lines.install(Wishes(guard="strict", nudge="message", every=9))

    hooks = settings(lines)["hooks"]
    assert [len(groups) for groups in hooks.values()] == [1] * 6
    assert hooks["UserPromptSubmit"][0]["hooks"][0]["command"].endswith("--guard strict --nudge message")
    assert hooks["Stop"][0]["hooks"][0]["command"].endswith("--nudge message --every 9")


def test_after_other_wishes_the_bytes_of_before_still_come_back(lines: HookLines) -> None:
    lines.settings.write_text(FORMATS["four spaces, no final line end"])
    lines.install(Wishes())
    lines.install(Wishes(every=9))
    lines.uninstall()

    assert lines.settings.read_text() == FORMATS["four spaces, no final line end"]


def test_what_was_added_meanwhile_stays_when_the_hooks_go(lines: HookLines) -> None:
    lines.settings.write_text(FORMATS["two spaces"])
    lines.install(Wishes())
    changed = settings(lines)
    changed["model"] = "haiku"
    changed["hooks"]["Stop"][1]["hooks"].append({"type": "command", "command": "beep"})
    lines.settings.write_text(json.dumps(changed, indent=2))

    lines.uninstall()

    after = settings(lines)
    assert after["model"] == "haiku"
    assert after["hooks"]["SessionStart"] == USER["hooks"]["SessionStart"]
    assert [line["command"] for group in after["hooks"]["Stop"] for line in group["hooks"]] == ["say done", "beep"]
    assert "PostToolUse" not in after["hooks"]


BROKEN = {
    "comments": '{ // mine\n "model": "opus" }',
    "a trailing comma": '{"model": "opus",}',
    "cut off": '{"hooks": {"Stop": [',
    "a list": "[]",
    "hooks of another kind": '{"hooks": []}',
    "events of another kind": '{"hooks": {"Stop": {}}}',
    "a name that stands twice": '{"model": "a", "model": "b"}',
    "no text": "\x00\x01",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN.keys())
def test_broken_settings_are_told_and_not_touched(lines: HookLines, text: str) -> None:
    lines.settings.write_text(text)

    for act in (lambda: lines.install(Wishes()), lines.uninstall, lines.standing):
        with pytest.raises(UsageError):
            act()

    assert lines.settings.read_text() == text
    assert not lines.note.exists()
    assert not (lines.config / "skills").exists()


@pytest.mark.parametrize(
    "group", [None, {}, {"hooks": None}, {"hooks": "x"}, {"matcher": "a"}, 7, {"hooks": [7, None, {"command": 1}]}]
)
def test_groups_of_another_shape_are_kept(group: object) -> None:
    text = json.dumps({"hooks": {"Stop": [group]}})

    assert json.loads(without_hooks(with_hooks(text, {"Stop": {"hooks": []}})))["hooks"]["Stop"][0] == group


def test_a_linked_settings_file_stays_a_link(lines: HookLines, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    real.chmod(0o640)
    (lines.config / "settings.json").symlink_to(real)

    lines.install(Wishes())

    assert (lines.config / "settings.json").is_symlink()
    assert "hooks" in json.loads(real.read_text())
    assert real.stat().st_mode & 0o777 == 0o640


def test_unknown_wishes_are_refused_before_anything_is_written(lines: HookLines) -> None:
    for wishes in (Wishes(guard="maybe"), Wishes(nudge="shout")):
        with pytest.raises(UsageError):
            lines.install(wishes)

    assert not lines.settings.exists()


# --- the lines themselves ---


def command(lines: HookLines, event: str) -> str:
    return settings(lines)["hooks"][event][0]["hooks"][0]["command"]


def test_the_lines_name_an_absolute_path_and_a_time_limit(lines: HookLines) -> None:
    lines.install(Wishes())

    for groups in settings(lines)["hooks"].values():
        line = groups[0]["hooks"][0]
        assert sys.executable in line["command"]
        assert line["timeout"] >= 10


def test_a_memgit_that_is_gone_is_told_at_the_start_of_a_session(lines: HookLines, tmp_path: Path) -> None:
    gone = HookLines(lines.config, lines.note, [str(tmp_path / "it's gone" / "memgit")], lines.skills)
    gone.install(Wishes())

    told = subprocess.run(
        ["sh", "-c", command(gone, "SessionStart")], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )

    assert told.returncode == 0
    assert "not at" in json.loads(told.stdout)["systemMessage"]
    assert not gone.standing().program_found


def test_a_memgit_that_is_there_is_run(lines: HookLines, tmp_path: Path) -> None:
    program = tmp_path / "with space" / "memgit"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "$@"\n')
    program.chmod(0o755)
    there = HookLines(lines.config, lines.note, [str(program)], lines.skills)
    there.install(Wishes())

    told = subprocess.run(
        ["sh", "-c", command(there, "SessionStart")], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )

    assert told.stdout == "hook session-start --via settings\n"
    assert there.standing().program_found


# --- skills ---


def test_skills_come_along_and_go_again(lines: HookLines) -> None:
    lines.install(Wishes())
    skill = lines.config / "skills" / "curate-memory" / "SKILL.md"
    assert skill.read_text().startswith("---\nname: curate-memory")

    lines.uninstall()

    assert not (lines.config / "skills").exists()


def test_the_agent_that_mines_comes_along_and_goes_again(lines: HookLines) -> None:
    shipped = lines.skills.with_name("agents")
    shipped.mkdir()
    (shipped / "memory-miner.md").write_text("---\nname: memory-miner\n---\n")

    lines.install(Wishes())
    assert (lines.config / "agents" / "memory-miner.md").read_text().startswith("---\nname: memory-miner")
    lines.uninstall()

    assert not (lines.config / "agents").exists()


def test_a_folder_of_skills_that_was_there_stays(lines: HookLines) -> None:
    (lines.config / "skills").mkdir()

    lines.install(Wishes())
    lines.uninstall()

    assert list((lines.config / "skills").iterdir()) == []


def test_a_skill_of_the_user_s_own_is_left_alone(lines: HookLines) -> None:
    skill = lines.config / "skills" / "curate-memory" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("mine\n")

    lines.install(Wishes())
    lines.uninstall()

    assert skill.read_text() == "mine\n"


def test_a_skill_that_was_changed_since_stays(lines: HookLines) -> None:
    lines.install(Wishes())
    skill = lines.config / "skills" / "curate-memory" / "SKILL.md"
    skill.write_text("mine now\n")

    lines.uninstall()

    assert skill.read_text() == "mine now\n"


def test_a_newer_skill_takes_the_place_of_the_one_that_came_along(lines: HookLines) -> None:
    lines.install(Wishes())
    (lines.skills / "curate-memory" / "SKILL.md").write_text("newer\n")

    lines.install(Wishes())

    assert (lines.config / "skills" / "curate-memory" / "SKILL.md").read_text() == "newer\n"


# --- from the command line ---


def test_without_a_yes_the_change_is_shown_and_not_written(memgit, world, tmp_path: Path) -> None:
    shown = memgit("hooks", "install", cwd=tmp_path, env=world.env)

    assert shown.code == 0
    assert '+    "SessionStart": [' in shown.out
    assert "Nothing was written yet" in shown.out
    assert not (world.home / ".claude").exists()


def test_hooks_from_the_command_line_go_in_stand_and_come_out(memgit, world, tmp_path: Path) -> None:
    memgit("hooks", "install", "--yes", cwd=tmp_path, env=world.env)
    stood = memgit("hooks", "status", "--json", cwd=tmp_path, env=world.env).json
    memgit("hooks", "uninstall", "--yes", cwd=tmp_path, env=world.env)

    assert sorted(stood["events"]) == sorted(EVENTS.values())
    assert stood["program_found"] is True
    assert len(stood["skills"]) == len(list((ROOT / "hooks" / "skills").iterdir()))
    assert not (world.home / ".claude" / "settings.json").exists()


def test_nothing_else_can_be_done_with_hooks(memgit, world, tmp_path: Path) -> None:
    done = memgit("hooks", "burn", cwd=tmp_path, env=world.env)

    assert done.code == 2
    assert "install, uninstall or status" in done.err
