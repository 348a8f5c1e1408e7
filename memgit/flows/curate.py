"""One curation pass, as a straight line. A host agent crosses the seam between ``prepare`` and ``conclude``
in three commands; an in-process miner crosses it here."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from memgit.core.decisions.reduce import Bounded, bound, reduce
from memgit.core.memories.memory import memories
from memgit.flows.conclude import conclude
from memgit.flows.prepare import prepare
from memgit.model.decision import MinerReply
from memgit.model.passes import Mode, Outcome, PassKind, Plan

if TYPE_CHECKING:
    from memgit.flows.prepare import Workshop
    from memgit.model.session import Limits
    from memgit.model.store import Memory

PARALLEL_MINERS = 4
"""Batches mined at a time: a bound for endpoints; an offline miner is limited by the interpreter anyway."""


def curate(shop: Workshop, *, dry_run: bool = False) -> Plan | Outcome:
    """Read, survey, snapshot, mine, reduce, decide, and conclude.

    Returns the plan alone when there is nothing to act on (noop) or only a dry run was asked for.
    """
    plan = prepare(shop, PassKind.CURATE, dry_run=dry_run)
    if plan.mode is Mode.NOOP or dry_run:
        return plan
    store = memories(shop.book.snapshot(plan))
    replies = mine(shop, plan, store)
    candidates = gather(replies, plan.selection.limits)
    proposals = shop.decider.decide(store, plan.digests, candidates.kept)
    return conclude(shop, plan, replies, proposals, cut=candidates.cut)


def mine(shop: Workshop, plan: Plan, store: Sequence[Memory]) -> tuple[MinerReply, ...]:
    """One miner per batch, side by side; a miner never sees another batch."""
    with ThreadPoolExecutor(max_workers=PARALLEL_MINERS) as pool:
        jobs = [pool.submit(shop.miner.mine, digest, store) for digest in plan.digests]
        replies = []
        for done, job in enumerate(jobs):
            shop.progress.step("mining batches", done, len(jobs))
            replies.append(job.result())
    return tuple(replies)


def gather(replies: Sequence[MinerReply], limits: Limits) -> Bounded:
    """All candidates for the decider: each batch's list bounded, pairwise reduced when there are too many lists."""
    lists = [bound(reply.candidates, limits.candidates_per_batch) for reply in replies]
    reduced = reduce(
        [each.kept for each in lists], threshold=limits.reduce_threshold, limit=limits.candidates_per_batch
    )
    kept = tuple(candidate for candidates in reduced.lists for candidate in candidates)
    cut = tuple(candidate for each in lists for candidate in each.cut)
    return Bounded(kept, (*cut, *reduced.cut))
