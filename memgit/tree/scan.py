"""Finds many texts in many files in one pass.

Reading is most of the work, so files are read straight into one reused buffer, with NUL between them, and
searched a megabyte at a time. All texts are searched at once and overlapping (a search for the leftmost hit
alone misses every text inside another), and what is found all the time is dropped.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from ahocorasick_rs import BytesAhoCorasick, Implementation

from memgit.text.words import stands_alone

# --- engines ---
# Machines that find every occurrence of many texts in one look at the bytes.
#
# hyperscan, where it is installed, needs a tenth of the time that an Aho-Corasick automaton does, and longer to be
# built, so that it pays for large trees alone. Both are exact: occurrences that overlap are all reported.

MANY_FILES = 2_000
"""Files to be searched from which on a machine that is slow to build is worth it."""

_LARGEST_TABLE = 200_000  # bytes of all texts up to which an automaton's whole table fits into a few megabytes

Hit = tuple[int, int, int]
"""The number of a text, and where it starts and ends."""


class Machine(Protocol):
    """Finds all texts of one set."""

    def hits(self, data: memoryview) -> Iterable[Hit]:
        """Every occurrence, in the order of their ends."""


def machine(needles: Sequence[bytes], files: int) -> Machine:
    """The fastest machine for searching so many files. No needle may be empty."""
    if files >= MANY_FILES and (hyperscan := _hyperscan()):
        try:
            return _Hyperscan(hyperscan, needles)
        except hyperscan.error:  # a set that it cannot compile
            pass
    return _Automaton(needles)


class _Automaton:
    def __init__(self, needles: Sequence[bytes]) -> None:
        whole_table = sum(map(len, needles)) <= _LARGEST_TABLE
        kind = Implementation.DFA if whole_table else Implementation.ContiguousNFA
        self._automaton = BytesAhoCorasick(list(needles), implementation=kind)

    def hits(self, data: memoryview) -> Iterable[Hit]:
        return self._automaton.find_matches_as_indexes(data, overlapping=True)


class _Hyperscan:
    def __init__(self, hyperscan: Any, needles: Sequence[bytes]) -> None:
        self._sizes = [len(needle) for needle in needles]
        self._database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        numbers = list(range(len(needles)))
        self._database.compile(expressions=list(needles), ids=numbers, elements=len(needles), literal=True)
        self._scratch = hyperscan.Scratch(self._database)

    def hits(self, data: memoryview) -> Iterable[Hit]:
        found: list[Hit] = []

        def note(number: int, _start: int, end: int, _flags: int, _context: object) -> None:
            found.append((number, end - self._sizes[number], end))

        self._database.scan(data, match_event_handler=note, scratch=self._scratch)
        return sorted(found, key=_end)


def _end(hit: Hit) -> int:
    return hit[2]


def _hyperscan() -> Any:
    try:
        return importlib.import_module("hyperscan")
    except ImportError:
        return None


BUFFER = 1 << 20
"""Bytes that are searched at a time."""
LARGEST = 64 << 20
"""A file with more bytes than this is not read."""
LONGEST = 8192
"""A text with more bytes than this is not looked for: preparing the search costs the square of its length."""

_HEAD = 8192  # bytes among which a NUL shows a binary file
_ROOM = 1 << 16  # a file is started only where this much of the buffer is free
_CHAR = 4  # bytes of the longest UTF-8 character
_MANY = 10_000  # hits in one search that take longer than preparing one without what was found
_OPEN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Scan:
    """Where each text stands first, as ``path:line``, the files that were too large to be read, and those that could
    not be read, links among them."""

    found: Mapping[str, str]
    skipped: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


def scan(root: str, files: Collection[str], texts: Iterable[str], size: int = BUFFER) -> Scan:
    """Look for all ``texts`` in ``files`` (paths under ``root``), first file first, until each is found.

    Texts of more than `LONGEST` bytes are not looked for. Binary files, links and what cannot be read are passed over.
    """
    search = _Search(texts, len(files))
    reader = _Reader(search, size)
    unread: list[str] = []
    for path in files:
        if search.done:
            break
        if not _read_file(f"{root}/{path}", path, reader):
            unread.append(path)
    reader.flush()
    return Scan(search.found, tuple(reader.skipped), tuple(unread))


def is_searched(text: str) -> bool:
    """Whether a text can be looked for at all."""
    return 0 < len(_bytes(text)) <= LONGEST and "\0" not in text


class _Piece(NamedTuple):
    """A part of a file in the buffer: its bounds there, the lines of the file before it, and whether the
    file has more before and after it."""

    path: str
    start: int
    end: int
    lines: int = 0
    continues: bool = False
    continued: bool = False


class _Search:
    """The texts that are still looked for, and where the others were found."""

    def __init__(self, texts: Iterable[str], files: int) -> None:
        self._files = files
        self.wanted = [(text, _bytes(text)) for text in dict.fromkeys(texts) if is_searched(text)]
        self.longest = max((len(needle) for _, needle in self.wanted), default=0)
        self.left = len(self.wanted)
        self.found: dict[str, str] = {}
        self._machine: Machine | None = None

    @property
    def done(self) -> bool:
        return self.left == 0

    def look(self, buffer: bytearray, used: int, pieces: Sequence[_Piece]) -> None:
        """Search the first ``used`` bytes of the buffer, which hold these pieces in order."""
        if self.done or not pieces:
            return
        if self._machine is None:
            self._machine = machine([needle for _, needle in self.wanted], self._files)
        hits = list(self._machine.hits(memoryview(buffer)[:used]))
        self._take(hits, buffer, pieces)
        if len(hits) > _MANY and self.left < len(self.wanted):
            self._drop_found()

    def _take(self, hits: Iterable[Hit], buffer: bytearray, pieces: Sequence[_Piece]) -> None:
        """Hits come in the order of their ends, and so do the pieces."""
        at = 0
        for pattern, start, end in hits:
            while end > pieces[at].end:
                at += 1
            text, piece = self.wanted[pattern][0], pieces[at]
            if text not in self.found and _stands_alone(text, buffer, piece, start, end):
                self.found[text] = f"{piece.path}:{piece.lines + buffer.count(10, piece.start, start) + 1}"
                self.left -= 1

    def _drop_found(self) -> None:
        self.wanted = [(text, needle) for text, needle in self.wanted if text not in self.found]
        self._machine = None


class _Reader:
    """Fills the buffer with files, and has it searched whenever it is full."""

    def __init__(self, search: _Search, size: int) -> None:
        self.skipped: list[str] = []
        self._search = search
        self._margin = search.longest + 2 * _CHAR
        self._size = max(size, 4 * self._margin)
        self._full = self._size - min(_ROOM, self._size // 2)
        self._last = self._size - 1  # room for the NUL behind the last file
        self._buffer = bytearray(self._size)
        self._view = memoryview(self._buffer)
        self._pieces: list[_Piece] = []
        self._used = 0

    def add(self, path: str, fd: int) -> None:
        """Read a whole file into the buffer."""
        if self._used > self._full:
            self.flush()
        start = self._used
        end = start + _read_into(fd, self._view[start : self._last])
        if end == self._last:
            self._used = end
            self._add_in_pieces(path, fd, start)
        elif start < end and self._buffer.find(0, start, min(start + _HEAD, end)) < 0:
            self._pieces.append(_Piece(path, start, end))
            self._buffer[end] = 0
            self._used = end + 1

    def _add_in_pieces(self, path: str, fd: int, start: int) -> None:
        """Go on with a file that fills the buffer, in pieces that overlap."""
        piece = _Piece(path, start, start)
        if self._buffer.find(0, start, min(start + _HEAD, self._used)) >= 0 or self._is_too_large(path, fd):
            self._used = start
            return
        while self._used == self._last:
            piece = self._carry_over(piece)
            self._used += _read_into(fd, self._view[self._used : self._last])
        self._pieces.append(_Piece(path, piece.start, self._used, piece.lines, piece.continues))
        self._buffer[self._used] = 0
        self._used += 1

    def flush(self) -> None:
        self._search.look(self._buffer, self._used, self._pieces)
        self._pieces = []
        self._used = 0

    def _is_too_large(self, path: str, fd: int) -> bool:
        if os.fstat(fd).st_size <= LARGEST:
            return False
        self.skipped.append(path)
        return True

    def _carry_over(self, piece: _Piece) -> _Piece:
        """Search the full buffer and keep its end, long enough that no text is cut at the seam."""
        kept = min(self._margin, self._used - piece.start)
        cut = self._used - kept
        lines = piece.lines + self._buffer.count(10, piece.start, cut)
        tail = bytes(self._view[cut : self._used])
        self._pieces.append(_Piece(piece.path, piece.start, self._used, piece.lines, piece.continues, continued=True))
        continues = piece.continues or cut > piece.start
        self.flush()
        self._view[:kept] = tail
        self._used = kept
        return _Piece(piece.path, 0, kept, lines, continues)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _stands_alone(text: str, buffer: bytearray, piece: _Piece, start: int, end: int) -> bool:
    """Whether a hit is no part of a longer word. At a seam, where its neighbours are not all in the buffer, it
    is left to the piece that has them."""
    if start < piece.start or (piece.continues and start - piece.start < _CHAR):
        return False
    if piece.continued and piece.end - end < _CHAR:
        return False
    before = buffer[max(piece.start, start - _CHAR) : start].decode("utf-8", "ignore")
    after = buffer[end : min(end + _CHAR, piece.end)].decode("utf-8", "ignore")
    return stands_alone(text, before[-1:], after[:1])


def _read_file(path: str, name: str, reader: _Reader) -> bool:
    """Whether a file could be read; a folder, a pipe, a link and what went away cannot."""
    try:
        fd = os.open(path, _OPEN)
    except (OSError, ValueError):
        return False
    try:
        reader.add(name, fd)
    except OSError:  # what was read of it is not kept
        return False
    finally:
        os.close(fd)
    return True


def _read_into(fd: int, view: memoryview) -> int:
    return os.readv(fd, [view])


def _read_and_copy(fd: int, view: memoryview) -> int:
    data = os.read(fd, len(view))
    view[: len(data)] = data
    return len(data)


if not hasattr(os, "readv"):
    _read_into = _read_and_copy
