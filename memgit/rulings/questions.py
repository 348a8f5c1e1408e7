"""How many questions a pass puts to a person: the best, and no more of those that were answered before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memgit.model.decision import Decision, FactName

MOST = 15
"""Questions of a pass that nobody has judged: of more nobody reads the end, and what is worth asking is mostly among
the first."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The decisions of a pass with its questions bounded, and how many there would be beyond."""

    decisions: tuple[Decision, ...]
    beyond: int = 0


def asked_at_most(decisions: Sequence[Decision], most: int = MOST) -> Asked:
    """The decisions without questions that were answered before, and with at most so many of the others, in order."""
    kept: list[Decision] = []
    asked = beyond = 0
    for decision in decisions:
        if decision.asks and decision.refused_by is FactName.TURNED_DOWN:
            continue
        if decision.asks and asked == most:
            beyond += 1
            continue
        asked += bool(decision.asks)
        kept.append(decision)
    return Asked(tuple(replace(each, id=f"M{number}") for number, each in enumerate(kept, start=1)), beyond)
