"""Is a text in the one language whose rules are written down here?"""

# ruff: noqa: SIM905 - word lists read best as text
from __future__ import annotations

import re

_ENGLISH = frozenset(
    """the a an of to in is are was were it its that this these those and or but not no for on with at by from as be
    been has have had do does did we you i they he she our your my their there here what which who when where why how
    if then than so can could will would should must may might never always every each all any only now just still
    into out up down over under again more please pls yes yeah ok""".split()
)
_OTHERS = frozenset(
    """der die das und ist nicht ein eine wir ich du mit auf für von zu den dem im bitte auch noch schon les des est
    pas une le la et dans pour avec que qui el los las del por para una con che di il per non sono uma não os""".split()
)
"""Everyday words of neighbouring languages: enough to tell that a short text is not English."""

_WORD = re.compile(r"[^\W\d_]+")
_ENOUGH_WORDS = 12
_SHORT = 40  # words: terse talk full of names has few everyday words
_SHARE = 0.2  # measured: English prose has 0.35 and more, German and French prose below 0.12

_STRAY = 0.03  # share of another language's everyday words that names and typos may make up


def english_share(text: str) -> float:
    """The share of a text's words that are everyday English ones, 0 to 1."""
    words = [word.lower() for word in _WORD.findall(text)]
    return sum(word in _ENGLISH for word in words) / len(words) if words else 0.0


def is_english(text: str, surroundings: str = "") -> bool:
    """Whether a text may be read by the English rules.

    A text of a few words is judged by its surroundings; where these are short, too, by the absence of
    another language's everyday words. Terse talk full of names is English where all around it is.
    """
    judged = max((text, surroundings), key=len) if len(_WORD.findall(text)) < _ENOUGH_WORDS else text
    words = [word.lower() for word in _WORD.findall(judged)]
    if len(words) < _ENOUGH_WORDS:
        return judged.isascii() and sum(word in _OTHERS for word in words) <= sum(word in _ENGLISH for word in words)
    if len(words) < _SHORT and judged.isascii() and _foreign_share(words) == 0:
        return english_share(judged) >= _SHARE / 2
    return english_share(judged) >= _SHARE or (
        english_share(surroundings) >= _SHARE and _foreign_share(words) <= _STRAY
    )


def _foreign_share(words: list[str]) -> float:
    return sum(word in _OTHERS for word in words) / len(words)
