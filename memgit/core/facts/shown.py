"""What a project's documents or code show already: such a fact can be rebuilt, so a session need not keep it.

Facts of a person are asked only of the files that instruct agents: what somebody wants stands nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memgit.claims.appraise import is_protected
from memgit.claims.documents import WORD_FOR_WORD, Library
from memgit.claims.found import Found, State
from memgit.claims.sources import instructs
from memgit.evidence.findings import printable
from memgit.model.fact import Refusal
from memgit.model.store import Memory


def shown(memory: Memory, values: Sequence[Found], documents: Library) -> Iterator[Refusal]:
    """Why a fact, as the ``memory`` that it would become, is not worth it. ``values`` are what code says of its
    amounts."""
    if is_protected(memory):
        held = documents.absorbs(memory, WORD_FOR_WORD)
        if held and instructs(held.path):
            yield _refusal("in-document", f"{held.place} says it")
        return
    if held := documents.absorbs(memory):
        yield _refusal("in-document", f"{held.place} says it")
    if agreed := next((each for each in values if each.state is State.HOLDS), None):
        yield _refusal("in-code", agreed.line)


def _refusal(code: str, where: str) -> Refusal:
    return Refusal(code, "body", f"{printable(where)} already. What was surprising about it? Write that instead.")
