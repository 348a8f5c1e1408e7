"""Whose work tree a folder is in, read from git's own files, for the shapes that nearly all projects have."""

from __future__ import annotations

import os

from memgit.reading import small_text


class Unusual(Exception):
    """A shape that only git itself should judge."""


def owner_of(cwd: str) -> tuple[str, str | None]:
    """The directory that the agent names a project's memory after, and its git directory (None outside of git).

    For a linked worktree that is the main one. Raises `Unusual` for anything but a plain repository, a linked
    worktree of one, and no repository at all.
    """
    folder = os.path.realpath(cwd)
    device = os.stat(folder).st_dev
    while True:
        mark = os.path.join(folder, ".git")
        if os.path.lexists(mark):
            return _owner(folder, mark)
        parent = os.path.dirname(folder)
        if parent == folder:
            return os.path.realpath(cwd), None
        if os.stat(parent).st_dev != device:
            raise Unusual("the search for a repository would leave the file system")
        folder = parent


def _owner(top: str, mark: str) -> tuple[str, str | None]:
    if os.path.isdir(mark):
        _refuse_odd(mark)
        return top, os.path.realpath(mark)
    git_dir = _named_in(mark, "gitdir:", top)
    common = os.path.realpath(os.path.join(git_dir, small_text(os.path.join(git_dir, "commondir")).strip() or "?"))
    if os.path.basename(common) != ".git" or not os.path.isdir(common):
        raise Unusual("neither a plain repository nor a worktree of one")
    _refuse_odd(common)
    back = os.path.join(git_dir, small_text(os.path.join(git_dir, "gitdir")).strip())
    if os.path.realpath(back) != os.path.realpath(mark):
        raise Unusual("the repository does not know this worktree")
    return os.path.dirname(common), common


def _named_in(mark: str, key: str, top: str) -> str:
    text = small_text(mark)
    if not text.startswith(key):
        raise Unusual("a .git file that names no directory")
    return os.path.realpath(os.path.join(top, text.removeprefix(key).strip()))


def _refuse_odd(git_dir: str) -> None:
    config = small_text(os.path.join(git_dir, "config")).lower()
    if not os.path.isfile(os.path.join(git_dir, "HEAD")) or not config:
        raise Unusual("an incomplete repository")
    if "worktree" in config or "include" in config or "bare = true" in config:
        raise Unusual("settings that move the work tree")
