"""Called by an agent's client or by a script: no option and no setting makes memgit start a program or change the
client."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgit.agent.clients import marks


@pytest.fixture
def passed(go) -> str:
    return go("curate")[1]["pass"]


@pytest.fixture
def canary(tmp_path) -> Path:
    """A program that leaves a trace."""
    program = tmp_path / "canary"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path / 'ran'}\ncat > /dev/null\n")
    program.chmod(0o755)
    return program


def named_everywhere(world, canary: Path) -> dict[str, str]:
    """The canary as every program that a caller can name, by variable and by the user's own file."""
    own = world.root / "config" / "memgit-curator" / "memgit.toml"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(f'[look]\npager = "{canary}"\ndifftool = "{canary}"\n')
    names = ("PAGER", "MEMGIT_PAGER", "MEMGIT_DIFFTOOL", "EDITOR", "VISUAL", "BROWSER", "GIT_EDITOR", "GIT_PAGER")
    return dict.fromkeys(names, str(canary))


LINES = [
    ("diff", "--tool", "CANARY"),
    ("diff", "--tool", "own"),
    ("report", "--open"),
    ("report", "--html", "page.html", "--open"),
]


@pytest.mark.parametrize("line", LINES, ids=" ".join)
@pytest.mark.parametrize("mark", ["", "CLAUDECODE", "CODEX_SANDBOX", "AI_AGENT"])
def test_an_option_that_starts_a_program_is_wrong_use(example, passed, memgit, world, canary, tmp_path, line, mark):
    env = {**example.env, **named_everywhere(world, canary), **({mark: "1"} if mark else {})}
    words = [str(canary) if word == "CANARY" else word for word in line]
    done = memgit(*words, cwd=example.project, env=env)
    assert done.code == 2
    assert "was not started, because" in done.err
    assert "at a terminal of yours" in done.err
    assert (mark or "not called at a terminal") in done.err
    assert not (tmp_path / "ran").exists()
    assert not (example.project / "page.html").exists()
    assert not (world.state_home / "pages").exists()


@pytest.mark.parametrize("verb", ["show", "report"])
def test_a_client_has_no_page_written_under_a_name_of_its_choice(example, passed, memgit, verb):
    page = example.project / "page.html"
    done = memgit(verb, passed, "--html", str(page), cwd=example.project, env={**example.env, "CLAUDECODE": "1"})
    assert done.code == 2
    assert "was not written, because an agent's client called" in done.err
    assert not page.exists()


@pytest.mark.parametrize("line", [("log",), ("show",), ("diff",), ("--help",), ("ops",)], ids=" ".join)
def test_a_client_that_lends_a_terminal_gets_the_answer_without_a_pager(
    example, passed, typed, world, canary, tmp_path, line
):
    shown = typed(*line, CLAUDECODE="1", **named_everywhere(world, canary))
    assert shown
    assert not (tmp_path / "ran").exists()


def test_a_review_goes_on_without_an_editor(example, passed, memgit, world, canary, tmp_path):
    env = {**example.env, **named_everywhere(world, canary), "CLAUDECODE": "1"}
    done = memgit("review", cwd=example.project, env=env, stdin="e\nq\n")
    assert done.code == 0
    assert "was not started, because an agent's client called memgit" in " ".join(done.out.split())
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("mark", marks())
@pytest.mark.parametrize("action", ["install", "uninstall"])
def test_the_client_s_settings_are_not_changed_from_within_it(memgit, world, tmp_path, action, mark):
    if action == "uninstall":
        assert memgit("hooks", "install", "--yes", cwd=tmp_path, env=world.env).code == 0
    before = {path: path.read_bytes() for path in world.home.rglob("*") if path.is_file()}
    done = memgit("hooks", action, "--yes", cwd=tmp_path, env={**world.env, mark: "1"})
    assert done.code == 2
    assert f"{world.home / '.claude'} was not written, because an agent's client called memgit ({mark}" in done.err
    assert {path: path.read_bytes() for path in world.home.rglob("*") if path.is_file()} == before


def test_what_hooks_would_change_is_shown_in_a_client_too(memgit, world, tmp_path):
    shown = memgit("hooks", "install", cwd=tmp_path, env={**world.env, "CLAUDECODE": "1"})
    assert shown.code == 0
    assert "SessionStart" in shown.out
    assert memgit("hooks", "status", cwd=tmp_path, env={**world.env, "CLAUDECODE": "1"}).code == 0
