"""A store that is a directory: read whole, byte for byte, and never written.

Agents write while we read. So the status of a folder is taken before it is listed, that of a file as it is opened,
and all of them once more after the last byte; where one differs, everything is read again. What was read is then what
the directory held when that last look began. Files are opened read-only and without following links, and their access
times are left alone where the system permits that. One link is followed, because agents follow it: that of an index.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from memgit.errors import MemgitError, StoreChanged, UsageError
from memgit.memory.fingerprint import fingerprint
from memgit.memory.memory import is_memory
from memgit.memory.shapes import CODEX, DIRECTORY, NOTES, PROSE, SUMMARY, Shape, shape_named
from memgit.model.store import ABSENT, INDEX, Resolution, StoreContent, StoreFile
from memgit.reading import NotOrdinary, beginning, read_file
from memgit.stores.linked_index import text_behind
from memgit.stores.rules import is_of_the_client, names

# --- shape ---
# Which shape a store that is a folder has: told by where it lies and by the names in it, and read no further.

_SAMPLE = 20
"""Files looked at to tell notes from memories that have lost their index."""
_HEAD = 4096


def shape_of(path: str, named: bool) -> Shape:
    """The shape of the folder at a path, which may not be there. ``named`` says that the user named it: elsewhere the
    agent's client reads and writes memories with an index, whatever the folder holds."""
    inside = names(path)
    if SUMMARY in inside:
        return CODEX
    if INDEX in inside:
        return PROSE if _is_alone(path) else DIRECTORY
    if not named or is_of_the_client(path) or not any(markdown(path)):
        return DIRECTORY
    return DIRECTORY if _are_memories(path) else NOTES


def _is_alone(path: str) -> bool:
    """Whether the index is the only memory: it says something, and points to nothing."""
    from memgit.memory.index_lines import parse_index  # here: few stores need a look into their files

    index = Path(path, INDEX)
    if index.is_symlink() or any(name != INDEX for name in markdown(path)):
        return False
    lines = parse_index(beginning(index))
    says = any(line.text.strip() and not line.text.lstrip().startswith(("#", "<!--")) for line in lines)
    return says and not any(line.pointers for line in lines)


def _are_memories(path: str) -> bool:
    """Whether most files begin as the client's memories do: with a block that names and describes them."""
    from memgit.memory.frontmatter import split

    heads = [split(beginning(f"{path}/{name}", _HEAD)).block for name in islice(markdown(path), _SAMPLE)]
    like = sum(b"description:" in block and b"name:" in block for block in heads)
    return 2 * like > len(heads)


def markdown(path: str) -> Iterator[str]:
    """The Markdown files in a folder and one level below, without those that are hidden."""
    folders = []
    for name in sorted(names(path)):
        if name.startswith("."):
            continue
        if name.endswith(".md"):
            yield name
        else:
            folders.append(name)
    for folder in folders:
        for name in sorted(names(f"{path}/{folder}")):
            if name.endswith(".md") and not name.startswith("."):
                yield f"{folder}/{name}"


ATTEMPTS = 8
"""Readings of a store that is being written to, before giving up; the pauses between them add up to two seconds."""
MOST_FILES = 50_000
MOST_BYTES = 200_000_000
"""What no store of memories reaches: a larger directory is something else."""


@dataclass(frozen=True)
class DirectoryStore:
    """Reads the store at ``resolution.path``, which may be a symbolic link to it. ``roots`` are the paths by which
    links lead into it, where those are not its own."""

    resolution: Resolution
    roots: tuple[str, ...] = ()

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
        try:
            listing = _listing(root)
            files, marks = _read_all(root, listing)
            if _marks(root) != listing.marks | marks:
                return None
        except _Moved:
            return None if os.path.lexists(root) else ABSENT
        return StoreContent(
            files,
            listing.empty,
            listing.foreign,
            listing.special,
            indexed=self._is_indexed(files),
            roots=self.roots or tuple(dict.fromkeys((self.resolution.path, root))),
        )

    def _is_indexed(self, files: Mapping[str, StoreFile]) -> bool:
        """An index that stood alone is one again as soon as there is something for it to list."""
        shape = shape_named(self.resolution.shape)
        return shape.indexed or (shape is PROSE and any(map(is_memory, files.values())))


Mark = tuple[int, ...]
"""Of an entry's status what differs after any change."""


class _Moved(Exception):
    """Something is not as it was listed."""


@dataclass(frozen=True)
class _Listing:
    """What a directory holds: its files and ``links`` in order, and the marks of all else, its own under ``""``.

    ``empty`` are folders without content of the store, ``foreign`` those of other tools.
    """

    files: Sequence[str]
    links: frozenset[str]
    marks: dict[str, Mark]
    empty: tuple[str, ...]
    foreign: tuple[str, ...]
    special: tuple[str, ...]


def _listing(root: str) -> _Listing:
    """List a store. Raises _Moved if something vanished meanwhile (or there is no store)."""
    files: list[str] = []
    links: list[str] = []
    foreign: list[str] = []
    special: list[str] = []
    marks = {"": _mark_of(root)}
    for path, entry in _walk(root):
        if entry.is_file(follow_symlinks=False):
            files.append(path)
        elif entry.is_symlink():
            links.append(path)
        elif _is_foreign(path) and entry.is_dir():
            foreign.append(path)
        else:
            special.extend([] if entry.is_dir() else [path])
            marks[path] = _mark_of(entry.path)
    folders = marks.keys() - {"", *special}
    empty = folders - {path.rpartition("/")[0] for path in (*files, *links, *folders)}
    return _Listing(
        sorted([*files, *links]),
        frozenset(links),
        marks,
        tuple(sorted(empty)),
        tuple(sorted(foreign)),
        tuple(sorted(special)),
    )


