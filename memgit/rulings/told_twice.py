"""Which memories a person is asked about as maybe one: near pairs, weighed by what tells them apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from memgit.likeness.nearness import Weights, told
from memgit.likeness.pairs import Pair, near
from memgit.model.store import Memory
from memgit.rulings.signs import fitted, of_a_pair

_LOOKED_AT = 60
"""Near pairs that are weighed: those behind them share too little to be asked about."""


def likely(memories: Sequence[Memory], pairs: Sequence[Pair] | None = None) -> tuple[tuple[Pair, float], ...]:
    """Near pairs (``pairs`` where they are known), each with the chance that a person would make one memory of them."""
    model = fitted("pair")
    return tuple((pair, model.chance(numbers)) for pair, numbers in measured_pairs(memories, pairs))


def measured_pairs(
    memories: Sequence[Memory], pairs: Sequence[Pair] | None = None
) -> Iterator[tuple[Pair, Mapping[str, float]]]:
    """Near pairs with their numbers: what sets them apart, and whether they are nearest to each other."""
    weights = Weights(map(told, memories))
    by_id = {memory.id: memory for memory in memories}
    for pair in (near(memories, weights) if pairs is None else pairs)[:_LOOKED_AT]:
        one, other = by_id[pair.one], by_id[pair.other]
        here, there = told(one), told(other)
        yield (
            pair,
            {
                **{sign.name: sign.value for sign in of_a_pair(one, other, weights)},
                "nearest": 1 / (1 + pair.rivals),
                "shared": weights.shared(here, there),
                "held": max(weights.held(here, there), weights.held(there, here)),
            },
        )
