"""Both kinds of working tree, on real folders and real repositories."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memgit.claims.verify import check
from memgit.errors import ToolFailed
from memgit.model.verification import Missing
from memgit.ports import WorkingTree
from memgit.process import git, require_ok, run
from memgit.tree import known
from memgit.tree.files import PlainTree, SearchedTree
from memgit.tree.git import GitTree, open_tree

IDENTITY = ("-c", "user.name=Dev", "-c", "user.email=dev@example.org", "-c", "init.defaultBranch=main")
DATED = {"GIT_AUTHOR_DATE": "2026-05-01T12:00:00Z", "GIT_COMMITTER_DATE": "2026-05-01T12:00:00Z"}


def do(folder: Path, *args: str) -> str:
    return require_ok(run(["git", *IDENTITY, *args], cwd=folder, env=DATED), args[0]).out.decode().strip()


def write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def commit(root: Path, message: str) -> str:
    do(root, "add", "-A")
    do(root, "commit", "-q", "-m", message)
    return do(root, "rev-parse", "--short", "HEAD")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    do(root, "init", "-q")
    return root


def git_tree(root: Path, *exclude: Path) -> GitTree:
    return GitTree(root, git, exclude)


def plain_tree(root: Path, *exclude: Path) -> PlainTree:
    return PlainTree(root, exclude)


SETTINGS_THAT_NAME_PROGRAMS = (
    "core.fsmonitor",
    "core.pager",
    "core.sshCommand",
    "diff.evil.command",
    "diff.evil.textconv",
    "diff.external",
    "filter.evil.clean",
    "filter.evil.process",
    "filter.evil.smudge",
    "gpg.program",
)

MakeTree = Callable[..., SearchedTree]
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def absent(tree: WorkingTree, paths: Sequence[str]) -> dict[str, tuple[Missing, str]]:
    """Why each path is not there, and the hint."""
    return {path: (known.reason, known.hint) for path, known in tree.absent(paths).items()}


EVERY_TREE = pytest.mark.parametrize("tree", [git_tree, plain_tree])


@EVERY_TREE
def test_a_tree_lists_its_files_and_finds_texts_in_them(project: Path, tree: MakeTree) -> None:
    write(project, {"src/a.py": "RETRY_BUDGET = 3\n", "docs/café.md": "x\nmake deploy\n", "Makefile": "deploy:\n"})
    opened = tree(project)
    assert set(opened.files()) == {"src/a.py", "docs/café.md", "Makefile"}
    assert opened.find(["RETRY_BUDGET", "make deploy", "gone"]) == {
        "RETRY_BUDGET": "src/a.py:1",
        "make deploy": "docs/café.md:2",
    }
    assert opened.scripts() == {"make deploy": "Makefile"}
    assert (opened.lines("docs/café.md"), opened.lines("gone")) == (2, None)


@EVERY_TREE
def test_the_line_that_evidence_names_is_given_and_no_other_files(project: Path, tree: MakeTree) -> None:
    write(project, {"src/a.py": "one\ntwo\n"})
    made = tree(project)
    assert made.text_at("tree:src/a.py:2") == "two"
    assert made.text_at("tree:src/a.py") == "one\ntwo\n"
    assert made.text_at("tree:src/a.py:9") is None
    assert made.text_at("tree:../project/src/a.py:1") is None
    assert made.text_at("tree:/etc/passwd:1") is None


@EVERY_TREE
def test_what_is_excluded_is_never_searched(project: Path, tree: MakeTree) -> None:
    write(
        project,
        {
            "memory/a.md": "`invented-thing`",
            "memory-candidate/a.md": "`invented-thing`",
            "memory-candidate-REPORT.md": "invented-thing",
        },
    )
    excluded = [project / name for name in ("memory", "memory-candidate", "memory-candidate-REPORT.md")]
    opened = tree(project, *excluded)
    assert opened.files() == ()
    assert opened.find(["invented-thing"]) == {}


@EVERY_TREE
def test_an_excluded_folder_is_excluded_by_any_of_its_paths(project: Path, tree: MakeTree, tmp_path: Path) -> None:
    write(project, {"memory/a.md": "x"})
    (tmp_path / "elsewhere").symlink_to(project)
    assert tree(project, tmp_path / "elsewhere" / "memory").files() == ()
    assert tree(tmp_path / "elsewhere", project / "memory").files() == ()


@EVERY_TREE
def test_links_are_followed_only_to_files_of_the_tree(project: Path, tree: MakeTree, tmp_path: Path) -> None:
    write(tmp_path, {"outside/secret.txt": "hidden-word"})
    write(project, {"real.txt": "x", "memory/a.md": "x"})
    (project / "inside").symlink_to("real.txt")
    (project / "memorised").symlink_to("memory/a.md")
    (project / "outside.txt").symlink_to(tmp_path / "outside" / "secret.txt")
    (project / "folder").symlink_to(tmp_path / "outside")
    opened = tree(project, project / "memory")
    assert set(opened.files()) == {"real.txt", "inside"}
    assert opened.find(["hidden-word"]) == {}


@EVERY_TREE
def test_odd_names_are_listed_and_searched(project: Path, tree: MakeTree) -> None:
    write(project, {"new\nline.txt": "alpha", "tab\t.txt": "x", '"quoted".txt': "y"})
    with open(os.fsencode(project) + b"/latin-\xe9.txt", "w") as file:  # noqa: PTH123 (no text path can say it)
        file.write("beta")
    opened = tree(project)
    assert set(opened.files()) == {"new\nline.txt", "tab\t.txt", '"quoted".txt', "latin-\udce9.txt"}
    assert set(opened.find(["alpha", "beta"])) == {"alpha", "beta"}


@EVERY_TREE
def test_nothing_is_known_of_a_path_that_never_was(project: Path, tree: MakeTree) -> None:
    write(project, {"a.txt": "x"})
    commit(project, "First")
    assert absent(tree(project), ["never.py"]) == {"never.py": (Missing.NEVER, "")}


def test_ignored_and_deleted_files_are_not_part_of_the_tree(project: Path) -> None:
    write(
        project, {".gitignore": "*.log\n/dist/\n", "kept.py": "x", "gone.py": "x", "debug.log": "x", "dist/app.js": "x"}
    )
    commit(project, "First")
    (project / "gone.py").unlink()
    write(project, {"untracked.py": "x"})
    tree = git_tree(project)
    assert set(tree.files()) == {".gitignore", "kept.py", "untracked.py"}
    assert absent(tree, ["debug.log", "dist/app.js", "dist/gone.js", "gone.py"]) == {
        "debug.log": (Missing.IGNORED, "there, but ignored by .gitignore:1"),
        "dist/app.js": (Missing.IGNORED, "there, but ignored by .gitignore:2"),
        "dist/gone.js": (Missing.IGNORED, "not there, and ignored by .gitignore:2"),
        "gone.py": (Missing.DELETED, "tracked, but not on disk"),
    }


def test_the_commit_that_deleted_a_path_is_named(project: Path) -> None:
    write(project, {"docs/run*book.md": "text", "docs/other.md": "x", "lib/a.py": "a", "lib/b.py": "b"})
    commit(project, "First")
    (project / "docs/run*book.md").unlink()
    (project / "lib/a.py").unlink()
    (project / "lib/b.py").unlink()
    short = commit(project, "Drop the \x1b[31mrunbook")
    hint = f"deleted in {short} (2026-05-01, Drop the �[31mrunbook)"
    paths = ["docs/run*book.md", "run*book.md", "lib", "lib/a.py", "ib/a.py"]
    reasons = absent(git_tree(project), paths)
    assert reasons == dict.fromkeys(paths[:4], (Missing.DELETED, hint)) | {"ib/a.py": (Missing.NEVER, "")}


def test_a_rename_is_followed_to_the_name_the_file_has_now(project: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(30))
    write(project, {"a.py": text, "z.py": "other\n" * 30})
    commit(project, "First")
    do(project, "mv", "a.py", "b.py")
    commit(project, "Once")
    do(project, "mv", "b.py", "c.py")
    short = commit(project, "Twice")
    assert absent(git_tree(project), ["a.py"]) == {
        "a.py": (Missing.RENAMED, f"renamed to c.py in {short} (2026-05-01, Twice)")
    }
    do(project, "rm", "-q", "c.py")
    short = commit(project, "Drop it")
    assert absent(git_tree(project), ["a.py"])["a.py"] == (Missing.DELETED, f"deleted in {short} (2026-05-01, Drop it)")


def test_a_path_that_was_renamed_back_and_forth_ends(project: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(30))
    write(project, {"a.py": text})
    commit(project, "First")
    for number in range(6):
        do(project, "mv", *(("a.py", "b.py") if number % 2 == 0 else ("b.py", "a.py")))
        commit(project, f"Move {number}")
    do(project, "mv", "a.py", "c.py")
    commit(project, "Last")
    assert absent(git_tree(project), ["b.py"])["b.py"][0] in (Missing.RENAMED, Missing.DELETED)


def test_a_repository_inside_the_tree_is_not_searched_and_said(project: Path) -> None:
    write(project, {"a.txt": "x"})
    commit(project, "First")
    inner = project / "vendor" / "inner"
    inner.mkdir(parents=True)
    do(inner, "init", "-q")
    write(inner, {"deep.py": "deep_word"})
    commit(inner, "Inner")
    tree = git_tree(project)
    assert tree.files() == ("a.txt",)
    assert absent(tree, ["vendor/inner/deep.py"]) == {
        "vendor/inner/deep.py": (Missing.OUTSIDE, "vendor/inner is a repository of its own")
    }


def test_a_path_behind_a_link_spoils_no_other_answer(project: Path, tmp_path: Path) -> None:
    write(project, {".gitignore": "*.log\n", "real/a.txt": "x"})
    (project / "link").symlink_to("real")
    commit(project, "First")
    assert absent(git_tree(project), ["link/a.txt", "x.log", "../up.log", "/abs.log", "a\0b", "\ud800", ""]) == {
        "link/a.txt": (Missing.OUTSIDE, "link is a link that is not followed"),
        "x.log": (Missing.IGNORED, "not there, and ignored by .gitignore:1"),
    } | dict.fromkeys(["../up.log", "/abs.log", "a\0b", "\ud800", ""], (Missing.NEVER, ""))


def test_a_linked_worktree_and_a_subfolder_have_their_own_files_and_history(project: Path, tmp_path: Path) -> None:
    write(project, {"packages/a/src/x.py": "alpha", "packages/b/y.py": "beta", "packages/a/old.py": "old"})
    commit(project, "First")
    do(project, "rm", "-q", "packages/a/old.py")
    short = commit(project, "Drop old")
    do(project, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    write(tmp_path / "side", {"only-here.txt": "gamma"})
    assert set(git_tree(tmp_path / "side").files()) == {"packages/a/src/x.py", "packages/b/y.py", "only-here.txt"}
    part = git_tree(project / "packages" / "a")
    assert part.files() == ("src/x.py",)
    assert absent(part, ["old.py"]) == {"old.py": (Missing.DELETED, f"deleted in {short} (2026-05-01, Drop old)")}


def test_a_repository_without_commits_has_files_and_no_history(project: Path) -> None:
    write(project, {"a.txt": "alpha"})
    tree = git_tree(project)
    assert tree.find(["alpha"]) == {"alpha": "a.txt:1"}
    assert absent(tree, ["b.txt"]) == {"b.txt": (Missing.NEVER, "")}


def test_a_shallow_clone_says_what_it_knows(project: Path, tmp_path: Path) -> None:
    write(project, {"a.txt": "alpha", "b.txt": "b"})
    commit(project, "First")
    do(project, "rm", "-q", "b.txt")
    commit(project, "Drop b")
    do(tmp_path, "clone", "-q", "--depth", "1", f"file://{project}", "shallow")
    assert absent(git_tree(tmp_path / "shallow"), ["b.txt"]) == {"b.txt": (Missing.NEVER, "")}


def test_a_history_that_takes_too_long_is_said_and_the_rest_still_answered(project: Path) -> None:
    write(project, {".gitignore": "*.log\n"})
    commit(project, "First")

    def slow(args: list[str], **options: object) -> object:
        if args[0] == "log":
            raise ToolFailed("git log took longer than 15 s and was stopped")
        return git(args, **options)

    assert absent(GitTree(project, slow), ["a.py", "b.log"]) == {
        "a.py": (Missing.NEVER, "the history was not read: git log took longer than 15 s and was stopped"),
        "b.log": (Missing.IGNORED, "not there, and ignored by .gitignore:1"),
    }


def test_a_folder_that_is_no_repository_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()
    with pytest.raises(ToolFailed, match="not a git repository"):
        git_tree(tmp_path / "bare").files()


def test_a_hostile_repository_starts_nothing(project: Path, tmp_path: Path) -> None:
    trap, script = tmp_path / "sprung", tmp_path / "trap.sh"
    script.write_text(f"#!/bin/sh\ntouch {trap}\ncat\n")
    script.chmod(0o755)
    write(project, {"a.txt": "alpha", "b.txt": "b\n" * 40, ".gitattributes": "* filter=evil diff=evil\n"})
    commit(project, "First")
    do(project, "mv", "b.txt", "c.txt")
    commit(project, "Move")
    for key in SETTINGS_THAT_NAME_PROGRAMS:
        do(project, "config", key, str(script))
    do(project, "config", "log.showSignature", "true")
    tree = git_tree(project)
    assert tree.find(["alpha"]) == {"alpha": "a.txt:1"}
    assert absent(tree, ["b.txt", "never.txt"])["b.txt"][0] is Missing.RENAMED
    assert tree.names_absent(["alpha", "never"], [], LONG_AGO) == {}  # looks into every change
    (line,) = tree.occurrences(["alpha"])["alpha"]
    assert tree.since(line) is not None
    assert not trap.exists()


def test_a_configured_work_tree_elsewhere_adds_no_files(project: Path, tmp_path: Path) -> None:
    write(tmp_path, {"outside.txt": "hidden-word"})
    write(project, {"a.txt": "alpha"})
    commit(project, "First")
    do(project, "config", "core.worktree", str(tmp_path))
    assert git_tree(project).find(["hidden-word", "alpha"]).keys() <= {"alpha"}


def test_the_tree_is_asked_once_for_all_spans(project: Path) -> None:
    write(project, {"src/a.py": "RETRY_BUDGET\n", ".gitignore": "out/\n", "src/b/util.py": "", "src/c/util.py": ""})
    commit(project, "First")
    asked: list[str] = []

    def counted(args: list[str], **options: object) -> object:
        asked.append(args[0])
        return git(args, **options)

    spans = ["src/a.py", "RETRY_BUDGET", "util.py", "gone/x.py", "out/y.js", "gone/z.py", "and/or"]
    checks = check(spans, GitTree(project, counted))
    assert {span: checks[span].missing for span in spans} == {
        "src/a.py": None,
        "RETRY_BUDGET": None,
        "util.py": Missing.AMBIGUOUS,
        "gone/x.py": Missing.NEVER,
        "out/y.js": Missing.IGNORED,
        "gone/z.py": Missing.NEVER,
        "and/or": None,
    }
    assert Counter(asked) <= Counter(["ls-files", "ls-files", "check-ignore", "rev-parse", "worktree", "log", "log"])


def test_a_project_is_opened_with_git_where_there_is_git(project: Path, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    assert isinstance(open_tree(project), GitTree)
    assert isinstance(open_tree(tmp_path / "plain"), PlainTree)


def test_a_repository_that_git_will_not_read_is_not_taken_for_a_plain_folder(project: Path) -> None:
    do(project, "config", "core.repositoryFormatVersion", "99")
    with pytest.raises(ToolFailed, match="cannot read the project"):
        open_tree(project)


# --- what an audit asks ---


def test_every_line_that_holds_a_word_is_given(project: Path) -> None:
    write(project, {"a.env": "BUDGET=3\n# BUDGETS\n", "src/b.py": "x = 1\nBUDGET = 4\n", "c.bin": "BUDGET\0"})
    for tree in (git_tree(project), plain_tree(project)):
        lines = tree.occurrences(["BUDGET", "nowhere"])
        assert [(line.where, line.text) for line in lines["BUDGET"]] == [
            ("tree:a.env:1", "BUDGET=3"),
            ("tree:src/b.py:2", "BUDGET = 4"),
        ]
        assert "nowhere" not in lines


def test_a_moved_path_is_followed_to_where_it_is_now_and_its_commit_says_so(project: Path) -> None:
    write(project, {"docs/a.md": "one\ntwo\nthree\n"})
    commit(project, "Begin")
    (project / "guides").mkdir()
    (project / "docs/a.md").rename(project / "guides/b.md")
    commit(project, "Move the guide")
    tree = git_tree(project)
    change = tree.absent(["docs/a.md", "never.md"])["docs/a.md"].change
    assert change is not None
    assert (change.moved_to, change.subject, change.date) == ("guides/b.md", "Move the guide", "2026-05-01")
    assert change.detail == "R docs/a.md guides/b.md"
    assert change.detail in " ".join((tree.text_at(f"commit:{change.commit}") or "").split())


def test_the_commit_that_removed_a_word_and_the_one_that_brought_a_line_are_named(project: Path) -> None:
    write(project, {"cli.py": 'add("-fast-mode")\nuse_slowly(1)\n', "b.env": "A=1\n"})
    commit(project, "Begin")
    write(project, {"cli.py": "", "b.env": "A=1\nB=2\n"})
    commit(project, "Take the fast mode out")
    tree = git_tree(project)
    taken = tree.names_absent(["-fast-mode", "never-there", "use_slowly"], [], LONG_AGO)
    assert {name: known.change and known.change.subject for name, known in taken.items()} == {
        "-fast-mode": "Take the fast mode out"
    }
    assert tree.names_absent(["-fast-mode"], [], datetime(2026, 9, 1, tzinfo=UTC)) == {}
    (line,) = tree.occurrences(["B"])["B"]
    brought = tree.since(line)
    assert brought is not None
    assert (brought.subject, brought.date) == ("Take the fast mode out", "2026-05-01")


def test_a_line_is_followed_past_changes_that_are_not_committed_yet_and_a_new_one_has_no_commit(project: Path) -> None:
    write(project, {"sub/b.env": "A=1\r\nB=2\r\nC=3\r\n"})
    commit(project, "Begin")
    write(project, {"sub/b.env": "NEW=0\nA=1\nB=9\nC=3\n"})
    tree = git_tree(project / "sub")
    asked = {word: tree.since(line) for word in ("NEW", "A", "B", "C") for line in tree.occurrences([word])[word]}
    assert {word: change and change.subject for word, change in asked.items()} == {
        "NEW": None,
        "A": "Begin",
        "B": None,
        "C": "Begin",
    }


def test_a_folder_without_git_has_no_history(tmp_path: Path) -> None:
    write(tmp_path, {"a.env": "A=1\n"})
    tree = plain_tree(tmp_path)
    assert absent(tree, ["b"]) == {"b": (Missing.NEVER, "")}
    assert (tree.names_absent(["b"], [], LONG_AGO), tree.files_gone_since(LONG_AGO)) == ({}, 0)


@pytest.mark.parametrize("where", ["commit:HEAD", "commit:--help", "commit:", "commit:0000000"])
def test_only_a_whole_hash_names_a_commit(project: Path, where: str) -> None:
    write(project, {"a": "1\n"})
    commit(project, "Begin")
    assert git_tree(project).text_at(where) is None


def test_files_that_commits_moved_or_deleted_since_a_time_are_counted_once(project: Path) -> None:
    write(project, {"a.py": "alpha", "b.py": "beta", "c.py": "gamma"})
    commit(project, "First")
    (project / "a.py").rename(project / "d.py")
    (project / "b.py").unlink()
    commit(project, "Tidy")
    tree = git_tree(project)
    assert tree.files_gone_since(datetime(2000, 1, 1, tzinfo=UTC)) == 2
    assert tree.files_gone_since(datetime(2090, 1, 1, tzinfo=UTC)) == 0


def test_a_script_taken_out_or_renamed_is_found_in_the_build_file_s_history(project: Path) -> None:
    write(project, {"Makefile": "lint:\n\truff check\n\nseed:\n\t./seed\n"})
    commit(project, "First")
    write(project, {"Makefile": "check:\n\truff check\n\nseed:\n\t./seed\n"})
    commit(project, "Rename lint")
    write(project, {"Makefile": "check:\n\truff check\n"})
    commit(project, "No seeds")
    found = git_tree(project).names_absent([], ["make lint", "make seed", "make never"], LONG_AGO)
    assert {name: (known.change.subject, known.change.moved_to) for name, known in found.items() if known.change} == {
        "make lint": ("Rename lint", "check"),
        "make seed": ("No seeds", None),
    }


def test_a_folder_that_moved_as_a_whole_is_followed_and_a_generated_one_is_ignored(project: Path) -> None:
    write(project, {"src/a/x.py": "alpha\n" * 9, "src/a/y.py": "beta\n" * 9, "dist/app.js": "gamma\n"})
    commit(project, "First")
    (project / "src" / "a").rename(project / "src" / "b")
    (project / "dist" / "app.js").unlink()
    write(project, {".gitignore": "dist/\n"})
    commit(project, "Move")
    tree = git_tree(project)
    moved = tree.absent(["src/a"])["src/a"].change
    assert moved is not None
    assert moved.moved_to == "src/b"
    assert absent(tree, ["src/a", "dist"])["src/a"][0] is Missing.RENAMED
    assert absent(tree, ["dist"])["dist"][0] is Missing.IGNORED


@pytest.mark.parametrize("kind", [GitTree, PlainTree])
def test_what_was_found_is_remembered_until_a_file_changes(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type[SearchedTree]
) -> None:
    monkeypatch.setattr(known, "_YOUNG", -1_000_000_000)  # all that was just written counts as old
    write(project, {"a.py": "alpha", "b.py": "beta"})

    def found() -> Mapping[str, str]:
        git_or_none = (git,) if kind is GitTree else ()
        return kind(project, *git_or_none, known=known.KnownTrees(tmp_path / "trees")).find(["alpha", "beta", "gone"])

    assert found() == {"alpha": "a.py:1", "beta": "b.py:1"}
    (project / "a.py").chmod(0o400)
    write(project, {"b.py": "beta gone"})
    assert found() == {"alpha": "a.py:1", "beta": "b.py:1", "gone": "b.py:1"}
    (kept,) = known.tree_files(tmp_path / "trees")
    before = kept.stat().st_ino
    assert found() == {"alpha": "a.py:1", "beta": "b.py:1", "gone": "b.py:1"}
    assert kept.stat().st_ino == before
