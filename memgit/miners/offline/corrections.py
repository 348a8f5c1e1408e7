"""What users' later statements correct in the memories: a value, a name, a whole rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memgit.miners.offline.agreements import agreed_name
from memgit.miners.offline.corpus import Corpus
from memgit.miners.offline.exchanges import new_value
from memgit.miners.offline.fillers import new_filler
from memgit.miners.offline.finding import Finding, Unclear
from memgit.miners.offline.guards import objection, reversals, taken_back
from memgit.miners.offline.prose import Statement
from memgit.miners.offline.renames import new_holder, new_name
from memgit.miners.offline.retractions import rule_taken_back


def corrections(corpus: Corpus, said: Sequence[Statement]) -> Iterator[Finding | Unclear]:
    """What the statements give in place of a part of a memory, oldest statement first."""
    for statement in _meant(said):
        found = (
            new_value(corpus, statement, said)
            or new_name(corpus, statement)
            or new_holder(corpus, statement)
            or new_filler(corpus, statement)
            or agreed_name(corpus, statement)
        )
        if found is not None:
            yield found


def retractions(corpus: Corpus, said: Sequence[Statement]) -> Iterator[Finding | Unclear]:
    """What the statements take back as a whole, oldest statement first."""
    for statement in _meant(said):
        if (found := rule_taken_back(corpus, statement)) is not None:
            yield found


def _meant(said: Sequence[Statement]) -> Iterator[Statement]:
    back = reversals(said)
    return (statement for statement in said if not (objection(statement) or taken_back(statement, back)))
