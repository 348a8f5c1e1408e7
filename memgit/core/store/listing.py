"""Whether what a store lists and what it holds agree."""

from __future__ import annotations

from memgit.core.index.drift import Drift, drift
from memgit.core.memories.memory import memories, no_memories
from memgit.model.store import StoreContent


def drift_of(content: StoreContent) -> Drift:
    """How far the index of a store and its memories have come apart; a store of a shape without one has no drift."""
    return drift(content.index, memories(content), no_memories(content)) if content.indexed else Drift()
