"""Making a database of summaries what was decided: in one transaction, which SQLite does wholly or not at all.

The transaction holds the database's one write lock while it looks whether the store is still what was decided on,
changes the rows, and reads them back. The journal keeps a few of the rows as they were and shall be: after a crash they
tell whether the transaction was done.
"""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any
from urllib.parse import quote

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
    value_of,
    vector_record,
    vector_rows,
    vectors_path,
)
from memgit.errors import Damaged, MemgitError, StoreChanged, UsageError
from memgit.evidence.findings import printable_name
from memgit.faults import point
from memgit.files import Journal
from memgit.memory.fingerprint import fingerprint
from memgit.model.store import StoreContent, StoreFile
from memgit.model.travel import Installed, Recovered
from memgit.stores.kinds import completed_or_raised, described
from memgit.stores.sqlite.database import Table, connect, content_of, holder, quoted, select_one, tables

# --- sqlite rows ---
# The rows in which two contents of a database differ, and the statements that make one of the other.


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


WAY = "one transaction"

WAIT = 10.0
"""Seconds to wait for another writer of the database."""


@dataclass(frozen=True)
class Job:
    """One installation, as the journal keeps it; without ``live`` the store is left as it is. ``done`` is set when the
    transaction is known to be."""

    live: str = ""
    new: str = ""
    done: bool = False
    witnesses: tuple[Witness, ...] = ()
    intent: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Job:
        """Read a journal entry back. Raises Damaged if it is none of ours."""
        with described():
            seen = tuple((table, list(keys), old, new) for table, keys, old, new in entry["witnesses"])
            return cls(**{**entry, "witnesses": seen})


@dataclass(frozen=True)
class SqliteInstaller:
    """Installs into a database. ``wait`` bounds the wait for another writer's lock."""

    journal: Journal
    wait: float = WAIT

    def read(self, folder: Path, /) -> StoreContent:
        """What a candidate's folder holds, however much it is: memgit itself laid it out."""
        found = {file.path: file for file in _files(folder)}
        return StoreContent(dict(sorted(found.items())), indexed=False)

    def in_place(self, _aside: Path) -> SqliteInstaller:
        """A database is never replaced whole."""
        return self

    def refuse_unwritable(self, live: Path) -> None:
        """Raise before anything is begun if this user cannot change the database."""
        if not live.is_file():
            raise MemgitError(f"There is no database {live}.", "Put it back, or name another with --store sqlite:PATH.")
        for path in (live, live.parent):  # SQLite keeps its log beside the database
            if not os.access(path, os.W_OK):
                raise MemgitError(f"{path} is read-only.", f"Make it writable first: chmod u+w {path}")

    # --- installing ---

    def install(
        self,
        live: Path,
        before: StoreContent,
        content: StoreContent,
        intent: Mapping[str, Any],
        _: Sequence[Path] = (),
        /,
    ) -> Installed:
        """Make the database ``content``, which has been ``before``.

        Raises StoreChanged if it is no longer ``before``, UsageError for what a database cannot hold, MemgitError if
        another program keeps it locked or it cannot be written; then nothing has changed.
        """
        live = Path(os.path.realpath(live))
        self.refuse_unwritable(live)
        if not content.exists:
            raise MemgitError(f"{live} is a database, and memgit never removes one.", "Its own tool can.")
        job = Job(str(live), fingerprint(content), intent=intent)
        try:
            self._transact(job, before, content)
            self.journal.write(asdict(replace(job, done=True)))
        except (OSError, sqlite3.Error, MemgitError) as error:
            return self._after(job, error)
        return Installed(WAY)

    def _transact(self, job: Job, before: StoreContent, content: StoreContent) -> None:
        with closing(self._opened(Path(job.live))) as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                self._change(connection, job, before, content)
                point("database:changed")
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            point("database:committed")

    def _change(self, connection: sqlite3.Connection, job: Job, before: StoreContent, content: StoreContent) -> None:
        if fingerprint(content_of(connection, job.live)) != fingerprint(before):
            raise StoreChanged(
                f"{job.live} was written to a moment ago; nothing has been changed.", "Run the command again."
            )
        changes = row_changes(tables(connection, job.live), before, content)
        self.journal.write(asdict(replace(job, witnesses=tuple(witnesses(changes)))))
        sound, broken = _index_is_sound(connection), _broken_links(connection)
        point("database:begun")
        carry_out(connection, changes)
        if fingerprint(content_of(connection, job.live)) != job.new:
            raise Damaged(f"{job.live} does not give back what was written to it; it is left as it was.")
        if added := _broken_links(connection) - broken:
            raise MemgitError(
                f"Rows of {', '.join(sorted({table for table, _ in added}))} would be left without what they need.",
                "Nothing was changed: the database's own tool has removed events, or keeps more than memgit knows of.",
            )
        if sound and not _index_is_sound(connection):
            raise MemgitError(f"The full-text index of {job.live} would not follow the change; nothing was changed.")

    def _opened(self, live: Path) -> sqlite3.Connection:
        connection = connect(f"file:{quote(str(live))}?mode=rw", wait=self.wait)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")  # a redacted text must not stay in free pages
        connection.execute("PRAGMA foreign_keys = OFF")  # nothing goes but what was decided
        return connection

    def _after(self, job: Job, error: OSError | sqlite3.Error | MemgitError) -> Installed:
        return completed_or_raised(
            error,
            self.recover,
            lambda cause: _explained(Path(job.live), cause, self.wait),
            "Mend that, then run `memgit recover`.",
        )

    # --- the journal ---

    def begin(self, intent: Mapping[str, Any]) -> None:
        self.journal.write(asdict(Job(intent=intent)))

    def close(self) -> None:
        self.journal.close()

    def recover(self) -> Recovered | None:
        """Say what became of a transaction that was cut short; SQLite itself takes back one that was not done."""
        entry = self.journal.read()
        if entry is None:
            return None
        job = Job.of(entry)
        if not job.live:
            return Recovered(job.intent, job.new, Installed(""))
        try:
            done = job.done or self._was_done(job)
        except sqlite3.Error as error:
            raise _explained(Path(job.live), error, self.wait) from error
        if done:
            return Recovered(job.intent, job.new, Installed(WAY))
        self.journal.close()
        return Recovered(job.intent, job.new, None)

    def _was_done(self, job: Job) -> bool:
        """Whether any row is as it should become: others may have been changed since by somebody else."""
        with closing(self._opened(Path(job.live))) as connection:
            known = tables(connection, job.live)
            return any(_stands(connection, known, witness) for witness in job.witnesses)


