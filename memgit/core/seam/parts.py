"""A store that is too large for one reader, in parts: memories that may be about one thing stand in the same part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memgit.model.store import Memory

PART = 200_000
"""Characters of memories in one part, about 50,000 tokens: beside what memgit says of them they fit a common window."""

Pair = tuple[str, str, float]
"""The ids of two memories about one thing, and their nearness (0 to 1)."""


def parts(memories: Sequence[Memory], pairs: Iterable[Pair], room: int = PART) -> tuple[tuple[Memory, ...], ...]:
    """The memories in as few parts of at most ``room`` characters as keeping related ones together allows. What is
    related and larger than that is cut, and so is a chain of pairs that would hold too much; the nearest go first."""
    found: list[list[Memory]] = []
    for group in sorted(_groups(memories, pairs, room), key=_size, reverse=True):
        place = next((part for part in found if _size(part) + _size(group) <= room), None)
        if place is None:
            found.append(group)
        else:
            place += group
    return tuple(map(tuple, found))


def _groups(memories: Sequence[Memory], pairs: Iterable[Pair], room: int) -> list[list[Memory]]:
    group_of = {memory.id: [memory] for memory in memories}
    for one, other, _ in pairs:
        here, there = group_of[one], group_of[other]
        if here is not there and _size(here) + _size(there) <= room:
            here += there
            group_of |= {memory.id: here for memory in there}
    return list({id(group): group for group in group_of.values()}.values())


def _size(memories: Iterable[Memory]) -> int:
    return sum(len(memory.body) for memory in memories)
