"""Sentences in any language: where one ends, without knowing a word of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST = 1_000
"""Characters after which a sentence is cut: nobody types one so long, and programs print some."""

_END = re.compile(
    r"(?:(?<=[.!?…])|(?<=[.!?…][\"')\]]))(?<!\b\w\.\w\.)\s+"  # small letters may follow; "e.g." ends none
    r"|(?<=[。！？｡])"
    r"|[ \t]*\n\s*"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, or a line that ends like none, and where it begins in the text."""

    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a text in order. Every line ends one, for people who type chat end few of theirs otherwise."""
    at = 0
    for border in _END.finditer(text):
        yield from _sentence(text, at, border.start())
        at = border.end()
    yield from _sentence(text, at, len(text))


def _sentence(text: str, start: int, end: int) -> Iterator[Sentence]:
    piece = text[start:end]
    told = piece.strip()
    if re.search(r"\w", told):
        yield Sentence(told[:LONGEST], start + piece.index(told))
