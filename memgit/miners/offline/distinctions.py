"""What tells two memories apart, however alike they read: sides, names, values, order in time, yes and no."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import takewhile

from memgit.miners.offline.anatomy import anatomy, sentences
from memgit.miners.offline.corpus import Corpus, Entry
from memgit.miners.offline.facts import (
    CLAUSE_END,
    NEGATION,
    SIBLING_GROUPS,
    SUPERSEDES,
    Dimension,
    apart,
    polarity_opposes,
    siblings,
    sides,
    swapped_words,
    value_conflicts,
    values,
)

FRAMED = 0.35
"""Share of all words of two claims from which on they are one frame, so that a yes against a no is a contradiction."""

_SETTINGS = frozenset(Dimension) - {Dimension.COUNT, Dimension.DATE}
"""What a memory can be about the setting of; counts and dates stand in many a story."""


def told_apart(corpus: Corpus, a: Entry, b: Entry) -> str:
    """Why two memories are not one lesson; empty where nothing checkable speaks against it."""
    if a.memory.body.strip() == b.memory.body.strip():
        return ""
    return next(_distinctions(corpus, a, b), "")


def _distinctions(corpus: Corpus, a: Entry, b: Entry) -> Iterator[str]:
    """What speaks against one lesson, the cheapest looked at first."""
    if named_as_siblings(a.memory.id, b.memory.id):
        yield "their names set them side by side"
    if bool(SUPERSEDES.search(a.claim)) != bool(SUPERSEDES.search(b.claim)):
        yield "one of them tells of a change"
    if _no_amount_in_common(a, b):
        yield "no value of theirs is the same"
    if value_conflicts(a.claim, b.claim):
        yield "they give different values"
    if any(_of_two_sides(a, b, group) for group in SIBLING_GROUPS):
        yield "they speak of different sides"
    if _sets_what_other_lacks(a, b) or _sets_what_other_lacks(b, a):
        yield "one of them gives a setting"
    if swapped_words(a.memory.description, b.memory.description):
        yield "their titles differ in one word"
    if _framed(corpus, a, b) and polarity_opposes(a.claim, b.claim):
        yield "one says no where the other says yes"


def _of_two_sides(a: Entry, b: Entry, group: str) -> bool:
    """Whether they speak of different members of a group; a side that one only denies is the other's contrast."""
    ours, theirs = _asserted(a.claim, group), _asserted(b.claim, group)
    if ours and ours == theirs:
        return False
    return siblings(a.memory.description, b.memory.description, group) or apart(a.claim, b.claim, group)


@lru_cache(maxsize=20_000)
def _asserted(text: str, group: str) -> frozenset[str]:
    clauses = (clause for clause in CLAUSE_END.split(text) if not NEGATION.search(clause))
    return frozenset(side for clause in clauses for side in sides(clause, group))


@lru_cache(maxsize=20_000)
def named_as_siblings(first: str, second: str) -> bool:
    """Whether two names differ in one word of several, as ``batch-size-cpu`` and ``batch-size-gpu`` do."""
    a, b = re.split(r"[-_/]", first), re.split(r"[-_/]", second)
    start = _common(a, b)
    end = _common(a[start:][::-1], b[start:][::-1])
    return start + end >= 1 and max(len(a), len(b)) - start - end <= 1


def _common(a: list[str], b: list[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))


def _sets_what_other_lacks(one: Entry, other: Entry) -> bool:
    """Whether a memory opens with a setting (a duration, a version, an address …) that the other does not know."""
    first = sentences(anatomy(one.memory.body).claim)[:1]
    opening = "\n".join((one.memory.description, *first))
    given = {value.amount for value in values(opening) if value.dimension in _SETTINGS}
    held = other.memory.text.lower()
    return bool(given) and not any(amount in other.amounts or amount in held for amount in given)


def _no_amount_in_common(a: Entry, b: Entry) -> bool:
    ours, theirs = ({value.amount for value in values(entry.claim)} for entry in (a, b))
    return bool(ours and theirs) and not ours & theirs


def _framed(corpus: Corpus, a: Entry, b: Entry) -> bool:
    both, either = a.claim_stems & b.claim_stems, a.claim_stems | b.claim_stems
    return corpus.weights.mass(both) >= FRAMED * corpus.weights.mass(either)
