"""Which memory a fact is about: by its subject, not by its exact wording."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memgit.memory.links import Names
from memgit.model.fact import Fact
from memgit.model.store import Memory
from memgit.text.words import content_words

SAME = 0.75
"""Share of all their words that two texts of one subject have in common. In doubt a memory is added, not changed."""
NEAR = 0.5
"""Share of the shorter text's words from which the other is a neighbour, which is only named."""
ENOUGH = 4
"""Words in common below which two texts tell nothing about each other."""


def about(fact: Fact, memories: Sequence[Memory]) -> Memory | None:
    """The memory that a fact is about: the one it names, the one of its name, else one that says nearly the same."""
    named = Names(memories).resolve(fact.memory or fact.name)
    found = next((memory for memory in memories if memory.id == named), None)
    if found is not None or fact.memory:
        return found
    alike = [memory for memory in neighbours(fact, memories) if memory.type in ("", fact.type)]
    return alike[0] if alike and _shared(fact, alike[0], of=max) >= SAME else None


def neighbours(fact: Fact, memories: Sequence[Memory]) -> list[Memory]:
    """Memories that a fact overlaps with, the closest first."""
    near = [memory for memory in memories if _shared(fact, memory, of=min) >= NEAR]
    return sorted(near, key=lambda memory: (-_shared(fact, memory, of=max), memory.id))


def _shared(fact: Fact, memory: Memory, of: Callable[[int, int], int]) -> float:
    one, other = content_words(f"{fact.description}\n{fact.body}"), content_words(memory.text)
    common = len(one & other)
    return common / of(len(one), len(other)) if common >= ENOUGH else 0.0
