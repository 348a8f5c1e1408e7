"""A vault is plain git: git reads all of it, and nothing in the environment or the user's settings reaches it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from memgit.model.store import StoreFile
from memgit.vault import Vault
from tests.vault_world import ONE, TWO, content, create, propose, reopen, snapshot

HOSTILE = content(
    *((name, b"x\n") for name in (".git", ".GIT", "git~1", ".gitmodules", "x\\.git", "GI7EBA~1", ".gitattributes")),
    ("a\udcff/b.md", b"\0\xff"),
    ("e\u0301.md", b"NFD"),
    ("\u00e9.md", b"NFC"),
    ("A.md", b"1"),
    ("a.md", b"2"),
    ("new\nline.md", b"\r\n"),
    StoreFile("link", b"../elsewhere", 0o120777),
    StoreFile("run.sh", b"#!/bin/sh\n", 0o100700),
)


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    vault = create(tmp_path)
    snapshot(vault, ONE, "First")
    snapshot(vault, HOSTILE, "Second")
    propose(vault, TWO)
    return vault


def git(vault: Vault, *arguments: str) -> str:
    done = subprocess.run(["git", f"--git-dir={vault.git_dir}", *arguments], capture_output=True, check=True)
    return done.stdout.decode(errors="surrogateescape")


def test_git_finds_nothing_wrong(vault):
    assert git(vault, "fsck", "--full", "--strict", "--no-dangling") == ""
    vault.pack()
    assert git(vault, "fsck", "--full", "--strict", "--no-dangling") == ""


def test_git_log_and_show_read_the_history_of_the_store_and_of_a_candidate(vault):
    assert git(vault, "log", "--format=%s", "store").split() == ["Second", "First"]
    assert git(vault, "log", "-1", "--format=%b", "candidate/2026-11-29.1") == "The report.\n\n"
    assert git(vault, "show", "store:a.md") == "2"
    assert git(vault, "cat-file", "-p", "store:link") == "../elsewhere"
    assert "100755 blob" in git(vault, "ls-tree", "store", "run.sh")


def test_git_shows_operations_as_readable_json(vault):
    assert '"subject": "Second"' in git(vault, "show", "refs/memgit/ops~1:operation.json")
    assert git(vault, "log", "--first-parent", "--format=%s", "refs/memgit/ops").splitlines() == [
        "Pass",
        "Second",
        "First",
        "Vault created",
    ]


def test_gits_own_housekeeping_loses_nothing(vault):
    before = list(vault.operations())
    git(vault, "gc", "--prune=now", "--quiet")
    again = reopen(vault)
    assert list(again.operations()) == before
    assert again.derived_ref_problems() == ()
    assert again.store_at(again.head()) == HOSTILE
    snapshot(again, ONE, "after gc")
    assert git(vault, "fsck", "--full", "--strict", "--no-dangling") == ""


def test_a_clone_holds_everything(vault, tmp_path):
    subprocess.run(["git", "clone", "--quiet", "--mirror", vault.git_dir, tmp_path / "copy"], check=True)
    assert git(vault, "show-ref") == git(Vault(tmp_path / "copy", clock=vault._clock, who={}), "show-ref")


def test_the_environment_and_the_users_git_settings_change_nothing(tmp_path, monkeypatch, world):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (world.home / ".gitconfig").write_text("[broken\n")
    for name in ("GIT_DIR", "GIT_OBJECT_DIRECTORY", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_CEILING_DIRECTORIES"):
        monkeypatch.setenv(name, str(elsewhere))
    for name, value in {"COUNT": "1", "KEY_0": "safe.bareRepository", "VALUE_0": "explicit"}.items():
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    vault = create(tmp_path)
    snapshot(vault, HOSTILE)
    vault.pack()
    assert reopen(vault).store_at(vault.head()) == HOSTILE
    assert list(elsewhere.iterdir()) == []


def test_a_repository_around_the_vault_is_not_taken_for_it(tmp_path):
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    vault = create(tmp_path)
    snapshot(vault, ONE)
    assert Path(vault.git_dir / "refs/heads/store").is_file()
