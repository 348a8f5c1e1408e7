"""A sweep of a beads store: every memory classified, duplicates and episodes brought together, and nothing adopted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memgit.core.report.sweep_report import Swept, remarks
from memgit.core.sweep import knowledge
from memgit.core.sweep import proposals as rules
from memgit.core.sweep.filing import Filed, Life, filed
from memgit.core.sweep.proposals import Sweeping
from memgit.errors import ToolFailed
from memgit.flows import sweep_beads
from memgit.flows.conclude import Turn, answered, conclude
from memgit.flows.curate import gather, mine
from memgit.flows.prepare import given_up_on_failure, prepare
from memgit.likeness.pairs import joined, near
from memgit.memory.memory import memories
from memgit.model.history import Mode, PassKind
from memgit.model.passes import Inspection, Outcome, Plan

if TYPE_CHECKING:
    from memgit.flows.prepare import Workshop
    from memgit.model.decision import Decision, MinerReply, Proposal
    from memgit.ports import Beads
    from memgit.rulings.reduce import Bounded


def sweep(shop: Workshop, beads: Beads, *, create: bool = False) -> Plan | Outcome:
    """Gather, extract, reconcile, consolidate, forget: as proposals, which somebody has to approve.

    ``create`` files the beads of memories that point to documents and whose kind has been adopted, and that of the
    last sweep's chore; of these alone anything is written. Returns the plan where there is nothing to sweep. Raises
    ToolFailed.
    """
    state = beads.state()
    plan = prepare(shop, PassKind.SWEEP)
    if plan.mode is Mode.NOOP:
        return plan
    with given_up_on_failure(shop, plan):
        return _swept(shop, plan, beads, state, create=create)


def _swept(shop: Workshop, plan: Plan, beads: Beads, state: str, *, create: bool) -> Outcome:
    store = filed(memories(shop.book.snapshot(plan)))
    shop.progress.step("looking at beads")
    found = _pointers(shop, store, beads)
    told = tuple(sweep_beads.file_chore(shop.book.vault(), beads)) if create else ()
    created = tuple(sweep_beads.file_knowledge(found, beads)) if create else ()
    swept, moved, shop = _looked_at(shop, beads, store, found)
    replies = mine(shop, plan, [rules.bare(one.memory) for one in store])
    candidates = gather(replies, plan.selection.limits)
    swept = replace(swept, state=state, facts=_candidates(replies), created=(*created, *swept.created), chore=told)
    proposals = [*_proposed(shop, plan, store, candidates), *moved]
    return conclude(shop, plan, replies, proposals, cut=candidates.cut, inspection=_seen(swept, plan))


def _looked_at(
    shop: Workshop, beads: Beads, store: Sequence[Filed], found: Sequence[knowledge.Pointer]
) -> tuple[Swept, tuple[Proposal, ...], Workshop]:
    """What beads hold already of a store, what may go for that, and the workshop in which that can be looked up."""
    known, unknown = _filed_already(beads) if found else ((), ())
    held = {one.one.memory.id: str(bead["id"]) for one in found if (bead := knowledge.bead_of(one, known))}
    former = {
        one.one.memory.id: str(bead["id"])
        for one in found
        if (bead := knowledge.former_of(one, known, frozenset(held.values())))
    }
    texts = {f"bead:{bead['id']}": knowledge.said(bead) for bead in known}
    swept = Swept(store, found, held, "", 0, unknown, former)
    return swept, tuple(knowledge.moved(found, known)), replace(shop, beside=texts)


def _pointers(shop: Workshop, store: Sequence[Filed], beads: Beads) -> tuple[knowledge.Pointer, ...]:
    vocabulary = shop.tree.text_at(f"tree:{knowledge.VOCABULARY}") or ""
    found = knowledge.pointers(store, shop.tree.files(), vocabulary)
    return knowledge.of_known_kinds(found, beads.kinds()) if found else ()


def _seen(swept: Swept, plan: Plan) -> Callable[[Sequence[Decision]], Inspection]:
    """What a report says of a sweep beside its decisions."""
    return lambda decisions: Inspection(remarks=remarks(swept, decisions, plan))


def _proposed(shop: Workshop, plan: Plan, store: Sequence[Filed], candidates: Bounded) -> list[Proposal]:
    """All proposals, the least destructive first; what a memory is changed for is decided in the order of the rules."""
    sweep = Sweeping(store, plan.time.date())
    shop.progress.step("comparing memories with each other")
    found = [*rules.duplicates(sweep)]
    facts = [rules.bare(one.memory) for one in store if one.stands and one.memory.id not in sweep.taken]
    found += rules.said(sweep, shop.decider.decide(facts, plan.digests, candidates.kept))
    return rules.ordered([*found, *_by_rules(sweep)])


def _by_rules(sweep: Sweeping) -> Iterator[Proposal]:
    """What needs neither sessions nor judgement, of the memories that nothing has been proposed for."""
    episodes = [rules.bare(one.memory) for one in sweep.free(Life.RETIRED)]
    yield from rules.consolidations(sweep, [pair[:3] for pair in near(episodes)], joined)
    yield from rules.forgotten(sweep)
    yield from rules.headers(sweep)


def decide_sweep(
    shop: Workshop,
    plan: Plan,
    beads: Beads,
    replies: Sequence[MinerReply],
    told: Sequence[Proposal],
    turn: Turn,
) -> Outcome:
    """Conclude a sweep with what a host decided; what it leaves unmentioned is as memgit's rules have it, or, where
    it goes on from its last turn, as that has it."""
    store = filed(memories(shop.book.snapshot(plan)))
    sweep = Sweeping(store, plan.time.date())
    swept, moved, shop = _looked_at(shop, beads, store, _pointers(shop, store, beads))
    swept = replace(swept, state=beads.state(), facts=_candidates(replies))
    if turn.goes_on:
        proposals = [*_mended(sweep, told, turn.last), *rules.with_marks(sweep, told[len(turn.last) :])]
    else:
        handed = [sweep.take(each) for each in rules.with_marks(sweep, told)]
        proposals = [*rules.ordered([*handed, *rules.duplicates(sweep), *_by_rules(sweep)]), *moved]
    return answered(shop, plan, replies, proposals, turn, _seen(swept, plan))


def _mended(sweep: Sweeping, told: Sequence[Proposal], last: Sequence[Proposal]) -> Iterator[Proposal]:
    """What stood before, each in its place; what a host has worded anew is put into this store's form."""
    for before, one in zip(last, told, strict=False):
        if one.drafts == before.drafts:
            yield one
        else:
            yield from rules.with_marks(sweep, [one])


def _filed_already(beads: Beads) -> tuple[Sequence[Mapping[str, Any]], tuple[str, ...]]:
    """The beads that hold knowledge; where they cannot be listed, none, and a sentence on it."""
    try:
        return beads.beads(knowledge.LABEL), ()
    except ToolFailed as failure:
        return (), (f"What is filed already was not looked up: {failure.message}",)


def _candidates(replies: Sequence[MinerReply]) -> int:
    return sum(len(reply.candidates) for reply in replies)
