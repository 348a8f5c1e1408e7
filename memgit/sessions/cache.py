"""What was read from transcripts before, so that a second survey opens only what changed.

It is only a cache: broken, foreign or locked, it is left aside or made anew, and nothing is lost. Secrets in the prose
are masked before it is written, what is dropped is overwritten, and its folder and file are the owner's alone.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import weakref
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import msgspec
from blake3 import blake3

from memgit.evidence.findings import mask
from memgit.evidence.turns import Entry, Resolved, resolve
from memgit.evidence.voices import typed
from memgit.model.session import Origin, RecordClass, Role
from memgit.sessions.pool import Head, Stamp, TranscriptFile, format_of
from memgit.sessions.reader import Reading, read_on, read_tail

if TYPE_CHECKING:
    from concurrent.futures import Future

FILE_NAME = "transcripts.sqlite"

_VERSION = 9  # raise it whenever reading or classifying changes: old rows are then thrown away
_APPLICATION = 0x6D656D67  # "memg"
_WITNESS = 4096  # bytes before the offset whose hash shows that a file only grew

# A column is read over all those before it: what is compared with each new transcript stands before the prose.
_SCHEMA = f"""
CREATE TABLE file (
    id INTEGER PRIMARY KEY, path BLOB UNIQUE NOT NULL, inode TEXT NOT NULL, size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL, witness BLOB NOT NULL, reading BLOB NOT NULL,
    figures BLOB NOT NULL, compared INTEGER NOT NULL DEFAULT FALSE);
CREATE TABLE part (
    file INTEGER NOT NULL REFERENCES file ON DELETE CASCADE, uuids BLOB NOT NULL, entries BLOB NOT NULL);
CREATE INDEX part_file ON part (file);
CREATE TABLE twin (
    uuid TEXT NOT NULL, file INTEGER NOT NULL REFERENCES file ON DELETE CASCADE, PRIMARY KEY (uuid, file)
    ) WITHOUT ROWID;
CREATE INDEX twin_file ON twin (file);
CREATE TABLE head (path BLOB PRIMARY KEY, inode TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL, head BLOB NOT NULL);
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {_VERSION};
"""


@dataclass(frozen=True, slots=True)
class Figures:
    """What the kept prose of one file comes to: UTF-8 bytes, of these what a person typed, messages, and the classes of
    its entries."""

    size: int
    typed: int
    messages: int
    records: Mapping[RecordClass, int]


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of one file. ``witness`` is the hash of the bytes before ``reading.offset``."""

    stamp: Stamp
    witness: bytes
    reading: Reading
    figures: Figures

    def is_current(self, stamp: Stamp) -> bool:
        """True when the file need not be opened: it has not changed, and nothing was left unread."""
        return self.stamp == stamp and self.reading.offset == stamp.size

    def only_grew(self, file: BinaryIO, stamp: Stamp) -> bool:
        """True when ``file`` still holds, before the offset, what was read, so that the rest suffices."""
        grown = stamp.inode == self.stamp.inode and stamp.size > self.stamp.size
        unfinished = stamp == self.stamp
        return (grown or unfinished) and witness(file, self.reading.offset) == self.witness


_ENTRIES = msgspec.msgpack.Decoder(list[Entry])
_UUIDS = msgspec.msgpack.Decoder(list[str])


@dataclass(frozen=True, slots=True)
class Prose:
    """Entries as the cache keeps them, and the marks of those that say something, by which copies are known."""

    entries: bytes
    uuids: bytes

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> Prose:
        marks = [mark for entry in entries if entry.role is not None and not entry.step for mark in entry.marks]
        masked = [entry._replace(text=mask(entry.text).text) if entry.text else entry for entry in entries]
        return cls(msgspec.msgpack.encode(masked), msgspec.msgpack.encode(marks))


def witness(file: BinaryIO, offset: int) -> bytes:
    """The hash of the last 4 KiB before an offset."""
    start = max(0, offset - _WITNESS)
    file.seek(start)
    return blake3(file.read(offset - start)).digest()


