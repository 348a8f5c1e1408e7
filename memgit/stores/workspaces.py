"""Where the databases of summaries are: one for each workspace, under a key made of its real path."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

from memgit.errors import UsageError
from memgit.model.store import Resolution
from memgit.stores.rules import at_home
from memgit.stores.strangers import names

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
