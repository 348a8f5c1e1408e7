"""The words of a text, in any script: sentences, terms that are compared, the form taken away, whole words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

# --- sentences ---
# Sentences in any language: where one ends, without knowing a word of it.

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


# --- terms ---
# The words of a text, in any script: what two texts are compared by.

_RUN = re.compile(
    r"(?P<han>[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+)|(?P<kana>[\u3040-\u30ff]+)|(?P<hangul>[\uac00-\ud7af]+)"
    r"|(?P<word>[^\W_]+)"
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")


@lru_cache(maxsize=65_536)
def terms(text: str) -> tuple[str, ...]:
    """The terms of a text in order: lower-case words without accents, cut to their first six letters, names in their
    parts; of scripts without blanks each pair of characters."""
    found: list[str] = []
    for run in _RUN.finditer(text):
        if run.lastgroup == "word":
            for part in _CAMEL.split(run[0]):
                plain = _plain(part)
                found.append(plain if plain.isdigit() else plain[:6])
        else:
            found += _pairs(run[0])
    return tuple(found)


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


@lru_cache(maxsize=65_536)
def _plain(word: str) -> str:
    if word.isascii():
        return word.lower()
    split = unicodedata.normalize("NFKD", word.lower())
    return "".join(letter for letter in split if not unicodedata.combining(letter))


def length(text: str) -> int:
    """How many words a text has, as far as that can be told: a pair of characters counts as one."""
    return len(terms(text))


# --- letters ---
# What is left of a text when form is taken away: by it two texts are equal or not.

_LINE_MARKS = re.compile(r"^[ \t]*(?:[>#|+*-]+[ \t]+|>+|[=|*_~`#>:+ \t-]+$)", re.MULTILINE)
"""What Markdown puts at the beginning of a line, and lines of nothing else."""

_TELLING = re.compile(r"(?<!\w)[-+](?=\d)|\w+(?:(?<=\d)[.,:/-](?=\d)\w+)*[+#]*|!=|[<>=]=?|[$%]|[^\x00-\x7f\w\s]")
"""Words, whole numbers with what stands in them, comparisons, and signs beyond punctuation."""


@lru_cache(maxsize=65_536)
def letters(text: str) -> str:
    """A text without what does not tell two texts apart: case, white space, punctuation and mark-up. What stands in a
    number (``1.5``), compares (``<``) or is a picture does tell."""
    plain = _LINE_MARKS.sub("", text.replace("_", " ")).lower()
    return "".join(found for found in _TELLING.findall(plain) if not _is_punctuation(found))


def _is_punctuation(found: str) -> bool:
    return not found.isascii() and len(found) == 1 and unicodedata.category(found)[0] in "PCZ"


# --- words ---
# The words that carry meaning.

STOP_WORDS = frozenset(
    """
    a an the and or but if then than that this these those it its is are was were be been being do does did has have
    had to of in on at by for from with as into per we you i they he she our your their us them there here so also
    just only not no never always must should may can will would when where which who what how why all any each every
    own same out up one use uses used using because while over about after before more most such very too
    """.split()  # noqa: SIM905 - reads better than a hundred quoted words
)
"""Words without a meaning of their own."""


@lru_cache(maxsize=8192)
def content_words(text: str) -> frozenset[str]:
    """The words that carry a text's meaning, lower case, cut to a crude stem."""
    return frozenset(stem(word) for word in _WORD.findall(text.lower()) if word not in STOP_WORDS)


_WORD = re.compile(r"[^\W\d_]\w+")


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """``word`` without the commonest English endings; crude on purpose."""
    for ending in ("ies", "ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + ("y" if ending == "ies" else "")
    return word.removesuffix("e") if len(word) > 4 else word


# --- bounds ---
# Where a word ends: whether a hit in a text is the thing itself or part of a longer word.

_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1100, 0x11FF),  # Hangul: particles join the word before them
    (0x1780, 0x17FF),  # Khmer
    (0x3040, 0x30FF),  # kana
    (0x3400, 0x9FFF),  # Han
    (0xAC00, 0xD7AF),  # Hangul
    (0xF900, 0xFAFF),  # Han
    (0x20000, 0x3FFFF),  # Han
)


def stands_alone(needle: str, before: str, after: str) -> bool:
    """Whether ``needle``, found between the characters ``before`` and ``after`` (empty at an end of the text),
    is bounded by letters and digits: ``unsafe`` is not in ``unsafely``, but it is in ``unsafe_code``.

    Scripts that are written without spaces do not join a word. An option is longer than a word:
    ``--no-verify`` is not in ``--no-verify-ssl``.
    """
    if _is_option(needle):
        return not (_in_option(before) or (_in_word(needle[-1]) and _in_option(after)))
    return not (_joined(before, needle[0]) or _joined(needle[-1], after))


def _joined(left: str, right: str) -> bool:
    return _in_word(left) and _in_word(right)


def _in_word(char: str) -> bool:
    return char.isalnum() and (char.isascii() or not any(low <= ord(char) <= high for low, high in _UNSPACED))


def _is_option(needle: str) -> bool:
    name = needle.removeprefix("-").removeprefix("-")
    return name != needle and name[:1].isalpha()


def _in_option(char: str) -> bool:
    return char in ("-", "_") or _in_word(char)
