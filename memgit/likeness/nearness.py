"""How near a text is to each memory of a store: by the rare words that they share, and by what the words mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log

from memgit.likeness.embedding import Vector, apart, vector
from memgit.model.store import Memory
from memgit.text.language import common_terms
from memgit.text.words import terms

_LOOKED_AT = 12
"""Memories whose vectors are compared exactly, after their signs have ranked them."""


_IMAGINED = 10
"""Texts that are counted beside those at hand, of nothing but the commonest words: few texts tell little of how rare a
word is."""


@dataclass(frozen=True, slots=True)
class Near:
    """How near a memory is to a text: the share of the text's words that it holds, weighted by how rare they are, and
    the cosine of their vectors."""

    memory: str
    held: float
    cosine: float

    @property
    def score(self) -> float:
        """One number to rank by."""
        return self.held + self.cosine


class Weights:
    """How much each term tells, by how many of the texts at hand hold it."""

    def __init__(self, texts: Iterable[str]) -> None:
        counts: Counter[str] = Counter()
        number = 0
        for text in texts:
            counts.update(set(terms(text)))
            number += 1
        self._counts = counts
        self._number = number + _IMAGINED

    def of(self, term: str) -> float:
        """The weight of a term: the logarithm of how rarely it is met."""
        imagined = _IMAGINED if term in common_terms() else 0
        return log((self._number + 1) / (1 + self._counts[term] + imagined))

    def sum(self, terms: Iterable[str]) -> float:
        return sum(map(self.of, terms))

    def held(self, text: str, other: str) -> float:
        """The share of a text's weight that another text holds."""
        own = set(terms(text))
        total = self.sum(own)
        return self.sum(own & set(terms(other))) / total if total > 0 else 0.0

    def shared(self, one: str, other: str) -> float:
        """The weight that two texts share, of the weights of both: 1 for equal ones, the same both ways."""
        here, there = set(terms(one)), set(terms(other))
        both = self.sum(here) * self.sum(there)
        return self.sum(here & there) / both**0.5 if both > 0 else 0.0


class Nearness:
    """The memories of a store, ready to be asked which are near a text."""

    def __init__(self, memories: Sequence[Memory], weights: Weights) -> None:
        self._weights = weights
        self._holding: dict[str, list[int]] = {}
        self._names = [memory.id for memory in memories]
        self._vectors: list[Vector | None] = []
        for number, memory in enumerate(memories):
            text = told(memory)
            for term in set(terms(text)):
                self._holding.setdefault(term, []).append(number)
            self._vectors.append(vector(text))

    def of(self, text: str) -> tuple[Near, ...]:
        """The memories that are near a text, the nearest first; what shares no word and no meaning is left out."""
        held = self._held(text)
        cosines = self._cosines(text, set(held))
        found = (Near(self._names[each], held.get(each, 0.0), cosines.get(each, 0.0)) for each in {*held, *cosines})
        return tuple(sorted(found, key=lambda near: (-near.score, near.memory)))

    def _held(self, text: str) -> dict[int, float]:
        own = set(terms(text))
        total = self._weights.sum(own)
        shares: dict[int, float] = {}
        for term in own if total > 0 else ():
            share = self._weights.of(term) / total
            for number in self._holding.get(term, ()):
                shares[number] = shares.get(number, 0.0) + share
        return shares

    def _cosines(self, text: str, sharing: set[int]) -> dict[int, float]:
        mine = vector(text)
        if mine is None:
            return {}
        known = [(apart(mine, each), number) for number, each in enumerate(self._vectors) if each]
        chosen = {number for _, number in sorted(known)[:_LOOKED_AT]}
        if len(sharing) <= _LOOKED_AT:
            chosen |= sharing
        return {number: mine.cosine(each) for number in chosen if (each := self._vectors[number])}


def told(memory: Memory) -> str:
    """What a memory says of itself: its name, its description and its text."""
    return f"{memory.id.replace('-', ' ').replace('_', ' ')}\n{memory.description}\n{memory.body}"
