"""Texts as vectors: the mean of one fixed row per word piece. No model is run, so a thousand sentences take a blink."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import repeat
from math import sqrt
from operator import add, gt, mul
from pathlib import Path

_FOLDER = Path(__file__).parent / "static"
DIMENSIONS = 128
_WORD = re.compile(r"[a-z]+|\d+|[^\w\s]")
_LONGEST = 20  # letters of the longest piece


@dataclass(frozen=True, slots=True)
class Vector:
    """A text's place. ``values`` has unit length; ``signs`` are the signs of its values, a bit each, by which far ones
    are told apart quickly."""

    values: tuple[float, ...]
    signs: int

    def cosine(self, other: Vector) -> float:
        """How near two texts are, from -1 to 1."""
        return float(sum(map(mul, self.values, other.values)))


@dataclass(frozen=True)
class _Table:
    rows: memoryview
    pieces: dict[str, int]


@cache
def _table() -> _Table:
    rows = memoryview((_FOLDER / "rows.int8").read_bytes()).cast("b")
    pieces = (_FOLDER / "vocabulary.txt").read_text(encoding="utf-8").splitlines()
    return _Table(rows, {piece: number for number, piece in enumerate(pieces)})


@lru_cache(maxsize=65_536)
def _pieces(word: str) -> tuple[int, ...]:
    """The rows of a word, longest piece first; none where a part of it is in no piece."""
    table = _table().pieces
    found: list[int] = []
    at = 0
    while at < len(word):
        for end in range(min(len(word), at + _LONGEST), at, -1):
            row = table.get(("##" if at else "") + word[at:end])
            if row is not None:
                found.append(row)
                at = end
                break
        else:
            return tuple(found)
    return tuple(found)


@lru_cache(maxsize=65_536)
def vector(text: str) -> Vector | None:
    """The vector of a text; None where no word of it is known."""
    plain = unicodedata.normalize("NFKD", text.lower()) if not text.isascii() else text.lower()
    rows = [row for word in _WORD.findall(plain) for row in _pieces(word)]
    if not rows:
        return None
    table = _table().rows
    total: Sequence[int] = [0] * DIMENSIONS
    for row in rows:
        total = list(map(add, total, table[row * DIMENSIONS : (row + 1) * DIMENSIONS]))
    length = sqrt(sum(map(mul, total, total)))
    if not length:
        return None
    signs = int("".join("1" if positive else "0" for positive in map(gt, total, repeat(0))), 2)
    return Vector(tuple(value / length for value in total), signs)


def apart(one: Vector, other: Vector) -> int:
    """In how many of their signs two vectors differ: nearly in step with their angle, and many times as fast."""
    return (one.signs ^ other.signs).bit_count()
