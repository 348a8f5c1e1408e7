"""Candidates that must be weighed together, so that many of them can be put to a decider in several parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memgit.model.decision import Candidate
from memgit.text.words import content_words

ALIKE = 0.5
"""Share of common words (of the shorter claim's) from which two claims may be about one thing."""

Group = tuple[Candidate, ...]


def related(candidates: Sequence[Candidate]) -> tuple[Group, ...]:
    """The candidates in groups: those that share a memory, or whose claims are about one thing, stand in one."""
    groups: list[Group] = []
    for candidate in candidates:
        touched = [group for group in groups if any(_belong(candidate, other) for other in group)]
        joined = (*(one for group in touched for one in group), candidate)
        groups = [*(group for group in groups if group not in touched), joined]
    return tuple(sorted(groups, key=lambda group: candidates.index(group[0])))


def packed(groups: Iterable[Group], most: int) -> tuple[Group, ...]:
    """The groups put together into parts of at most ``most`` candidates; a larger group is a part of its own."""
    parts: list[Group] = []
    for group in groups:
        if parts and len(parts[-1]) + len(group) <= most:
            parts[-1] += group
        else:
            parts.append(group)
    return tuple(parts)


def _belong(one: Candidate, other: Candidate) -> bool:
    if set(one.targets) & set(other.targets):
        return True
    here, there = content_words(one.claim), content_words(other.claim)
    return bool(here and there) and len(here & there) >= ALIKE * min(len(here), len(there))
