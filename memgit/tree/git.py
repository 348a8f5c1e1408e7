"""A project under git: its tracked files, its untracked files that are not ignored, and its history."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from memgit.claims.lookup import Listing
from memgit.errors import ToolFailed
from memgit.model.verification import NOTHING_KNOWN, Absence, Change, Line, Missing
from memgit.process import Result, git, require_ok
from memgit.tree.files import PlainTree, SearchedTree
from memgit.tree.history import (
    elsewhere,
    names_elsewhere,
    number_before,
    printable,
    removed,
    taken_out,
    text_lines,
    told,
)
from memgit.tree.known import KnownTrees
from memgit.tree.scripts import LARGEST

Git = Callable[..., Result]
"""``process.git``: takes arguments and ``cwd``, ``stdin``, ``timeout``."""

_PATIENCE = 15.0
_ONE_LINE = ("--format=%H%x09%cs%x09%s",)
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_SIMILARITY = re.compile(r"^R\d+", re.MULTILINE)
_MOST_COMMITS = 2000
_REMEDY = "Run git status in the project to see what is wrong"
_MOST_ASKED_ONE_BY_ONE = 50


class GitTree(SearchedTree):
    """The work tree at ``root``, which may be a subfolder of its repository, or a linked worktree.

    The listing raises `ToolFailed` where git cannot give one.
    """

    def __init__(
        self, root: str | Path, git: Git, exclude: Collection[str | Path] = (), known: KnownTrees | None = None
    ) -> None:
        super().__init__(root, exclude, known)
        self._git = git

    def absent(self, paths: Sequence[str]) -> Mapping[str, Absence]:
        known = {path: reason for path in paths if (reason := self._out_of_reach(path) or self._kept_out(path))}
        for look in (self._left_out, self._ignored, self._removed, self._on_another_ref):
            asked = [path for path in paths if path not in known and _is_plain(path)]
            try:
                known |= look(asked) if asked else {}
            except ToolFailed as failure:
                note = Absence(Missing.NEVER, f"the history was not read: {failure.message}")
                return dict.fromkeys(paths, note) | known
        return dict.fromkeys(paths, NOTHING_KNOWN) | known

    def names_absent(
        self, names: Sequence[str], scripts: Sequence[str], since: datetime | None, /
    ) -> Mapping[str, Absence]:
        if not self._has_history or not (names or scripts):
            return {}
        which = (f"--since={since.isoformat()}", "HEAD") if since else ()
        try:
            taken = taken_out(names, scripts, self._log, self._text_in, which) if which else {}
            brought = names_elsewhere(names, scripts, self._log, self._text_in, self._heads)
        except ToolFailed:  # a history too long to be searched in time, or one of which parts were never fetched
            return {}
        return brought | {name: told(change) for name, change in taken.items()}

    def since(self, line: Line, /) -> Change | None:
        # What is on disk git would clean by a filter of the repository's, so the line is looked up in the commit.
        now, then = self._beginning(line.path), self._text_in("HEAD", line.path)
        number = number_before(line.number, text_lines(now), text_lines(then))
        if number is None:
            return None
        place = (f"-L{number},{number}", "HEAD", "--", line.path)
        blamed = self._ask("blame", "--porcelain", *place, timeout=_PATIENCE).out
        commit = blamed.partition(b" ")[0].decode("ascii", "replace")
        return self._one_change("--no-walk", commit, "--") if _COMMIT.fullmatch(commit) and commit.strip("0") else None

    def files_gone_since(self, time: datetime, /) -> int:
        which = ("--no-renames", "--diff-filter=D", f"--max-count={_MOST_COMMITS}", f"--since={time.isoformat()}")
        try:
            out = self._log([*which, "--relative", "--name-only", "-z", "--format="])
        except ToolFailed:
            return 0
        return len({path.strip("\n") for path in os.fsdecode(out).split("\0")} - {"", *self.files()})

    def text_at(self, where: str) -> str | None:
        if not where.startswith("commit:"):
            return super().text_at(where)
        commit = where.removeprefix("commit:")
        if not _COMMIT.fullmatch(commit):
            return None
        told = self._ask("show", "-M", "--name-status", "--format=%s%n%n%b", commit, "--")
        return _SIMILARITY.sub("R", told.out.decode("utf-8", "replace")) if told.ok else None

    def _one_change(self, *which: str) -> Change | None:
        """The newest commit of a selection, with the first file that it touched."""
        try:
            out = self._log(["--max-count=1", "-M", "--name-status", *_ONE_LINE, *which])
        except ToolFailed:  # a history too long to be searched in time
            return None
        first, *rest = [line for line in _lines(out) if line] or [""]
        detail = _SIMILARITY.sub("R", rest[0]).replace("\t", " ") if rest else ""
        return replace(_read_change(first), detail=detail) if first else None

    def _listed(self) -> Sequence[str]:
        return self._listing

    @cached_property
    def _listing(self) -> tuple[str, ...]:
        result = self._ask("ls-files", "-co", "--exclude-standard", "-z")
        require_ok(result, f"listing the files of {self.root}", _REMEDY)
        return tuple(path for path in os.fsdecode(result.out).split("\0") if path)

    @cached_property
    def _nested(self) -> frozenset[str]:
        """Folders that the listing names: submodules and repositories inside this one."""
        return frozenset(path.rstrip("/") for path in self._listing if Path(self._at(path)).is_dir())

    @cached_property
    def _has_history(self) -> bool:
        return self._ask("rev-parse", "--verify", "-q", "HEAD").ok

    @cached_property
    def _sparse(self) -> tuple[str, ...]:
        """Tracked files that a sparse checkout leaves out."""
        if self._has_none_of("info/sparse-checkout"):
            return ()
        rows = os.fsdecode(self._ask("ls-files", "-t", "-z").out).split("\0")
        return tuple(row[2:] for row in rows if row.startswith("S "))

    @cached_property
    def _worktrees(self) -> Mapping[str, str]:
        """Other work trees of this repository that are there, and the commit that each stands on."""
        if self._has_none_of("worktrees"):
            return {}
        rows = os.fsdecode(self._ask("worktree", "list", "--porcelain").out).split("\n")
        found: dict[str, str] = {}
        for row, next_ in pairwise((*rows, "")):
            if row.startswith("worktree ") and next_.startswith("HEAD "):
                found[row.removeprefix("worktree ")] = next_.removeprefix("HEAD ")
        return {folder: head for folder, head in found.items() if not self._is_this(folder)}

    def _has_none_of(self, name: str) -> bool:
        """Whether git keeps nothing of that name for this work tree, as far as a look at its folder tells."""
        return Path(self._at(".git")).is_dir() and not os.path.lexists(self._at(f".git/{name}"))

    def _is_this(self, folder: str) -> bool:
        real = os.path.realpath(folder)
        return self._real_root == real or self._real_root.startswith(f"{real}{os.sep}") or not Path(real).is_dir()

    @property
    def _heads(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._worktrees.values()))

    def _out_of_reach(self, path: str) -> Absence | None:
        """A path behind a link or in another repository: git answers for neither."""
        parts = path.split("/")
        for folder in ("/".join(parts[:end]) for end in range(1, len(parts) + 1)):
            if "\0" not in folder and Path(self._at(folder)).is_symlink():
                return Absence(Missing.OUTSIDE, f"{folder} is a link that is not followed")
            if folder in self._nested:
                return Absence(Missing.OUTSIDE, f"{folder} is a repository of its own")
        return None

    def _kept_out(self, path: str) -> Absence | None:
        """A path that is there, and is no part of the tree by the wish of whoever opened it."""
        hit = self._unlisted.any_of(path) if self._unlisted.files else None
        return Absence(Missing.OUTSIDE, f"{hit} is there, and is not searched: memories prove nothing") if hit else None

    @cached_property
    def _unlisted(self) -> Listing:
        shown = frozenset(self.files())
        return Listing.of(path for path in self._listing if path not in shown and os.path.lexists(self._at(path)))

    def _left_out(self, paths: Sequence[str]) -> dict[str, Absence]:
        """What is tracked and not on disk: by the wish of whoever checked it out, or taken away and not committed."""
        sparse = Listing.of(self._sparse)
        found = {path: Absence(Missing.SPARSE, f"at HEAD: {hit}") for path in paths if (hit := sparse.any_of(path))}
        listed = frozenset(self._listing)
        gone = Absence(Missing.DELETED, "tracked, but not on disk")
        return {path: gone for path in paths if path in listed} | found

    def _removed(self, paths: Sequence[str]) -> dict[str, Absence]:
        found = removed(paths, frozenset(self._listing), self._log) if self._has_history else {}
        return {path: told(change) for path, change in found.items()}

    def _on_another_ref(self, paths: Sequence[str]) -> dict[str, Absence]:
        """On another branch, in a tag or a stash, or on disk in another worktree."""
        found = elsewhere(paths, self._log, self._heads) if self._has_history else {}
        beside = {
            path: Absence(Missing.ELSEWHERE, f"in the worktree {folder}, not here")
            for path in paths
            for folder in self._worktrees
            if os.path.lexists(f"{folder}/{path}")
        }
        return beside | found

    def _ignored(self, paths: Sequence[str]) -> dict[str, Absence]:
        return {
            path: Absence(Missing.IGNORED, self._ignored_hint(path, rule)) for path, rule in self._rules(paths).items()
        }

    def _ignored_hint(self, path: str, rule: str) -> str:
        return f"{'there, but' if os.path.lexists(self._at(path)) else 'not there, and'} ignored by {rule}"

    def _rules(self, paths: Sequence[str]) -> dict[str, str]:
        """The ignore rule that covers each path, as ``file:line``. One path git objects to spoils a batch."""
        if not paths:
            return {}
        result = self._ask("check-ignore", "-v", "-z", "--stdin", stdin=os.fsencode("\0".join(paths)))
        if result.code > 1 and len(paths) > 1:
            return {name: rule for path in paths[:_MOST_ASKED_ONE_BY_ONE] for name, rule in self._rules([path]).items()}
        fields = os.fsdecode(result.out).split("\0")
        return {path: f"{source}:{line}" for source, line, _, path in zip(*[iter(fields)] * 4, strict=False)}

    def _text_in(self, commit: str, path: str) -> str:
        """A file as it was in a commit; empty where it was not there."""
        found = self._ask("cat-file", "blob", f"{commit}:./{path}", timeout=_PATIENCE)
        return found.out[:LARGEST].decode("utf-8", "replace")

    def _log(self, args: Sequence[str]) -> bytes:
        return self._ask("log", *args, timeout=_PATIENCE).out

    def _ask(self, *args: str, stdin: bytes | None = None, timeout: float = _PATIENCE) -> Result:
        return self._git(args, cwd=self._real_root, stdin=stdin, timeout=timeout)


def _is_plain(path: str) -> bool:
    """Whether git can be asked about a path: relative, not leaving the root, without NUL or broken characters."""
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return bool(path) and "\0" not in path and not path.startswith("/") and ".." not in path.split("/")


def _lines(out: bytes) -> list[str]:
    return out.decode("utf-8", "replace").split("\n")


def _read_change(line: str) -> Change:
    commit, date, subject = [*line.split("\t", 2), "", ""][:3]
    return Change(commit, date, printable(subject))


# --- open ---
# Opens the working tree of a project, with git or without.


def open_tree(
    root: str | Path, exclude: Collection[str | Path] = (), known: KnownTrees | None = None
) -> GitTree | PlainTree:
    """The tree at ``root`` without what lies at or under the ``exclude`` paths; ``known`` remembers what is found.

    Raises `ToolFailed` when there is a repository that git will not read: taking it for a plain folder would
    search files that git ignores.
    """
    result = git(["rev-parse", "--is-inside-work-tree"], cwd=root)
    if result.out.strip() == b"true":
        return GitTree(root, git, exclude, known)
    if b"not a git repository" in result.err:
        return PlainTree(root, exclude, known)
    raise ToolFailed(
        f"git cannot read the project at {root}: {result.complaint or 'it is no work tree'}",
        "Run git status there; for a folder of another user, add it to git's safe.directory",
    )