class TranscriptCache:
    """Rows of one SQLite file, or of memory alone. Its methods raise ``sqlite3.Error``."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._db = sqlite3.connect(path or ":memory:", timeout=2.0, check_same_thread=False)
        weakref.finalize(self, self._db.close)
        try:
            self._prepare()
        except sqlite3.Error:
            self._db.close()
            raise

    def _prepare(self) -> None:
        if self._path:
            self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.execute("PRAGMA foreign_keys = ON")
        self._db.execute("PRAGMA secure_delete = ON")
        marks = tuple(self._db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
        tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if not tables:
            self._db.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
        elif marks != (_APPLICATION, _VERSION):
            raise sqlite3.DatabaseError("the cache is of another program or version")

    def close(self) -> None:
        self._db.close()

    def abandon(self, error: sqlite3.Error) -> None:
        """Close after an error, and delete the file if it is damaged and not only in use or on a full disk."""
        self._db.close()
        if self._path and not isinstance(error, sqlite3.OperationalError):
            with suppress(OSError):
                _remove(self._path)

    def find(self, path: str) -> Known | None:
        """What is known of a file, or None."""
        row = self._db.execute(
            "SELECT inode, size, mtime_ns, ctime_ns, witness, reading, figures FROM file WHERE path = ?",
            (os.fsencode(path),),
        ).fetchone()
        if row is None:
            return None
        reading, figures = _decode(row[5], Reading), _decode(row[6], Figures)
        return Known(_stamp(row), row[4], reading, figures) if reading and figures else None

    def entries(self, path: str) -> tuple[Entry, ...]:
        """The prose of a file, in file order."""
        parts = self._db.execute(
            "SELECT entries FROM part JOIN file ON file.id = part.file WHERE path = ? ORDER BY part.rowid",
            (os.fsencode(path),),
        )
        return tuple(entry for (blob,) in parts for entry in _ENTRIES.decode(blob))

    def keep(self, path: str, known: Known, prose: Prose, *, after: Known | None) -> bool:
        """Keep what reading a file came to; with ``after`` the prose is added to what it had.

        False, and nothing is kept, where another process has added to that meanwhile.
        """
        with self._db:
            if after is None:
                self._db.execute("DELETE FROM file WHERE path = ?", (os.fsencode(path),))
                self._db.execute(f"INSERT INTO file ({_FACTS}, path) VALUES (?,?,?,?,?,?,?,?)", _row(path, known))
            else:
                where = (os.fsencode(path), *_stamped(after.stamp), after.witness)
                sql = f"UPDATE file SET ({_FACTS}, compared) = (?,?,?,?,?,?,?,FALSE) WHERE {_AS_IT_WAS}"
                if not self._db.execute(sql, (*_row(path, known)[:-1], *where)).rowcount:
                    return False
            sql = "INSERT INTO part SELECT id, ?, ? FROM file WHERE path = ?"
            self._db.execute(sql, (prose.uuids, prose.entries, os.fsencode(path)))
        return True

    def shared(self, paths: Collection[str]) -> dict[str, set[str]]:
        """The uuids that more than one of these files holds: uuid → the files."""
        self._compare()
        found: dict[str, set[str]] = {}
        for uuid, name in self._db.execute("SELECT uuid, path FROM twin JOIN file ON file.id = twin.file"):
            if (path := os.fsdecode(name)) in paths:
                found.setdefault(uuid, set()).add(path)
        return {uuid: holders for uuid, holders in found.items() if len(holders) > 1}

    def _compare(self) -> None:
        """Find what files that are new or have grown share with any other; a file's uuids are loaded one file at a
        time, and kept only while they are the new ones."""
        holder: dict[str, int] = {}
        twins: set[tuple[str, int]] = set()
        for file, uuids in self._uuids("NOT compared"):
            for uuid in uuids:
                if holder.setdefault(uuid, file) != file:
                    twins |= {(uuid, file), (uuid, holder[uuid])}
        if not holder:
            return
        for file, uuids in self._uuids("compared"):
            twins.update(pair for uuid in holder.keys() & uuids for pair in ((uuid, file), (uuid, holder[uuid])))
        with self._db:
            self._db.executemany("INSERT OR IGNORE INTO twin VALUES (?,?)", sorted(twins))
            self._db.execute("UPDATE file SET compared = TRUE")

    def _uuids(self, which: str) -> Iterator[tuple[int, set[str]]]:
        rows = self._db.execute(f"SELECT file, uuids FROM part JOIN file ON file.id = part.file WHERE {which}")
        return ((file, set(_UUIDS.decode(blob))) for file, blob in rows)

    def heads(self) -> dict[str, tuple[Stamp, Head]]:
        """All heads, by path."""
        rows = self._db.execute("SELECT inode, size, mtime_ns, ctime_ns, path, head FROM head")
        decoded = ((os.fsdecode(row[4]), _stamp(row), _decode(row[5], Head)) for row in rows)
        return {path: (stamp, head) for path, stamp, head in decoded if head}

    def keep_heads(self, heads: Mapping[str, tuple[Stamp, Head]]) -> None:
        """Keep heads that were read anew."""
        rows = [
            (os.fsencode(path), *_stamped(stamp), msgspec.json.encode(head)) for path, (stamp, head) in heads.items()
        ]
        with self._db:
            self._db.executemany("INSERT OR REPLACE INTO head VALUES (?,?,?,?,?,?)", rows)

    def forget_missing(self) -> None:
        """Drop what is known of transcripts that the agent has deleted."""
        for table in ("file", "head"):
            names = [row[0] for row in self._db.execute(f"SELECT path FROM {table}")]
            gone = [(name,) for name in names if not Path(os.fsdecode(name)).exists()]
            with self._db:
                self._db.executemany(f"DELETE FROM {table} WHERE path = ?", gone)


def open_cache(folder: str | None) -> TranscriptCache:
    """Open the cache in a folder, made anew where it is broken or of another version; else use memory."""
    if folder is None:
        return TranscriptCache()
    try:
        path = _private_file(Path(folder))
        return _opened(path)
    except (OSError, sqlite3.Error):
        return TranscriptCache()


def _opened(path: Path) -> TranscriptCache:
    try:
        return TranscriptCache(path)
    except sqlite3.OperationalError:  # locked, or not writable
        raise
    except sqlite3.DatabaseError:
        _remove(path)
        _private_file(path.parent)
        return TranscriptCache(path)


def _private_file(folder: Path) -> Path:
    """Make the cache's folder and file readable by their owner only before anything is in them."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    path = folder / FILE_NAME
    if path.is_symlink():
        path.unlink()
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    path.chmod(0o600)
    return path


