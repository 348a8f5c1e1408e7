"""What a project's documents, code or history show already: such a fact can be rebuilt, so a session need not keep it.

Facts of a person are asked only of the files that instruct agents: what somebody wants stands nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memgit.core.audit.absorption import SAME_RULE, Library, instructs
from memgit.core.audit.appraise import is_protected
from memgit.core.audit.figures import Agreement
from memgit.core.screening.findings import printable
from memgit.model.fact import Refusal
from memgit.model.store import Memory


@dataclass(frozen=True, slots=True)
class Sources:
    """What a fact is held against: the documents of the tree, and the subjects of its commits by their short hash."""

    documents: Library
    commits: Library


def shown(memory: Memory, figures: Sequence[object], sources: Sources) -> Iterator[Refusal]:
    """Why a fact, as the ``memory`` that it would become, is not worth it. ``figures`` are what code says of its
    amounts."""
    if is_protected(memory):
        held = sources.documents.absorbs(memory, SAME_RULE)
        if held and instructs(held.path):
            yield _refusal("in-document", f"{held.place} says it")
        return
    if held := sources.documents.absorbs(memory):
        yield _refusal("in-document", f"{held.place} says it")
    if agreed := next((each for each in figures if isinstance(each, Agreement)), None):
        line = agreed.definition.line
        yield _refusal("in-code", f"{line.path}:{line.number} has `{' '.join(line.text.split())[:80]}`")
    if held := sources.commits.absorbs(memory):
        yield _refusal("in-history", f"commit {held.path} says it")


def _refusal(code: str, where: str) -> Refusal:
    return Refusal(code, "body", f"{printable(where)} already. What was surprising about it? Write that instead.")
