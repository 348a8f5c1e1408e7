"""Stores of a project that its sessions no longer read: of linked worktrees, and under another spelling of its path.

Standard library only and without `pathlib`: a hook asks at every start of a session.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from memgit.reading import small_text
from memgit.stores.rules import KEY_LIMIT, project_key

WORKTREE = "the store of a linked worktree"
TWIN = "the same path under another key"


def strangers(projects: str, owner: str, common: str | None, store: str) -> Iterator[tuple[str, str]]:
    """Each such store with memories in it, and why it is one. ``store`` is the real path of the one in use."""
    own = project_key(owner)
    keys = {key: TWIN for key in names(projects) if twin_rule(key, own)}
    keys |= {project_key(path): WORKTREE for path in worktrees(common)} if common else {}
    for key in sorted(keys.keys() - {own}):
        path = os.path.join(projects, key, "memory")
        if os.path.realpath(path) != store and any(name.endswith(".md") for name in names(path)):
            yield path, keys[key]


def worktrees(common: str) -> Iterator[str]:
    """The linked worktrees of a repository: older clients kept a store for each."""
    folder = os.path.join(common, "worktrees")
    for name in names(folder):
        back = small_text(os.path.join(folder, name, "gitdir")).strip()
        if back:
            yield os.path.dirname(os.path.realpath(os.path.join(folder, name, back)))


def twin_rule(key: str, own: str) -> str:
    """How another folder's name can stand for the same path as a project's own; empty where it does not."""
    if key == own:
        return ""
    if len(own) > KEY_LIMIT and key[:KEY_LIMIT] == own[:KEY_LIMIT]:
        return "the same long path, cut"
    if re.sub(r"[^A-Za-z0-9]", "-", key) == own:
        return "the same name, differently encoded"
    drive = re.compile(r"[A-Za-z]--|-mnt-[A-Za-z]-")
    if drive.match(own) and drive.match(key) and key.casefold() == own.casefold():
        return "the same name in another case"
    return ""


def names(folder: str) -> list[str]:
    """The names in a folder; none where it cannot be listed."""
    try:
        return os.listdir(folder)
    except OSError:
        return []
