"""Which memories are about one thing, for the passes that look at the store alone."""

from __future__ import annotations

from collections.abc import Sequence

from memgit.miners.offline.corpus import corpus_of
from memgit.miners.offline.prose import statements
from memgit.miners.offline.similarity import cosine
from memgit.miners.offline.survey import merges
from memgit.miners.offline.wording import merged
from memgit.miners.offline.words import content
from memgit.model.decision import Draft, Kind, Proposal
from memgit.model.session import Digest
from memgit.model.store import Memory


class OfflineLikeness:
    """Nearness by words and by meaning; what may be merged is what the miner would merge."""

    def merges(self, memories: Sequence[Memory], digests: Sequence[Digest]) -> tuple[Proposal, ...]:
        """Memories that state one lesson, by the user's own restatement or by their words."""
        found = merges(corpus_of(tuple(memories)), statements(digests))
        return tuple(
            Proposal(
                Kind.MERGE, one.why, one.evidence, one.targets, one.drafts, claim=one.claim, leaves_out=one.leaves_out
            )
            for one in found
        )

    def joined(self, members: Sequence[Memory], keeper: Memory) -> Draft:
        """The keeper's own text where it says all that the others say, else all of their sentences."""
        draft = merged(sorted(members, key=lambda member: member.id != keeper.id))
        own = merged([keeper])
        body = keeper.body if content(draft.body) <= content(own.body) else draft.body
        return Draft(keeper.name, keeper.description, keeper.type, body, keeper.id)

    def related(self, memories: Sequence[Memory]) -> tuple[tuple[str, str, float], ...]:
        """Pairs about one thing, nearest first."""
        corpus = corpus_of(tuple(memories))
        pairs = [tuple(sorted(pair)) for pair in corpus.related]
        scored = [(a, b, cosine(corpus.by_id[a].claim, corpus.by_id[b].claim)) for a, b in pairs]
        return tuple(sorted(scored, key=lambda pair: (-pair[2], pair[0], pair[1])))
