"""The offline miner and decider: nominating batch by batch, ranking over all of them, and asking."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from memgit.likeness.merges import equal_merged
from memgit.miners.offline.nominate import nominate
from memgit.miners.offline.pairs import likely
from memgit.miners.offline.questions import candidates, proposals
from memgit.miners.offline.statements import Statement, statements
from memgit.model.decision import Candidate, Decision, MinerReply, Proposal, Said
from memgit.model.session import Digest
from memgit.model.store import Memory
from memgit.text.language import language
from memgit.text.words import length

NAME = "offline"


class OfflineMiner:
    """Nominates the statements of a batch that may be worth a memory.

    ``answered`` gives the keys of questions that a person has answered in an earlier pass.
    """

    name = NAME

    def __init__(self, answered: Callable[[], frozenset[str]] = frozenset) -> None:
        self._answered = answered

    def mine(self, digest: Digest, memories: Sequence[Memory]) -> MinerReply:
        """The best of them as candidates, each with the chance that it is worth a person's look."""
        said = tuple(statements(digest.messages))
        best = candidates(nominate(said, memories), memories, digest.number, self._answered())
        return MinerReply(digest.number, tuple(best), unread=tuple(_unread(said)))


class OfflineDecider:
    """Merges what is equal, and asks about the rest."""

    name = NAME

    def decide(
        self, memories: Sequence[Memory], _digests: Sequence[Digest], candidates: Sequence[Candidate], /
    ) -> tuple[Proposal, ...]:
        """The merges of equal memories and the best questions of all batches."""
        by_id = {memory.id: memory for memory in memories}
        return tuple(proposals(candidates, equal_merged(memories), likely(memories), by_id))

    def reconsider(
        self, _memories: Sequence[Memory], proposals: Sequence[Proposal], decisions: Sequence[Decision], /
    ) -> Sequence[Proposal]:
        """The proposals without pairs of memories that a fact keeps apart: nobody has asked for those."""
        ruled = zip(proposals, decisions, strict=True)
        return [one for one, decision in ruled if decision.changes or any(isinstance(it, Said) for it in one.evidence)]


def _unread(said: Sequence[Statement]) -> Iterator[tuple[str, str]]:
    """The sessions in a language that there are no words of: likeness alone nominates there."""
    for session, texts in groupby(said, key=lambda each: each.message.session):
        typed = " ".join(each.text for each in texts)
        if length(typed) >= _ENOUGH and not language(typed):
            yield session, "its language is not one that words are known of, so it was read by likeness alone"


_ENOUGH = 30
"""Words from which on a text tells its language."""
