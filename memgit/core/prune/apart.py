"""What keeps two memories from being one, however alike they read: the strict veto of a prune."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import combinations

from memgit.core.decisions.contradictions import conflicts, environments
from memgit.core.text.details import Detail, DetailKind, details, missing
from memgit.model.store import Memory
from memgit.text.markdown import claim
from memgit.text.words import STOP_WORDS, stem

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
    if swapped := other_words_in_one_frame(here, there):
        return f"{swapped[0]} against {swapped[1]}"
    if bool(_NEGATION.search(one.description)) != bool(_NEGATION.search(other.description)) and _same_frame(one, other):
        return "one says no where the other says yes"
    return next(iter(conflicts(here, there)), None)


def other_words_in_one_frame(one: str, other: str) -> tuple[str, str] | None:
    """The telling words that two texts have in each other's place, where they share the words around them: nobody who
    words a lesson anew keeps its frame, so these are two lessons, or two sides of one."""
    mine, theirs = _WORD.findall(one.lower())[:_LONGEST], _WORD.findall(other.lower())[:_LONGEST]
    steps = SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes()
    if 2 * sum(j - i for tag, i, j, _, _ in steps if tag == "equal") < _FRAME * (len(mine) + len(theirs)):
        return None
    swaps = ((_telling(mine[i:j]), _telling(theirs[m:n])) for tag, i, j, m, n in steps if tag == "replace")
    return next(((here[0], there[0]) for here, there in swaps if here and there and set(here) != set(there)), None)


_WORD = re.compile(r"\w+")
_LONGEST = 400  # words of a text that are compared in order
_FRAME = 0.55


def _telling(words: list[str]) -> list[str]:
    return [stem(word) for word in words if word not in STOP_WORDS]


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
