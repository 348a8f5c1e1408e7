"""Two memories that say one thing with two values, or with a yes and a no."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

from memgit.model.store import Memory
from memgit.text.amounts import Amount, amounts
from memgit.text.language import DEFAULT, language, lexicon
from memgit.text.sentences import sentences
from memgit.text.terms import terms

_LONGEST = 2_000
"""Characters of a memory among which its first sentence is looked for."""
_FEW = 2
"""Words below which a frame is no subject."""


@dataclass(frozen=True, slots=True)
class _Said:
    text: str
    frame: frozenset[str]
    amounts: tuple[Amount, ...]
    is_no: bool


def opposed(one: Memory, other: Memory) -> str | None:
    """Why two memories cannot both hold: what they say first is the same but for one amount, or for a yes and a no.
    Where any other word tells them apart, they speak of two things. None where nothing is found."""
    here, there = _first(one), _first(other)
    if here is None or there is None or here.frame != there.frame or len(here.amounts) != len(there.amounts):
        return None
    apart = [pair for pair in zip(here.amounts, there.amounts, strict=True) if not pair[0].same(pair[1])]
    if len(apart) == 1 and apart[0][0].comparable(apart[0][1]):
        return f"{apart[0][0].text} against {apart[0][1].text}"
    return f"“{here.text}” against “{there.text}”" if not apart and here.is_no != there.is_no else None


@lru_cache(maxsize=20_000)
def _first(memory: Memory) -> _Said | None:
    """What a memory says first, by its telling words without amounts and words of yes and no. What stands further down
    (a day, a count of tests) is no subject of its own."""
    words = lexicon(language(memory.text) or DEFAULT)
    first = next(sentences(memory.body[:_LONGEST]), None)
    if first is None:
        return None
    said, denied = amounts(first.text, words), words.found("negation", first.text)
    rest = first.text
    for told in (*(amount.text for amount in said), *denied, *words.found("always", first.text)):
        rest = rest.replace(told, " ", 1)
    frame = frozenset(terms(rest)) - _common(words.name)
    return _Said(first.text, frame, said, len(denied) % 2 == 1) if len(frame) >= _FEW else None


@cache
def _common(name: str) -> frozenset[str]:
    return frozenset(term for word in lexicon(name).common for term in terms(word))
