"""The two files named ``memgit.toml``: the user's own, and the one at a project's root.

The project's has no dot in front: what changes how a tool works here should be seen by whoever lists the folder.
"""

from __future__ import annotations

from pathlib import Path

from memgit.core.configuration import File, Owner
from memgit.errors import UsageError
from memgit.reading import NotOrdinary, read_small

NAME = "memgit.toml"
MOST = 256 * 1024
"""Bytes of a file that are read; every key set takes a few hundred."""


def files(config_home: Path, cwd: Path) -> tuple[File, ...]:
    """The user's file and the project's, weakest first. Raises UsageError for one that cannot be read."""
    user, project = config_home / NAME, project_root(cwd) / NAME
    return (_read(Owner.USER, user), *([_read(Owner.PROJECT, project)] if project != user else []))


def project_root(cwd: Path) -> Path:
    """The nearest folder that git works in, or the one that memgit was called in. Git itself is not asked."""
    return next((folder for folder in (cwd, *cwd.parents) if _is_there(folder / ".git")), cwd)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def _read(owner: Owner, path: Path) -> File:
    try:
        return File(owner, str(path), read_small(path, MOST))
    except (FileNotFoundError, NotADirectoryError):
        return File(owner, str(path), None)
    except NotOrdinary as error:
        raise UsageError(f"{path}: {error.strerror}.", "Move it away, or put a file of settings there.") from None
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror}.", "Mend its permissions, or move it away."
        ) from None
