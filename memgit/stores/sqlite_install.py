"""Making a database of summaries what was decided: in one transaction, which SQLite does wholly or not at all.

The transaction holds the database's one write lock while it looks whether the store is still what was decided on,
changes the rows, and reads them back. The journal keeps a few of the rows as they were and shall be: after a crash they
tell whether the transaction was done.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from memgit.core.summaries.form import value_of
from memgit.errors import Damaged, MemgitError, StoreChanged
from memgit.faults import point
from memgit.files import Journal
from memgit.memory.fingerprint import fingerprint
from memgit.model.installing import Installed, Recovered
from memgit.model.store import StoreContent, StoreFile
from memgit.stores.cut_short import completed_or_raised
from memgit.stores.sqlite_holder import holder
from memgit.stores.sqlite_rows import Witness, carry_out, mark, row_changes, witnesses
from memgit.stores.sqlite_tables import Table, connect, content_of, select_one, tables

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
        try:
            seen = tuple((table, list(keys), old, new) for table, keys, old, new in entry["witnesses"])
            return cls(**{**entry, "witnesses": seen})
        except (KeyError, TypeError, ValueError) as error:
            raise Damaged(
                f"The journal does not describe an installation ({error}).",
                "Compare the live store with `memgit status`, then move the journal away.",
            ) from error


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
