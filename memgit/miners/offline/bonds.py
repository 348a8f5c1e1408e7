"""How closely the memories of one store are bound to each other, measured against what all of them have in common.

Any two notes of a project look alike from afar: they share its subject. So what the whole store has in common
is taken away first, and a pair counts as close only when each is the other's nearest, and by several measures
at once: the whole texts, the claims, the sentences one by one, the telling words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from heapq import nlargest

from memgit.miners.offline.anatomy import anatomy, sentences
from memgit.miners.offline.similarity import Vector, centred, dot, weighted_vector
from memgit.miners.offline.words import Weights, content
from memgit.model.store import Memory

FEWEST = 8
"""Memories that a store must have before what they have in common can be told from what two of them say."""

NEIGHBOURS = 3
"""How many of a memory's nearest are compared sentence by sentence."""

_ALIGNED = 3  # sentence pairs that are added up
_LONGEST = 6_000  # characters of a memory that are looked at


class Bonds:
    """The closeness of pairs: about 2 for notes on one subject, 3.3 and more for one lesson told twice."""

    def __init__(self, memories: Sequence[Memory], weights: Weights) -> None:
        self._memories = tuple(memories)
        self._weights = weights

    def strength(self, a: str, b: str) -> float:
        """How close two memories are; 0 where neither is among the other's nearest, or the store is too small."""
        return self._strengths.get(frozenset((a, b)), 0.0)

    def nearest(self, name: str) -> tuple[str, ...]:
        """The ids of a memory's nearest, the closest first."""
        return tuple(other for _, other in sorted(self._near.get(name, ()), reverse=True))

    @cached_property
    def _near(self) -> Mapping[str, list[tuple[float, str]]]:
        """For each memory the others it has a strength with."""
        near: dict[str, list[tuple[float, str]]] = {}
        for pair, strength in self._strengths.items():
            a, b = pair
            near.setdefault(a, []).append((strength, b))
            near.setdefault(b, []).append((strength, a))
        return near

    @cached_property
    def _strengths(self) -> Mapping[frozenset[str], float]:
        if len(self._memories) < FEWEST:
            return {}
        return {
            frozenset((self._memories[a].id, self._memories[b].id)): self._measure(a, b) for a, b in self._nominated
        }

    @cached_property
    def _nominated(self) -> frozenset[tuple[int, int]]:
        """Pairs of which one is among the other's nearest by whole text and claim."""
        numbers = range(len(self._memories))
        rough = {(a, b): self._rough(a, b) for a in numbers for b in numbers if a < b}
        found: set[tuple[int, int]] = set()
        for one in numbers:
            mine = [(min(one, other), max(one, other)) for other in numbers if other != one]
            found.update(nlargest(NEIGHBOURS, mine, key=rough.__getitem__))
        return frozenset(found)

    def _rough(self, a: int, b: int) -> float:
        return dot(self._wholes[a], self._wholes[b]) + dot(self._claims[a], self._claims[b])

    def _measure(self, a: int, b: int) -> float:
        one, other = self._words[a], self._words[b]
        return (
            self._rough(a, b)
            + 2 * self._shared(one[0], other[0])
            + 2 * self._shared(one[1], other[1])
            + _alignment(self._sentences[a], self._sentences[b])
        )

    def _shared(self, a: frozenset[str], b: frozenset[str]) -> float:
        return self._weights.mass(a & b) / (self._weights.mass(a | b) or 1.0)

    @cached_property
    def _wholes(self) -> tuple[Vector, ...]:
        return centred([weighted_vector(_whole(one), self._weights) for one in self._memories])

    @cached_property
    def _claims(self) -> tuple[Vector, ...]:
        return centred([weighted_vector(_claim(one), self._weights) for one in self._memories])

    @cached_property
    def _words(self) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
        return tuple((content(_claim(one)), content(_whole(one))) for one in self._memories)

    @cached_property
    def _sentences(self) -> tuple[tuple[Vector, ...], ...]:
        """The sentences of each memory as vectors, its title first."""
        texts = [(_title(one), *_parts(one)) for one in self._memories]
        vectors = iter(centred([weighted_vector(text, self._weights) for group in texts for text in group]))
        return tuple(tuple(next(vectors) for _ in group) for group in texts)


def _title(memory: Memory) -> str:
    return f"{memory.description} {re.sub('[-_]', ' ', memory.name)}"


def _claim(memory: Memory) -> str:
    return f"{_title(memory)}\n{anatomy(memory.body[:_LONGEST]).claim}"


def _whole(memory: Memory) -> str:
    return f"{_title(memory)}\n{memory.body[:_LONGEST]}"


def _parts(memory: Memory) -> tuple[str, ...]:
    parts = anatomy(memory.body[:_LONGEST])
    return tuple(one for text in (parts.claim, *(text for _, text in parts.labelled)) for one in sentences(text))


def _alignment(a: Sequence[Vector], b: Sequence[Vector]) -> float:
    """How well the sentences of two memories pair up: the mean of each one's best, thrice, and the best pairs."""
    table = [[dot(one, other) for other in b] for one in a]
    rows = [max(row) for row in table]
    columns = [max(column) for column in zip(*table, strict=True)]
    mean: float = (sum(rows) / len(rows) + sum(columns) / len(columns)) / 2
    return 3 * mean + sum(_best_pairs(table))


def _best_pairs(table: Sequence[Sequence[float]]) -> list[float]:
    """The nearest pairs of sentences, none in two pairs."""
    ranked = sorted(((value, a, b) for a, row in enumerate(table) for b, value in enumerate(row)), reverse=True)
    found: list[float] = []
    used: set[tuple[str, int]] = set()
    for value, a, b in ranked:
        if len(found) < _ALIGNED and not {("a", a), ("b", b)} & used:
            found.append(value)
            used |= {("a", a), ("b", b)}
    return found
