from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from memgit import process
from memgit.agent.hooks.place import Unusual, owner_of, place_of, vault_name
from memgit.stores.locate import locate, place
from memgit.vault import vault_folder
from tests.conftest import World


def git(*arguments: object, cwd: Path) -> None:
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"]
    subprocess.run(["git", *identity, *map(str, arguments)], cwd=cwd, check=True, capture_output=True)


def plain(root: Path) -> Path:
    (root / "repo" / "src" / "deep").mkdir(parents=True)
    git("init", "-q", cwd=root / "repo")
    return root / "repo"


def below(root: Path) -> Path:
    return plain(root) / "src" / "deep"


def linked(root: Path) -> Path:
    repo = plain(root)
    git("commit", "-q", "--allow-empty", "-m", "x", cwd=repo)
    git("worktree", "add", "-q", root / "side", cwd=repo)
    return root / "side"


def without_git(root: Path) -> Path:
    (root / "plain").mkdir()
    return root / "plain"


def separate(root: Path) -> Path:
    (root / "work").mkdir()
    git("init", "-q", "--separate-git-dir", root / "elsewhere", root / "work", cwd=root)
    return root / "work"


def bare_with_worktree(root: Path) -> Path:
    repo = plain(root)
    git("commit", "-q", "--allow-empty", "-m", "x", cwd=repo)
    git("clone", "-q", "--bare", repo, root / "proj.git", cwd=root)
    git("worktree", "add", "-q", root / "tree", cwd=root / "proj.git")
    return root / "tree"


def submodule(root: Path) -> Path:
    repo, outer = plain(root), root / "outer"
    git("commit", "-q", "--allow-empty", "-m", "x", cwd=repo)
    git("init", "-q", outer, cwd=root)
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", repo, "inner", cwd=outer)
    return outer / "inner"


def forged(root: Path) -> Path:
    target, fake = linked(root), root / "fake"
    fake.mkdir()
    (fake / ".git").write_text((target / ".git").read_text())
    return fake


SHAPES = (plain, below, linked, without_git, separate, bare_with_worktree, submodule, forged)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_a_hook_finds_the_store_that_the_command_line_finds(shape: Callable[[Path], Path], world: World) -> None:
    cwd = shape(world.root)

    found = place_of(str(cwd), world.env)

    slow = locate(str(cwd), world.env, str(world.home), None, process.git)
    assert found.store == os.path.realpath(slow.path)
    assert found.owner == place(str(cwd), world.env, str(world.home), process.git).owner


@pytest.mark.parametrize("shape", [plain, below, linked, without_git], ids=lambda shape: shape.__name__)
def test_the_usual_shapes_need_no_git(shape: Callable[[Path], Path], world: World) -> None:
    owner_of(str(shape(world.root)))


@pytest.mark.parametrize("shape", [separate, bare_with_worktree, forged], ids=lambda shape: shape.__name__)
def test_unusual_shapes_are_left_to_git(shape: Callable[[Path], Path], world: World) -> None:
    with pytest.raises(Unusual):
        owner_of(str(shape(world.root)))


def test_a_hook_finds_the_vault_that_the_command_line_makes(world: World) -> None:
    for store in ("/a/b/c/memory", "/x", "/home/Jürgen/.claude/projects/-home-J-rgen-a/memory"):
        assert vault_name(store) == vault_folder(world.data_home, store).name


def test_a_directory_named_in_the_user_s_settings_is_the_store(world: World) -> None:
    settings = world.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"autoMemoryDirectory": "~/notes"}')

    assert place_of(str(world.root), world.env).store == os.path.realpath(world.home / "notes")


def test_a_directory_named_by_the_project_itself_is_in_doubt(world: World) -> None:
    settings = world.root / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"autoMemoryDirectory": "/tmp/elsewhere"}')

    assert "cloned repository" in (place_of(str(world.root), world.env).doubt or "")
