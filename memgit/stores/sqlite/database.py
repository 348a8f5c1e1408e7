"""A store that is a database of summaries, read whole and left exactly as it is.

SQLite writes where it reads: opening a database in write-ahead mode makes two files beside it. So a database at rest is
opened as one that nothing can change, and one with a log or a journal beside it is read from a private copy, on which
SQLite does whatever it has to. What changed meanwhile is read again.
"""

from __future__ import annotations

import os
import sqlite3
import struct
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from memgit import files
from memgit.core.summaries.form import (
    EDGE_FILES,
    EMBEDDINGS,
    PROVENANCE,
    SUMMARIES,
    SUPERSEDES,
    Row,
    Value,
    edge_file,
    is_of_summary,
    summary_file,
    tables_file,
    vector_record,
    vectors_path,
)
from memgit.errors import Damaged, MemgitError, StoreChanged
from memgit.evidence.findings import printable
from memgit.memory.fingerprint import fingerprint
from memgit.model.store import Resolution, StoreContent, StoreFile

# --- sqlite tables ---
# The tables of a database of summaries, looked up in its own schema, and their rows as the normal form has them.

NEEDED = {
    SUMMARIES: ("id", "ts", "text"),
    EMBEDDINGS: ("summary_id", "vec"),
    SUPERSEDES: ("newer_id", "older_id"),
    PROVENANCE: ("from_kind", "from_id", "to_kind", "to_id", "edge_type"),
}
"""The columns without which a table is none that is known. Further ones are carried as they are."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its columns in their order, and the names that tell its rows apart."""

    name: str
    columns: tuple[str, ...]
    keys: tuple[str, ...]

    @property
    def selected(self) -> str:
        return ", ".join(map(quoted, ("rowid", *self.columns) if self.keys == ("rowid",) else self.columns))


