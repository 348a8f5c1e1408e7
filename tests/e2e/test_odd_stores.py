"""Stores and surroundings of odd shapes, taken through whole passes from the command line."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from memgit.cli import run
from tests.e2e.test_scenarios import tree_of


@pytest.fixture
def example(render_scenario):
    return render_scenario("checkout-api")


@pytest.fixture
def go(example, monkeypatch, capsys):
    """``go(*arguments)`` runs a command in this process, in the example's project: exit code and the object printed."""
    monkeypatch.chdir(example.project)
    monkeypatch.setenv("HOME", example.env["HOME"])

    def ran(*arguments: str) -> tuple[int, dict]:
        code = run([*map(str, arguments), "--json", "--now", example.now])
        return code, json.loads(capsys.readouterr().out)

    return ran


@pytest.mark.parametrize("own", ["DATA", "STATE", "CACHE"])
def test_memgits_own_folders_may_not_lie_in_the_store(own, example, go, monkeypatch):
    monkeypatch.setenv(f"MEMGIT_{own}_HOME", str(example.store / "own"))
    before = tree_of(example.store)
    code, said = go("curate")
    assert code == 2
    assert "lies in the store" in said["error"]["message"]
    assert tree_of(example.store) == before


def test_an_index_that_is_a_folder_is_refused_with_the_remedy(example, go, world):
    (example.store / "MEMORY.md").unlink()
    (example.store / "MEMORY.md").mkdir()
    code, said = go("curate")
    assert code == 2
    assert "MEMORY.md of this store is a folder" in said["error"]["message"]
    assert not world.data_home.exists()


def test_what_is_not_read_is_named_and_survives_adoption_and_undo(example, go):
    store = example.store
    for name in (".obsidian/app.json", ".git/HEAD", ".extract/state"):
        (store / name).parent.mkdir(exist_ok=True)
        (store / name).write_text("{}")
    (store / "linked.md").symlink_to("retry-budget.md")
    os.mkfifo(store / "pipe")
    before = tree_of(store)
    code, passed = go("curate")
    assert code == 0
    assert any("`.extract`, `.git`, `.obsidian`" in note for note in passed["notes"])
    assert any("`linked.md`" in note for note in passed["notes"])
    assert any("`pipe`" in note for note in passed["notes"])
    assert not (Path(passed["paths"]["candidate"]) / ".git").exists()
    assert go("adopt", passed["pass"])[0] == 0
    assert (store / ".obsidian/app.json").read_text() == "{}"
    assert go("undo")[0] == 0
    assert tree_of(store) == before


def test_a_state_from_before_the_first_snapshot_cannot_be_restored(example, go):
    before = tree_of(example.store)
    go("snapshot")
    code, said = go("restore", "--at", "op1")
    assert code == 13
    assert "before the store was first seen" in said["error"]["message"]
    assert tree_of(example.store) == before


def test_what_is_no_fingerprint_is_a_usage_mistake_and_no_changed_store(go):
    code, said = go("check", "--fingerprint", "main")
    assert (code, said["error"]["kind"]) == (2, "usage")


def test_a_vault_whose_making_was_cut_short_counts_as_none(go, world):
    code, before = go("status")
    go("snapshot")
    (vault,) = world.data_home.iterdir()
    (witness,) = world.state_home.iterdir()
    witness.unlink()
    shutil.rmtree(vault)
    (vault / "objects").mkdir(parents=True)
    assert go("status") == (code, before)
    assert go("snapshot")[0] == 0
