"""What keeps two memories from being one, however alike they read: the strict veto of a prune."""

from __future__ import annotations

import re
from itertools import combinations

from memgit.core.contradictions import conflicts, environments
from memgit.core.details import Detail, DetailKind, details, missing
from memgit.core.paragraphs import claim
from memgit.model.store import Memory

_HOST = re.compile(r"\b(?:[a-z][\w-]*\.)+[a-z]{2,}\b|\b[a-z]+-?[a-z]*-?\d{1,3}\b", re.IGNORECASE)
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|cannot|without|neither|nor|avoid\w*|forbid\w*|forbidden|banned|stop|skip"
    r"|nicht|nie|kein\w*)\b|n['’]t\b",
    re.IGNORECASE,
)
_VALUES = frozenset({DetailKind.NUMBER, DetailKind.VERSION, DetailKind.DATE})


def told_apart(one: Memory, other: Memory) -> str | None:
    """Why two memories must not be merged: a number, unit, version, date, environment, host or name that each has and
    the other lacks, or a yes against a no. None where nothing tells them apart."""
    here, there = claim(one), claim(other)
    if environments(here) != environments(there) and environments(here) and environments(there):
        return f"{_listed(environments(here))} against {_listed(environments(there))}"
    mine, theirs = missing(details(here), there), missing(details(there), here)
    if pair := _opposed(mine, theirs):
        return f"{pair[0].text} against {pair[1].text}"
    hosts = {match.lower() for match in _HOST.findall(here)}, {match.lower() for match in _HOST.findall(there)}
    if hosts[0] - hosts[1] and hosts[1] - hosts[0]:
        return f"{_listed(hosts[0] - hosts[1])} against {_listed(hosts[1] - hosts[0])}"
    if bool(_NEGATION.search(one.description)) != bool(_NEGATION.search(other.description)) and _same_frame(one, other):
        return "one says no where the other says yes"
    return next(iter(conflicts(here, there)), None)


def any_told_apart(members: tuple[Memory, ...]) -> str | None:
    """The first reason among all pairs of a group."""
    pairs = combinations(members, 2)
    return next((reason for one, other in pairs if (reason := told_apart(one, other))), None)


def _opposed(mine: tuple[Detail, ...], theirs: tuple[Detail, ...]) -> tuple[Detail, Detail] | None:
    """A detail of each that the other lacks, both values or both names."""
    for one in mine:
        for other in theirs:
            if (one.kind in _VALUES) == (other.kind in _VALUES):
                return one, other
    return None


def _same_frame(one: Memory, other: Memory) -> bool:
    words = [set(re.findall(r"\w+", memory.description.lower())) for memory in (one, other)]
    return len(words[0] & words[1]) >= 0.7 * min(map(len, words))


def _listed(names: frozenset[str] | set[str]) -> str:
    return ", ".join(sorted(names))
