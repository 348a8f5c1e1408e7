"""What earlier searches of a tree found, so that a file that has not changed is not read again for the same texts.

It is only a cache: broken or gone, it is made anew. A file is taken for unchanged where its size, both of its times,
its inode and its device are what they were, and its times were old enough when it was listed that any later write
shows in them.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from blake3 import blake3

from memgit import files
from memgit.tree.scan import Scan, is_searched, scan

FOLDER = "trees"
MOST_TREES = 20
"""Trees that are remembered, those searched last."""
MOST_BYTES = 64 << 20
"""What is remembered of one tree at the most: half a million files. Above that nothing is."""

Mark = bytes
"""What differs in a file's status after any change of it; empty for a file that must be read again in any case."""

_MARK = struct.Struct("<5Q")
_BITS = (1 << 64) - 1
_YOUNG = 2_000_000_000  # nanoseconds: the tick of the coarsest clock that a file system has


def mark(status: os.stat_result, now: int) -> Mark:
    """The mark of a file that is listed at ``now`` (nanoseconds since 1970).

    Empty where it changed so shortly before that one more write might leave its times as they are.
    """
    if max(status.st_mtime_ns, status.st_ctime_ns) >= now - _YOUNG:
        return b""
    facts = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev)
    return _MARK.pack(*[fact & _BITS for fact in facts])


@dataclass(frozen=True, slots=True)
class Known:
    """The files that were searched, in their order, and where each text stands first among them (``path:line``;
    empty for a text that none of them holds)."""

    marks: Mapping[str, Mark] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)

    def changed(self, listed: Mapping[str, Mark]) -> list[str]:
        """The files that must be read again, or for the first time."""
        return [path for path, mark in listed.items() if not mark or self.marks.get(path) != mark]

    def orders_like(self, listed: Mapping[str, Mark]) -> bool:
        """Whether the files that are still listed are so in the order in which they were searched."""
        return [path for path in self.marks if path in listed] == [path for path in listed if path in self.marks]


def search(root: str, listed: Mapping[str, Mark], texts: Iterable[str], known: Known) -> tuple[Scan, Known]:
    """What `scan` finds in the listed files, and what is known then.

    Texts that are known are looked for in changed files; all files are read only for those that are new, or whose
    file has lost them.
    """
    wanted = [text for text in dict.fromkeys(texts) if is_searched(text)]
    changed = known.changed(listed)
    now = scan(root, changed, known.places)
    places = _still_first(listed, frozenset(changed), known, now.found)
    new = [text for text in wanted if text not in places]
    first = scan(root, listed, new)
    places |= {text: first.found.get(text, "") for text in new}
    found = {text: places[text] for text in wanted if places[text]}
    skipped, unread = {*now.skipped, *first.skipped}, {*now.unread, *first.unread}
    marks = {path: b"" if path in skipped or path in unread else mark for path, mark in listed.items()}
    return Scan(found, tuple(sorted(skipped)), tuple(sorted(unread))), Known(marks, places)


def _still_first(
    listed: Mapping[str, Mark], changed: frozenset[str], known: Known, now: Mapping[str, str]
) -> dict[str, str]:
    """Where each known text stands first, as far as reading the changed files (``now``) tells."""
    rank = {path: number for number, path in enumerate(listed)} if known.orders_like(listed) else {}
    places: dict[str, str] = {}
    for text, before in known.places.items():
        after = now.get(text, "")
        if not before:
            places[text] = after
        elif (old := rank.get(_file(before))) is None:  # its file went, or another may come before it by now
            continue
        elif after and rank[_file(after)] <= old:
            places[text] = after
        elif _file(before) not in changed:
            places[text] = before
    return places


def _file(place: str) -> str:
    return place.rpartition(":")[0]


# --- on disk ---


_VERSION = b"2"  # raise it whenever a search would find something else
_CHECKSUM = 32
_LENGTH = 8


@dataclass(frozen=True, slots=True)
class KnownTrees:
    """A folder of what is known of each tree, which only its owner can read: it holds names out of memories.

    For each kind one string is kept, its parts with NUL between them, which no path and no text holds.
    """

    folder: Path

    def load(self, root: str) -> Known:
        """What is known of the tree at ``root``; nothing where that cannot be read."""
        try:
            return _read(self._path(root).read_bytes(), root)
        except (OSError, ValueError):
            return Known()

    def keep(self, root: str, known: Known, asked: Iterable[str]) -> None:
        """Write what is known, of the texts that were ``asked`` for alone where all are too many, and let go of the
        oldest trees. A disk that takes nothing more costs only the convenience."""
        whole = _written(root, known)
        if len(whole) > MOST_BYTES:
            few = {text: known.places[text] for text in asked if text in known.places}
            whole = _written(root, Known(known.marks, few))
        if len(whole) > MOST_BYTES:
            return
        with suppress(OSError):
            with suppress(FileExistsError):
                files.make_private_folder(self.folder)
            files.write_atomic(self._path(root), whole)
            self._prune()

    def _path(self, root: str) -> Path:
        return self.folder / f"{blake2b(_joined([root]), digest_size=16).hexdigest()}.tree"

    def _prune(self) -> None:
        for path in sorted(tree_files(self.folder), key=lambda path: -path.stat().st_mtime)[MOST_TREES:]:
            files.remove_file(path)


def tree_files(folder: Path) -> tuple[Path, ...]:
    """The files of all trees that are remembered."""
    return tuple(sorted(folder.glob("*.tree"))) if folder.is_dir() else ()


def _written(root: str, known: Known) -> bytes:
    marks = b"".join(mark or bytes(_MARK.size) for mark in known.marks.values())
    texts = (_joined(known.marks), marks, _joined(known.places), _joined(known.places.values()))
    parts = (_VERSION, _joined([root]), *texts)
    data = b"".join(len(part).to_bytes(_LENGTH) + part for part in parts)
    return blake3(data).digest() + data


def _read(data: bytes, root: str) -> Known:
    """The inverse. Raises ValueError for what is not whole, of another version, or of another tree."""
    if blake3(data[_CHECKSUM:]).digest() != data[:_CHECKSUM]:
        raise ValueError("not as it was written")
    version, of, paths, marks, texts, places = _apart(data, _CHECKSUM)
    if (version, of) != (_VERSION, _joined([root])):
        raise ValueError("not of this tree")
    return Known(
        dict(zip(_parts(paths), _marks(marks), strict=True)), dict(zip(_parts(texts), _parts(places), strict=True))
    )


def _apart(data: bytes, at: int) -> Iterator[bytes]:
    while at < len(data):
        start = at + _LENGTH
        at = start + int.from_bytes(data[at:start])
        yield data[start:at]


def _joined(parts: Iterable[str]) -> bytes:
    """Each part with a NUL behind it."""
    return "".join(f"{part}\0" for part in parts).encode("utf-8", "surrogatepass")


def _parts(data: bytes) -> Sequence[str]:
    return data.decode("utf-8", "surrogatepass").split("\0")[:-1]


def _marks(data: bytes) -> Sequence[Mark]:
    marks = (data[at : at + _MARK.size] for at in range(0, len(data), _MARK.size))
    return [mark if any(mark) else b"" for mark in marks]
