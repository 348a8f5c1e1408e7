"""Summaries in a database: one for each workspace, under a key made of its real path."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from memgit.errors import UsageError
from memgit.memory.shapes import SUMMARIES
from memgit.model.store import Resolution
from memgit.reading import beginning
from memgit.stores.kinds import Kind, Run
from memgit.stores.rules import at_home, names

if TYPE_CHECKING:
    from memgit.files import Journal
    from memgit.model.store import StoreContent
    from memgit.ports import StoreInstaller, StoreReader

FILE = "db.sqlite"


class Summaries(Kind):
    """Databases of summaries; their path is that of the file."""

    shape = SUMMARIES
    form = "sqlite:FILE"
    what = "summaries in a database"
    of_project = "summaries of this workspace"
    own = "a database"
    readers = "A daemon of its own writes this store, and agents search it through that."

    def at(self, root: str, where: str, cwd: str, home: str) -> Resolution:
        """The database of a path, or in a folder; without one, that of the workspace."""
        if not where:
            return Resolution(_of_workspace(root, home), "workspace database", self.shape.name)
        path = Path(os.path.normpath(Path(cwd, at_home(where.replace("\0", ""), home))))
        path = path / FILE if path.is_dir() else path
        if not path.is_file():
            raise UsageError(f"There is no database {str(path)!r}.", "Name an existing file with --store sqlite:PATH.")
        return Resolution(str(path), "--store", self.shape.name)

    def beside(self, root: str, home: str) -> Sequence[str]:
        """Those kept for the workspace."""
        return workspace_databases(root, home)

    def holds(self, path: Path) -> bool:
        """Whether it is a database, by its ending or by how it begins."""
        if not path.is_file():
            return False
        from memgit.stores.sqlite.database import MAGIC

        return path.suffix in (".sqlite", ".sqlite3", ".db") or beginning(path).startswith(MAGIC)

    def reader(self, resolution: Resolution, run: Run) -> StoreReader:  # noqa: ARG002 - as `Kind` has it
        """Reads it as one that nothing can change."""
        from memgit.stores.sqlite.database import SqliteStore

        return SqliteStore(resolution)

    def installer(
        self,
        store: StoreReader,  # noqa: ARG002
        folder: Callable[[Path], StoreContent],  # noqa: ARG002
        journal: Journal,
        run: Run,  # noqa: ARG002
    ) -> StoreInstaller:
        """Changes it in one transaction."""
        from memgit.stores.sqlite.install import SqliteInstaller

        return SqliteInstaller(journal)


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
