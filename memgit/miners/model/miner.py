"""A miner that puts its batch to a model, in the words that a host's miner reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from memgit.core.schemas import schema_candidates, schema_decisions
from memgit.core.seam.brief import IN_PROCESS, decide_prompt, doubts_prompt, prompt
from memgit.core.seam.protocol import parse_again, parse_candidates, parse_decisions
from memgit.errors import BadReply, ToolFailed
from memgit.evidence.quotes import Prose, Void, find_said
from memgit.miners.model.conversation import Conversation
from memgit.miners.model.port import ModelFailed
from memgit.model.decision import Candidate, Decision, Evidence, Kind, MinerReply, Proposal, Said, Standing
from memgit.model.session import Digest
from memgit.model.store import Memory
from memgit.rulings.reduce import Group, packed, related

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


# --- decider ---
# A decider that puts the candidates to a model. It may choose among them and word what results, nothing else.

TOGETHER = 60
"""Candidates that are weighed in one question: four batches' worth. More are put in parts, related ones together."""

FLOOD = 5
"""Decisions for each candidate from which on nobody has weighed anything."""


@dataclass(frozen=True)
class ModelDecider:
    """Settles what a model chooses of the candidates whose quotes stand in the frozen prose."""

    conversation: Conversation

    @property
    def name(self) -> str:
        return self.conversation.model.name

    def decide(
        self, memories: Sequence[Memory], digests: Sequence[Digest], candidates: Sequence[Candidate], /
    ) -> tuple[Proposal, ...]:
        """What the model chose, then one reject per candidate that is void or that it left out.

        Raises ModelFailed when an answer cannot be used, and ModelUnavailable.
        """
        prose = Prose(digests)
        checked = [_checked(each, prose) for each in candidates]
        sound = [each for each in checked if isinstance(each, Candidate)]
        void = [each for each in checked if isinstance(each, Proposal)]
        parts = packed(related(sound), TOGETHER)
        return (*(proposal for part in parts for proposal in self._weigh(memories, part)), *void)

    def reconsider(
        self, memories: Sequence[Memory], proposals: Sequence[Proposal], decisions: Sequence[Decision], /
    ) -> tuple[Proposal, ...]:
        """The proposals as the model mends or withdraws them once it is told what stands against them; as they were
        where nothing does, or where no answer comes that can be used. Nobody stands beside it, so it confirms nothing.
        """
        if all(each.standing is Standing.TAKEN for each in decisions):
            return tuple(proposals)
        open_to = [each for each in decisions if each.standing is not Standing.TAKEN]
        try:
            mended = self.conversation.agree(
                doubts_prompt(memories, proposals, open_to),
                schema_decisions(IN_PROCESS),
                lambda text: parse_again(text, IN_PROCESS, proposals),
            )
        except (BadReply, ToolFailed):
            return tuple(proposals)
        return tuple(_mended(before, after) for before, after in zip(proposals, mended, strict=True))

    def _weigh(self, memories: Sequence[Memory], part: Group) -> Iterator[Proposal]:
        try:
            chosen = self.conversation.agree(
                decide_prompt(memories, part),
                schema_decisions(IN_PROCESS),
                lambda text: read_decisions(text, part),
            )
        except BadReply as breach:
            raise ModelFailed(
                f"The decisions of {self.name} cannot be used: {breach.message}",
                "Run the pass again (what was mined is kept), or choose another --decider, such as offline.",
            ) from None
        known = {each.id: each for each in part}
        yield from (_confined(proposal, known) for proposal in chosen)
        settled = {name for proposal in chosen for name in proposal.candidates}
        yield from (_refused(each, "The decider said nothing of it.") for each in part if each.id not in settled)


def read_decisions(text: str, part: Group) -> tuple[Proposal, ...]:
    """The decisions of an answer. Raises BadReply, also for a flood of them."""
    chosen = parse_decisions(text, IN_PROCESS, part)
    if len(chosen) > FLOOD * len(part):
        raise BadReply(f"decisions holds {len(chosen)} entries.", f"Settle each of the {len(part)} candidates once.")
    return chosen


def _mended(before: Proposal, after: Proposal) -> Proposal:
    """A decision as the model has it now: reworded, with less left out, or withdrawn. Its evidence and what it is
    about stay what a miner found."""
    if after.kind is Kind.REJECT or before.kind is Kind.REJECT:
        return replace(before, kind=Kind.REJECT, justification=after.justification, drafts=())
    return replace(
        before, drafts=after.drafts if before.kind is after.kind else before.drafts, leaves_out=after.leaves_out
    )


def _checked(candidate: Candidate, prose: Prose) -> Candidate | Proposal:
    """The candidate with its quotes completed, or its refusal: no decider need look at what rests on nothing."""
    looked_up = [find_said(one, prose) if isinstance(one, Said) else one for one in candidate.evidence]
    found = [one for one in looked_up if not isinstance(one, Void)]
    if void := next((one for one in looked_up if isinstance(one, Void)), None):
        return _refused(candidate, void.says) if not found else replace(candidate, evidence=tuple(found))
    return replace(candidate, evidence=tuple(found))


def _refused(candidate: Candidate, why: str) -> Proposal:
    return Proposal(
        Kind.REJECT,
        why,
        evidence=candidate.evidence,
        memories=candidate.targets,
        candidates=(candidate.id,),
        claim=candidate.claim,
    )


def _confined(proposal: Proposal, known: dict[str, Candidate]) -> Proposal:
    """A decision held to the candidates that it names: their evidence, and no memory that none of them is about."""
    named = [known[name] for name in proposal.candidates if name in known]
    proposal = replace(proposal, candidates=tuple(each.id for each in named), evidence=_evidence(named))
    if proposal.kind is Kind.REJECT:
        return proposal
    if not named:
        return _withdrawn(proposal, "It rests on no candidate.")
    about = {target for each in named for target in each.targets}
    if strange := [name for name in proposal.memories if name not in about]:
        return _withdrawn(proposal, f"None of its candidates is about {strange[0]}.")
    return proposal


def _withdrawn(proposal: Proposal, why: str) -> Proposal:
    told = f"{why} (Proposed was: {proposal.kind}. {proposal.justification})"
    return replace(proposal, kind=Kind.REJECT, justification=told, drafts=(), evidence=())


def _evidence(named: Iterable[Candidate]) -> tuple[Evidence, ...]:
    return tuple(dict.fromkeys(evidence for each in named for evidence in each.evidence))