def quoted(name: str) -> str:
    """A name as SQL takes it, whatever it holds."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def connect(address: str, *, wait: float = 0.0) -> sqlite3.Connection:
    """A connection that gives texts as they are, bytes that are not UTF-8 too, and begins no transaction by itself."""
    connection = sqlite3.connect(address, uri=True, timeout=wait, isolation_level=None)
    connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    return connection


def tables(connection: sqlite3.Connection, path: str) -> dict[str, Table]:
    """The known tables that are there. Raises MemgitError naming what was found where they are not the ones."""
    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    found = {name: _table(connection, name) for name in NEEDED if name in names}
    for name, needed in NEEDED.items():
        columns = found[name].columns if name in found else ()
        missing = [each for each in needed if each not in columns]
        if missing and (columns or name == SUMMARIES):
            raise _unknown(path, name, columns, missing, names)
    return found


def _unknown(
    path: str, table: str, columns: Iterable[str], missing: Iterable[str], names: Iterable[str]
) -> MemgitError:
    what = f"its table {table} has no column {', '.join(missing)}" if tuple(columns) else f"it has no table {table}"
    there = ", ".join(printable(name) for name in names) or "none"
    has = f"; that table has {', '.join(printable(each) for each in columns)}" if tuple(columns) else ""
    return MemgitError(
        f"{path!r} is no database of summaries that memgit knows: {what}. Tables found: {there}{has}.",
        "Nothing was read or changed. Name the workspace's own database with --store sqlite:PATH.",
    )


def _table(connection: sqlite3.Connection, name: str) -> Table:
    facts = connection.execute(f"PRAGMA table_info({quoted(name)})").fetchall()
    columns = tuple(fact[1] for fact in facts)
    key = [fact for fact in sorted(facts, key=lambda fact: fact[5]) if fact[5]]
    if len(key) == 1 and str(key[0][2]).upper() == "INTEGER":
        return Table(name, columns, (key[0][1],))  # stands for the row's own number
    numbered = "rowid" not in columns and _is_numbered(connection, name)
    return Table(name, columns, ("rowid",) if numbered else tuple(fact[1] for fact in key))


def _is_numbered(connection: sqlite3.Connection, name: str) -> bool:
    try:
        connection.execute(f"SELECT rowid FROM {quoted(name)} LIMIT 0")
    except sqlite3.OperationalError:
        return False
    return True


# --- reading ---


def content_of(connection: sqlite3.Connection, path: str) -> StoreContent:
    """The whole store in its normal form, as one moment of the database has it."""
    known = tables(connection, path)
    found = {file.path: file for file in _files(connection, known)}
    return StoreContent(dict(sorted(found.items())), indexed=False)


def _files(connection: sqlite3.Connection, known: dict[str, Table]) -> Iterator[StoreFile]:
    yield tables_file(
        {name: table.columns for name, table in known.items()}, {name: table.keys for name, table in known.items()}
    )
    superseded: set[Value] = set()
    for name in EDGE_FILES:
        if name in known:
            edges = [row for row in select(connection, known[name]) if name == SUPERSEDES or _is_ours(row)]
            superseded |= {row["older_id"] for row in edges} if name == SUPERSEDES else set()
            yield edge_file(name, edges)
    for row in select(connection, known[SUMMARIES]):
        yield summary_file(row, superseded=row["id"] in superseded)
    if EMBEDDINGS in known:
        yield from _vectors(select(connection, known[EMBEDDINGS]))


def select(connection: sqlite3.Connection, table: Table) -> Iterator[dict[str, Value]]:
    """The rows of a table in the order of their keys."""
    order = ", ".join(map(quoted, table.keys or table.columns))
    cursor = connection.execute(f"SELECT {table.selected} FROM {quoted(table.name)} ORDER BY {order}")
    names = tuple(fact[0] for fact in cursor.description)
    return (dict(zip(names, row, strict=True)) for row in cursor)


def _is_ours(edge: Row) -> bool:
    return is_of_summary(edge["from_kind"]) or is_of_summary(edge["to_kind"])


def _vectors(found: Iterable[Row]) -> Iterator[StoreFile]:
    packed: dict[str, list[bytes]] = {}
    for row in found:
        packed.setdefault(vectors_path(row["summary_id"]), []).append(vector_record(row))
    yield from (StoreFile(path, b"".join(records)) for path, records in packed.items())


def select_one(connection: sqlite3.Connection, table: Table, keys: Iterable[Value]) -> dict[str, Value] | None:
    """The row of these keys; None where there is none."""
    where = " AND ".join(f"{quoted(name)} IS ?" for name in table.keys or table.columns)
    cursor = connection.execute(f"SELECT {table.selected} FROM {quoted(table.name)} WHERE {where}", tuple(keys))
    found = cursor.fetchone()
    return found and dict(zip((fact[0] for fact in cursor.description), found, strict=True))


ATTEMPTS = 8
SETTLED_NS = 40_000_000
"""How old the last change must be before a look: file systems note times by ticks, and within one they tell nothing."""

_BESIDE = ("-wal", "-journal")
MAGIC = b"SQLite format 3\0"

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
            head = file.read(len(MAGIC))
    except FileNotFoundError:
        raise MemgitError(f"There is no database {path!r}.", "Name it with --store sqlite:PATH.") from None
    except (PermissionError, IsADirectoryError) as fault:
        raise MemgitError(f"{path!r} cannot be read: {fault.strerror}.", "Run memgit as its owner.") from fault
    if head != MAGIC:
        raise MemgitError(f"{path!r} is no SQLite database.", "Name it with --store sqlite:PATH.")


# --- sqlite holder ---
# Which process keeps a database from being written, as far as the system tells.

_RESERVED, _WAL_WRITE = 0x40000001, 120
"""Where SQLite locks: in the database itself, and in the file of a log's index."""


def holder(path: str) -> str:
    """``node, process 4711``, or nothing. No connection of this process may be open: closing a file ends its locks."""
    for name, at in ((path, _RESERVED), (f"{path}-shm", _WAL_WRITE)):
        with suppress(OSError, ImportError, struct.error):
            if pid := _locked_by(name, at):
                return _named(pid)
    return ""


def _locked_by(path: str, at: int) -> int:
    import fcntl

    layout = "hhqqi4x"  # of Linux on 64 bits; any other system gives an error or no process
    asked = struct.pack(layout, fcntl.F_WRLCK, os.SEEK_SET, at, 1, 0)
    descriptor = os.open(path, os.O_RDWR)
    try:
        kind, *_, pid = struct.unpack(layout, fcntl.fcntl(descriptor, fcntl.F_GETLK, asked))
    finally:
        os.close(descriptor)
    return int(pid) if kind != fcntl.F_UNLCK and pid > 0 else 0


def _named(pid: int) -> str:
    with suppress(OSError):
        return f"{Path(f'/proc/{pid}/comm').read_text().strip()}, process {pid}"
    return f"process {pid}"
