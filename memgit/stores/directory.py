"""A store that is a directory: read whole, byte for byte, and never written.

Agents write while we read. So the directory is listed before and after; where the two lists differ,
everything is read again. Files are opened read-only and without following links, and their access
times are left alone where the system permits that.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from memgit.core.memories.memory import is_memory
from memgit.core.store.fingerprint import fingerprint
from memgit.core.store.shapes import PROSE, shape_named
from memgit.errors import MemgitError, StoreChanged, UsageError
from memgit.model.store import ABSENT, Resolution, StoreContent, StoreFile

ATTEMPTS = 8
"""Readings of a store that is being written to, before giving up; the pauses between them add up to two seconds."""
MOST_FILES = 50_000
MOST_BYTES = 200_000_000
"""What no store of memories reaches: a larger directory is something else."""


@dataclass(frozen=True)
class DirectoryStore:
    """Reads the store at ``resolution.path``, which may be a symbolic link to it."""

    resolution: Resolution

    def read(self) -> StoreContent:
        """Everything in the directory at one moment.

        Raises StoreChanged if a writer never pauses, UsageError for what is no store of memories, and
        MemgitError for a file that cannot be read.
        """
        root = os.path.realpath(self.resolution.path)
        for attempt in range(ATTEMPTS):
            time.sleep(attempt * 0.07)
            content = self._read_once(root)
            if content is not None:
                return content
        raise StoreChanged(
            f"The store {self.resolution.path!r} is being written to all the time.",
            "Try again when the agent that writes there is idle.",
        )

    def fingerprint(self) -> str:
        """The content hash of the directory as it is now, or ``absent``."""
        return fingerprint(self.read())

    def _read_once(self, root: str) -> StoreContent | None:
        """The content, or None if the directory changed meanwhile."""
        listing = _listing(root)
        if listing is None:
            return ABSENT if not os.path.lexists(root) else None
        try:
            files = {
                path: _read(root, path, status, listing.marks[path]) for path, status in sorted(listing.files.items())
            }
        except _Moved:
            return None
        if _listing(root) != listing:
            return None
        return StoreContent(files, listing.empty, listing.foreign, listing.special, indexed=self._is_indexed(files))

    def _is_indexed(self, files: Mapping[str, StoreFile]) -> bool:
        """An index that stood alone is one again as soon as there is something for it to list."""
        shape = shape_named(self.resolution.shape)
        return shape.indexed or (shape is PROSE and any(map(is_memory, files.values())))


Mark = tuple[int, ...]
"""Of an entry's status what differs after any change."""


class _Moved(Exception):
    """A file is not the one that was listed."""


@dataclass(frozen=True)
class _Listing:
    """What a directory holds, with enough of each entry's status to see that it changed.

    ``empty`` are folders without content of the store, ``foreign`` those of other tools.
    """

    files: Mapping[str, os.stat_result] = field(compare=False)
    marks: Mapping[str, Mark]
    empty: tuple[str, ...]
    foreign: tuple[str, ...]
    special: tuple[str, ...]


def _listing(root: str) -> _Listing | None:
    """List a store; None if something vanished meanwhile (or there is no store)."""
    try:
        entries = dict(_walk(root))
    except FileNotFoundError:
        return None
    except NotADirectoryError as fault:
        raise UsageError(f"{root!r} is not a directory.", "Name the directory that holds MEMORY.md.") from fault
    except PermissionError as fault:
        raise _unreadable(fault.filename) from fault
    files = {path: status for path, status in entries.items() if _is_content(status.st_mode)}
    folders = {path for path, status in entries.items() if stat.S_ISDIR(status.st_mode)}
    foreign = {path for path in folders if _is_foreign(path)}
    special = set(entries) - set(files) - folders
    parents = {path.rpartition("/")[0] for path in {*files, *(folders - foreign)}}
    marks = {path: _mark(status) for path, status in entries.items() if path not in foreign}
    return _Listing(
        files, marks, tuple(sorted(folders - foreign - parents)), tuple(sorted(foreign)), tuple(sorted(special))
    )


def _walk(root: str) -> Iterator[tuple[str, os.stat_result]]:
    """All entries with their own status; the folders of other tools are named and not entered."""
    found = size = 0
    pending = [""]
    while pending:
        folder = pending.pop()
        with os.scandir(f"{root}/{folder}") as entries:
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                status = entry.stat(follow_symlinks=False)
                found, size = found + 1, size + (status.st_size if stat.S_ISREG(status.st_mode) else 0)
                _refuse_too_much(root, found, size)
                if stat.S_ISDIR(status.st_mode) and not _is_foreign(path):
                    pending.append(path)
                yield path, status


def _refuse_too_much(root: str, found: int, size: int) -> None:
    if found > MOST_FILES or size > MOST_BYTES:
        raise UsageError(
            f"{root!r} is no memory store: it holds more than {MOST_FILES:,} files or {MOST_BYTES // 10**6} MB.",
            "Name the directory that holds MEMORY.md itself, not one above it.",
        )


def _is_foreign(path: str) -> bool:
    return path.rpartition("/")[2].startswith(".")


def _is_content(mode: int) -> bool:
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)


def _mark(status: os.stat_result) -> Mark:
    """What differs after any change. A folder's own times tell of entries that came and went."""
    size = 0 if stat.S_ISDIR(status.st_mode) else status.st_size
    return status.st_mode, status.st_ino, size, status.st_mtime_ns, status.st_ctime_ns


def _read(root: str, path: str, listed: os.stat_result, mark: Mark) -> StoreFile:
    """The file or link as it was listed; raises _Moved if it is another by now."""
    whole = f"{root}/{path}"
    try:
        data = _link_target(whole) if stat.S_ISLNK(listed.st_mode) else _bytes(whole, listed.st_size, mark)
    except PermissionError as fault:
        raise _unreadable(whole) from fault
    except OSError as fault:
        raise _Moved from fault
    return StoreFile(path, data, listed.st_mode, listed.st_mtime_ns)


def _link_target(whole: str) -> bytes:
    return os.fsencode(os.readlink(whole))  # noqa: PTH115 - Path.readlink tidies the target


_READ_ONLY = os.O_RDONLY
for _flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):
    _READ_ONLY |= getattr(os, _flag, 0)
_QUIETLY = getattr(os, "O_NOATIME", 0)


def _bytes(whole: str, size: int, mark: Mark) -> bytes:
    descriptor = _open(whole)
    try:
        if _mark(os.fstat(descriptor)) != mark:
            raise _Moved
        data = os.read(descriptor, size + 1)  # one byte more than there should be
    finally:
        os.close(descriptor)
    if len(data) != size:
        raise _Moved
    return data


def _open(whole: str) -> int:
    """Only the owner of a file may read it without touching its access time. A pipe put in its place never blocks."""
    try:
        return os.open(whole, _READ_ONLY | _QUIETLY)
    except PermissionError:
        return os.open(whole, _READ_ONLY)


def _unreadable(path: str) -> MemgitError:
    return MemgitError(
        f"{path!r} cannot be read: permission denied.",
        "Make it readable for you (chmod u+r, for a folder u+rx), or run memgit as its owner.",
    )
