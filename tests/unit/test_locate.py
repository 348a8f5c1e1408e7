from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from memgit.agent.hooks.place import place_of
from memgit.errors import ToolFailed, UsageError
from memgit.model.store import Resolution
from memgit.process import Result, git
from memgit.stores.locate import ProjectPlace, locate, place
from memgit.stores.rules import project_key


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/home/u/My_Proj X", "-home-u-My-Proj-X"),
        ("/p/a.b/c-d", "-p-a-b-c-d"),
        ("/p/über", "-p--ber"),
        ("/p/漢", "-p--"),
        ("/p/🙂", "-p---"),
        ("/p/cafe\u0301", "-p-cafe-"),
        (r"C:\git\app", "C--git-app"),
        ("/p/caf\udce9", "-p-caf-"),
    ],
)
def test_a_key_replaces_every_utf16_unit_that_is_no_ascii_letter_or_digit(path: str, key: str) -> None:
    assert project_key(path) == key


def test_a_key_of_two_hundred_characters_is_whole_and_a_longer_one_is_cut_and_hashed() -> None:
    assert project_key("/" + "a" * 199) == "-" + "a" * 199
    long = project_key("/" + "a" * 200)
    assert long == "-" + "a" * 199 + "-" + hashed("/" + "a" * 200)
    assert project_key("/" + "b" * 300) != project_key("/" + "b" * 301)
    assert re.fullmatch(r"-{200}-[0-9a-z]+", project_key("/" + "🙂" * 150))


def hashed(text: str) -> str:
    """JavaScript's ``Math.abs(hash).toString(36)``, in big numbers and another order of steps."""
    whole = sum(ord(char) * 31 ** (len(text) - 1 - at) for at, char in enumerate(text)) % 2**32
    number = abs(whole - 2**32 if whole >= 2**31 else whole)
    digits = []
    while number:
        digits.append("0123456789abcdefghijklmnopqrstuvwxyz"[number % 36])
        number //= 36
    return "".join(reversed(digits))


@dataclass(frozen=True)
class Machine:
    root: Path
    home: Path

    @property
    def projects(self) -> Path:
        return self.home / ".claude" / "projects"

    def place(self, cwd: Path, **env: str) -> ProjectPlace:
        return place(str(cwd), env, str(self.home), git)

    def locate(self, cwd: Path, explicit: str | None = None, **env: str) -> Resolution:
        return locate(str(cwd), env, str(self.home), explicit, git)

    def store(self, *parts: str) -> Path:
        folder = self.projects.joinpath(*parts)
        return filled(folder)


def filled(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "note.md").write_text("x")
    return folder


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    (tmp_path / "home").mkdir()
    return Machine(tmp_path, tmp_path / "home")


def run(*argv: object, cwd: Path) -> None:
    identity = [
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "-c",
        "protocol.file.allow=always",
        "-c",
        "init.defaultBranch=main",
    ]
    subprocess.run(["git", *identity, *map(str, argv)], cwd=cwd, check=True, capture_output=True)


@pytest.fixture
def repo(machine: Machine) -> Path:
    root = machine.root / "proj"
    (root / "src").mkdir(parents=True)
    run("init", "-q", cwd=root)
    run("commit", "-q", "--allow-empty", "-m", "x", cwd=root)
    return root


def test_a_subfolder_belongs_to_its_repository(machine: Machine, repo: Path) -> None:
    found = machine.place(repo / "src")
    assert (found.root, found.common_dir, found.owner) == (str(repo), str(repo / ".git"), str(repo))
    assert found.key == project_key(str(repo))
    assert found.projects_dir == str(machine.projects)
    assert machine.locate(repo / "src").rule == "git common directory"


def test_a_linked_worktree_shares_the_folder_of_the_main_one(machine: Machine, repo: Path) -> None:
    run("worktree", "add", "-q", machine.root / "tree", cwd=repo)
    found = machine.place(machine.root / "tree")
    assert (found.root, found.owner) == (str(machine.root / "tree"), str(repo))


