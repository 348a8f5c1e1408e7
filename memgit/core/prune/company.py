"""The memories of a large store that share enough rare words with another one to be about the same thing.

Comparing by meaning grows with the number of memories and, among neighbours in time, with its square. A memory whose
rare words stand together nowhere else is about something of its own, and need not be compared.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import chain

from memgit.model.store import Memory
from memgit.text.words import content_words

_RAREST = 10
"""Words of a memory that are looked up: those that fewest others have."""

_COMMON = 80
"""Memories with a word beyond which it says nothing of what they are about."""

_SHARED = 3
"""Rare words in common that make two memories companions; of a memory with fewer, all of them."""


def in_company(memories: Sequence[Memory]) -> tuple[Memory, ...]:
    """Those that have a companion, in their order."""
    words = [content_words(memory.text) for memory in memories]
    counts = Counter(word for each in words for word in each)
    rare = [_rarest(each, counts) for each in words]
    having: defaultdict[str, list[int]] = defaultdict(list)
    for number, each in enumerate(rare):
        for word in each:
            having[word].append(number)
    return tuple(memory for memory, each in zip(memories, rare, strict=True) if each and _has_companion(each, having))


def _rarest(words: frozenset[str], counts: Counter[str]) -> tuple[str, ...]:
    shared = (word for word in words if 1 < counts[word] <= _COMMON)
    return tuple(sorted(shared, key=lambda word: (counts[word], word))[:_RAREST])


def _has_companion(rare: Sequence[str], having: defaultdict[str, list[int]]) -> bool:
    met = Counter(chain.from_iterable(having[word] for word in rare))
    nearest = sorted(met.values())[-2:]  # the last is the memory itself
    return len(nearest) == 2 and nearest[0] >= max(2, min(_SHARED, len(rare)))
