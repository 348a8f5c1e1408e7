"""The same pass in three steps, for a host agent that thinks in between: plan, propose, decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgit.core.seam.protocol import parse_candidates, parse_decisions
from memgit.core.seam.reply import read_reply
from memgit.core.sessions.quotes import find_said
from memgit.errors import BadReply
from memgit.flows.conclude import conclude
from memgit.flows.prepare import prepare
from memgit.model.decision import Candidate, MinerReply, Said
from memgit.model.passes import Mode, Outcome, PassKind, Plan

if TYPE_CHECKING:
    from memgit.flows.prepare import Workshop


@dataclass(frozen=True)
class Proposed:
    """What handing in candidates came to: how many are kept, what a decision could not use and why,
    what the bound cut, and the batches that are still awaited."""

    plan: Plan
    kept: tuple[Candidate, ...]
    void: tuple[tuple[str, str], ...]
    cut: tuple[Candidate, ...]
    awaited: tuple[int, ...]


def plan(shop: Workshop) -> Plan:
    """Prepare a pass and write a brief for the miner of each batch."""
    made = prepare(shop, PassKind.CURATE)
    if made.mode is not Mode.NOOP:
        shop.book.write_briefs(made)
    return made


def propose(shop: Workshop, pass_id: str, replies: Sequence[bytes]) -> Proposed:
    """Take candidate files, one per batch, and say of each candidate whether its quotes stand in the frozen prose.

    Raises BadReply naming the field that breaks the contract; then none of the files is kept.
    """
    made = shop.book.load(pass_id)
    limit = made.selection.limits.candidates_per_batch
    batches = {batch.number for batch in made.selection.batches}
    taken: list[MinerReply] = []
    cut: list[Candidate] = []
    for data in replies:
        number = read_reply(data)["batch"].number()
        if number not in batches:
            raise BadReply(f"batch: {number} is no batch of pass {made.id}.", f"It has {_listed(batches)}.")
        bounded = parse_candidates(data, made.id, number, limit)
        taken.append(MinerReply(number, bounded.kept))
        cut.extend(bounded.cut)
    kept = shop.book.keep_replies(made, taken)
    fresh = tuple(candidate for reply in taken for candidate in reply.candidates)
    awaited = tuple(sorted(batches - {reply.batch for reply in kept}))
    return Proposed(made, fresh, tuple(_void(fresh, made)), tuple(cut), awaited)


def decide(shop: Workshop, pass_id: str, decisions: bytes) -> Outcome:
    """Take the decisions of a host and conclude the pass; batches nobody mined are reported as such."""
    made = shop.book.load(pass_id)
    replies = {reply.batch: reply for reply in shop.book.replies(made)}
    missing = {
        batch.number: MinerReply(batch.number, failure="no candidates were handed in for it")
        for batch in made.selection.batches
        if batch.number not in replies
    }
    replies |= missing
    candidates = [candidate for reply in replies.values() for candidate in reply.candidates]
    proposals = parse_decisions(decisions, made.id, candidates)
    return conclude(shop, made, [replies[number] for number in sorted(replies)], proposals)


def _void(candidates: Sequence[Candidate], made: Plan) -> list[tuple[str, str]]:
    """Each quote that no decision could rest on, and why, so that a miner can mend its reply."""
    found = []
    for candidate in candidates:
        for evidence in candidate.evidence:
            checked = find_said(evidence, made.digests) if isinstance(evidence, Said) else evidence
            if isinstance(checked, str):
                found.append((candidate.id, checked))
    return found


def _listed(batches: set[int]) -> str:
    return ", ".join(map(str, sorted(batches))) or "none"
