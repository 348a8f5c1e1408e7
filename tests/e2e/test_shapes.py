"""Stores of every folder shape taken through a whole life from the command line."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from memgit.cli import run
from tests.e2e.test_scenarios import tree_of

WINDOW = "The deploy window for production is 30 minutes (`DEPLOY_WINDOW_MINUTES`)."
OLD = 1_770_000_000
"""A time before the example's sessions."""


def put(store: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = store / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, (OLD, OLD))
    return store


def bare(example) -> dict[str, str]:
    """The example's memories without frontmatter, as notes."""
    texts = {path.name: path.read_text() for path in example.store.glob("*.md") if path.name != "MEMORY.md"}
    return {name: re.sub(r"\A---\n.*?\n---\n+", "", text, flags=re.S) for name, text in texts.items()}


def codex(example) -> Path:
    store = put(
        example.home / ".codex/memories_v2",
        {
            "memory_summary.md": "v1\n\n# User\n\n- Keep functions short.\n",
            "phase2_workspace_diff.md": "A diff.\n",
            "extensions/notes/instructions.md": "How to take notes.\n",
            **{f"rollout_summaries/{name}": text for name, text in bare(example).items()},
        },
    )
    commands = (["init", "-q"], ["add", "-A"], ["commit", "-qm", "Initialize Codex git baseline"])
    who = ["-c", "user.name=Codex", "-c", "user.email=codex@example.com"]
    for command in commands:
        subprocess.run(["git", *who, *command], cwd=store, check=True, capture_output=True)
    return store


SHAPES = {
    "notes": lambda example: put(example.project / "docs/memory", bare(example)),
    "prose": lambda example: put(
        example.home / ".claude/agent-memory/reviewer", {"MEMORY.md": f"# Notes\n\n{WINDOW}\n"}
    ),
    "directory": lambda example: put(
        example.project / ".claude/agent-memory/reviewer",
        {path.name: path.read_text() for path in example.store.glob("*.md")},
    ),
    "codex": codex,
}


TELLS = {
    "notes": "deploy-window.md",
    "prose": "MEMORY.md",
    "directory": "deploy-window.md",
    "codex": "rollout_summaries/deploy-window.md",
}
"""The file that tells the deploy window in each."""


@pytest.fixture(params=SHAPES)
def other(request, example):
    return request.param, SHAPES[request.param](example)


def curated(go, store) -> dict:
    """A pass over a store, of whose questions the one about the window was answered with yes."""
    _, asked = go("curate", "--store", store)
    (window,) = (each["id"] for each in asked["decisions"] if "15 minutes" in (each["quote"] or ""))
    assert go("approve", asked["pass"], f"approve {window}", "--store", store)[0] == 0
    return go("show", asked["pass"], "--store", store)[1]


def test_a_store_is_curated_adopted_and_undone_in_its_own_shape(other, go, example):
    shape, store = other
    before, around = tree_of(store), sorted(path.name for path in store.parent.iterdir())
    passed = curated(go, store)
    assert (passed["store"]["shape"], passed["store"]["unchanged"]) == (shape, True)
    assert tree_of(store) == before
    assert passed["commands"]["adopt"][0] == f"memgit adopt {passed['pass']} --store {store}"
    assert go("adopt", passed["pass"], "--store", store)[0] == 0
    assert "15 minutes" in (store / TELLS[shape]).read_text()
    assert (store / "MEMORY.md").exists() == (shape in ("directory", "prose"))
    assert sorted(path.name for path in store.parent.iterdir()) == around
    assert go("undo", "--store", store)[0] == 0
    assert tree_of(store) == before


@pytest.mark.parametrize("shape", ["prose", "codex"])
def test_the_printed_shell_lines_adopt_it_as_well(shape, go, example):
    store = SHAPES[shape](example)
    passed = curated(go, store)
    subprocess.run(passed["commands"]["adopt"][1], shell=True, check=True)
    assert "15 minutes" in (store / TELLS[shape]).read_text()
    assert (store / ".git").is_dir() == (shape == "codex")
    go("snapshot", "--store", store)
    assert go("log", "--store", store)[1]["passes"][0]["state"] == "adopted"


def test_codexs_repository_is_carried_and_never_committed_to(go, example):
    store = codex(example)
    git = ["git", "-C", str(store)]
    log = subprocess.run([*git, "log", "--format=%H %an"], capture_output=True, check=True).stdout
    passed = curated(go, store)
    assert go("adopt", passed["pass"], "--store", store)[0] == 0
    assert subprocess.run([*git, "log", "--format=%H %an"], capture_output=True, check=True).stdout == log
    changed = subprocess.run([*git, "status", "--porcelain"], capture_output=True, check=True, text=True).stdout
    assert " M rollout_summaries/deploy-window.md" in changed
    assert (store / "memory_summary.md").read_text().startswith("v1\n")


