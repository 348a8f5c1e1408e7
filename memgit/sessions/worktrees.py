"""Which recorded directories belong to a project: its root, its worktrees, and what lies inside them."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from memgit.errors import ToolFailed
from memgit.model.session import Provenance


class Finished(Protocol):
    """How a program ended."""

    @property
    def code(self) -> int: ...
    @property
    def out(self) -> bytes: ...


Git = Callable[..., Finished]
"""``git(args, *, cwd)``: runs git on a project's repository; raises ``ToolFailed`` when it cannot be run."""

_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\|[A-Za-z]:\Z")
_WINDOWS_MOUNT = re.compile(r"/mnt/[A-Za-z](/|\Z)")  # WSL: a Windows drive, which folds case


def parts(path: str) -> tuple[str, ...]:
    r"""The segments of a recorded directory, so that ``/p/app`` and ``/p/app-old`` never mix.

    Windows paths (``C:\p``, ``c:/P``, ``\\?\C:\p``) compare by their letters alone, without case.
    """
    path = path.removeprefix("\\\\?\\")
    if _WINDOWS.match(path):
        path = path.replace("\\", "/").casefold()
    elif _WINDOWS_MOUNT.match(path):
        path = path.casefold()
    anchor = ("/",) if path.startswith("/") else ()
    return (*anchor, *(part for part in posixpath.normpath(path).split("/") if part not in ("", ".")))


@dataclass(frozen=True, slots=True)
class Home:
    """A directory whose sessions belong to the project, and the source that led to it."""

    path: str
    provenance: Provenance


class Homes:
    """The homes of one project. The first source that names a path wins; the deepest home owns a directory."""

    def __init__(self, homes: Iterable[Home]) -> None:
        unique: dict[tuple[str, ...], Home] = {}
        for home in homes:
            unique.setdefault(parts(home.path), home)
        self.all = tuple(unique.values())
        self._by_depth = sorted(unique.items(), key=lambda pair: len(pair[0]), reverse=True)
        self._owners: dict[str, Home | None] = {}

    def owner(self, cwd: str) -> Home | None:
        """The home that a session started in ``cwd`` belongs to."""
        if cwd not in self._owners:
            self._owners[cwd] = self._find(cwd)
        return self._owners[cwd]

    def _find(self, cwd: str) -> Home | None:
        place = parts(cwd)
        for outer, home in self._by_depth:
            if place[: len(outer)] == outer:
                return _unlisted_worktree(cwd, home) or (None if _in_nested_repository(cwd, home.path) else home)
        return None


def _unlisted_worktree(cwd: str, home: Home) -> Home | None:
    """The client makes its worktrees in ``.claude/worktrees/<name>``; one that git no longer lists is still one."""
    outer, place = parts(home.path), parts(cwd)
    depth = len(outer)
    if place[depth : depth + 2] != (".claude", "worktrees") or len(place) < depth + 3:
        return None
    return Home(_ancestor(cwd, len(place) - depth - 3), Provenance.MATCHED)


def _ancestor(path: str, levels: int) -> str:
    for _ in range(levels):
        path = re.sub(r"[\\/]+[^\\/]*[\\/]*\Z", "", path)
    return path


def _in_nested_repository(cwd: str, root: str) -> bool:
    """True when a directory between the two is a repository of its own: a submodule, or any project
    of a person whose home directory is under git."""
    levels = len(parts(cwd)) - len(parts(root))
    return any(Path(_ancestor(cwd, level), ".git").exists() for level in range(levels))


@dataclass(frozen=True, slots=True)
class LiveWorktrees:
    """What ``git worktree list`` says: the main checkout (or bare repository) and all checkouts."""

    main: str | None = None
    paths: tuple[str, ...] = ()


def live_worktrees(git: Git, root: str) -> LiveWorktrees:
    """Ask git for the worktrees of the repository at ``root``; nothing where there is no git."""
    listing = ["worktree", "list", "--porcelain"]
    try:
        result, end = git([*listing, "-z"], cwd=root), b"\0"
        if result.code != 0:  # git before 2.36 has no -z
            result, end = git(listing, cwd=root), b"\n"
    except (ToolFailed, OSError):
        return LiveWorktrees()
    if result.code != 0:
        return LiveWorktrees()
    entries = [entry.split(end) for entry in result.out.split(end + end) if entry]
    named = [(os.fsdecode(entry[0].removeprefix(b"worktree ")), b"bare" in entry) for entry in entries]
    return LiveWorktrees(named[0][0] if named else None, tuple(path for path, bare in named if not bare))
