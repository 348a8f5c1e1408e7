"""Beads: the memories that ``bd`` keeps in a project's own ``.beads``."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memgit.errors import UsageError
from memgit.memory.shapes import BEADS_MEMORIES
from memgit.model.store import Resolution
from memgit.stores.kinds import Kind, Run
from memgit.stores.rules import at_home

if TYPE_CHECKING:
    from memgit.files import Journal
    from memgit.model.store import StoreContent
    from memgit.ports import StoreInstaller, StoreReader
    from memgit.stores.beads.bd import BeadsStore

FOLDER = ".beads"


class Beads(Kind):
    """Stores that ``bd`` keeps; their path is that of the ``.beads`` folder."""

    shape = BEADS_MEMORIES
    form = "beads:DIR"
    what = "beads"
    of_project = "beads of this project"
    own = "bd's own folder"
    readers = "Agents read and write this store through bd."
    program = "bd"

    def at(self, root: str, where: str, cwd: str, home: str) -> Resolution:  # noqa: ARG002 - as `Kind` has it
        """The store of a folder or the project in it; without one, of the nearest project above."""
        folder = _at(Path(cwd, at_home(where, home))) if where else above(cwd)
        if folder is None:
            raise UsageError(
                f"There is no {FOLDER} folder {'in ' + where if where else 'here or above'}.",
                "Name the project with --store beads:DIR, or run `bd init` there.",
            )
        return Resolution(folder, "--store", self.shape.name)

    def beside(self, root: str, home: str) -> Sequence[str]:  # noqa: ARG002 - as `Kind` has it
        """The project's own."""
        return [f"{root}/{FOLDER}"] if Path(root, FOLDER).is_dir() else []

    def holds(self, path: Path) -> bool:
        """Whether it has the name of bd's folder."""
        return path.name == FOLDER

    def reader(self, resolution: Resolution, run: Run) -> BeadsStore:
        """Reads through ``bd``."""
        from memgit.stores.beads.bd import Bd, BeadsStore

        return BeadsStore(resolution, Bd(resolution.path, run))

    def installer(
        self, store: StoreReader, folder: Callable[[Path], StoreContent], journal: Journal, run: Run
    ) -> StoreInstaller:
        """Changes it command by command."""
        from memgit.stores.beads.install import BeadsInstaller

        return BeadsInstaller(self.reader(store.resolution, run), folder, journal)


def above(cwd: str) -> str | None:
    """The ``.beads`` folder of the project that a directory is in."""
    here = Path(os.path.realpath(cwd))
    return next((found for folder in (here, *here.parents) if (found := _in(folder))), None)


def _at(named: Path) -> str | None:
    """The folder itself, or the one in a project."""
    return os.path.realpath(named) if named.name == FOLDER and named.is_dir() else _in(named)


def _in(project: Path) -> str | None:
    return os.path.realpath(project / FOLDER) if (project / FOLDER).is_dir() else None
