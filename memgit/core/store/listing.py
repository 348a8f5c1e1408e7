"""Whether what a store lists and what it holds agree."""

from __future__ import annotations

from dataclasses import replace

from memgit.core.index.drift import Drift, drift
from memgit.core.index.edit import with_line
from memgit.core.memories.memory import memories, no_memories
from memgit.model.store import INDEX, StoreContent

_HOOK = 120
"""Characters of a memory's first line that stand for a description where it has none."""


def drift_of(content: StoreContent) -> Drift:
    """How far the index of a store and its memories have come apart; a store of a shape without one has no drift."""
    if not content.indexed:
        return Drift()
    return drift(content.index, memories(content), no_memories(content), content.roots)


def listed(content: StoreContent) -> frozenset[str]:
    """The ids of the memories to which the index leads."""
    return frozenset(memory.id for memory in memories(content)).difference(drift_of(content).orphans)


def stands_alone(content: StoreContent) -> bool:
    """Whether the store is a `MEMORY.md` whose prose is its one memory."""
    return not content.indexed and [memory.path for memory in memories(content)] == [INDEX]


def grown(before: StoreContent, after: StoreContent) -> StoreContent:
    """``after``; where ``before`` was a `MEMORY.md` alone, with a line in that for each memory beside it now,
    so that agents are told of it. The file is an index from then on."""
    added = [memory for memory in memories(after) if memory.path != INDEX]
    index = after.index
    if not added or index is None or not stands_alone(before):
        return after
    for number, memory in enumerate(added, start=1):
        told = memory.description or memory.body.partition("\n")[0][:_HOOK]
        index = index.holding(with_line(index, added[:number], memory, told))
    return replace(after, files=dict(sorted({**after.files, INDEX: index}.items())), indexed=True)
