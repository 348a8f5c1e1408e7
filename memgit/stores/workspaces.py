"""Where the databases of summaries are: one for each workspace, under a key made of its real path."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from memgit.errors import UsageError
from memgit.model.store import Resolution
from memgit.reading import small_text
from memgit.stores.rules import KEY_LIMIT, at_home, project_key

# --- strangers ---
# Stores of a project that its sessions no longer read: of linked worktrees, and under another spelling of its path.
#
# Standard library only and without `pathlib`: a hook asks at every start of a session.

WORKTREE = "the store of a linked worktree"
TWIN = "the same path under another key"


def strangers(projects: str, owner: str, common: str | None, store: str) -> Iterator[tuple[str, str]]:
    """Each such store with memories in it, and why it is one. ``store`` is the real path of the one in use."""
    own = project_key(owner)
    keys = {key: TWIN for key in names(projects) if _is_twin(key, own)}
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


def _is_twin(key: str, own: str) -> bool:
    """Whether another folder's name stands for the same path, differently encoded or cut."""
    if key == own or len(key) < min(len(own), KEY_LIMIT):
        return False
    return re.sub(r"[^A-Za-z0-9]", "-", key) == own or (len(own) > KEY_LIMIT and key[:KEY_LIMIT] == own[:KEY_LIMIT])


def names(folder: str) -> list[str]:
    """The names in a folder; none where it cannot be listed."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


SQLITE = "sqlite"
"""The shape's name in a resolution, and what an address of one begins with (``sqlite:PATH``)."""

FILE = "db.sqlite"


def address(root: str, named: str, cwd: str, home: str) -> Resolution | None:
    """The database that ``sqlite`` (of the workspace at ``root``) or ``sqlite:PATH`` names; None for other addresses.

    Raises UsageError where there is none.
    """
    shape, colon, where = named.partition(":")
    if shape != SQLITE or (not colon and Path(cwd, named).is_dir()):
        return None
    if not where:
        return Resolution(_of_workspace(root, home), "workspace database", SQLITE)
    path = Path(os.path.normpath(Path(cwd, at_home(where.replace("\0", ""), home))))
    path = path / FILE if path.is_dir() else path
    if not path.is_file():
        raise UsageError(f"There is no database {str(path)!r}.", "Name an existing file with --store sqlite:PATH.")
    return Resolution(str(path), "--store", SQLITE)


def workspace_databases(root: str, home: str) -> tuple[str, ...]:
    """The databases kept for a workspace: its key is the start of a hash of its real path, below any namespace."""
    key = sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:12]
    base = Path(home, ".siftcoder")
    paths = (base / space / "workspaces" / key / FILE for space in sorted(names(str(base))))
    return tuple(str(path) for path in paths if path.is_file())


def _of_workspace(root: str, home: str) -> str:
    found = workspace_databases(root, home)
    match found:
        case [path]:
            return path
        case []:
            raise UsageError(
                f"No database of summaries is kept for the workspace {root}.", "Name one with --store sqlite:PATH."
            )
        case _:
            raise UsageError(
                f"Several databases are kept for this workspace: {', '.join(found)}.",
                "Name one of them with --store sqlite:PATH; a pass works on one.",
            )