def _files(folder: Path) -> Iterator[StoreFile]:
    for path in folder.rglob("*"):
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            yield StoreFile(path.relative_to(folder).as_posix(), os.fsencode(path.readlink()), status.st_mode)
        elif stat.S_ISREG(status.st_mode):
            yield StoreFile(path.relative_to(folder).as_posix(), path.read_bytes(), status.st_mode, status.st_mtime_ns)


def _stands(connection: sqlite3.Connection, known: Mapping[str, Table], witness: Witness) -> bool:
    table, keys, _, new = witness
    return table in known and mark(select_one(connection, known[table], [*map(value_of, keys)])) == new


def _broken_links(connection: sqlite3.Connection) -> set[tuple[str, Any]]:
    """Rows that hang on others which are not there, by table and number."""
    return {(row[0], row[1]) for row in connection.execute("PRAGMA foreign_key_check")}


def _index_is_sound(connection: sqlite3.Connection) -> bool:
    """Whether the full-text index agrees with the summaries; true where there is none."""
    there = "SELECT 1 FROM sqlite_master WHERE name = 'summaries_fts' AND sql LIKE '%fts5%'"
    if connection.execute(there).fetchone() is None:
        return True
    try:
        connection.execute("INSERT INTO summaries_fts(summaries_fts, rank) VALUES('integrity-check', 1)")
    except sqlite3.DatabaseError:
        return False
    return True


def _explained(live: Path, error: Exception, wait: float) -> MemgitError:
    if "locked" in str(error) or "busy" in str(error):
        who = f" ({found})" if (found := holder(str(live))) else ""
        return MemgitError(
            f"Another program{who} kept {live} locked for {wait:g} seconds; nothing was changed.",
            "It is probably the daemon that writes summaries. Run the command again, or stop it first.",
        )
    return MemgitError(f"The database {live} could not be changed: {error}. It is as it was.")
