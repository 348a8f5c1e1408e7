"""Packs and their indexes as files: what they hold, and whether they are whole, without libgit2."""

from __future__ import annotations

import hashlib
from pathlib import Path

_SUM = 20  # bytes of the checksum at the end of both files
_FAN_OUT = 8 + 256 * 4  # magic, version, and how many names start with each byte


def names(pack: Path) -> set[str]:
    """The names of the objects in a pack, from its index (version 2)."""
    data = pack.with_suffix(".idx").read_bytes()
    count = int.from_bytes(data[_FAN_OUT - 4 : _FAN_OUT], "big")
    return {data[at : at + _SUM].hex() for at in range(_FAN_OUT, _FAN_OUT + count * _SUM, _SUM)}


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


def index_fault(index: Path) -> str | None:
    """What is wrong with the index of a pack; libgit2 trusts its offsets, and dies of a wrong one."""
    try:
        return None if _is_whole(index.read_bytes()) else "is damaged (its checksum is another)"
    except OSError as cause:
        return f"cannot be read ({cause.strerror})"


def extra_fault(extra: Path) -> str | None:
    """What is wrong with a file that git derived from packs (``.bitmap``, ``.rev``); None when it is whole."""
    return None if _is_whole(extra.read_bytes()) else "is damaged (its checksum is another)"


def extras(folder: Path) -> tuple[Path, ...]:
    """The files in a pack folder that git can do without."""
    return tuple(sorted([*folder.glob("*.bitmap"), *folder.glob("*.rev"), *folder.glob("multi-pack-index")]))


def _is_whole(data: bytes) -> bool:
    return len(data) > _SUM and hashlib.sha1(data[:-_SUM], usedforsecurity=False).digest() == data[-_SUM:]