def cache_files(folder: str) -> tuple[Path, ...]:
    """Every file that the cache in a folder may consist of."""
    return tuple(Path(folder, FILE_NAME + suffix) for suffix in ("", "-wal", "-shm", "-journal"))


def _remove(path: Path) -> None:
    for file in cache_files(str(path.parent)):
        file.unlink(missing_ok=True)


T = TypeVar("T")


def _decode(blob: bytes, shape: type[T]) -> T | None:
    try:
        return msgspec.json.decode(blob, type=shape)
    except msgspec.DecodeError:
        return None


def _stamp(row: Sequence[Any]) -> Stamp:
    return Stamp(int(row[0]), row[1], row[2], row[3])


def _stamped(stamp: Stamp) -> tuple[str, int, int, int]:
    return str(stamp.inode), stamp.size, stamp.mtime_ns, stamp.ctime_ns


_FACTS = "inode, size, mtime_ns, ctime_ns, witness, reading, figures"
_AS_IT_WAS = "path = ? AND inode = ? AND size = ? AND mtime_ns = ? AND ctime_ns = ? AND witness = ?"


def _row(path: str, known: Known) -> tuple[object, ...]:
    blobs = (msgspec.json.encode(known.reading), msgspec.json.encode(known.figures))
    return (*_stamped(known.stamp), known.witness, *blobs, os.fsencode(path))


# --- learning ---
# Learning what one transcript holds, and many of them side by side where there is much to read.

MUCH = 128 << 20
"""Bytes to read from which on more than one process reads them: starting them takes as long as reading a part of it."""


