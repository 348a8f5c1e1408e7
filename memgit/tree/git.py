"""A project under git: its tracked files, its untracked files that are not ignored, and its history."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from memgit.errors import ToolFailed
from memgit.model.verification import Missing
from memgit.process import Result, require_ok
from memgit.tree.files import SearchedTree
from memgit.tree.history import Gone, gone

Git = Callable[..., Result]
"""``process.git``: takes arguments and ``cwd``, ``stdin``, ``timeout``, ``env``."""

_HISTORY_TIMEOUT = 15.0
_LOCAL_ONLY = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": ""}  # a partial clone would fetch by programs it names
_REMEDY = "Run git status in the project to see what is wrong"
_MOST_ASKED_ONE_BY_ONE = 50


class GitTree(SearchedTree):
    """The work tree at ``root``, which may be a subfolder of its repository, or a linked worktree.

    The listing raises `ToolFailed` where git cannot give one.
    """

    def __init__(self, root: str | Path, git: Git, exclude: Collection[str | Path] = ()) -> None:
        super().__init__(root, exclude)
        self._git = git

    def absent(self, paths: Sequence[str]) -> Mapping[str, tuple[Missing, str]]:
        reasons = {path: reason for path in paths if (reason := self._out_of_reach(path))}
        asked = [path for path in paths if path not in reasons and _is_plain(path)]
        note = ""
        try:
            reasons |= self._removed(asked)
        except ToolFailed as failure:
            note = f"the history was not read: {failure.message}"
        reasons |= self._ignored([path for path in asked if path not in reasons])
        return {path: reasons.get(path, (Missing.NEVER, note)) for path in paths}

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

    def _out_of_reach(self, path: str) -> tuple[Missing, str] | None:
        """A path behind a link or in another repository: git answers for neither."""
        parts = path.split("/")
        for folder in ("/".join(parts[:end]) for end in range(1, len(parts) + 1)):
            if "\0" not in folder and Path(self._at(folder)).is_symlink():
                return Missing.OUTSIDE, f"{folder} is a link that is not followed"
            if folder in self._nested:
                return Missing.OUTSIDE, f"{folder} is a repository of its own"
        return None

    def _removed(self, paths: Sequence[str]) -> dict[str, tuple[Missing, str]]:
        """Deleted or renamed: by a commit, or so far only in the work tree."""
        listed = frozenset(self._listing)
        uncommitted = {path: (Missing.DELETED, "tracked, but not on disk") for path in paths if path in listed}
        asked = [path for path in paths if path not in uncommitted]
        found = gone(asked, frozenset(self.files()), self._log) if asked and self._has_history else {}
        return uncommitted | {path: _told(removal) for path, removal in found.items()}

    def _ignored(self, paths: Sequence[str]) -> dict[str, tuple[Missing, str]]:
        return {path: (Missing.IGNORED, self._ignored_hint(path, rule)) for path, rule in self._rules(paths).items()}

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

    def _log(self, args: Sequence[str]) -> bytes:
        return self._ask("log", *args, timeout=_HISTORY_TIMEOUT).out

    def _ask(self, *args: str, stdin: bytes | None = None, timeout: float = 60.0) -> Result:
        return self._git(args, cwd=self._real_root, stdin=stdin, timeout=timeout, env=_LOCAL_ONLY)


def _is_plain(path: str) -> bool:
    """Whether git can be asked about a path: relative, not leaving the root, without NUL or broken characters."""
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return bool(path) and "\0" not in path and not path.startswith("/") and ".." not in path.split("/")


def _told(removal: Gone) -> tuple[Missing, str]:
    subject = "".join(char if char.isprintable() else "�" for char in removal.subject)
    commit = f"{removal.short} ({removal.date}, {subject})"
    if removal.renamed_to:
        return Missing.RENAMED, f"renamed to {removal.renamed_to} in {commit}"
    return Missing.DELETED, f"deleted in {commit}"
