"""Which of very many vectors point nearly the same way, in time that grows with their number and not with its square.

A vector is sketched by the sides of random planes on which it lies; those whose sketches agree in a band of bits are
compared bit by bit, and the few that are left number by number. So what is found is exact, and of what there is, more
than nine in ten are found among a hundred thousand, and nearly all among a thousand. Planes are the same in every run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from heapq import nlargest
from operator import itemgetter, mul, neg, sub
from random import Random

from memgit.core.summaries.vectors import Vector

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


def near_pairs(found: Iterable[Vector], least: float = NEAR) -> tuple[Pair, ...]:
    """The pairs with a cosine of ``least`` or more, nearest first, at most `MOST_PAIRS`. Vectors of one size only are
    compared; of many equal ones each makes a pair with the first."""
    by_size: defaultdict[int, list[Vector]] = defaultdict(list)
    for vector in found:
        by_size[vector.dimensions].append(vector)
    pairs = (pair for group in by_size.values() for pair in _near(group, least))
    return tuple(nlargest(MOST_PAIRS, pairs, key=lambda pair: (pair[2], pair[:2])))


def _near(group: Sequence[Vector], least: float) -> Iterator[Pair]:
    firsts: dict[bytes, Vector] = {}
    for vector in group:
        first = firsts.setdefault(blake2b(vector.data, digest_size=16).digest(), vector)
        if first is not vector:
            yield first.memory, vector.memory, 1.0
    different = tuple(firsts.values())
    for one, other in _candidates(different) if len(different) > 1 else ():
        cosine = sum(map(mul, different[one].numbers, different[other].numbers))
        if cosine >= least:
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
