"""Settings as a user meets them: files, environment, options, and what a clone may not do."""

from __future__ import annotations

import os

import pytest


@pytest.fixture
def user_file(world):
    path = world.root / "config" / "memgit-curator" / "memgit.toml"
    path.parent.mkdir(parents=True)
    return path


def budget(example, go, *arguments: str) -> int:
    code, found = go("curate", "--dry-run", *arguments)
    assert code == 0, found
    return found["preflight"]["token_budget"]


def test_an_option_beats_the_environment_beats_the_project_beats_the_user(example, go, user_file, monkeypatch):
    assert budget(example, go) == 150_000
    user_file.write_text("[pass]\ntoken-budget = 90000\n")
    assert budget(example, go) == 90_000
    (example.project / "memgit.toml").write_text("[pass]\ntoken-budget = 80000\n")
    assert budget(example, go) == 80_000
    monkeypatch.setenv("MEMGIT_TOKEN_BUDGET", "70000")
    assert budget(example, go) == 70_000
    assert budget(example, go, "--token-budget", "60000") == 60_000


def test_the_projects_file_is_found_from_a_folder_below(example, go, monkeypatch):
    (example.project / "memgit.toml").write_text("[pass]\ntoken-budget = 80000\n")
    below = example.project / "src" / "deep"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    _, found = go("config")
    assert found["settings"]["pass.token-budget"] == {"value": 80_000, "from": str(example.project / "memgit.toml")}


def test_a_broken_file_stops_a_pass_with_its_name_and_stops_nothing_else(example, go):
    (example.project / "memgit.toml").write_text("[pass]\nindex = 7\n")
    code, found = go("curate")
    assert (code, found["error"]["message"]) == (
        2,
        f"{example.project}/memgit.toml: pass.index must be one of own, frontmatter.",
    )
    assert go("status")[0] == 0
    wrong = [finding["what"] for finding in go("doctor")[1]["findings"]]
    assert found["error"]["message"] in wrong


def test_a_clone_cannot_choose_who_reads_the_sessions(example, go):
    (example.project / "memgit.toml").write_text("[pass]\nminer = 'api'\n")
    code, found = go("curate")
    assert code == 2
    assert "a project may not set pass.miner" in found["error"]["message"]


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_what_is_no_file_is_refused_at_once(example, go, make):
    make(example.project / "memgit.toml")
    code, found = go("config")
    assert (code, found["error"]["message"]) == (2, f"{example.project}/memgit.toml: it is no ordinary file.")


def test_doctor_names_the_files_that_were_read(example, go, user_file):
    user_file.write_text("")
    facts = {fact["name"]: (fact["value"], fact["how"]) for fact in go("doctor")[1]["facts"]}
    assert facts["user configuration"] == (str(user_file), "read")
    assert facts["project configuration"] == (str(example.project / "memgit.toml"), "none there")


def test_config_says_value_and_source_and_where_files_are(example, memgit, user_file):
    user_file.write_text('[look]\npager = "less -R"\n')
    shown = memgit("config", cwd=example.project, env={**example.env, "MEMGIT_NUDGE": "off"}).out.splitlines()
    assert f'look.pager = "less -R"  ({user_file})' in shown
    assert 'hooks.nudge = "off"  (MEMGIT_NUDGE)' in shown
    assert "pass.session-cap = 100  (default)" in shown
    assert f"Project file: {example.project}/memgit.toml (none there)" in shown
    assert memgit("config", "--path", cwd=example.project, env=example.env).out == f"{user_file}\n"


def test_the_example_is_a_file_that_changes_nothing(example, memgit, user_file):
    user_file.write_text(memgit("config", "--example", cwd=example.project, env=example.env).out)
    shown = memgit("config", cwd=example.project, env=example.env).out.splitlines()
    assert {line.rpartition("(")[2] for line in shown if " = " in line} == {"default)"}


def test_hooks_are_installed_as_configured(example, go, user_file):
    user_file.write_text('[hooks]\nguard = "strict"\nevery = 9\n')
    code, found = go("hooks", "install", "--every", "4")
    assert code == 0
    assert "--guard strict --nudge found" in str(found)
    assert "--nudge found --every 4" in str(found)


def test_prune_takes_figures_and_pins_from_files(example, go, user_file):
    user_file.write_text("[prune]\nwindow = 1\n")
    (example.project / "memgit.toml").write_text("[prune]\npins = ['retry-budget']\n")
    code, found = go("prune", "--pin", "deploy-window")
    assert code == 0, found
    assert found["inventory"]["pinned"] == ["deploy-window", "retry-budget"]


def test_a_secret_in_a_setting_is_not_printed(example, memgit, user_file):
    token = "ghp_" + "a1B2c3D4e5F6a7B8c9D0e1F2a3B4c5D6e7F8"
    user_file.write_text(f"[look]\npager = '{token}'\n")
    for form in ((), ("--json",)):
        shown = memgit("config", *form, cwd=example.project, env=example.env).out
        assert token not in shown
        assert "[masked: " in shown
