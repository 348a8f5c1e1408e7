"""Packs and their indexes as files: what they hold, and whether they are whole, without libgit2."""

from __future__ import annotations

import hashlib
from pathlib import Path

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
