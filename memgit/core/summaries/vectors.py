"""What a database of summaries knows of them: vectors, which of them are near, and signals of use."""

from __future__ import annotations

import math
import struct
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b
from heapq import nlargest
from itertools import repeat
from operator import itemgetter, mul, neg, sub, truediv
from random import Random

from memgit.core.prune.recalls import Recalls
from memgit.core.summaries.form import (
    EMBEDDINGS,
    PROVENANCE,
    SUMMARIES,
    SUPERSEDES,
    Row,
    columns_of,
    edges,
    ends,
    is_vectors,
    path_of,
    row_of,
    time_of,
    vector_parts,
)
from memgit.memory.memory import is_memory
from memgit.model.store import StoreContent

# --- vectors ---
# The vectors that a database keeps of its summaries, as they can be compared.

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


# --- nearness ---
# Which of very many vectors point nearly the same way, in time that grows with their number and not with its square.
#
# A vector is sketched by the sides of random planes on which it lies; those whose sketches agree in a band of bits are
# compared bit by bit, and the few that are left number by number. So what is found is exact, and of what there is, more
# than nine in ten are found among a hundred thousand, and nearly all among a thousand. Planes are the same in every
# run.

NEAR = 0.95
"""Cosine from which two vectors nominate their memories for one. It proves nothing: two sentences that differ only in
``30`` against ``15`` were measured at 0.986."""

MOST_PAIRS = 1000
"""Pairs that are given, the nearest: nobody looks at more."""

_PLANES = 256
_TAKEN = 24
"""Numbers of a vector that a plane looks at."""

_APART = 72
"""Planes that two vectors may lie on different sides of. Of 256, those of a cosine of 0.95 differ in 26, and in 40
where all vectors of a store are a little alike."""

_FEW, _SAMPLE = 200, 1000
"""Vectors below which they have no middle, and those of more from which it is taken."""

_NEIGHBOURS = 40
"""Vectors with a band in common that each is compared with, the nearest in their order."""

Pair = tuple[str, str, float]
"""Two memories and the cosine of their vectors."""

_Side = Callable[[Sequence[float]], Sequence[float]]


def near_pairs(found: Iterable[Vector]) -> tuple[Pair, ...]:
    """The pairs with a cosine of `NEAR` or more, nearest first, at most `MOST_PAIRS`. Vectors of one size only are
    compared; of many equal ones each makes a pair with the first."""
    by_size: defaultdict[int, list[Vector]] = defaultdict(list)
    for vector in found:
        by_size[vector.dimensions].append(vector)
    pairs = (pair for group in by_size.values() for pair in _near(group))
    return tuple(nlargest(MOST_PAIRS, pairs, key=lambda pair: (pair[2], pair[:2])))


def _near(group: Sequence[Vector]) -> Iterator[Pair]:
    firsts: dict[bytes, Vector] = {}
    for vector in group:
        first = firsts.setdefault(blake2b(vector.data, digest_size=16).digest(), vector)
        if first is not vector:
            yield first.memory, vector.memory, 1.0
    different = tuple(firsts.values())
    for one, other in _candidates(different) if len(different) > 1 else ():
        cosine = sum(map(mul, different[one].numbers, different[other].numbers))
        if cosine >= NEAR:
            yield different[one].memory, different[other].memory, min(cosine, 1.0)


def _candidates(group: Sequence[Vector]) -> Iterator[tuple[int, int]]:
    """Positions of vectors whose sketches are alike, each pair once."""
    sketches = list(_sketches(group))
    width = max(4, len(group).bit_length() - 1)
    met: set[tuple[int, int]] = set()
    for start in range(0, _PLANES - width + 1, width):
        for numbers in _in_one_band(sketches, start, width):
            for at, number in enumerate(numbers):
                own = sketches[number]
                near = numbers[max(0, at - _NEIGHBOURS) : at]
                met.update((other, number) for other in near if (sketches[other] ^ own).bit_count() <= _APART)
    yield from sorted(met)


def _in_one_band(sketches: Sequence[int], start: int, width: int) -> Iterator[list[int]]:
    """Positions of sketches that agree in ``width`` bits."""
    mask = (1 << width) - 1
    bands: defaultdict[int, list[int]] = defaultdict(list)
    for number, sketch in enumerate(sketches):
        bands[sketch >> start & mask].append(number)
    return (numbers for numbers in bands.values() if len(numbers) > 1)


