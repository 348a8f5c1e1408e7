"""The tables of a database of summaries, looked up in its own schema, and their rows as the normal form has them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

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
from memgit.errors import MemgitError
from memgit.evidence.findings import printable
from memgit.model.store import StoreContent, StoreFile

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
