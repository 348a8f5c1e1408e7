"""Sentences of two memories that say one thing with two values, or with a yes and a no."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from memgit.model.store import Memory
from memgit.text.amounts import Amount, amounts
from memgit.text.language import DEFAULT, language, lexicon
from memgit.text.sentences import sentences
from memgit.text.terms import terms

_LONGEST = 4_000
"""Characters of a memory that are compared."""
_FEW = 2
"""Words below which a frame is no subject."""


@dataclass(frozen=True, slots=True)
class _Said:
    text: str
    amounts: tuple[Amount, ...]
    is_no: bool


def opposed(one: Memory, other: Memory) -> str | None:
    """Why two memories cannot both hold: sentences that are the same but for one amount, or for a yes and a no. Where
    any other word tells them apart, they speak of two things. None where nothing is found."""
    here, there = _by_frame(one), _by_frame(other)
    return next((told for frame in here if frame in there and (told := _opposed(here[frame], there[frame]))), None)


@lru_cache(maxsize=20_000)
def _by_frame(memory: Memory) -> Mapping[frozenset[str], _Said]:
    """The sentences of a memory by their telling words, without amounts and words of yes and no."""
    words = lexicon(language(memory.text) or DEFAULT)
    found: dict[frozenset[str], _Said] = {}
    for sentence in sentences(memory.body[:_LONGEST]):
        said = amounts(sentence.text, words)
        denied = words.found("negation", sentence.text)
        rest = sentence.text
        for told in (*(amount.text for amount in said), *denied, *words.found("always", sentence.text)):
            rest = rest.replace(told, " ", 1)
        frame = frozenset(terms(rest)) - _common(words.name)
        if len(frame) >= _FEW:
            found.setdefault(frame, _Said(sentence.text, said, len(denied) % 2 == 1))
    return found


@cache
def _common(name: str) -> frozenset[str]:
    return frozenset(term for word in lexicon(name).common for term in terms(word))


def _opposed(one: _Said, other: _Said) -> str | None:
    if len(one.amounts) != len(other.amounts):
        return None
    apart = [pair for pair in zip(one.amounts, other.amounts, strict=True) if not pair[0].same(pair[1])]
    if len(apart) == 1 and apart[0][0].comparable(apart[0][1]):
        return f"{apart[0][0].text} against {apart[0][1].text}"
    return f"“{one.text}” against “{other.text}”" if not apart and one.is_no != other.is_no else None
