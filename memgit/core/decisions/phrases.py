"""Sentences and telling words of memories, compared across endings, compounds and short forms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from memgit.core.decisions.telling import roots
from memgit.core.text.words import sentences

LABEL = re.compile(r"\*\*[A-Z][\w ]{0,30}:\*\*")
"""What begins a part of a memory: ``**Why:**``."""

FEWEST = 3
"""Telling words below which a sentence is too short to be measured."""

_NOBODY = frozenset({"user"})  # how a memory calls whoever speaks


def told_in(text: str) -> Sequence[str]:
    """The sentences of a memory, without the labels of its parts."""
    return sentences(LABEL.sub("", text))


def telling_words(texts: Iterable[str]) -> frozenset[str]:
    """The telling words of several texts."""
    return frozenset().union(*map(_roots, texts)) - _NOBODY


@lru_cache(maxsize=8192)
def _roots(text: str) -> frozenset[str]:
    return frozenset(roots(text))


def known(words: frozenset[str], told: frozenset[str]) -> frozenset[str]:
    """Those of ``words`` that were told, whole, as the beginning of a compound on either side, or shortened."""
    starts = {root[:4] for root in told if len(root) >= 3}
    return frozenset(word for word in words if word in told or word[:4] in starts or word[:3] in starts)


def short(sentence: str) -> str:
    flat = " ".join(sentence.split())
    return flat if len(flat) <= 60 else f"{flat[:59]}…"
