"""What a session is given of a store at its start, for clients that load nothing by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgit.core.sweep.filing import filed
from memgit.core.sweep.injection import injected
from memgit.memory.index_lines import fenced
from memgit.memory.memory import memories
from memgit.memory.shapes import BEADS

if TYPE_CHECKING:
    from memgit.ports import StoreReader


def told(store: StoreReader, nonce: str) -> str:
    """The index of a store, or what matters most of one that has none, between lines that name ``nonce``."""
    content = store.read()
    if store.resolution.shape == BEADS:
        return injected(filed(memories(content)), nonce)
    return fenced(content.index_text, nonce)
