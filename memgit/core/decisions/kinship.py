"""How much of a text each memory of a store holds, and which memories are nearest to each other.

Only to be read as an order: pieces of words are compared, the rarer in the store the heavier, so that endings,
compounds and most languages need no list. That two are near never shows that they say the same.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from heapq import nlargest

from memgit.core.decisions.telling import pieces
from memgit.model.store import Memory

_LONGEST = 20_000  # characters of a memory that are looked at


class Kinship:
    """The memories of one store, ready to be compared. Nothing is computed before it is asked for."""

    def __init__(self, memories: Iterable[Memory]) -> None:
        self._memories = tuple(memories)

    def held(self, text: str) -> Mapping[str, float]:
        """The share of a text (0 to 1, by weight) that each memory holds."""
        found = pieces(text)
        whole = sum(map(self._weight, found)) or 1.0
        return {name: sum(map(self._weight, found & own)) / whole for name, own in self._pieces.items()}

    def apart(self, one: str, other: str, text: str) -> bool:
        """Whether two memories hold different pieces of a text, none in common."""
        return not pieces(text) & self._pieces[one] & self._pieces[other]

    def closest(self, text: str, count: int) -> Sequence[str]:
        """The memories that hold most of a text."""
        held = self.held(text)
        return nlargest(count, held, key=lambda name: (held[name], name))

    def place(self, of: str, seen_from: str) -> int:
        """How many memories are nearer to ``seen_from`` than ``of`` is: 0 for its nearest."""
        return self._order(seen_from).index(of)

    def _order(self, name: str) -> Sequence[str]:
        if name not in self._orders:
            others = (other for other in self._pieces if other != name)
            self._orders[name] = sorted(others, key=lambda other: (-self._nearness(name, other), other))
        return self._orders[name]

    def _nearness(self, one: str, other: str) -> float:
        shared = sum(self._weight(piece) ** 2 for piece in self._pieces[one] & self._pieces[other])
        return shared / (self._lengths[other] or 1.0)

    def _weight(self, piece: str) -> float:
        return self._weights.get(piece, self._unknown)

    @cached_property
    def _orders(self) -> dict[str, Sequence[str]]:
        return {}

    @cached_property
    def _pieces(self) -> Mapping[str, frozenset[str]]:
        return {memory.id: pieces(_titled(memory)) for memory in self._memories}

    @cached_property
    def _weights(self) -> Mapping[str, float]:
        known = Counter(piece for own in self._pieces.values() for piece in own)
        return {piece: math.log((len(self._memories) + 1) / count) for piece, count in known.items()}

    @cached_property
    def _unknown(self) -> float:
        """What no memory holds is half chatter."""
        return math.log(len(self._memories) + 1) / 2

    @cached_property
    def _lengths(self) -> Mapping[str, float]:
        return {name: math.sqrt(sum(self._weight(piece) ** 2 for piece in own)) for name, own in self._pieces.items()}


def _titled(memory: Memory) -> str:
    return f"{memory.id} {memory.name} {memory.text[:_LONGEST]}"
