"""A store that the real bd keeps: swept, pruned, audited, adopted, taken back, cut short and recovered."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from memgit.stores.beads.bd import values_of
from tests.desks import read_folder
from tests.e2e.test_sweep import MEMORIES

TEXTS = {
    **MEMORIES,
    "odd/key with.dots": "Two paragraphs.\n\n\tA tab, \"quotes\", <angles> & ümlauts — 漢 🙂.\n- a list\n-- a dash",
    "--looks-like-a-flag": "A key that begins with dashes.",
}  # fmt: skip


@pytest.fixture(autouse=True)
def filled(project):
    project.remember(TEXTS)
    assert project.memories == TEXTS


def candidate(found: dict) -> dict[str, str]:
    return values_of(read_folder(Path(found["paths"]["candidate"])))


def test_a_sweep_is_adopted_taken_back_and_brought_again(go, project):
    code, found = go("sweep")
    assert (code, project.memories) == (0, TEXTS)
    new = candidate(found)
    assert new != TEXTS
    assert go("adopt", found["pass"], "--all")[0] == 0
    assert project.memories == new
    assert not [one for one in go("check")[1]["findings"] if one["damage"]]
    assert go("undo")[0] == 0
    assert project.memories == TEXTS
    assert go("redo")[0] == 0
    assert project.memories == new


def test_a_prune_merges_copies_and_is_taken_back(go, project):
    _, found = go("prune")
    assert any(one["kind"] == "merge" for one in found["decisions"]), found
    code, done = go("prune", "--confirm")
    assert code == 0, done
    assert len(project.memories) < len(TEXTS)
    assert go("undo")[0] == 0
    assert project.memories == TEXTS


def test_an_audit_and_a_curation_read_it_and_write_nothing(go, project):
    for verb in ("audit", "curate", "status", "log", "verify", "check"):
        code, answer = go(verb)
        assert code in (0, 10), (verb, answer)
    assert project.memories == TEXTS


def test_what_somebody_remembers_meanwhile_is_kept(go, project):
    _, found = go("sweep")
    project.remember({"meanwhile": "Said while the sweep waited."})
    code, answer = go("adopt", found["pass"], "--all")
    assert (code, project.memories) == (12, {**TEXTS, "meanwhile": "Said while the sweep waited."}), answer


@pytest.mark.parametrize("at", [1, 4, 8, 13])
def test_an_adoption_killed_anywhere_is_recovered_to_the_old_or_the_new_store(go, project, at):
    _, found = go("sweep")
    new = candidate(found)
    adopt = ["adopt", found["pass"], "--all", "--store", "beads", "--now", "2026-11-29T12:00:00Z"]
    env = {**os.environ, "MEMGIT_FAULT": f"kill:{at}", "PYTHONPATH": str(Path(__file__).parents[2])}
    ended = subprocess.run([sys.executable, "-m", "memgit", *adopt], cwd=project.root, env=env, capture_output=True)
    assert ended.returncode in (-signal.SIGKILL, 0), ended.stderr
    assert set(TEXTS) & set(project.memories), "it is never empty"
    code, answer = go("recover")
    assert code == 0, answer
    assert project.memories in (TEXTS, new)
    if project.memories == TEXTS:
        assert go("adopt", found["pass"], "--all")[0] == 0
    assert project.memories == new
    assert go("undo")[0] == 0
    assert project.memories == TEXTS


def test_a_bead_is_filed_where_it_was_asked_for(go, project):
    _, found = go("sweep")
    assert go("adopt", found["pass"], "--all")[0] == 0
    code, answer = go("sweep", "--run-bd-create")
    assert code == 0, answer
    listed = project.answer("list", "--status", "all", "--limit", "0")
    assert isinstance(listed, list)
    assert any("Memory curation" in bead["title"] for bead in listed), listed