def _sketches(group: Sequence[Vector]) -> Iterator[int]:
    """For each vector the sides of the planes, a bit for each. Planes go through the middle of all vectors: those of
    one project are all a little alike, and planes through zero would not part them."""
    middle = _middle(group)
    planes = _planes(len(middle))
    for vector in group:
        moved = tuple(map(sub, vector.numbers, middle))
        both = (*moved, *map(neg, moved))
        yield int("".join(["1" if sum(plane(both)) > 0 else "0" for plane in planes]), 2)


def _middle(group: Sequence[Vector]) -> tuple[float, ...]:
    """What most of them have in common; nothing of a few, which would be nothing but those that are to be compared."""
    if len(group) < _FEW:
        return (0.0,) * group[0].dimensions
    sample = [vector.numbers for vector in group[:: len(group) // _SAMPLE + 1]]
    return tuple(sum(column) / len(sample) for column in zip(*sample, strict=True))


@lru_cache(maxsize=8)
def _planes(dimensions: int) -> tuple[_Side, ...]:
    """What each plane looks at: places in a vector and, behind it, its negation."""
    chance = Random(dimensions)
    return tuple(itemgetter(*_places(chance, dimensions)) for _ in range(_PLANES))


def _places(chance: Random, dimensions: int) -> list[int]:
    chosen = chance.sample(range(dimensions), min(_TAKEN, dimensions))
    return [place + dimensions * chance.randrange(2) for place in chosen]


# --- signals ---
# What a database of summaries knows of their use: edges that lead there, searches that found them, contradictions.

CONTRADICTS = "contradicts"

_LAST_HIT = ("last_hit_at", "last_hit_ts", "last_retrieved_at", "last_accessed_at", "last_used_at")
_HITS = ("hits", "hit_count", "retrieval_hits", "retrieval_count", "access_count")

NO_HITS = "the database does not count searches, so nobody can tell which summaries are never found"
NO_EDGES = "the database has no provenance edges, so nobody can tell which summaries others rest on"


@dataclass(frozen=True, slots=True)
class Signals:
    """By memory id: ``cited``, how many edges name a summary; ``found``, when a search last found it (where it did;
    the last moment there is where only the count is known). ``contradicts`` are pairs that an edge calls so. ``lacks``
    says which signal the database does not have; then nothing is known of anybody's lack of use."""

    cited: Mapping[str, int] = field(default_factory=dict)
    found: Mapping[str, datetime] = field(default_factory=dict)
    contradicts: tuple[tuple[str, str], ...] = ()
    lacks: str = ""


SOME_DAY = datetime.max.replace(tzinfo=UTC)
"""The last search, where only their number is known."""


def signals(content: StoreContent) -> Signals:
    """The signals of the live summaries. Raises ValueError where the normal form is broken."""
    columns = columns_of(content)
    counted = any(name in columns.get(SUMMARIES, ()) for name in (*_LAST_HIT, *_HITS))
    ids = {str(row["id"]): name for name, row in _live(content)}
    told = [(each, [ids[end] for end in ends(each) if end in ids]) for each in edges(content, PROVENANCE)]
    cited = Counter(name for _, names in told for name in set(names))
    cited.update(ids[key] for each in edges(content, SUPERSEDES) if (key := str(each["newer_id"])) in ids)
    return Signals(
        cited=cited,
        found=dict(_found(content)) if counted else {},
        contradicts=tuple(
            (names[0], names[1]) for edge, names in told if edge.get("edge_type") == CONTRADICTS and len(names) == 2
        ),
        lacks=NO_HITS if not counted else NO_EDGES if PROVENANCE not in columns else "",
    )


def _live(content: StoreContent) -> Iterator[tuple[str, Row]]:
    for path, file in content.files.items():
        if is_memory(file):
            yield path.removesuffix(".md"), row_of(file)


def _found(content: StoreContent) -> Iterator[tuple[str, datetime]]:
    for name, row in _live(content):
        if last := _last_hit(row):
            yield name, last


def _last_hit(row: Row) -> datetime | None:
    """When a search last found a summary; None where none ever did."""
    times = (time_of(row[name]) for name in _LAST_HIT if row.get(name) is not None)
    return next(filter(None, times), SOME_DAY if any(row.get(name) for name in _HITS) else None)


def of_database(known: Signals) -> Recalls:
    """What a prune takes for recalls where the database says it; transcripts do not show what its searches find."""
    return Recalls(known.found, counting=not known.lacks, cited=known.cited, lacks=known.lacks)
