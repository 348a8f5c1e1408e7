"""The rows in which two contents of a database differ, and the statements that make one of the other."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b

from memgit.core.summaries.form import (
    EDGE_FILES,
    EMBEDDINGS,
    SUMMARIES,
    SUPERSEDED,
    TABLES_FILE,
    Row,
    Value,
    edge_file,
    is_summary,
    is_vectors,
    row_of,
    rows,
    spelled,
    summary_file,
    vector_record,
    vector_rows,
    vectors_path,
)
from memgit.errors import UsageError
from memgit.evidence.findings import printable_name
from memgit.model.store import StoreContent, StoreFile
from memgit.stores.sqlite_tables import Table, quoted


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row of a table before and after; None where there is none."""

    table: Table
    before: Row | None
    after: Row | None


def row_changes(known: Mapping[str, Table], before: StoreContent, content: StoreContent) -> tuple[RowChange, ...]:
    """What differs, in the order in which it can be done: what hangs on a row goes before it and comes after it.

    Raises UsageError naming the file of ``content`` that such a database cannot hold.
    """
    differing = [path for path in {**before.files, **content.files} if _differs(path, before, content)]
    had = _rows_of(known, before, differing)
    wanted = _rows_of(known, content, differing)
    _refuse_inexpressible(content, differing, wanted)
    changes = [
        RowChange(known[table], had.get((table, key)), wanted.get((table, key)))
        for table, key in {**had, **wanted}
        if mark(had.get((table, key))) != mark(wanted.get((table, key)))
    ]
    return tuple(sorted(changes, key=_turn))


def _differs(path: str, before: StoreContent, content: StoreContent) -> bool:
    one, other = before.files.get(path), content.files.get(path)
    return one is None or other is None or one.data != other.data


def _turn(change: RowChange) -> tuple[bool, bool]:
    """Rows that others hang on go last and come first."""
    goes, hangs = change.after is None, change.table.name != SUMMARIES
    return not goes, hangs if not goes else not hangs


_Rows = dict[tuple[str, str], Row]
"""By table, and key as it is spelled."""


def _rows_of(known: Mapping[str, Table], content: StoreContent, paths: Iterable[str]) -> _Rows:
    found: _Rows = {}
    for path in paths:
        if file := content.files.get(path):
            for table, row in _read(known, file):
                found[table, _key(known[table], row)] = row
    return found


def _read(known: Mapping[str, Table], file: StoreFile) -> Iterator[tuple[str, Row]]:
    try:
        table = next((name for name, path in EDGE_FILES.items() if path == file.path), None)
        if table in known and table is not None:
            yield from ((table, row) for row in rows(file.data))
        elif is_vectors(file.path) and EMBEDDINGS in known:
            yield from ((EMBEDDINGS, row) for row in vector_rows(file.data, known[EMBEDDINGS].columns))
        elif is_summary(file.path) and not file.is_link:
            yield SUMMARIES, _ordered(row_of(file), known[SUMMARIES])
        else:
            raise _cannot(file.path, "no table of the database is meant by it")
    except (ValueError, KeyError) as fault:
        raise _cannot(file.path, str(fault)) from fault


def _ordered(row: Row, table: Table) -> Row:
    if strange := next((name for name in row if name not in ("rowid", *table.columns)), None):
        raise ValueError(f"the table has no column {strange!r}")
    return {name: row[name] for name in ("rowid", *table.columns) if name in row}


def _key(table: Table, row: Row) -> str:
    return "\0".join(spelled(row[name]) for name in table.keys or table.columns)


def _refuse_inexpressible(content: StoreContent, paths: Iterable[str], wanted: _Rows) -> None:
    """What the rows would be read back as must be what is asked for, byte for byte."""
    by_path: dict[str, list[tuple[str, Row]]] = {}
    for (table, _), row in wanted.items():
        by_path.setdefault(_path(table, row, content), []).append((table, row))
    for path in paths:
        file = content.files.get(path)
        if file and (path == TABLES_FILE or _written(path, by_path.get(path, ())) != file.data):
            raise _cannot(path, "the database would give it back otherwise")


def _path(table: str, row: Row, content: StoreContent) -> str:
    match table:
        case "summaries":
            hidden = summary_file(row, superseded=True).path
            return hidden if hidden in content.files else summary_file(row).path
        case "summary_embeddings":
            return vectors_path(row["summary_id"])
        case _:
            return EDGE_FILES[table]


def _written(path: str, found: Iterable[tuple[str, Row]]) -> bytes:
    held = [row for _, row in found]
    if is_vectors(path):
        return b"".join(map(vector_record, held))
    table = next((name for name, each in EDGE_FILES.items() if each == path), None)
    if table is not None:
        return edge_file(table, held).data
    return b"".join(summary_file(row, superseded=path.startswith(SUPERSEDED)).data for row in held)


def _cannot(path: str, why: str) -> UsageError:
    return UsageError(
        f"A database of summaries cannot hold {printable_name(path)}: {why}.",
        "Summaries can be reworded, superseded and removed; leave this change out (`memgit approve`).",
    )


# --- statements ---


def carry_out(connection: sqlite3.Connection, changes: Iterable[RowChange]) -> None:
    """Make the changes; the schema's own triggers follow. Raises sqlite3.Error."""
    for change in changes:
        match change:
            case RowChange(table, before, None) if before is not None:
                connection.execute(f"DELETE FROM {quoted(table.name)} WHERE {_where(table)}", _at(table, before))
            case RowChange(table, None, after) if after is not None:
                names = ", ".join(map(quoted, after))
                values = ", ".join(map(_placed, after.values()))
                sql = f"INSERT INTO {quoted(table.name)} ({names}) VALUES ({values})"
                connection.execute(sql, tuple(map(_bound, after.values())))
            case RowChange(table, before, after) if before is not None and after is not None:
                moved = {name: value for name, value in after.items() if spelled(value) != spelled(before.get(name))}
                sets = ", ".join(f"{quoted(name)} = {_placed(value)}" for name, value in moved.items())
                sql = f"UPDATE {quoted(table.name)} SET {sets} WHERE {_where(table)}"
                connection.execute(sql, (*map(_bound, moved.values()), *_at(table, before)))


def _where(table: Table) -> str:
    return " AND ".join(f"{quoted(name)} IS ?" for name in table.keys or table.columns)


def _at(table: Table, row: Row) -> tuple[Value, ...]:
    return tuple(_bound(row[name]) for name in table.keys or table.columns)


def _placed(value: Value) -> str:
    return "CAST(? AS TEXT)" if isinstance(_bound(value), bytes) and isinstance(value, str) else "?"


def _bound(value: Value) -> Value:
    """A value as it can be handed over: a text that is not UTF-8 as its bytes."""
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.encode("utf-8", "surrogateescape")
    return value


# --- telling afterwards whether it was done ---

WITNESSES = 24

Witness = tuple[str, list[str], str, str]
"""A row's table and key, and what it was and shall be; empty for a row that is not there."""


def witnesses(changes: Iterable[RowChange]) -> list[Witness]:
    """A few of the rows that change: as a transaction is done wholly or not at all, any of them tells which."""
    return [_witness(change) for change in tuple(changes)[:WITNESSES]]


def _witness(change: RowChange) -> Witness:
    row = change.before or change.after or {}
    keys = [spelled(row[name]) for name in change.table.keys or change.table.columns]
    return change.table.name, keys, mark(change.before), mark(change.after)


def mark(row: Row | None) -> str:
    return blake2b(json.dumps([*map(spelled, row.values())]).encode(), digest_size=12).hexdigest() if row else ""
