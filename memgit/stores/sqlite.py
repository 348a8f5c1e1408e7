"""A store that is a database of summaries, read whole and left exactly as it is.

SQLite writes where it reads: opening a database in write-ahead mode makes two files beside it. So a database at rest is
opened as one that nothing can change, and one with a log or a journal beside it is read from a private copy, on which
SQLite does whatever it has to. What changed meanwhile is read again.
"""

from __future__ import annotations

import os
import sqlite3
import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from memgit import files
from memgit.errors import Damaged, MemgitError, StoreChanged
from memgit.memory.fingerprint import fingerprint
from memgit.model.store import Resolution, StoreContent
from memgit.stores.sqlite_tables import connect, content_of

ATTEMPTS = 8
SETTLED_NS = 40_000_000
"""How old the last change must be before a look: file systems note times by ticks, and within one they tell nothing."""

_BESIDE = ("-wal", "-journal")
_MAGIC = b"SQLite format 3\0"

Marks = tuple[tuple[int, ...] | None, ...]
"""Of the database and of what lies beside it: what differs after any change."""


@dataclass(frozen=True)
class SqliteStore:
    """Reads the database at ``resolution.path``. ``seen`` keeps the last content for as long as nothing has changed."""

    resolution: Resolution
    seen: dict[Marks, StoreContent] = field(default_factory=dict, compare=False, repr=False)

    def read(self) -> StoreContent:
        """Every summary, vector and edge at one moment.

        Raises StoreChanged if a writer never pauses, MemgitError for a database of another kind or one that cannot
        be read, and Damaged for one that is broken.
        """
        path = os.path.realpath(self.resolution.path)
        for attempt in range(ATTEMPTS):
            time.sleep(attempt * 0.05)
            marks = _marks(path)
            if marks in self.seen:
                return self.seen[marks]
            content = _read_once(path, marks) if _has_settled(marks) else None
            if content is not None:
                self.seen.clear()
                self.seen[marks] = content
                return content
        raise StoreChanged(
            f"The database {path!r} is being written to all the time.", "Try again when its daemon is idle."
        )

    def fingerprint(self) -> str:
        """The content hash of the summaries as they are now."""
        return fingerprint(self.read())


def _read_once(path: str, marks: Marks) -> StoreContent | None:
    """The content, or None if the database changed before it was read, or copied: what is written while a copy is
    read comes later."""
    _refuse_other(path)
    try:
        if any(marks[1:]):
            return _from_copy(path, marks)
        content = _at_rest(path)
    except sqlite3.DatabaseError as fault:
        if _marks(path) != marks:
            return None
        raise Damaged(
            f"The database {path!r} cannot be read: {fault}.", "Let its own tool mend it (`siftcoder doctor`)."
        ) from fault
    return content if _marks(path) == marks else None


def _at_rest(path: str) -> StoreContent:
    connection = connect(f"file:{quote(path)}?immutable=1")
    try:
        return content_of(connection, path)
    finally:
        connection.close()


def _from_copy(path: str, marks: Marks) -> StoreContent | None:
    with TemporaryDirectory(prefix="memgit-") as folder:
        copy = Path(folder, "copy")
        for end in ("", *_BESIDE):
            if (source := Path(path + end)).exists():
                files.copy_file(source, copy.with_name(copy.name + end))
        if _marks(path) != marks:
            return None
        connection = connect(f"file:{quote(str(copy))}")
        try:
            return content_of(connection, path)
        finally:
            connection.close()


def _marks(path: str) -> Marks:
    return tuple(_mark(path + end) for end in ("", *_BESIDE))


def _mark(path: str) -> tuple[int, ...] | None:
    """None for what is not there or holds nothing: a log or a journal of no length is one of no transaction."""
    try:
        status = Path(path).stat()
    except FileNotFoundError:
        return None
    if not status.st_size:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _has_settled(marks: Marks) -> bool:
    newest = max((time_ns for mark in marks if mark for time_ns in mark[3:]), default=0)
    return not 0 <= time.time_ns() - newest < SETTLED_NS


def _refuse_other(path: str) -> None:
    try:
        with Path(path).open("rb") as file:
            head = file.read(len(_MAGIC))
    except FileNotFoundError:
        raise MemgitError(f"There is no database {path!r}.", "Name it with --store sqlite:PATH.") from None
    except (PermissionError, IsADirectoryError) as fault:
        raise MemgitError(f"{path!r} cannot be read: {fault.strerror}.", "Run memgit as its owner.") from fault
    if head != _MAGIC:
        raise MemgitError(f"{path!r} is no SQLite database.", "Name it with --store sqlite:PATH.")
