"""A project under git: its tracked files, its untracked files that are not ignored, and its history."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from pathlib import Path

from memgit.errors import ToolFailed
from memgit.model.verification import Change, Line, Missing
from memgit.process import Result, require_ok
from memgit.tree.files import SearchedTree
from memgit.tree.history import Gone, gone
from memgit.tree.known import KnownTrees
from memgit.tree.line_history import number_before, text_lines
from memgit.tree.script_history import script_removal
from memgit.tree.scripts import LARGEST

Git = Callable[..., Result]
"""``process.git``: takes arguments and ``cwd``, ``stdin``, ``timeout``."""

_PATIENCE = 15.0
_ONE_LINE = ("--format=%H%x09%cs%x09%s",)
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_SIMILARITY = re.compile(r"^R\d+", re.MULTILINE)
_NO_DOCUMENTS = (":(exclude)*.md", ":(exclude)*.rst", ":(exclude)*.txt", ":(exclude)*.lock")
_MOST_WORDS = 40  # words whose removal is looked for: each costs a walk through the history
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

    def absent(self, paths: Sequence[str]) -> Mapping[str, tuple[Missing, str]]:
        reasons = {path: reason for path in paths if (reason := self._out_of_reach(path))}
        asked = [path for path in paths if path not in reasons and _is_plain(path)]
        reasons |= self._ignored(asked)  # what is ignored today is made anew, even if it was tracked once
        note = ""
        try:
            reasons |= self._removed([path for path in asked if path not in reasons])
        except ToolFailed as failure:
            note = f"the history was not read: {failure.message}"
        return {path: reasons.get(path, (Missing.NEVER, note)) for path in paths}

    def removed(self, paths: Sequence[str], /) -> Mapping[str, Change]:
        asked = [path for path in paths if _is_plain(path)]
        found = gone(asked, frozenset(self.files()), self._log) if asked and self._has_history else {}
        return {path: _change(removal) for path, removal in found.items()}

    def removed_words(self, words: Sequence[str], /) -> Mapping[str, Change]:
        asked = words[:_MOST_WORDS] if self._has_history else ()
        found = {word: self._one_change("-S", word, "--", ".", *_NO_DOCUMENTS, *self._apart) for word in asked}
        return {word: change for word, change in found.items() if change}

    def removed_scripts(self, scripts: Sequence[str], /) -> Mapping[str, Change]:
        asked = scripts[:_MOST_WORDS] if self._has_history else ()
        return {script: change for script in asked if (change := script_removal(script, self._log, self._text_in))}

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

    def changes_since(self, time: datetime, /) -> tuple[Change, ...]:
        fields = self._log(["--no-merges", f"--max-count={_MOST_COMMITS}", f"--since={time.isoformat()}", *_ONE_LINE])
        return tuple(map(_read_change, filter(None, _lines(fields)))) if self._has_history else ()

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

    @property
    def _apart(self) -> Sequence[str]:
        """What is excluded, as git's pathspecs: a memory must not be explained by its own history."""
        inside = (os.path.relpath(path, self._real_root) for path in self._excluded)
        return [f":(exclude,literal){path}" for path in inside if not path.startswith("..") and path != "."]

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
    return Change(commit, date, _printable(subject))


def _change(removal: Gone) -> Change:
    moved = removal.renamed_to
    detail = f"R {removal.path} {moved}" if moved else f"D {removal.path}"
    return Change(removal.commit, removal.date, _printable(removal.subject), detail, removal.went_to)


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "�" for char in text)


def _told(removal: Gone) -> tuple[Missing, str]:
    commit = f"{removal.short} ({removal.date}, {_printable(removal.subject)})"
    if removal.went_to:
        return Missing.RENAMED, f"renamed to {removal.went_to} in {commit}"
    return Missing.DELETED, f"deleted in {commit}"
