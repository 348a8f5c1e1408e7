"""One curation pass, as a straight line. A host agent crosses the seam between ``prepare`` and ``conclude``
in three commands; an in-process miner crosses it here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from memgit.errors import ToolFailed
from memgit.flows.conclude import Looked, run, settled
from memgit.flows.parallel import in_parallel
from memgit.flows.prepare import draw_up, prepare
from memgit.memory.memory import memories
from memgit.model.decision import MinerReply
from memgit.model.history import Mode, PassKind
from memgit.model.passes import Outcome, Plan
from memgit.rulings.reduce import Bounded, bound, reduce

if TYPE_CHECKING:
    from memgit.flows.prepare import Workshop
    from memgit.model.decision import Candidate, Proposal
    from memgit.model.session import Digest, Limits
    from memgit.model.store import Memory, StoreContent
    from memgit.ports import Miner


def curate(shop: Workshop, *, dry_run: bool = False, again: bool = False) -> Plan | Outcome:
    """Read, survey, snapshot, mine, reduce, decide, and conclude.

    Returns the plan alone when there is nothing to act on (noop) or only a dry run was asked for, and the pass that is
    open on the same input where there is one, unless ``again`` asks for another.
    """
    drawn, read = draw_up(shop, PassKind.CURATE, dry_run=dry_run)
    if dry_run:
        return prepare(shop, PassKind.CURATE, dry_run=True, drawn=(drawn, read))
    if drawn.mode is not Mode.NOOP and not again and (open_ := shop.book.open_on(drawn)):
        return open_

    def look(plan: Plan, content: StoreContent) -> Looked:
        replies = mine(shop, plan, memories(content))
        candidates = gather(replies, plan.selection.limits)
        shop.progress.step("deciding")
        return Looked(decide(shop, plan, content, candidates.kept), replies, candidates.cut)

    return run(shop, PassKind.CURATE, look, (drawn, read))


def decide(shop: Workshop, plan: Plan, content: StoreContent, candidates: Sequence[Candidate]) -> Sequence[Proposal]:
    """What the decider wants, after one round with the facts and doubts that stand against it."""
    store = memories(content)
    proposals = shop.decider.decide(store, plan.digests, candidates)
    ruled = settled(shop, plan, content, proposals)
    return shop.decider.reconsider(store, proposals, ruled[: len(proposals)])


def mine(shop: Workshop, plan: Plan, store: Sequence[Memory]) -> tuple[MinerReply, ...]:
    """One miner per batch, side by side; a miner never sees another batch.

    A batch whose miner could not be reached is reported as not mined. Raises ToolFailed when that is true of all.
    """
    came = in_parallel(
        [partial(_mined, shop.miner, digest, store) for digest in plan.digests],
        shop.parallel,
        lambda done: shop.progress.step("mining batches", done, len(plan.digests)),
    )
    failures = [each for each in came if isinstance(each, ToolFailed)]
    if failures and len(failures) == len(came):
        raise failures[0]
    return tuple(
        MinerReply(digest.number, failure=each.message.rstrip(".")) if isinstance(each, ToolFailed) else each
        for digest, each in zip(plan.digests, came, strict=True)
    )


def _mined(miner: Miner, digest: Digest, store: Sequence[Memory]) -> MinerReply | ToolFailed:
    try:
        return miner.mine(digest, store)
    except ToolFailed as failure:
        return failure


def gather(replies: Sequence[MinerReply], limits: Limits) -> Bounded:
    """All candidates for the decider: each batch's list bounded, pairwise reduced when there are too many lists.

    The lists of a model are reduced by the same rules and not by a model: they join only what is plainly one proposal
    and carry every citation, while a model paid to do so could only lose some, and its decider sees them all anyway.
    """
    lists = [bound(reply.candidates, limits.candidates_per_batch) for reply in replies]
    reduced = reduce(
        [each.kept for each in lists], threshold=limits.reduce_threshold, limit=limits.candidates_per_batch
    )
    kept = tuple(candidate for candidates in reduced.lists for candidate in candidates)
    cut = tuple(candidate for each in lists for candidate in each.cut)
    return Bounded(kept, (*cut, *reduced.cut))
