"""Pairs that only vectors take for one thing: a question, shown to who decides, and nothing is merged for it.

A vector hardly feels a number, a name or a "not". What the texts themselves prove of such a pair is proposed elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from memgit.core.prune.apart import told_apart
from memgit.core.prune.rules import Nominated, Suspects, as_told, left_of
from memgit.model.decision import Proposal
from memgit.model.store import Memory
from memgit.text.layout import line

MOST = 50
"""Pairs that are told; of more only the number."""


def suspects(
    left: Sequence[Memory],
    nominated: Nominated,
    proposals: Sequence[Proposal],
    contradictory: Collection[frozenset[str]],
) -> Suspects:
    """The pairs that are not known to be ``contradictory``, and of which the ``proposals`` let no memory go."""
    store = {memory.id: memory for memory in left_of(left, proposals)}
    quiet = (pair for pair in nominated.pairs if frozenset(pair[:2]) not in contradictory)
    open_to = [pair for pair in quiet if store.keys() >= set(pair[:2])]
    looked_at = [(pair, told_apart(store[pair[0]], store[pair[1]])) for pair in open_to[: 2 * MOST]]
    shown = sorted(looked_at, key=lambda found: found[1] is not None)[:MOST]
    return Suspects(
        tuple(pair for pair, _ in shown),
        tuple(_asked(store[one], store[other], near, why) for (one, other, near), why in shown),
        len(open_to) - len(shown),
        nominated.passed_over,
    )


def _asked(one: Memory, other: Memory, near: float, apart: str | None) -> str:
    why = f"; told apart by {line(apart)}" if apart else ""
    return f"{as_told(one)} and {as_told(other)}: cosine {near:.3f}{why}"