@pytest.mark.parametrize("name", ["proj.git", "proj/.bare"])
def test_a_worktree_of_a_bare_repository_belongs_to_the_repository(machine: Machine, repo: Path, name: str) -> None:
    bare = machine.root / "b" / name
    run("clone", "-q", "--bare", repo, bare, cwd=machine.root)
    run("worktree", "add", "-q", machine.root / "tree", cwd=bare)
    assert machine.place(machine.root / "tree").owner == str(bare)


def test_a_submodule_is_a_project_of_its_own(machine: Machine, repo: Path) -> None:
    other = machine.root / "other"
    run("clone", "-q", repo, other, cwd=machine.root)
    run("submodule", "--quiet", "add", repo, "sub", cwd=other)
    assert machine.place(other / "sub").owner == str(other / "sub")


def test_a_nested_repository_is_a_project_of_its_own(machine: Machine, repo: Path) -> None:
    run("init", "-q", "inner", cwd=repo)
    assert machine.place(repo / "inner").owner == str(repo / "inner")


def test_a_separate_git_directory_does_not_matter(machine: Machine) -> None:
    run("init", "-q", "--separate-git-dir", machine.root / "elsewhere", "work", cwd=machine.root)
    assert machine.place(machine.root / "work").owner == str(machine.root / "work")


def test_a_forged_git_file_leads_nowhere(machine: Machine, repo: Path) -> None:
    run("worktree", "add", "-q", machine.root / "tree", cwd=repo)
    forged = machine.root / "forged"
    forged.mkdir()
    shutil.copy(machine.root / "tree" / ".git", forged / ".git")
    assert machine.place(forged).owner == str(forged)


def test_without_git_the_current_directory_is_the_project(machine: Machine) -> None:
    (machine.root / "plain" / "sub").mkdir(parents=True)
    found = machine.place(machine.root / "plain" / "sub")
    assert (found.root, found.common_dir) == (str(machine.root / "plain" / "sub"), None)
    assert machine.locate(machine.root / "plain" / "sub").rule == "current directory"


def test_a_missing_git_program_still_finds_the_repository(machine: Machine, repo: Path) -> None:
    def missing(args: tuple[str, ...], *, cwd: str):
        raise ToolFailed("git was not found")

    assert place(str(repo / "src"), {}, str(machine.home), missing).owner == str(repo)


def test_a_linked_directory_is_its_real_path(machine: Machine, repo: Path) -> None:
    (machine.root / "short").symlink_to(repo)
    assert machine.place(machine.root / "short").owner == str(repo)


def settings(folder: Path, value: object, name: str = "settings.json") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = value if isinstance(value, str) else json.dumps({"autoMemoryDirectory": value["dir"]})  # type: ignore[index]
    (folder / name).write_text(text)


def test_the_strongest_rule_wins(machine: Machine, repo: Path) -> None:
    root, own = machine.root, repo / ".claude"
    default = f"{machine.projects}/{project_key(str(repo))}/memory"
    assert machine.locate(repo).path == default
    assert machine.locate(repo, CLAUDE_CONFIG_DIR="/cfg").path == f"/cfg/projects/{project_key(str(repo))}/memory"
    remote = {"CLAUDE_CODE_REMOTE_MEMORY_DIR": "/remote"}
    assert machine.locate(repo, **remote).path == f"/remote/projects/{project_key(str(repo))}/memory"
    settings(machine.home / ".claude", {"dir": "~/all"})
    assert machine.locate(repo, **remote).path == str(machine.home / "all")
    assert machine.locate(repo).needs_confirmation is None
    settings(own, {"dir": f"{root}/x/../shared"})
    assert machine.locate(repo).path == str(root / "shared")
    settings(own, {"dir": str(root / "mine")}, "settings.local.json")
    found = machine.locate(repo)
    assert found.path == str(root / "mine")
    assert "settings.local.json" in found.rule
    assert "cloned repository" in str(found.needs_confirmation)
    override = {"CLAUDE_COWORK_MEMORY_PATH_OVERRIDE": "/o"}
    assert machine.locate(repo, **override).path == "/o"
    assert machine.locate(repo, "given/", **override) == Resolution(str(repo / "given"), "--store")
    assert machine.locate(repo, "~/given").path == str(machine.home / "given")


