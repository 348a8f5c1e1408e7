"""The memories of a store as the rules look at them: texts, stems, weights, and which of them a statement is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from memgit.miners.offline.anatomy import claim_of
from memgit.miners.offline.bonds import Bonds
from memgit.miners.offline.facts import values
from memgit.miners.offline.language import is_english
from memgit.miners.offline.similarity import cosine, related_pairs
from memgit.miners.offline.words import Weights, content
from memgit.model.store import Memory

NEAR = 0.65
"""Nearness of two claims below which they are not looked at; every labelled restatement of a store is above it."""

LONGEST_TEXT = 20_000
"""Characters of a memory that are looked at."""

UNKNOWN = 0.5
"""Weight of a statement's word that occurs in no memory at all."""


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One memory with what is compared: stems and values of its whole text, and of its claim alone.

    There is one for each memory of a corpus, so that it is told by its identity.
    """

    memory: Memory
    claim: str
    claim_stems: frozenset[str]
    stems: frozenset[str]
    amounts: frozenset[str]


@dataclass(frozen=True, slots=True)
class Match:
    """How far a memory covers a statement: shares of the statement's weighted words (0 to 1), and nearness."""

    entry: Entry
    whole: float
    claim: float
    nearness: float
    shared: frozenset[str]

    @property
    def fit(self) -> float:
        """Coverage and nearness together, about 0 to 2: restatements are above 1.1, mere relatives below."""
        return self.whole + self.nearness


class Corpus:
    """All memories of a store, ready to be compared."""

    def __init__(self, memories: Sequence[Memory]) -> None:
        self.entries = tuple(_entry(memory) for memory in memories)
        self._matched: dict[str, tuple[Match, ...]] = {}
        self.weights = Weights(f"{memory.name} {memory.text[:LONGEST_TEXT]}" for memory in memories)

    @cached_property
    def related(self) -> frozenset[frozenset[str]]:
        """Pairs of ids whose claims are near each other and share telling words."""
        found = related_pairs([entry.claim for entry in self.entries], NEAR)
        return frozenset(frozenset((self.entries[a].memory.id, self.entries[b].memory.id)) for a, b, _ in found)

    @cached_property
    def bonds(self) -> Bonds:
        """How closely the memories in English are bound to each other; others are left out."""
        return Bonds([entry.memory for entry in self.entries if is_english(entry.memory.text)], self.weights)

    @cached_property
    def by_id(self) -> dict[str, Entry]:
        return {entry.memory.id: entry for entry in self.entries}

    @cached_property
    def plain_words(self) -> frozenset[str]:
        """The words of all bodies as they are written, capitals and all."""
        return frozenset(word for entry in self.entries for word in re.findall(r"\w+", entry.memory.body))

    def matches(self, text: str) -> tuple[Match, ...]:
        """Every memory that shares a telling word or value with the text, best fitting first."""
        if text not in self._matched:
            self._matched[text] = self._matches(text)
        return self._matched[text]

    def _matches(self, text: str) -> tuple[Match, ...]:
        words = content(text)
        amounts = frozenset(value.amount for value in values(text))
        total = sum(self._expected(word) for word in words) + len(amounts) or 1.0
        found = [
            self._match(text, words, amounts, total, entry)
            for entry in self.entries
            if words & entry.stems or amounts & entry.amounts
        ]
        return tuple(sorted(found, key=lambda match: (-match.fit, match.entry.memory.id)))

    def _expected(self, word: str) -> float:
        """What a word counts that a memory should hold; one that no memory knows is half chatter."""
        return self.weights[word] if self.weights.frequency(word) else UNKNOWN * self.weights[word]

    def _match(self, text: str, words: frozenset[str], amounts: frozenset[str], total: float, entry: Entry) -> Match:
        shared = words & entry.stems
        same = len(amounts & entry.amounts)
        whole = (self.weights.mass(shared) + same) / total
        claim = (self.weights.mass(words & entry.claim_stems) + same) / total
        return Match(entry, whole, claim, cosine(text, entry.claim), shared)


@lru_cache(maxsize=2)
def corpus_of(memories: tuple[Memory, ...]) -> Corpus:
    """The corpus of a store: made once for all batches of a pass."""
    return Corpus(memories)


def _entry(memory: Memory) -> Entry:
    claim = claim_of(memory)
    text = memory.text[:LONGEST_TEXT]
    return Entry(
        memory=memory,
        claim=claim,
        claim_stems=content(claim),
        stems=content(f"{memory.name.replace('-', ' ')} {text}"),
        amounts=frozenset(value.amount for value in values(text)),
    )
