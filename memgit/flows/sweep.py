"""A sweep of a beads store: every memory classified, duplicates and episodes brought together, and nothing adopted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memgit.core.passes import records
from memgit.core.report.sweep_report import Swept, remarks, state_before
from memgit.core.sweep import knowledge
from memgit.core.sweep import proposals as rules
from memgit.core.sweep.filing import Filed, Life, filed
from memgit.core.sweep.proposals import Sweeping
from memgit.errors import ToolFailed
from memgit.flows.candidate import decisions_of
from memgit.flows.conclude import Looked, Turn, answered, run
from memgit.flows.curate import gather, mine
from memgit.likeness.pairs import joined, near
from memgit.memory.memory import memories
from memgit.model.history import PassHeader, PassKind, PassState
from memgit.model.passes import Inspection, Outcome, Plan
from memgit.rulings.standing import standing

if TYPE_CHECKING:
    from memgit.flows.prepare import Workshop
    from memgit.model.decision import Decision, MinerReply, Proposal
    from memgit.model.store import StoreContent
    from memgit.ports import Beads
    from memgit.ports.vault import Vault
    from memgit.rulings.reduce import Bounded

# --- sweep beads ---
# What a sweep files with ``bd create`` where it was asked to: each step is looked at, and none is done twice.


def file_knowledge(found: Iterable[knowledge.Pointer], beads: Beads) -> Iterator[str]:
    """File what is not filed yet, and verify it; a sentence each. Raises ToolFailed."""
    for pointer in found:
        if pointer.lacks or not knowledge.reviewed(pointer):
            continue
        if knowledge.bead_of(pointer, beads.beads(knowledge.LABEL)) is None:
            beads.create(pointer.arguments, pointer.text)
            yield _verified(pointer, beads)


def _verified(pointer: knowledge.Pointer, beads: Beads) -> str:
    bead = knowledge.bead_of(pointer, beads.beads(knowledge.LABEL))
    if bead is None:
        return (
            f"A bead for {pointer.one.key} was asked for, and none that is deferred holds its text: the memory stays."
        )
    return f"Created {bead['id']} for {pointer.one.key}; it is deferred and holds the text."


def file_chore(vault: Vault, beads: Beads) -> Iterator[str]:
    """Create and close the bead of the last sweep that was adopted, from where an earlier run was cut short; a
    sentence where that was still to be done. Raises ToolFailed."""
    done = _last_adopted(vault)
    if done is None or _status(done, beads) == "closed":
        return
    if not _status(done, beads):
        beads.create(knowledge.arguments(done.id), knowledge.body(done.id))
    found = next(iter(beads.titled(knowledge.title(done.id))), None)
    if found is None:
        yield f"A bead for the chore of sweep {done.id} was asked for, and bd lists none."
        return
    beads.close(str(found["id"]), _reason(vault, done))
    became = "closed" if _status(done, beads) == "closed" else "still open, whatever bd said"
    yield f"{found['id']} is the chore of sweep {done.id}; it is {became}."


def _last_adopted(vault: Vault) -> PassHeader | None:
    sweeps = (one for one in vault.passes() if one.kind is PassKind.SWEEP)  # newest first
    return next((one for one in sweeps if one.state is PassState.ADOPTED), None)


def _status(done: PassHeader, beads: Beads) -> str:
    """The bead's status; closed where any of that title is."""
    found = {str(bead.get("status")) for bead in beads.titled(knowledge.title(done.id))}
    return "closed" if "closed" in found else next(iter(found), "")


def _reason(vault: Vault, done: PassHeader) -> str:
    decisions = decisions_of(vault, done.id)
    seen = vault.record(done.id, "inspection.json")
    remarks = records.load(Inspection, seen).remarks if seen else ()
    done_with = standing(decisions, done.kind) or [one for one in decisions if one.stands]
    return knowledge.reason(done_with, state_before(remarks))


def sweep(shop: Workshop, beads: Beads, *, create: bool = False) -> Plan | Outcome:
    """Gather, extract, reconcile, consolidate, forget: as proposals, which somebody has to approve.

    ``create`` files the beads of memories that point to documents and whose kind has been adopted, and that of the
    last sweep's chore; of these alone anything is written. Returns the plan where there is nothing to sweep. Raises
    ToolFailed.
    """
    state = beads.state()

    def look(plan: Plan, content: StoreContent) -> Looked:
        store = filed(memories(content))
        shop.progress.step("looking at beads")
        found = _pointers(shop, store, beads)
        told = tuple(file_chore(shop.book.vault(), beads)) if create else ()
        created = tuple(file_knowledge(found, beads)) if create else ()
        swept, moved, beside = _looked_at(beads, store, found)
        replies = mine(shop, plan, [rules.bare(one.memory) for one in store])
        candidates = gather(replies, plan.selection.limits)
        swept = replace(swept, state=state, facts=_candidates(replies), created=(*created, *swept.created), chore=told)
        proposals = [*_proposed(shop, plan, store, candidates), *moved]
        return Looked(proposals, replies, candidates.cut, _seen(swept, plan), beside)

    return run(shop, PassKind.SWEEP, look)


def _looked_at(
    beads: Beads, store: Sequence[Filed], found: Sequence[knowledge.Pointer]
) -> tuple[Swept, tuple[Proposal, ...], Mapping[str, str]]:
    """What beads hold already of a store, what may go for that, and the texts of those beads by their place."""
    known, unknown = _filed_already(beads) if found else ((), ())
    held = {one.one.memory.id: str(bead["id"]) for one in found if (bead := knowledge.bead_of(one, known))}
    former = {
        one.one.memory.id: str(bead["id"])
        for one in found
        if (bead := knowledge.former_of(one, known, frozenset(held.values())))
    }
    texts = {f"bead:{bead['id']}": knowledge.said(bead) for bead in known}
    swept = Swept(store, found, held, "", 0, unknown, former)
    return swept, tuple(knowledge.moved(found, known)), texts


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
    swept, moved, beside = _looked_at(beads, store, _pointers(shop, store, beads))
    swept = replace(swept, state=beads.state(), facts=_candidates(replies))
    if turn.goes_on:
        proposals = [*_mended(sweep, told, turn.last), *rules.with_marks(sweep, told[len(turn.last) :])]
    else:
        handed = [sweep.take(each) for each in rules.with_marks(sweep, told)]
        proposals = [*rules.ordered([*handed, *rules.duplicates(sweep), *_by_rules(sweep)]), *moved]
    return answered(shop, plan, Looked(proposals, replies, (), _seen(swept, plan), beside), turn)


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
