"""Packs of the vault: written, read and checked without libgit2.

By hand, because git need not be there to write them, and because libgit2 dies of damaged ones and git gives up at the
first fault, where everything that is still whole is to be taken out.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from memgit.faults import point
from memgit.files import fsync_dir, private
from memgit.vault.gitobjects import object_id

# --- packfile ---
# Packs and their indexes as files: what they hold, and whether they are whole, without libgit2.

_SUM = 20  # bytes of the checksum at the end of both files
_ELSEWHERE = 1 << 31  # of a place: it is the number of a longer one
_FAN_OUT = 8 + 256 * 4  # magic, version, and how many names start with each byte


def names(pack: Path) -> set[str]:
    """The names of the objects in a pack, from its index (version 2)."""
    return set(_names(pack.with_suffix(".idx").read_bytes()))


def places(pack: Path) -> dict[str, int]:
    """Where each object of a pack begins, by its name, as far as its index tells. Raises OSError."""
    index = pack.with_suffix(".idx").read_bytes()
    known = _names(index)
    short = _FAN_OUT + len(known) * (_SUM + 4)  # behind the names and a checksum each
    large = short + len(known) * 4
    found = {}
    for number, name in enumerate(known):
        place = int.from_bytes(index[short + number * 4 : short + number * 4 + 4], "big")
        if place & _ELSEWHERE:
            at = large + (place ^ _ELSEWHERE) * 8
            place = int.from_bytes(index[at : at + 8], "big")
        found[name] = place
    return found


def _names(index: bytes) -> list[str]:
    count = int.from_bytes(index[_FAN_OUT - 4 : _FAN_OUT], "big")
    end = min(_FAN_OUT + count * _SUM, len(index) - _SUM)  # a damaged index may promise more than it holds
    return [index[at : at + _SUM].hex() for at in range(_FAN_OUT, end, _SUM)]


def fault(pack: Path) -> str | None:
    """What is wrong with a pack or its index, as the end of a sentence; None when both are whole."""
    try:
        held, index = pack.read_bytes(), pack.with_suffix(".idx").read_bytes()
    except OSError as cause:
        return f"cannot be read ({cause.strerror})"
    if not _is_whole(held):
        return "is damaged (its checksum is another)"
    if not _is_whole(index):
        return "has a damaged index (its checksum is another)"
    if index[-2 * _SUM : -_SUM] != held[-_SUM:]:
        return "has the index of another pack"
    return None


def sum_fault(file: Path) -> str | None:
    """What is wrong with a file beside packs that ends in its checksum (``.idx``, whose offsets libgit2 trusts and dies
    of, ``.bitmap``, ``.rev``)."""
    try:
        return None if _is_whole(file.read_bytes()) else "is damaged (its checksum is another)"
    except OSError as cause:
        return f"cannot be read ({cause.strerror})"


def extras(folder: Path) -> tuple[Path, ...]:
    """The files in a pack folder that git can do without."""
    return tuple(sorted([*folder.glob("*.bitmap"), *folder.glob("*.rev"), *folder.glob("multi-pack-index")]))


def _is_whole(data: bytes) -> bool:
    return len(data) > _SUM and hashlib.sha1(data[:-_SUM], usedforsecurity=False).digest() == data[-_SUM:]


# --- packreader ---
# The objects of a damaged pack, each read for itself in plain Python, so that a fault costs what it is in and no more.
#
# The format is git's (``gitformat-pack``): objects one after the other, packed by zlib, some of them as the difference
# (a delta) to another. git reads a pack from its start and may end at the first fault; the index tells where each
# begins.

_KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_FROM_PLACE, _FROM_NAME = 6, 7
_DEEPEST = 500  # deltas upon deltas; git makes chains of 50, or of 250 when told to pack hard
_BROKEN = (ValueError, LookupError, zlib.error, MemoryError)


def whole_objects(pack: Path) -> Iterator[tuple[str, bytes]]:
    """Kind and content of each object whose hash is its name. Raises OSError when pack or index cannot be read."""
    reader = _Reader(pack.read_bytes(), places(pack))
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


# --- packwriter ---
# Writes objects straight into a pack. Many at once: as a file each they cost twenty times as much on a disk.

_NUMBERS = {kind: number for number, kind in _KINDS.items()}
_LARGE = 1 << 31  # an offset from here on stands in the index's table of large ones


def write(folder: Path, objects: Mapping[str, tuple[str, bytes]], *, synced: bool) -> Path:
    """Write a pack of these objects (kind and content by name) with its index, and return it.

    ``synced`` makes it durable before it has its name. Raises `OSError`.
    """
    aside = folder / f"tmp_pack_{os.getpid()}"
    with private():
        with aside.open("wb") as file:
            rows, checksum = _write_pack(file, objects)
            _finish(file, synced)
        point("pack written aside")
        pack = folder / f"pack-{checksum.hex()}.pack"
        aside.replace(pack)
        with aside.open("wb") as file:
            file.write(_index(rows, checksum))
            _finish(file, synced)
        point("pack index written aside")
        aside.replace(pack.with_suffix(".idx"))
    if synced:
        fsync_dir(folder)
    return pack


def _finish(file: BinaryIO, synced: bool) -> None:
    file.flush()
    if synced:
        os.fsync(file.fileno())


Row = tuple[bytes, int, int]
"""Of one object in a pack: its name, the checksum (CRC-32) of its packed form, and the offset of that."""


def _write_pack(file: BinaryIO, objects: Mapping[str, tuple[str, bytes]]) -> tuple[list[Row], bytes]:
    """The objects one after the other, none as a difference; returns a row for each and the pack's checksum."""
    digest = hashlib.sha1(usedforsecurity=False)
    rows: list[Row] = []
    at = 0
    for name, part in _parts(objects):
        if name:
            rows.append((name, zlib.crc32(part), at))
        file.write(part)
        digest.update(part)
        at += len(part)
    file.write(digest.digest())
    return rows, digest.digest()


