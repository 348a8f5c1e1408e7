"""The words of a text that tell what it is about, cut so that they can be compared across endings and compounds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from memgit.core.text.tongue import COMMON
from memgit.core.text.words import STOP_WORDS, stem

_EMPTY = (
    COMMON
    | STOP_WORDS
    | frozenset(
        """
    please pls thanks okay yes yeah nope nah enough done good fine right wrong thing things memory memories forget
    remove delete drop change changed again now new old still really actually something anything everything stuff
    """.split()  # noqa: SIM905 - reads better than quoted words
    )
)
"""Words that people use about any memory, so that sharing one of them says nothing."""

_TOKEN = re.compile(r"[^\W_]+")
_PIECE = 4

SHORTEST_CUT = 5
"""Letters that a root keeps at least."""


def roots(text: str) -> Iterator[str]:
    """The telling words of ``text`` in lower case, one after another, without their endings; numbers whole."""
    for token in _TOKEN.findall(text.lower()):
        if token.isdecimal():
            yield token
        elif len(token) > 2 and token not in _EMPTY:
            root = stem(token)
            yield root if len(root) <= SHORTEST_CUT else root[: max(SHORTEST_CUT, len(root) - 2)]


@lru_cache(maxsize=4096)
def pieces(text: str) -> frozenset[str]:
    """The roots of ``text`` in runs of four letters, so that parts of compounds meet."""
    return frozenset(piece for root in roots(text) for piece in _runs(f"^{root}$"))


def _runs(word: str) -> Iterator[str]:
    yield from (word[at : at + _PIECE] for at in range(max(1, len(word) - _PIECE + 1)))
