"""The words of a text, in any script: what two texts are compared by."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

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
