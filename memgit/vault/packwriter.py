"""Writes objects straight into a pack. Many at once: as a file each they cost twenty times as much on a disk."""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from memgit.faults import point
from memgit.vault.durable import private, sync_folder

_KINDS = {"commit": 1, "tree": 2, "blob": 3, "tag": 4}
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
        sync_folder(folder)
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
        yield bytes.fromhex(name), _header(_KINDS[kind], len(data)) + zlib.compress(data, 1)


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