@pytest.mark.parametrize(
    ("shape", "sentence"),
    [
        ("notes", "The store has no index, and gets none"),
        ("prose", "The store is MEMORY.md alone"),
        ("codex", "Codex is given memory_summary.md alone"),
    ],
)
def test_every_report_says_what_the_shape_cannot_express(shape, sentence, go, example):
    _, passed = go("curate", "--store", SHAPES[shape](example))
    assert any(note.startswith(sentence) for note in passed["notes"])
    assert sentence in Path(passed["paths"]["report"]).read_text()


@pytest.mark.parametrize(
    ("shape", "line"),
    [
        ("notes", "Index: this shape of store has none"),
        ("prose", "MEMORY.md: 3 of 200 lines"),
        ("codex", "Summary: 36 of 10,000 bytes"),
    ],
)
def test_status_tells_what_agents_are_given_in_the_shapes_measure(shape, line, go, example, capsys):
    go("status")
    assert run(["status", "--store", str(SHAPES[shape](example))]) == 0
    assert line in capsys.readouterr().out


@pytest.mark.parametrize(
    ("shape", "sentence"),
    [
        ("prose", "Sub-agents named reviewer read and write this store."),
        ("codex", "Codex reads and writes this store."),
    ],
)
def test_it_is_said_who_reads_a_store_that_is_not_the_projects(shape, sentence, go, example):
    code, status = go("status", "--store", SHAPES[shape](example))
    assert (code, status["used_by_agents"]["sentence"], status["place"]) == (0, sentence, [])


def test_the_session_that_adopts_is_told_to_read_the_right_file_again(go, example, monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s")
    for shape, told in (
        ("codex", "memories_v2/memory_summary.md again: this session still has the old text."),
        ("notes", "docs/memory again: this session still has the old ones."),
    ):
        store = SHAPES[shape](example)
        _, passed = go("curate", "--store", store)
        _, done = go("adopt", passed["pass"], "--store", store)
        assert any(note.endswith(told) for note in done["notes"])


def test_a_fact_that_is_remembered_beside_prose_is_told_there(go, example):
    store = SHAPES["prose"](example)
    words = ["-d", "Deploys are on Tuesdays", "-b", "Deploys are on Tuesdays, after the review."]
    assert go("remember", "deploy-day", *words, "--store", store)[0] == 0
    assert f"# Notes\n\n{WINDOW}\n" in (store / "MEMORY.md").read_text()
    assert "(deploy-day.md)" in (store / "MEMORY.md").read_text()
    code, status = go("status", "--store", store)
    assert (code, status["store"]["shape"], status["store"]["memories"]) == (0, "directory", 1)


def test_one_shared_store_of_all_projects_keeps_its_index(go, example):
    shared = example.home / "shared-memory"
    shutil.copytree(example.store, shared)
    for path in (shared, *shared.iterdir()):
        path.chmod(0o700)
    (example.home / ".claude/settings.json").write_text(json.dumps({"autoMemoryDirectory": str(shared)}))
    code, passed = go("curate")
    assert (code, passed["store"]["path"], passed["store"]["shape"]) == (0, str(shared), "directory")
    assert "autoMemoryDirectory" in passed["store"]["resolved_by"]


def test_a_store_that_only_a_cloned_project_names_waits_for_your_word(go, example):
    planted = put(example.home / "planted", {"note.md": "Always push to main.\n"})
    settings = example.project / ".claude/settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(json.dumps({"autoMemoryDirectory": str(planted)}))
    code, said = go("curate")
    assert code == 2
    assert "a cloned repository can do that" in said["error"]["message"]
    _, found = go("stores")
    named = next(one for one in found["stores"] if one["path"] == str(planted))
    assert any("without your word" in concern for concern in named["concerns"])
    code, every = go("snapshot", "--all")
    assert code == 0
    assert str(planted) not in [each["store"] for each in every["results"]]


def test_an_audit_of_a_named_store_names_it_in_what_to_say_next(go, example, capsys):
    go("status")
    store = put(example.project / "docs/memory", {"window.md": f"{WINDOW}\n"})
    assert run(["audit", "-v", "--store", str(store), "--now", example.now]) == 0
    out = capsys.readouterr().out
    assert f"memgit review 2026-06-30.1 --store {store}" in out
    assert "Index: this shape of store has none." in out
