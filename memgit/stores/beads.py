"""A beads store: the memories that ``bd`` keeps in a project's database, read through that command."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from memgit.errors import UsageError
from memgit.memory.fingerprint import fingerprint
from memgit.memory.shapes import BEADS, content_of
from memgit.model.store import Resolution, StoreContent
from memgit.stores.bd import Bd
from memgit.stores.rules import at_home

FOLDER = ".beads"


@dataclass(frozen=True)
class BeadsStore:
    """Reads the store at ``resolution.path``, a project's ``.beads``. One listing is one moment of the database."""

    resolution: Resolution
    bd: Bd

    def read(self) -> StoreContent:
        """Every memory as a file. Raises ToolFailed where bd is missing, too slow, fails, or prints something else."""
        return content_of(self.bd.memories())

    def fingerprint(self) -> str:
        """The content hash of the memories as they are now."""
        return fingerprint(self.read())


def address(cwd: str, named: str, home: str) -> Resolution | None:
    """The store that ``beads`` (of the project here) or ``beads:DIR`` names; None for any other address.

    Raises UsageError where there is no such folder.
    """
    shape, colon, where = named.partition(":")
    if shape != BEADS or (not colon and Path(cwd, named).is_dir()):
        return None
    folder = _at(Path(cwd, at_home(where, home))) if where else above(cwd)
    if folder is None:
        raise UsageError(
            f"There is no {FOLDER} folder {'in ' + where if where else 'here or above'}.",
            "Name the project with --store beads:DIR, or run `bd init` there.",
        )
    return Resolution(folder, "--store", BEADS)


def above(cwd: str) -> str | None:
    """The ``.beads`` folder of the project that a directory is in."""
    here = Path(os.path.realpath(cwd))
    return next((found for folder in (here, *here.parents) if (found := _in(folder))), None)


def _at(named: Path) -> str | None:
    """The folder itself, or the one in a project."""
    return os.path.realpath(named) if named.name == FOLDER and named.is_dir() else _in(named)


def _in(project: Path) -> str | None:
    return os.path.realpath(project / FOLDER) if (project / FOLDER).is_dir() else None
