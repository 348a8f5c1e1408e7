"""Looking at passes: the graph, differences by words and in a tool of one's own, the pager."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest


@pytest.fixture
def passed(hosted) -> str:
    return hosted()["pass"]


def test_the_graph_shows_the_line_and_what_became_of_candidates(go, passed, typed):
    go("adopt", passed)
    go("undo")
    go("curate")
    lines = typed("log", "--graph", PAGER="cat").splitlines()
    marks = [line[:3].strip() for line in lines]
    assert marks == ["?", "/", "* 2", "* 2", "|\\", "| -", "|/", "* 2"]


def test_the_graph_as_json_says_where_each_pass_branches_off(go, passed):
    go("adopt", passed)
    _, found = go("log", "--graph")
    top, base = found["line"]
    assert (top["kind"], top["takes_in"], top["passes"]) == ("adopt", passed, [])
    assert [(each["pass"], each["state"]) for each in base["passes"]] == [(passed, "adopted")]
    assert found["rootless"] == []


def test_no_row_of_prose_is_wider_than_the_terminal(passed, typed):
    for command in (("log", "--graph"), ("diff", "--word"), ("history", "deploy-window")):
        for columns in (40, 80, 200):
            rows = typed(*command, columns=columns, PAGER="cat").splitlines()
            assert max(map(len, rows)) <= columns, command


def test_words_are_marked_where_there_is_no_colour_and_coloured_where_there_is(passed, typed):
    plain = typed("diff", "--word", columns=200, PAGER="cat")
    assert "The deploy window for production is [-30-]{+15+} minutes" in plain
    assert "\x1b" not in plain
    coloured = typed("diff", "--word", columns=200, PAGER="cat", NO_COLOR="")
    assert "The deploy window for production is \x1b[31m30\x1b[0m\x1b[32m15\x1b[0m minutes" in coloured


def test_a_pipe_gets_whole_lines_without_colour(example, passed, memgit):
    shown = memgit("diff", "--word", cwd=example.project, env={**example.env, "NO_COLOR": "", "COLUMNS": "40"}).out
    assert "  The deploy window for production is [-30-]{+15+} minutes (`DEPLOY_WINDOW_MINUTES`): a canary" in shown


def test_a_long_answer_goes_through_the_users_pager(passed, typed):
    assert typed("log", PAGER="sed s/^/P:/").startswith(f"P:{passed}")
    assert typed("log", PAGER="sed s/^/P:/", MEMGIT_PAGER="sed s/^/M:/").startswith(f"M:{passed}")


def test_without_a_pager_that_works_the_answer_is_simply_printed(passed, typed):
    for pager in ("", "cat", "no-such-pager --x", "unbalanced '"):
        assert typed("log", PAGER=pager).startswith(passed), pager


def test_a_pager_that_is_left_early_is_no_error(passed, typed):
    assert len(typed("show", PAGER="head -n 1").splitlines()) == 1
    assert typed("show", PAGER="true") == ""


def test_nothing_is_paged_for_a_program(example, passed, memgit, typed):
    env = {**example.env, "MEMGIT_PAGER": "sed s/^/P:/"}
    assert memgit("log", cwd=example.project, env=env).out.startswith(passed)
    assert typed("log", "--json", MEMGIT_PAGER="sed s/^/P:/").startswith("{")


def test_a_pager_named_by_a_project_is_not_run_and_the_answer_is_printed(example, passed, typed):
    (example.project / "memgit.toml").write_text("[look]\npager = 'touch hit'\n")
    assert typed("log", PAGER="cat").startswith(passed)
    assert not (example.project / "hit").exists()


@pytest.fixture
def tool(tmp_path) -> Path:
    """A difftool that writes down what it was called with, and the modes of what it was shown."""
    path = tmp_path / "tool"
    path.write_text(
        f"#!{sys.executable}\nimport os, sys, json\n"
        "shown = [oct(os.stat(os.path.dirname(os.path.dirname(p))).st_mode & 0o777) for p in sys.argv[1:]]\n"
        f"open({str(tmp_path / 'called')!r}, 'a').write(json.dumps([sys.argv[1:], shown]) + '\\n')\n"
    )
    path.chmod(0o700)
    return path


def test_a_difftool_gets_private_copies_which_are_gone_afterwards(person, go, passed, tool, tmp_path):
    code, found = go("diff", "--tool", str(tool))
    assert (code, found["shown"]) == (0, 4)
    calls = [json.loads(line) for line in (tmp_path / "called").read_text().splitlines()]
    assert [[Path(p).parts[-2:] for p in argv] for argv, _ in calls][1] == [
        ("before", "deploy-window.md"),
        ("after", "deploy-window.md"),
    ]
    assert {mode for _, shown in calls for mode in shown} == {"0o700"}
    assert not any(Path(p).exists() for argv, _ in calls for p in argv)


def test_a_tool_for_folders_is_called_once(person, go, passed, tool, tmp_path):
    meld = tool.rename(tool.with_name("meld"))
    assert go("diff", "--tool", str(meld))[1]["shown"] == 4
    assert len((tmp_path / "called").read_text().splitlines()) == 1


def test_the_tool_of_ones_own_settings_is_run_and_that_of_a_project_never(
    person, example, go, passed, tool, tmp_path, world
):
    assert go("diff", "--tool", "own")[1]["error"]["message"] == "No difftool is named."
    (example.project / "memgit.toml").write_text(f'[look]\ndifftool = "{tool}"\n')
    code, found = go("diff", "--tool", "own")
    assert (code, "may not set look.difftool" in found["error"]["message"]) == (2, True)
    assert not (tmp_path / "called").exists()
    (example.project / "memgit.toml").unlink()
    own = world.root / "config" / "memgit-curator" / "memgit.toml"
    own.parent.mkdir(parents=True)
    own.write_text(f'[look]\ndifftool = "{tool}"\n')
    assert go("diff", "--tool", "own")[1]["shown"] == 4


def test_a_tool_that_is_not_there_is_named(person, go, passed):
    code, found = go("diff", "--tool", "no-such-tool --flag")
    assert (code, found["error"]["kind"]) == (16, "tool-failed")
    assert "no-such-tool cannot be started" in found["error"]["message"]