@dataclass(frozen=True)
class Learned:
    """What reading a file came to.

    ``known`` and ``prose`` are to be kept: the figures, and the entries that are new; with ``after``, the entries
    follow those that were known. ``reading`` counts an unfinished last line in. ``entries`` are all of the file.
    """

    known: Known
    prose: Prose
    reading: Reading
    after: Known | None = None
    entries: tuple[Entry, ...] = ()


def learn(path: str, known: Known | None, earlier: Callable[[], tuple[Entry, ...]]) -> Learned:
    """Read a file: only what is new where it only grew; then its ``earlier`` entries are asked for. Raises OSError."""
    stamp = Stamp.of(Path(path).stat())
    with Path(path).open("rb", buffering=0) as file:
        after = known if known and known.only_grew(file, stamp) else None
        part = read_on(file, after.reading if after else Reading(), format_of(path))
        mark = witness(file, part.reading.offset)
    whole = read_tail(replace(part, entries=(earlier() if after else ()) + part.entries))
    fresh = Known(stamp, mark, part.reading, figures_of(resolve(whole.entries)))
    return Learned(fresh, Prose.of(part.entries), whole.reading, after, whole.entries)


def learn_all(files: Sequence[TranscriptFile]) -> Generator[tuple[TranscriptFile, Learned | OSError], None, None]:
    """Read files that nothing is known of, each as it is done.

    The entries stay where they were read: what was learned comes without them.
    """
    ordered = sorted(files, key=lambda file: -file.stamp.size)
    others = min(len(ordered), os.cpu_count() or 1) - 1
    read: set[str] = set()
    if others > 0 and sum(file.stamp.size for file in ordered) >= MUCH:
        from concurrent.futures.process import BrokenProcessPool  # here: there is rarely so much to read

        with suppress(BrokenProcessPool, OSError):  # no room for another process, say: the rest is read here
            for file, learned in _side_by_side(ordered, others):
                read.add(file.path)
                yield file, learned
    yield from ((file, _learn_anew(file)) for file in ordered if file.path not in read)


def _side_by_side(files: Sequence[TranscriptFile], others: int) -> Iterator[tuple[TranscriptFile, Learned | OSError]]:
    """Other processes read the files from the first on, this one from the last, until none is left.

    Spawned, not forked: threads of this process (a progress bar's) must not be copied in the middle of anything.
    """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import active_children, get_context

    pool = ProcessPoolExecutor(others, get_context("spawn"), _leave_interrupts)
    try:
        done: SimpleQueue[TranscriptFile] = SimpleQueue()
        with _uninterrupted():  # the others inherit it: none is interrupted before it has begun
            waiting = {file: pool.submit(_learn_anew, file) for file in files}
        for file, future in waiting.items():
            future.add_done_callback(partial(_tell, done, file))
        mine = (file for file in reversed(files) if file in waiting and waiting[file].cancel())
        while waiting:
            if own := next(mine, None):
                del waiting[own]
                yield own, _learn_anew(own)
            while waiting and not (own and done.empty()):  # with nothing of its own to do, it waits
                file = done.get()
                yield file, waiting.pop(file).result()
    except BaseException:
        with _uninterrupted():  # a second Ctrl-C would leave them behind
            for process in active_children():
                process.kill()
            pool.shutdown(cancel_futures=True)
        raise
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Hold Ctrl-C back, where that can be done, until the block is over."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _tell(done: SimpleQueue[TranscriptFile], file: TranscriptFile, future: Future[Learned | OSError]) -> None:
    if not future.cancelled():
        done.put(file)


def _leave_interrupts() -> None:
    """Ctrl-C is the first process's to handle; it ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _learn_anew(file: TranscriptFile) -> Learned | OSError:
    try:
        return replace(learn(file.path, None, tuple), entries=())
    except OSError as error:
        return error


def figures_of(resolved: Resolved) -> Figures:
    """What the prose that counts comes to."""
    size = sum(len(entry.text.encode()) for entry in resolved.kept)
    by_hand = (entry.text for entry in resolved.kept if entry.role is Role.USER and entry.origin is not Origin.PROGRAM)
    return Figures(size, sum(len(typed(text).encode()) for text in by_hand), len(resolved.kept), resolved.records)
