"""Merges of memories: of those that are equal but for form, which need no judgement, and of any that somebody names."""

from __future__ import annotations

from collections.abc import Sequence

from memgit.core.memories.survivor import references, survivor
from memgit.likeness.pairs import equal, joined
from memgit.model.decision import Kind, Proposal, Seen
from memgit.model.store import Memory


def equal_merged(memories: Sequence[Memory]) -> tuple[Proposal, ...]:
    """A merge for each group of memories that are equal but for case, white space, punctuation and mark-up."""
    groups = equal(memories)
    referred = references(memories) if groups else {}
    return tuple(
        merge(group, survivor(group, referred), "They are equal but for case, white space, punctuation and mark-up.")
        for group in groups
    )


def merge(members: Sequence[Memory], keeper: Memory, why: str) -> Proposal:
    """A merge of ``members`` into the ``keeper``, on a line of each."""
    lines = tuple(Seen(f"memory:{memory.id}", first) for memory in members if (first := _first_line(memory)))
    return Proposal(Kind.MERGE, why, lines, tuple(memory.id for memory in members), (joined(members, keeper),))


def _first_line(memory: Memory) -> str:
    return next((line.strip()[:300] for line in memory.body.split("\n") if line.strip()), "")
