"""How large a store is, in what its owner pays for: memories, bytes to read, and the index that is always loaded."""

from __future__ import annotations

from dataclasses import dataclass

from memgit.core.index.limits import IndexLimits, limits
from memgit.core.memories.memory import is_memory_of
from memgit.model.store import StoreContent


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a store: memories, their bytes, and how much of its index the agent's client loads, if its shape has
    one."""

    memories: int
    bytes: int
    index: IndexLimits
    indexed: bool = True


def size_of(content: StoreContent) -> Size:
    """Measure a store; one that is not there holds nothing."""
    kept = [file for file in content.files.values() if is_memory_of(content, file)]
    index = limits(content.index_text)
    return Size(len(kept), sum(len(file.data) for file in kept), index, content.indexed)
