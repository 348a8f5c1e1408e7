"""Finds many texts in many files in one pass.

Reading is most of the work, so files are read straight into one reused buffer, with NUL between them, and
searched a megabyte at a time. All texts are searched at once and overlapping (a search for the leftmost hit
alone misses every text inside another), and what has been found is dropped.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memgit.core.text.bounds import stands_alone
from memgit.tree.engines import Hit, Machine, machine

BUFFER = 1 << 20
"""Bytes that are searched at a time."""
LARGEST = 64 << 20
"""A file with more bytes than this is not read."""
LONGEST = 8192
"""A text with more bytes than this is not looked for: preparing the search costs the square of its length."""

_HEAD = 8192  # bytes among which a NUL shows a binary file
_ROOM = 1 << 16  # a file is started only where this much of the buffer is free
_CHAR = 4  # bytes of the longest UTF-8 character
_MANY = 10_000  # hits in one search after which dropping found texts pays
_FEW = 0.5  # share of the texts that is left to be found when it does
_OPEN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Scan:
    """Where each text stands first, as ``path:line``, and the files that were too large to be read."""

    found: Mapping[str, str]
    skipped: tuple[str, ...] = ()


def scan(root: str, files: Collection[str], texts: Iterable[str], size: int = BUFFER) -> Scan:
    """Look for all ``texts`` in ``files`` (paths under ``root``), first file first, until each is found.

    Texts of more than `LONGEST` bytes are not looked for. Binary files, links and what cannot be read are passed over.
    """
    search = _Search(texts, len(files))
    reader = _Reader(search, size)
    for path in files:
        if search.done:
            break
        _read_file(f"{root}/{path}", path, reader)
    reader.flush()
    return Scan(search.found, tuple(reader.skipped))


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
        needles = ((text, text.encode("utf-8", "surrogatepass")) for text in dict.fromkeys(texts))
        self.wanted = [(text, needle) for text, needle in needles if 0 < len(needle) <= LONGEST and b"\0" not in needle]
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
        if self.left < len(self.wanted) and (len(hits) > _MANY or self.left < _FEW * len(self.wanted)):
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
        self._buffer = bytearray(self._size)
        self._view = memoryview(self._buffer)
        self._pieces: list[_Piece] = []
        self._used = 0

    def add(self, path: str, fd: int) -> None:
        """Read a whole file into the buffer, in pieces that overlap where it does not fit."""
        if self._used > self._full:
            self.flush()
        piece = _Piece(path, self._used, self._used)
        while self._fill(fd):
            if self._is_binary(piece) or self._is_too_large(piece, fd):
                self._used = piece.start
                return
            if self._used < self._size - 1:
                break
            piece = self._carry_over(piece)
        if self._used > piece.start:
            self._finish(piece)

    def flush(self) -> None:
        self._search.look(self._buffer, self._used, self._pieces)
        self._pieces = []
        self._used = 0

    def _fill(self, fd: int) -> int:
        got = _read_into(fd, self._view[self._used : self._size - 1])
        self._used += got
        return got

    def _is_binary(self, piece: _Piece) -> bool:
        return not piece.continues and self._buffer.find(0, piece.start, min(piece.start + _HEAD, self._used)) >= 0

    def _is_too_large(self, piece: _Piece, fd: int) -> bool:
        full = self._used == self._size - 1 and not piece.continues
        if full and os.fstat(fd).st_size > LARGEST:
            self.skipped.append(piece.path)
            return True
        return False

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

    def _finish(self, piece: _Piece) -> None:
        self._pieces.append(_Piece(piece.path, piece.start, self._used, piece.lines, piece.continues))
        self._buffer[self._used] = 0
        self._used += 1


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


def _read_file(path: str, name: str, reader: _Reader) -> None:
    try:
        fd = os.open(path, _OPEN)
    except (OSError, ValueError):
        return
    try:
        reader.add(name, fd)
    except OSError:  # a folder, a pipe, or a file that went away: what was read of it is not kept
        return
    finally:
        os.close(fd)


def _read_into(fd: int, view: memoryview) -> int:
    if hasattr(os, "readv"):
        return os.readv(fd, [view])
    data = os.read(fd, len(view))
    view[: len(data)] = data
    return len(data)