def _marks(root: str) -> dict[str, Mark]:
    """The marks of all that a store holds, and its own. Raises _Moved if something vanished meanwhile."""
    marks = {"": _mark_of(root)}
    try:
        for path, entry in _walk(root):
            if not (entry.is_dir(follow_symlinks=False) and _is_foreign(path)):
                marks[path] = _mark_with_link(path, entry.path)
    except OSError as fault:
        raise _told(fault, root) from fault
    return marks


def _walk(root: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """All entries, a folder before what it holds; the folders of other tools are named and not entered."""
    found = 0
    pending = [""]
    while pending:
        folder = pending.pop()
        inside = _inside(root, folder)
        found += len(inside)
        if found > MOST_FILES:
            raise _no_store(root)
        for entry in inside:
            path = f"{folder}/{entry.name}" if folder else entry.name
            yield path, entry
            if entry.is_dir(follow_symlinks=False) and not _is_foreign(path):
                pending.append(path)


def _inside(root: str, folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(f"{root}/{folder}" if folder else root) as entries:
            return list(entries)
    except NotADirectoryError as fault:
        if folder:
            raise _Moved from fault
        raise UsageError(f"{root!r} is not a directory.", "Name the directory that holds MEMORY.md.") from fault
    except OSError as fault:
        raise _told(fault, f"{root}/{folder}") from fault


def _refuse_too_large(root: str, size: int) -> None:
    if size > MOST_BYTES:
        raise _no_store(root)


def _no_store(root: str) -> UsageError:
    return UsageError(
        f"{root!r} is no memory store: it holds more than {MOST_FILES:,} files or {MOST_BYTES // 10**6} MB.",
        "Name the directory that holds MEMORY.md itself, not one above it.",
    )


def _is_foreign(path: str) -> bool:
    return path.rpartition("/")[2].startswith(".")


def _mark_of(path: str) -> Mark:
    try:
        return _mark(os.lstat(path))
    except OSError as fault:
        raise _told(fault, path) from fault


def _mark_with_link(path: str, whole: str) -> Mark:
    """The mark of an entry; that of an index which is a link tells of changes behind the link too."""
    status = os.lstat(whole)
    follows = path == INDEX and stat.S_ISLNK(status.st_mode)
    return (*_mark(status), *_mark_behind(whole)) if follows else _mark(status)


def _mark_behind(link: str) -> Mark:
    try:
        return _mark(os.stat(link))  # noqa: PTH116 - as `os.lstat` beside it
    except OSError:
        return ()


def _mark(status: os.stat_result) -> Mark:
    """What differs after any change. A folder's own times tell of entries that came and went."""
    size = 0 if stat.S_ISDIR(status.st_mode) else status.st_size
    return status.st_mode, status.st_ino, size, status.st_mtime_ns, status.st_ctime_ns


def _read_all(root: str, listing: _Listing) -> tuple[dict[str, StoreFile], dict[str, Mark]]:
    """Every file and link, and their marks as they were opened. Raises _Moved for what is something else by now."""
    files: dict[str, StoreFile] = {}
    marks: dict[str, Mark] = {}
    size = 0
    for path in listing.files:
        whole = f"{root}/{path}"
        files[path], marks[path] = _link(path, whole) if path in listing.links else _file(root, path, whole)
        size += len(files[path].data)
        _refuse_too_large(root, size)
    return files, marks


def _file(root: str, path: str, whole: str) -> tuple[StoreFile, Mark]:
    data, status = _bytes(root, whole)
    return StoreFile(path, data, status.st_mode, status.st_mtime_ns), _mark(status)


def _link(path: str, whole: str) -> tuple[StoreFile, Mark]:
    """A link with its target; an index with the text that it leads to, if it leads to any."""
    try:
        status = os.lstat(whole)
        target = os.fsencode(os.readlink(whole))  # noqa: PTH115 - Path.readlink tidies the target
    except OSError as fault:
        raise _told(fault, whole) from fault
    found = text_behind(whole) if path == INDEX else None
    if found is None:
        behind = _mark_behind(whole) if path == INDEX else ()
        return StoreFile(path, target, status.st_mode, status.st_mtime_ns), (*_mark(status), *behind)
    data, of_text = found
    marks = (*_mark(status), *_mark(of_text))
    return StoreFile(path, data, of_text.st_mode, of_text.st_mtime_ns, target), marks


def _bytes(root: str, whole: str) -> tuple[bytes, os.stat_result]:
    try:
        found = read_file(whole, MOST_BYTES + 1, through_links=False)
    except OSError as fault:
        raise _told(fault, whole) from fault
    _refuse_too_large(root, found.status.st_size)
    if len(found.data) != found.status.st_size:
        raise _Moved
    return found.data, found.status


_BY_ITSELF = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ESTALE})
"""What a writer beside us brings about: a file that is gone, or a link where there was none."""


def _told(fault: OSError, path: str) -> Exception:
    """A fault of reading as what it is: something moved, which is worth another look, or something to be mended."""
    if isinstance(fault, NotOrdinary) or fault.errno in _BY_ITSELF:
        return _Moved()
    if isinstance(fault, PermissionError):
        return MemgitError(
            f"{path!r} cannot be read: permission denied.",
            "Make it readable for you (chmod u+r, for a folder u+rx), or run memgit as its owner.",
        )
    if fault.errno == errno.ENAMETOOLONG:
        return MemgitError(
            f"In the store a path is too long for this system (folders too deep in each other): {_shortened(path)!r}.",
            "Move those folders out of the store, or up in it.",
        )
    return MemgitError(f"{_shortened(path)!r} cannot be read: {fault.strerror}.", "Mend that, then try again.")


def _shortened(path: str) -> str:
    return path if len(path) <= 200 else f"{path[:120]}…{path[-60:]}"
