"""Is a text in the one language whose rules are written down here?"""

from __future__ import annotations

import re

_ENGLISH = frozenset(
    """the a an of to in is are was were it its that this these those and or but not no for on with at by from as be
    been has have had do does did we you i they he she our your my their there here what which who when where why how
    if then than so can could will would should must may might never always every each all any only now just still
    into out up down over under again more please pls yes yeah ok""".split()
)
_WORD = re.compile(r"[^\W\d_]+")
_ENOUGH_WORDS = 12
_SHARE = 0.2  # measured: English prose has 0.35 and more, German and French prose below 0.12


def english_share(text: str) -> float:
    """The share of a text's words that are everyday English ones, 0 to 1."""
    words = [word.lower() for word in _WORD.findall(text)]
    return sum(word in _ENGLISH for word in words) / len(words) if words else 0.0


def is_english(text: str, surroundings: str = "") -> bool:
    """Whether a text may be read by the English rules; a text of a few words is judged by its surroundings."""
    if len(_WORD.findall(text)) >= _ENOUGH_WORDS or not surroundings:
        return english_share(text) >= _SHARE
    return english_share(surroundings) >= _SHARE
