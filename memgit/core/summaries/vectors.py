"""The vectors that a database keeps of its summaries, as they can be compared."""

from __future__ import annotations

import math
import struct
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from operator import mul, truediv

from memgit.core.summaries.form import EMBEDDINGS, columns_of, is_vectors, path_of, vector_parts
from memgit.core.summaries.rows import Row
from memgit.model.store import StoreContent

_NUMBER = 4
"""Bytes of each number: a vector is little-endian float32, one behind the other."""


@dataclass(frozen=True, slots=True)
class Vector:
    """The vector of one memory: its bytes where they lie in the content, and how long it is (above 0, finite)."""

    memory: str
    data: memoryview
    length: float

    @property
    def dimensions(self) -> int:
        return len(self.data) // _NUMBER

    @property
    def numbers(self) -> tuple[float, ...]:
        """The vector brought to length 1."""
        return tuple(map(truediv, _unpacked(self.data), repeat(self.length)))


def keeps_vectors(content: StoreContent) -> bool:
    """Whether a database has a table for vectors. Raises ValueError where the normal form is broken."""
    return EMBEDDINGS in columns_of(content)


def vectors(content: StoreContent, wanted: Collection[str]) -> Iterator[Vector]:
    """The vectors of these memories that have a direction: none that is cut short, of another size than its row says,
    zero or no number. Raises ValueError where the normal form is broken."""
    for path, file in content.files.items():
        for row, data in vector_parts(file.data) if is_vectors(path) else ():
            name = path_of(row.get("summary_id")).removesuffix(".md")
            if name in wanted and _is_whole(row, data) and _is_length(length := _length(data)):
                yield Vector(name, data, length)


def _is_whole(row: Row, data: memoryview) -> bool:
    return len(data) % _NUMBER == 0 and row.get("dim") in (None, len(data) // _NUMBER)


def _length(data: memoryview) -> float:
    numbers = _unpacked(data)
    return math.sqrt(sum(map(mul, numbers, numbers)))


def _is_length(length: float) -> bool:
    return math.isfinite(length) and length > 0


def _unpacked(data: memoryview) -> tuple[float, ...]:
    return _shape(len(data) // _NUMBER).unpack(data)


@lru_cache(maxsize=64)
def _shape(dimensions: int) -> struct.Struct:
    return struct.Struct(f"<{dimensions}f")
