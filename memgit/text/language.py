"""Languages as data: which one a text is in, and words of it that mark, rank and nominate. None decides anything.

A language is one file in ``lexicon/``; nothing else names it. A word may end in ``*`` (any ending), a phrase may
hold ``*`` (any words between), and ``^`` in front means the beginning of a sentence. Where a language is written
without blanks, or glues its endings on, words are found anywhere.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from memgit.text.words import terms

_FOLDER = Path(__file__).parent / "lexicon"
_SHARED = "any"
_EDGES = re.compile(r"\A[\s,;:–—-]+(?=\w\w)|\A\s+|[\s,;:–—-]+\Z")
"""What a match has around the word itself."""

DEFAULT = "en"
"""What a text is read as that is too short to tell: most code and most memories speak it."""
CATEGORIES = (
    "remember",
    "always",
    "change",
    "ending",
    "gone",
    "negation",
    "passing",
    "wondering",
    "retract",
)
"""What the words of a lexicon are for: asking to remember; what holds on; what changed; what is over; that a
thing is no more, or was another; saying no; what is for the moment; thinking aloud; taking
something back."""


@dataclass(frozen=True)
class Lexicon:
    """What a language has of its own. ``numbers`` and ``units`` are by their words."""

    name: str
    spaced: bool
    common: frozenset[str]
    words: Mapping[str, tuple[str, ...]]
    numbers: Mapping[str, float]
    units: Mapping[str, str]

    def found(self, category: str, text: str) -> tuple[str, ...]:
        """The words of a category that stand in a text, in order."""
        pattern = _pattern(self.name, category)
        return tuple(_EDGES.sub("", match[0]) for match in pattern.finditer(text)) if pattern else ()


@cache
def languages() -> tuple[str, ...]:
    """The languages that there are lexicons of."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml") if path.stem != _SHARED))


@cache
def common_terms() -> frozenset[str]:
    """The terms of the commonest words of all languages."""
    return frozenset(term for name in languages() for term in terms(_read(name).get("common", "")))


@cache
def lexicon(name: str) -> Lexicon:
    """The lexicon of a language, by its two letters; of an unknown one what every language shares."""
    shared = _read(_SHARED)
    own = _read(name) if name in languages() else {}
    spaced = own.get("spaced", True)
    words = {category: (*_listed(own.get(category)), *_listed(shared.get(category))) for category in CATEGORIES}
    units = {
        word: unit for table in (own, shared) for unit, text in table.get("units", {}).items() for word in text.split()
    }
    numbers = (pair.rpartition("=") for pair in own.get("numbers", "").split())
    return Lexicon(
        name=name,
        spaced=spaced,
        common=frozenset(own.get("common", "").split()),
        words={category: each for category, each in words.items() if each},
        numbers={word: float(value) for word, _, value in numbers},
        units=units,
    )


@cache
def everywhere(category: str) -> tuple[str, ...]:
    """The words of a category in all languages at once, in lower case: for what may stand in a text of any."""
    names = (_SHARED, *languages())
    return tuple(sorted({word.lower() for name in names for word in _listed(_read(name).get(category))}))


@cache
def _read(name: str) -> Mapping[str, Any]:
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def _listed(words: str | list[str] | None) -> list[str]:
    if isinstance(words, list):
        return words
    return [word.strip() for word in (words or "").split(";") if word.strip()]


@cache
def _pattern(name: str, category: str) -> re.Pattern[str] | None:
    """What finds the words of one category; made when they are first looked for, for that takes longer than reading."""
    known = lexicon(name)
    longest_first = sorted(known.words.get(category, ()), key=len, reverse=True)
    words = [_word(word, spaced=known.spaced) for word in longest_first]
    inner = [word.removeprefix(_BEFORE).removesuffix(_BEHIND) for word in words if _is_whole(word)]
    whole = [f"{_BEFORE}(?:{'|'.join(inner)}){_BEHIND}"] if inner else []  # the edges once: six times as fast
    sources = [*(word for word in words if not _is_whole(word)), *whole]
    return re.compile("|".join(sources), re.IGNORECASE) if sources else None


_BEFORE, _BEHIND = r"(?<!\w)", r"(?!\w)"


def _is_whole(source: str) -> bool:
    return source.startswith(_BEFORE) and source.endswith(_BEHIND)


def _word(word: str, *, spaced: bool) -> str:
    if re.match(r"\^\w", word):
        return rf"\A\W*{_word(word[1:], spaced=spaced)}"
    parts = [re.escape(part) for part in word.split("*")]
    inner = r"\s+".join(r"[^.!?\n]{1,40}?".join(parts).split(r"\ "))
    if word.endswith("*") and "*" not in word[:-1]:
        inner = rf"{re.escape(word[:-1])}\w*"
    edged = inner.replace("'", "['’]")
    letters = word[0].isalnum() and (word[-1].isalnum() or word.endswith("*"))
    return f"{_BEFORE}{edged}{_BEHIND}" if letters and spaced else edged


_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("zh", re.compile("[\u3400-\u9fff]")),
)


@lru_cache(maxsize=65_536)
def language(text: str) -> str:
    """The language that a text is in, by its script and its commonest words, each counted once ("per" twice is not yet
    Italian); empty where they do not tell, or where it is none that there is a lexicon of."""
    for name, script in _SCRIPTS:
        if len(script.findall(text[:2_000])) >= 3 and name in languages():
            return name
    words = set(re.findall(r"[^\W\d_]+", text[:2_000].lower()))
    counts = {name: len(words & lexicon(name).common) for name in languages()}
    ranked = sorted(counts, key=lambda name: -counts[name])
    if not ranked or counts[ranked[0]] < 2 or counts[ranked[0]] == counts[ranked[1]]:
        return ""
    return ranked[0]


def spoken(texts: Iterator[str]) -> Mapping[str, int]:
    """How many of the texts are in each language."""
    counts: dict[str, int] = {}
    for text in texts:
        name = language(text)
        counts[name] = counts.get(name, 0) + 1
    return counts
