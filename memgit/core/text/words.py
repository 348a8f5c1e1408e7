"""The words that carry meaning."""

from __future__ import annotations

import re
from functools import lru_cache

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
