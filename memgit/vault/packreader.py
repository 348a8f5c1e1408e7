"""The objects of a damaged pack, each read for itself in plain Python, so that a fault costs what it is in and no more.

The format is git's (``gitformat-pack``): objects one after the other, packed by zlib, some of them as the difference
(a delta) to another. git reads a pack from its start and may end at the first fault; the index tells where each begins.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memgit.vault import packfile
from memgit.vault.gitobjects import object_id

_KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_FROM_PLACE, _FROM_NAME = 6, 7
_DEEPEST = 500  # deltas upon deltas; git makes chains of 50, or of 250 when told to pack hard
_BROKEN = (ValueError, LookupError, zlib.error, MemoryError)


def whole_objects(pack: Path) -> Iterator[tuple[str, bytes]]:
    """Kind and content of each object whose hash is its name. Raises OSError when pack or index cannot be read."""
    reader = _Reader(pack.read_bytes(), packfile.places(pack))
    for name, place in reader.places.items():
        with suppress(*_BROKEN):
            kind, data = reader.at(place)
            if object_id(kind, data) == name:
                yield kind, data


@dataclass(frozen=True)
class _Reader:
    """A pack's bytes, and where each object begins in them."""

    pack: bytes
    places: Mapping[str, int]

    def at(self, place: int, depth: int = 0) -> tuple[str, bytes]:
        """The object at a place. Raises one of ``_BROKEN``."""
        if place <= 0 or depth > _DEEPEST:
            raise ValueError("no object is there")
        kind, size, after = self._head(place)
        if kind in _KINDS:
            return _KINDS[kind], self._unpacked(after, size)
        if kind == _FROM_PLACE:
            back, after = self._distance(after)
            base = place - back
        elif kind == _FROM_NAME:
            base, after = self.places[self.pack[after : after + 20].hex()], after + 20
        else:
            raise ValueError("no object is of that kind")
        name, data = self.at(base, depth + 1)
        return name, _changed(data, self._unpacked(after, size))

    def _head(self, place: int) -> tuple[int, int, int]:
        """Kind, size, and where the rest begins: four bits of the size, then seven a byte, lowest first."""
        byte = self.pack[place]
        size, after = _number(self.pack, place + 1) if byte & 0x80 else (0, place + 1)
        return byte >> 4 & 7, byte & 15 | size << 4, after

    def _distance(self, at: int) -> tuple[int, int]:
        """How far back the base begins: seven bits a byte, highest first, each but the last one less."""
        distance = self.pack[at] & 127
        while self.pack[at] & 0x80:
            at += 1
            distance = distance + 1 << 7 | self.pack[at] & 127
        return distance, at + 1

    def _unpacked(self, at: int, size: int) -> bytes:
        """Exactly so many bytes: a damaged size must not fill the memory."""
        data = zlib.decompressobj().decompress(memoryview(self.pack)[at:], min(size, 1 << 40) + 1)
        if len(data) != size:
            raise ValueError("its size is another")
        return data


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, lowest first, and what comes after it."""
    value = shift = 0
    while data[at] & 0x80:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
    return value | data[at] << shift, at + 1


def _changed(base: bytes, delta: bytes) -> bytes:
    """What a delta makes of its base: pieces copied from there, and pieces of its own."""
    before, at = _number(delta, 0)
    size, at = _number(delta, at)
    if before != len(base):
        raise ValueError("the delta is for another base")
    made = bytearray()
    while at < len(delta) and len(made) <= size:
        order, at = delta[at], at + 1
        if order & 0x80:
            start, at = _sparse(delta, at, order, range(4))
            length, at = _sparse(delta, at, order, range(4, 7))
            made += base[start : start + (length or 0x10000)]
        else:
            made += delta[at : at + order]
            at += order
    if len(made) != size:
        raise ValueError("the delta makes another size")
    return bytes(made)


def _sparse(delta: bytes, at: int, order: int, bits: range) -> tuple[int, int]:
    """A number of which only those bytes are written down whose bit is set."""
    value = 0
    for number, bit in enumerate(bits):
        if order & 1 << bit:
            value |= delta[at] << 8 * number
            at += 1
    return value, at
