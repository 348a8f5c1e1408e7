"""The miner that needs no model: rules over one batch and the store."""

from __future__ import annotations

from collections.abc import Sequence

from memgit.miners.offline.corpus import corpus_of
from memgit.miners.offline.finding import Finding
from memgit.miners.offline.prose import foreign_sessions, statements
from memgit.miners.offline.survey import survey
from memgit.model.decision import Candidate, MinerReply, Notice
from memgit.model.session import Digest
from memgit.model.store import Memory

MOST_CANDIDATES = 15


class OfflineMiner:
    """Proposes changes by rules of English and German; deterministic, without network, model or key.

    What it sees and cannot make a plain rule of becomes a notice, and so does a session in a language
    that it has no rules for.
    """

    name = "offline"

    def mine(self, digest: Digest, memories: Sequence[Memory]) -> MinerReply:
        """Candidates of one batch, best first, with the statements noticed and not used."""
        found = survey(corpus_of(tuple(memories)), statements((digest,)))
        numbered = enumerate(found.findings[:MOST_CANDIDATES], 1)
        return MinerReply(
            batch=digest.number,
            candidates=tuple(candidate(finding, f"B{digest.number}.{n}", n) for n, finding in numbered),
            notices=(
                *(Notice(unclear.said.session, unclear.said.text, unclear.why) for unclear in found.unclear),
                *(
                    Notice(session, words, "no rules for this language: only a model can mine this session")
                    for session, words in foreign_sessions((digest,))
                ),
            ),
        )


def candidate(finding: Finding, name: str, rank: int) -> Candidate:
    """A finding as a candidate of a batch."""
    return Candidate(
        id=name,
        intent=finding.intent,
        claim=finding.claim,
        evidence=finding.evidence,
        targets=finding.targets,
        drafts=finding.drafts,
        rank=rank,
        why=finding.why,
    )
