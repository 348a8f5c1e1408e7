"""Hooks heed the user's own settings, never a project's, and pay nothing where there are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.hooks.conftest import Hooked
from tests.unit.hooks.test_dispatch import loaded


@pytest.fixture
def user_file(hooked: Hooked) -> Path:
    path = Path(hooked.env["XDG_CONFIG_HOME"], "memgit-curator", "memgit.toml")
    path.parent.mkdir(parents=True)
    return path


def is_held_back(hooked: Hooked, *options: str) -> bool:
    (hooked.store / "deploys.md").write_text("On Fridays.\n")
    said = hooked.run("user-prompt-submit", *options, prompt="hello").stdout
    return bool(said) and json.loads(said)["decision"] == "block"


def test_the_users_file_chooses_the_guard_and_an_option_is_stronger(hooked: Hooked, user_file: Path) -> None:
    user_file.write_text('[hooks]\nguard = "strict"\n')
    assert is_held_back(hooked)
    assert not is_held_back(hooked, "--guard", "off")


def test_a_projects_file_changes_no_hook(hooked: Hooked) -> None:
    (hooked.project / "memgit.toml").write_text('[hooks]\nguard = "strict"\n')
    assert not is_held_back(hooked)


def test_the_users_file_chooses_how_often_to_remind(hooked: Hooked, user_file: Path) -> None:
    user_file.write_text('[hooks]\nnudge = "message"\nevery = 2\n')
    said = [hooked.run("stop").stdout for _ in range(2)]
    assert said[0] == ""
    assert list(json.loads(said[1])) == ["systemMessage"]


@pytest.mark.parametrize("text", ["[hooks", "hooks = 3", "\udcff", "[hooks]\nevery = -1\nguard = []"])
def test_a_broken_file_is_not_in_the_way_of_a_session(hooked: Hooked, user_file: Path, text: str) -> None:
    user_file.write_bytes(text.encode("utf-8", "surrogateescape"))
    done = hooked.run("stop")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_toml_is_read_only_where_there_is_a_file_and_something_to_choose(hooked: Hooked, user_file: Path) -> None:
    hooked.run("session-start", source="startup")  # what the store itself holds is looked through once
    assert "tomllib" not in loaded(hooked, "stop")
    user_file.write_text('[hooks]\nnudge = "off"\n')
    assert "tomllib" in loaded(hooked, "stop")
    assert "tomllib" not in loaded(hooked, "session-start")