@pytest.mark.parametrize("value", ["rel", "./x", "~", "/", "/..", "$HOME/x", "", 5, None, ["/x"], "/a\0b"])
def test_what_the_agent_ignores_in_settings_is_ignored(machine: Machine, repo: Path, value: object) -> None:
    settings(machine.home / ".claude", {"dir": value})
    assert machine.locate(repo, CLAUDE_COWORK_MEMORY_PATH_OVERRIDE="rel").rule == "git common directory"


@pytest.mark.parametrize("text", ["", "{", "[]", "[" * 100_000, '{"autoMemoryDirectory": "/x",}'])
def test_settings_that_cannot_be_read_are_ignored(machine: Machine, repo: Path, text: str) -> None:
    settings(repo / ".claude", text)
    assert machine.locate(repo).rule == "git common directory"


def test_places_that_are_no_store_are_refused(machine: Machine, repo: Path) -> None:
    key = machine.store("-p")
    (key / "session.jsonl").write_text("")
    (repo / "src" / "main.py").write_text("")
    (repo / "pkg").mkdir()
    (repo / "pkg" / "package.json").write_text("")
    (repo / "pkg" / "README.md").write_text("")
    (machine.root / "logs").mkdir()
    (machine.root / "logs" / "x.jsonl").write_text("")
    refused = {
        machine.home: "your home directory",
        Path("/"): "your home directory",
        machine.root: "your home directory",
        machine.projects: "folder of all projects",
        machine.projects.parent: "folder of all projects",
        key: "with its transcripts",
        repo: "the project itself",
        repo / "src": "none of them is Markdown",
        repo / "src" / "main.py": "it is a file",
        repo / "pkg": "source directory",
        machine.root / "logs": "it holds transcripts",
    }
    for path, why in refused.items():
        with pytest.raises(UsageError, match=why):
            machine.locate(repo, str(path))
    for path in ("", "a\0b"):
        with pytest.raises(UsageError, match="no path"):
            machine.locate(repo, path)


def test_what_is_another_kind_of_store_is_refused_with_the_name_it_has(machine: Machine, repo: Path) -> None:
    beads, database = repo / ".beads", repo / "my notes.sqlite"
    beads.mkdir()
    database.write_bytes(b"SQLite format 3\0")
    named = {beads: f"--store beads:{beads}.", database: f"--store 'sqlite:{database}'."}
    for path, remedy in named.items():
        with pytest.raises(UsageError) as refused:
            machine.locate(repo, str(path))
        assert refused.value.hint == f"Its memories are named with {remedy}"


def test_stores_of_any_ordinary_shape_are_taken(machine: Machine, repo: Path) -> None:
    vault = filled(machine.root / "vault")
    (vault / ".obsidian").mkdir()
    (vault / ".git").mkdir()
    empty = machine.root / "empty"
    empty.mkdir()
    (empty / ".consolidate-lock").write_text("")
    nested = machine.root / "nested"
    filled(nested / "team")
    for path in (vault, empty, nested, machine.root / "none", filled(repo / "docs" / "memory")):
        assert machine.locate(repo, str(path)).path == str(path)
    assert machine.locate(nested, ".").path == str(nested)


