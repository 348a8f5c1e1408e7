"""Whether a quote speaks of the memory that it is to change: a true sentence about something else proves nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memgit.core.decisions.case import Case
from memgit.core.sessions.quotes import locate
from memgit.core.text.words import STOP_WORDS, stem
from memgit.model.decision import Kind, Proposal, Said
from memgit.model.store import Memory

_EMPTY = frozenset(
    """
    please pls thanks okay yes yeah nope nah enough done good fine right wrong thing things memory memories forget
    remove delete drop change changed again now new old still really actually something anything everything stuff
    """.split()  # noqa: SIM905 - reads better than quoted words
)
"""Words that people use about any memory, so that sharing one of them says nothing."""

_TOKEN = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}")
_SHORTEST_CUT = 5


def unrelated(proposal: Proposal, case: Case) -> str | None:
    """Why what is cited does not speak of the memory that goes or changes; None where it does, or nothing was said.

    A merge is backed by words about any of its members: that they say the same is looked at elsewhere.
    """
    said = [one for one in proposal.evidence if isinstance(one, Said)]
    if not said or proposal.kind not in (Kind.REPLACE, Kind.UPDATE, Kind.DROP, Kind.MERGE):
        return None
    words = " ".join(_spoken(one, case) for one in said)
    strangers = [memory.id for memory in case.of(proposal.memories) if not speaks_of(words, memory)]
    if not strangers or (proposal.kind is Kind.MERGE and len(strangers) < len(proposal.memories)):
        return None
    return f"What is cited does not speak of {strangers[0]}: it has no word, number or name of it."


def _spoken(said: Said, case: Case) -> str:
    """The quote and the sentence around it."""
    place = locate(said, case.digests)
    return said.quote if isinstance(place, str) else f"{said.quote} {place.sentence}"


def speaks_of(words: str, memory: Memory) -> bool:
    """Whether any word, number or name of ``words`` is one of the memory's: endings aside, and as a part of a
    compound on either side."""
    about = f"{memory.id} {memory.name} {memory.text}".lower()
    if any(pair in about for pair in _UNSPACED.findall(words)):
        return True
    own = tuple({root for root in _roots(about) if len(root) >= _SHORTEST_CUT})
    return any(root.startswith(own) or re.search(rf"(?<![^\W_]){re.escape(root)}", about) for root in _roots(words))


def _roots(words: str) -> Iterable[str]:
    for token in _TOKEN.findall(words.lower()):
        if token.isdecimal():
            yield token
        elif len(token) > 2 and token not in STOP_WORDS and token not in _EMPTY:
            root = stem(token)
            yield root if len(root) <= _SHORTEST_CUT else root[: max(_SHORTEST_CUT, len(root) - 2)]
