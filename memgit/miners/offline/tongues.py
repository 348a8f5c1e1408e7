"""What each language has of its own: the words, and the patterns that the rules ask for by name.

English stands where the rules are. Every other language is one package beside it, loaded when a text in it is met:
a ``TONGUE`` that gives its counterpart for every name, and nothing for what it does not say well enough to go by.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from memgit.miners.offline.language import ENGLISH, GERMAN, language_of

if TYPE_CHECKING:
    from memgit.miners.offline.additions import Form
    from memgit.miners.offline.facts import Reading
    from memgit.miners.offline.signs import Sign

_PACKAGES = {GERMAN: "memgit.miners.offline.german"}
"""Languages with rules, and where their tables are."""


@dataclass(frozen=True, slots=True, eq=False)
class Tongue:
    """The tables of one language. ``patterns`` stand under the names that the rules give theirs, several where the
    rule tries several; ``function_words`` carry no meaning; ``stem`` gives the root of a lower-case word."""

    patterns: Mapping[str, tuple[str, ...]]
    function_words: frozenset[str]
    stem: Callable[[str], str]
    signs: tuple[Sign, ...]
    against: tuple[Sign, ...]
    forms: tuple[Form, ...]
    readings: tuple[Reading, ...]
    _compiled: dict[str, tuple[re.Pattern[str], ...]] = field(default_factory=dict)

    def compiled(self, name: str) -> tuple[re.Pattern[str], ...]:
        """The patterns under a name, made when they are asked for first; one that never matches where there is none."""
        if name not in self._compiled:
            sources = self.patterns.get(name) or (_NEVER,)
            self._compiled[name] = tuple(re.compile(source, re.IGNORECASE) for source in sources)
        return self._compiled[name]


_NEVER = r"(?!)"


def tongue_of(text: str) -> Tongue | None:
    """The tables of the language a text is in; None for English and for what tells no language."""
    language = language_of(text)
    return None if language == ENGLISH else _loaded(language)


@cache
def _loaded(language: str) -> Tongue:
    tongue: Tongue = import_module(_PACKAGES[language]).TONGUE
    return tongue


class Spoken:
    """A pattern with a counterpart in every language: a text is read with that of its own."""

    __slots__ = ("_compiled", "_english", "_flags", "name")

    def __init__(self, name: str, *english: str, flags: int = re.IGNORECASE) -> None:
        self.name = name
        self._english = english
        self._flags = flags
        self._compiled: tuple[re.Pattern[str], ...] | None = None

    def of(self, text: str) -> tuple[re.Pattern[str], ...]:
        """The patterns that a text is read with, compiled when a text needs them first."""
        if tongue := tongue_of(text):
            return tongue.compiled(self.name)
        if self._compiled is None:
            self._compiled = tuple(re.compile(source, self._flags) for source in self._english)
        return self._compiled

    def search(self, text: str) -> re.Match[str] | None:
        return next((match for pattern in self.of(text) if (match := pattern.search(text))), None)

    def match(self, text: str, at: int = 0) -> re.Match[str] | None:
        return next((match for pattern in self.of(text) if (match := pattern.match(text, at))), None)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        for pattern in self.of(text):
            yield from pattern.finditer(text)

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str) -> str:
        for pattern in self.of(text):
            text = pattern.sub(replacement, text)
        return text

    def split(self, text: str) -> list[str]:
        """The text cut at the first of the patterns."""
        parts: list[str] = self.of(text)[0].split(text)
        return parts


KNOWN: dict[str, Spoken] = {}
"""Every name that rules ask for: what a language's tables are held against."""


def spoken(name: str, *english: str, flags: int = re.IGNORECASE) -> Spoken:
    """A pattern by its name, in English; its counterparts stand under that name in the other languages' tables."""
    KNOWN[name] = Spoken(name, *english, flags=flags)
    return KNOWN[name]


@dataclass(frozen=True, slots=True)
class Guard:
    """A way of speaking that takes the force from a statement, and the reason it gives, which is its name, too."""

    reason: str
    pattern: Spoken


def guard(reason: str, *english: str) -> Guard:
    """What any of the patterns matches."""
    return Guard(reason, spoken(reason, "|".join(f"(?:{each})" for each in english)))
