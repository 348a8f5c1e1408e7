"""The same pass in three steps, for a host agent that thinks in between: plan, propose, decide.

A curation is planned here; of an audit and a prune ``host_look`` has what is their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memgit.core.seam.protocol import goes_on, parse_candidates, parse_decisions, parse_opinions, read_reply
from memgit.errors import BadReply
from memgit.evidence.quotes import Prose, Void, find_said, find_seen
from memgit.flows.conclude import Turn, answered
from memgit.flows.host_look import decide_look, refused_opinions
from memgit.flows.prepare import draw_up, prepare
from memgit.memory.memory import memories
from memgit.model.decision import Candidate, Evidence, MinerReply, Said
from memgit.model.history import Mode, PassKind
from memgit.model.passes import Outcome, Plan
from memgit.rulings.handed_in import ASKED

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


def plan(shop: Workshop, kind: PassKind = PassKind.CURATE) -> Plan:
    """Prepare a curation or a sweep, and write a brief for the miner of each batch."""
    drawn = draw_up(shop, kind)
    if drawn.plan.mode is not Mode.NOOP and (open_ := shop.book.planned_on(drawn.plan)):
        return open_
    made = prepare(shop, kind, drawn=drawn)
    if made.mode is not Mode.NOOP:
        shop.book.write_briefs(made)
    return made


def propose(shop: Workshop, pass_id: str, replies: Sequence[bytes]) -> Proposed:
    """Take candidate files, one per batch of sessions or, in an audit or a prune, part of the store, and say of each
    candidate whether what it quotes is there.

    Raises BadReply naming the field that breaks the contract; then none of the files is kept.
    """
    made = shop.book.load(pass_id)
    limit = made.selection.limits.candidates_per_batch
    batches = _batches(shop, made)
    taken: list[MinerReply] = []
    cut: list[Candidate] = []
    for data in replies:
        number = read_reply(data)["batch"].number()
        if number not in batches:
            raise BadReply(f"batch: {number} is no batch of pass {made.id}.", f"It has {_listed(batches)}.")
        bounded = parse_candidates(data, made.id, number, limit)
        opinions = parse_opinions(data) if made.kind in ASKED else ()
        taken.append(MinerReply(number, bounded.kept, opinions=opinions))
        cut.extend(bounded.cut)
    kept = shop.book.keep_replies(made, taken)
    if made.kind is PassKind.CURATE:
        shop.book.write_decide_brief(made, [candidate for reply in kept for candidate in reply.candidates])
    fresh = tuple(candidate for reply in taken for candidate in reply.candidates)
    awaited = tuple(sorted(batches - {reply.batch for reply in kept}))
    return Proposed(made, fresh, tuple(_void(shop, made, taken)), tuple(cut), awaited)


def _batches(shop: Workshop, made: Plan) -> set[int]:
    """The numbers of what miners read."""
    if made.kind in ASKED:
        return set(range(1, shop.book.look(made).parts + 1))
    return {batch.number for batch in made.selection.batches}


def decide(shop: Workshop, pass_id: str, decisions: bytes, *, check: bool = False, final: bool = False) -> Outcome:
    """Take the decisions of a host and build the candidate; what nobody mined or read is reported as such.

    As long as no person has ruled on the pass the host may come again: with ``check`` the decisions are only ruled on
    and nothing is kept, and its last word (``final``, or a reply that changes nothing) ends its part.
    Raises BadReply, and WrongState for a pass that is not open to it.
    """
    shop = replace(shop, attended=True)  # the host stands beside it, whoever would decide otherwise
    made, last = shop.book.load_open(pass_id)
    turn = Turn(last, goes_on(decisions), check, final)
    replies = {reply.batch: reply for reply in shop.book.replies(made)}
    if made.kind in ASKED:
        return decide_look(shop, made, list(replies.values()), decisions, turn)
    missing = {
        batch.number: MinerReply(batch.number, failure="no candidates were handed in for it")
        for batch in made.selection.batches
        if batch.number not in replies
    }
    replies |= missing
    candidates = [candidate for reply in replies.values() for candidate in reply.candidates]
    proposals = parse_decisions(decisions, made.id, candidates, last)
    kept = [replies[number] for number in sorted(replies)]
    if made.kind is PassKind.SWEEP and shop.beads:
        from memgit.flows.sweep import decide_sweep

        return decide_sweep(shop, made, shop.beads, kept, proposals, turn)
    return answered(shop, made, kept, proposals, turn)


def _void(shop: Workshop, made: Plan, replies: Sequence[MinerReply]) -> list[tuple[str, str]]:
    """Each quote that no decision could rest on, and why, so that a miner can mend its reply; verdicts that do not
    count are named by their memory."""
    store = memories(shop.book.snapshot(made))

    prose = Prose(made.digests)

    def look_up(evidence: Evidence) -> Evidence | Void:
        if isinstance(evidence, Said):
            return find_said(evidence, prose)
        return find_seen(evidence, store, shop.tree.text_at)

    candidates = [candidate for reply in replies for candidate in reply.candidates]
    looked_up = [(candidate.id, look_up(evidence)) for candidate in candidates for evidence in candidate.evidence]
    opinions = [one for reply in replies for one in reply.opinions]
    void = [(name, found.says) for name, found in looked_up if isinstance(found, Void)]
    return [*void, *(refused_opinions(shop, made, opinions) if opinions else ())]


def _listed(batches: set[int]) -> str:
    return ", ".join(map(str, sorted(batches))) or "none"
