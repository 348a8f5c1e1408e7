"""Folders that somebody else records or sends elsewhere, and what they are in the middle of."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from memgit.stores.locate import unfinished, watched


@pytest.fixture
def store(tmp_path: Path) -> Path:
    folder = tmp_path / "notes" / "agents" / "memory"
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize("mark", [".git", ".hg", ".jj", ".stfolder", ".dropbox.cache", ".svn", "_FOSSIL_"])
def test_a_folder_with_the_mark_of_a_program_is_watched_and_its_folders_too(store: Path, mark: str) -> None:
    assert watched(str(store)) == ""
    (store.parents[1] / mark).mkdir()
    assert watched(str(store)) == str(store.parents[1])


def test_a_gitlink_counts_and_a_folder_of_the_store_itself_does_not(store: Path) -> None:
    (store / ".git").mkdir()
    assert watched(str(store)) == ""
    (store.parent / ".git").write_text("gitdir: elsewhere")
    assert watched(str(store)) == str(store.parent)


@pytest.mark.parametrize("name", ["Dropbox", "OneDrive - Example", "Nextcloud", "Mobile Documents", "CloudStorage"])
def test_folders_that_systems_synchronise_are_known_by_name(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name / "x" / "memory"
    folder.mkdir(parents=True)
    assert watched(str(folder)) == str(tmp_path / name)
    assert watched(str(tmp_path / f"not-{name}" / "memory")) == ""


@pytest.mark.parametrize(("name", "what"), [("MERGE_HEAD", "a merge"), ("rebase-merge", "a rebase")])
def test_what_the_work_tree_is_in_the_middle_of_is_told_in_linked_ones_too(store: Path, name: str, what: str) -> None:
    root = store.parents[1]
    subprocess.run(["git", "init", "-q", "--separate-git-dir", str(root.parent / "g"), str(root)], check=True)
    assert [*unfinished(str(store))] == []
    (root.parent / "g" / name).mkdir()
    assert [*unfinished(str(store))] == [what]
