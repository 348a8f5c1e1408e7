"""A miner that puts its batch to a model, in the words that a host's miner reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memgit.core.schemas import schema_candidates
from memgit.core.seam.brief import IN_PROCESS, prompt
from memgit.core.seam.protocol import parse_candidates
from memgit.errors import BadReply
from memgit.miners.model.conversation import Conversation
from memgit.model.decision import Candidate, MinerReply
from memgit.model.session import Digest
from memgit.model.store import Memory

WANTED, TAKEN = 15, 100
"""Candidates of one batch that are asked for, and that are read at all: those in between are cut, and named."""


@dataclass(frozen=True)
class ModelMiner:
    """Proposes what a model makes of a batch."""

    conversation: Conversation

    @property
    def name(self) -> str:
        return self.conversation.model.name

    def mine(self, digest: Digest, memories: Sequence[Memory]) -> MinerReply:
        """The candidates of an answer that keeps its contract whole, or what is wrong with the last answer.

        Raises ModelFailed and ModelUnavailable.
        """
        try:
            candidates = self.conversation.agree(
                prompt(digest, memories, WANTED), schema_candidates(IN_PROCESS), lambda text: read(text, digest.number)
            )
        except BadReply as breach:
            why = f"the answer of {self.name} cannot be used: {breach.message}"
            return MinerReply(digest.number, failure=why.rstrip("."))
        return MinerReply(digest.number, candidates)


def read(text: str, batch: int) -> tuple[Candidate, ...]:
    """The candidates of an answer. Raises BadReply, also for a flood of them."""
    found = parse_candidates(text, IN_PROCESS, batch, TAKEN)
    if found.cut:
        number = len(found.kept) + len(found.cut)
        raise BadReply(f"candidates holds {number} entries.", f"Send the {WANTED} most worthwhile.")
    return found.kept