def _parts(objects: Mapping[str, tuple[str, bytes]]) -> Iterator[tuple[bytes, bytes]]:
    """The head of the pack (without a name), then each object's name and packed form."""
    yield b"", b"PACK" + (2).to_bytes(4, "big") + len(objects).to_bytes(4, "big")
    for name, (kind, data) in objects.items():
        yield bytes.fromhex(name), _header(_NUMBERS[kind], len(data)) + zlib.compress(data, 1)


def _header(kind: int, size: int) -> bytes:
    """Kind and size: four bits of the size in the first byte, seven in each further one, lowest first."""
    head = bytearray([kind << 4 | size & 15])
    size >>= 4
    while size:
        head[-1] |= 0x80
        head.append(size & 127)
        size >>= 7
    return bytes(head)


def _index(rows: list[Row], checksum: bytes) -> bytes:
    """The index of a pack, version 2."""
    rows = sorted(rows)
    large = [at for _, _, at in rows if at >= _LARGE]
    places = iter(range(_LARGE, _LARGE + len(large)))
    index = b"".join(
        [
            b"\xfftOc" + (2).to_bytes(4, "big"),
            *(count.to_bytes(4, "big") for count in _fan_out(rows)),
            *(name for name, _, _ in rows),
            *(crc.to_bytes(4, "big") for _, crc, _ in rows),
            *((at if at < _LARGE else next(places)).to_bytes(4, "big") for _, _, at in rows),
            *(at.to_bytes(8, "big") for at in large),
            checksum,
        ]
    )
    return index + hashlib.sha1(index, usedforsecurity=False).digest()


def _fan_out(rows: list[Row]) -> Iterator[int]:
    """For each byte, how many names start with it or a smaller one."""
    starts = [0] * 256
    for name, _, _ in rows:
        starts[name[0]] += 1
    total = 0
    for count in starts:
        total += count
        yield total