def test_other_stores_that_could_be_meant_are_named_with_their_rule(machine: Machine, repo: Path) -> None:
    key = project_key(str(repo))
    by_start = machine.store(project_key(str(repo / "src")), "memory")
    above = machine.store(project_key(str(machine.root)), "memory")
    twin = machine.store(key.replace("proj", "proj").replace("-", "_", 1), "memory")
    nested = machine.store(key, key, "memory")
    inside = filled(repo / ".claude" / "memory")
    docs = filled(repo / "docs" / "memory")
    machine.store("-unrelated", "memory")
    assert machine.locate(repo / "src").others == (
        (str(by_start), "current directory"),
        (str(above), "a directory above the project"),
        (str(twin), "the same name, differently encoded"),
        (str(nested), "folder nested in itself"),
        (str(inside), "the project's own .claude/memory"),
        (str(docs), "the project's own docs/memory"),
    )


def test_the_default_store_is_named_when_another_is_used(machine: Machine, repo: Path) -> None:
    default = machine.store(project_key(str(repo)), "memory")
    given = filled(machine.root / "given")
    assert machine.locate(repo, str(given)).others == ((str(default), "git common directory"),)
    (machine.root / "again").symlink_to(default)
    assert machine.locate(repo, str(machine.root / "again")).others == ()


def test_drive_letters_and_long_paths_have_twins(machine: Machine) -> None:
    from memgit.stores.rules import twin_rule

    assert twin_rule("c--git-app", "C--git-app") == "the same name in another case"
    assert twin_rule("-mnt-c-Git-app", "-mnt-c-git-app") == "the same name in another case"
    assert twin_rule("-p-App", "-p-app") == ""
    assert twin_rule("-" + "a" * 199 + "-x1", "-" + "a" * 199 + "-y2") == "the same long path, cut"
    assert twin_rule("-p-app-old", "-p-app") == ""


def test_the_callers_git_variables_do_not_mislead(
    machine: Machine, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("init", "-q", "other", cwd=machine.root)
    monkeypatch.setenv("GIT_DIR", os.fspath(machine.root / "other" / ".git"))
    assert machine.place(repo).owner == str(repo)


def refusing(args: tuple[str, ...], *, cwd: str) -> Result:
    return Result(128, b"", b"fatal: detected dubious ownership in repository\nTo add an exception\n")


def test_where_git_refuses_its_files_give_the_same_answer(machine: Machine, repo: Path) -> None:
    bare = machine.root / "b" / "proj.git"
    run("clone", "-q", "--bare", repo, bare, cwd=machine.root)
    run("worktree", "add", "-q", machine.root / "of-bare", cwd=bare)
    run("worktree", "add", "-q", machine.root / "tree", cwd=repo)
    run("init", "-q", "--separate-git-dir", machine.root / "elsewhere", "apart", cwd=machine.root)
    run("clone", "-q", repo, "other", cwd=machine.root)
    run("submodule", "--quiet", "add", repo, "sub", cwd=machine.root / "other")
    (machine.root / "tree" / "deep").mkdir()
    shutil.copytree(machine.root / "tree", machine.root / "forged")
    for folder in ("proj/src", "tree", "tree/deep", "of-bare", "apart", "other/sub", "forged"):
        here = machine.root / folder
        known, guessed = machine.place(here), place(str(here), {}, str(machine.home), refusing)
        assert guessed == replace(known, refusal="fatal: detected dubious ownership in repository"), folder
        assert known.refusal == ""


def test_the_environment_may_name_the_projects_folder(machine: Machine, repo: Path) -> None:
    own = str(machine.root / "cfg")
    named = {"CLAUDE_CONFIG_DIR": own, "CLAUDE_CODE_PROJECT_DIR_NAME": "billing_2-x"}
    found = machine.locate(repo / "src", **named)
    assert found.path == f"{own}/projects/billing_2-x/memory"
    assert found.rule == "environment (CLAUDE_CODE_PROJECT_DIR_NAME)"
    assert place_of(str(repo), {**named, "HOME": str(machine.home)}).store == found.path, "hooks go by the same rule"
    key = project_key(str(repo))
    for odd in ({**named, "CLAUDE_CODE_PROJECT_DIR_NAME": "../up"}, {**named, "CLAUDE_CONFIG_DIR": ""}):
        assert machine.locate(repo, **odd).path.endswith(f"/projects/{key}/memory")
