"""Which memories may say the same: those that are equal but for form, and those that are near each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations
from typing import NamedTuple

from memgit.likeness.embedding import Vector, apart, vector
from memgit.likeness.nearness import Weights, told
from memgit.model.decision import Draft
from memgit.model.store import Memory
from memgit.text.amounts import Amount, amounts
from memgit.text.language import DEFAULT, language, lexicon
from memgit.text.words import letters, sentences, terms

_ALL_PAIRS = 2_000
"""Memories up to which each is compared with each; of more, those that share a rare word."""

_RARE = 12
"""Memories that may share a word for it to nominate them."""

_NEAREST = 6
"""Pairs that are kept for each memory."""


class Pair(NamedTuple):
    """Two memories that may be about one thing, how near they are, from 0 to 1, and to how many others one of them is
    nearer still."""

    one: str
    other: str
    near: float
    rivals: int = 0


def equal(memories: Sequence[Memory]) -> tuple[tuple[Memory, ...], ...]:
    """Memories of one type whose texts are equal but for case, white space, punctuation and mark-up."""
    groups: dict[tuple[str, str], list[Memory]] = {}
    for memory in memories:
        if told_in := letters(memory.body):
            groups.setdefault((memory.type.lower(), told_in), []).append(memory)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def near(memories: Sequence[Memory], weights: Weights | None = None) -> tuple[Pair, ...]:
    """Pairs of memories that are near each other, the nearest first: a few for each of them."""
    weights = weights or Weights(map(told, memories))
    texts = [told(memory) for memory in memories]
    vectors = [vector(text) for text in texts]
    found: list[tuple[float, int, int]] = []
    for one, other in _nominated(texts, vectors):
        mine, theirs = vectors[one], vectors[other]
        cosine = mine.cosine(theirs) if mine and theirs else 0.0
        found.append(((cosine + weights.shared(texts[one], texts[other])) / 2, one, other))
    counts = [0] * len(memories)
    kept: list[Pair] = []
    for score, one, other in sorted(found, key=lambda each: (-each[0], each[1], each[2])):
        if counts[one] < _NEAREST or counts[other] < _NEAREST:
            rivals = counts[one] + counts[other]
            kept.append(Pair(memories[one].id, memories[other].id, max(0.0, min(1.0, score)), rivals))
            counts[one] += 1
            counts[other] += 1
    return tuple(kept)


def _nominated(texts: Sequence[str], vectors: Sequence[Vector | None]) -> Iterator[tuple[int, int]]:
    """The pairs that are worth a closer look."""
    if len(texts) > _ALL_PAIRS:
        yield from _sharing_a_rare_word(texts)
        return
    found: set[tuple[int, int]] = set()
    for one, mine in enumerate(vectors):
        others = [(apart(mine, theirs) if mine and theirs else 128, other) for other, theirs in enumerate(vectors)]
        nearest = sorted(each for each in others if each[1] != one)[: 2 * _NEAREST]
        found |= {(min(one, other), max(one, other)) for _, other in nearest}
    yield from found
    yield from (pair for pair in _sharing_a_rare_word(texts) if pair not in found)


def _sharing_a_rare_word(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    holding: dict[str, list[int]] = {}
    for number, text in enumerate(texts):
        for term in set(terms(text)):
            holding.setdefault(term, []).append(number)
    yield from {pair for numbers in holding.values() if 1 < len(numbers) <= _RARE for pair in combinations(numbers, 2)}


def joined(members: Sequence[Memory], keeper: Memory) -> Draft:
    """One memory of several: the keeper's text, and below it the sentences of the others that it does not hold."""
    held = letters(keeper.body)
    beyond = [
        sentence.text
        for member in members
        if member.id != keeper.id
        for sentence in sentences(member.body)
        if letters(sentence.text) not in held
    ]
    body = "\n\n".join((keeper.body, *(("\n".join(dict.fromkeys(beyond)),) if beyond else ())))
    return Draft(keeper.name, keeper.description, keeper.type, body, keeper.id)


# --- opposed ---
# Two memories that say one thing with two values, or with a yes and a no.

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
    for phrase in (*(amount.text for amount in said), *denied, *words.found("always", first.text)):
        rest = rest.replace(phrase, " ", 1)
    frame = frozenset(terms(rest)) - _common(words.name)
    return _Said(first.text, frame, said, len(denied) % 2 == 1) if len(frame) >= _FEW else None


@cache
def _common(name: str) -> frozenset[str]:
    return frozenset(term for word in lexicon(name).common for term in terms(word))
