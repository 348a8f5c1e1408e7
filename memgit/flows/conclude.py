"""``conclude``: the tail that every pass shares. It alone carries the promises."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memgit.claims.verify import verify
from memgit.core.report.compose import compose, index_change
from memgit.evidence.findings import mask
from memgit.memory.apply import apply
from memgit.memory.fingerprint import fingerprint
from memgit.memory.health import left_over, suspicious
from memgit.memory.memory import memories
from memgit.memory.shapes import shape_named
from memgit.model.decision import FactName, Standing
from memgit.model.passes import NOTHING_SEEN, Inspection, Mode, Outcome, PassState
from memgit.rulings.case import Case, open_case
from memgit.rulings.rejections import withheld
from memgit.rulings.settle import settle
from memgit.rulings.standing import asked_at_most
from memgit.text.layout import counted

if TYPE_CHECKING:
    from memgit.flows.prepare import Workshop
    from memgit.model.decision import Candidate, Decision, MinerReply, Proposal
    from memgit.model.passes import Plan
    from memgit.model.store import StoreContent
    from memgit.rulings.rejections import Rejection


def conclude(
    shop: Workshop,
    plan: Plan,
    replies: Sequence[MinerReply],
    proposals: Sequence[Proposal],
    cut: Sequence[Candidate] = (),
    inspection: Inspection | Callable[[Sequence[Decision]], Inspection] = NOTHING_SEEN,
    *,
    final: bool = True,
) -> Outcome:
    """Settle, apply, verify, report, commit, re-fingerprint, hand off.

    ``cut`` are candidates that a bound left out; the report names them. Unless it is ``final`` a host may come back to
    its decisions. What the user turned down in an earlier pass, on the same evidence, is not proposed again.
    ``inspection`` may depend on what is settled. Nothing here can touch the live store: it is only read again, to see
    whether it is still the one that was curated.
    """
    outcome, after = concluded(shop, plan, replies, proposals, cut, inspection)
    return hand_off(shop, shop.book.commit_candidate(outcome, after, proposals, final=final))


@dataclass(frozen=True)
class Turn:
    """A host's turn at a pass: what its last one came to, whether what it says now goes on from there, whether it only
    asks what would come of it (``check``), and whether it is its last word (``final``)."""

    last: tuple[Proposal, ...]
    goes_on: bool
    check: bool = False
    final: bool = False


def answered(
    shop: Workshop,
    plan: Plan,
    replies: Sequence[MinerReply],
    proposals: Sequence[Proposal],
    turn: Turn,
    inspection: Inspection | Callable[[Sequence[Decision]], Inspection] = NOTHING_SEEN,
) -> Outcome:
    """What a turn of a host comes to; one that changes nothing is its last."""
    if turn.check:
        outcome, _ = concluded(shop, plan, replies, proposals, inspection=inspection)
        return replace(outcome, state=PassState.PLANNED)
    final = turn.final or tuple(proposals) == turn.last
    return conclude(shop, plan, replies, proposals, inspection=inspection, final=final)


def concluded(
    shop: Workshop,
    plan: Plan,
    replies: Sequence[MinerReply],
    proposals: Sequence[Proposal],
    cut: Sequence[Candidate] = (),
    inspection: Inspection | Callable[[Sequence[Decision]], Inspection] = NOTHING_SEEN,
) -> tuple[Outcome, StoreContent]:
    """What ``conclude`` would commit, of which nothing is kept yet."""
    before = shop.book.snapshot(plan)
    notes = tuple(f"Cut by the bound on candidates, {one.id}: {one.claim}" for one in cut)
    asked = asked_at_most(settled(shop, plan, before, proposals, shop.book.rejections()))
    seen = inspection if isinstance(inspection, Inspection) else inspection(asked.decisions)
    if asked.beyond:
        notes = (*notes, f"{counted(asked.beyond, 'further question')} would be less likely worth asking.")
    return built(shop, plan, before, asked.decisions, replies, (*notes, *shop.account()), seen)


def settled(
    shop: Workshop,
    plan: Plan,
    before: StoreContent,
    proposals: Sequence[Proposal],
    turned_down: Sequence[Rejection] = (),
) -> tuple[Decision, ...]:
    """The proposals as facts, doubts and what the user has turned down before leave them."""
    case = case_of(shop, plan, before)
    decisions = settle(proposals, before, case, remove_most=shop.remove_most, confirmable=shop.attended)
    return withheld(decisions, before, turned_down)


def case_of(shop: Workshop, plan: Plan, before: StoreContent) -> Case:
    """What facts and doubts look at in a pass."""
    return open_case(
        plan.kind,
        memories(before),
        plan.digests,
        shop.text_at,
        {session.id: session.ended for session in plan.survey.sessions if session.ended},
        shape_named(shop.store.resolution.shape),
        cold_start=plan.mode is Mode.COLD_START,
    )


def built(
    shop: Workshop,
    plan: Plan,
    before: StoreContent,
    decisions: tuple[Decision, ...],
    replies: Sequence[MinerReply] = (),
    notes: tuple[str, ...] = (),
    inspection: Inspection = NOTHING_SEEN,
) -> tuple[Outcome, StoreContent]:
    """The outcome with its report, and the store that would result. Nothing is kept of either yet."""
    after = apply(
        before,
        decisions,
        time_ns=int(plan.time.timestamp()) * 1_000_000_000,
        from_frontmatter=shop.index_from_frontmatter,
    )
    kept = memories(after)
    shop.progress.step("checking what memories name against the working tree")
    outcome = Outcome(
        plan=plan,
        state=PassState.READY,
        decisions=decisions,
        replies=tuple(replies),
        verification=verify(kept, shop.tree, names={name for each in kept for name in (each.id, each.name)}),
        report="",
        candidate=None,
        fingerprint_after=shop.store.fingerprint(),
        notes=(*notes, *_named_in_project(shop, decisions), *left_over(before, after)),
        findings=suspicious(after),
        inspection=inspection,
        index=index_change(before, after),
    )
    outcome = replace(outcome, state=_state(outcome, after))
    return replace(outcome, report=_reported(outcome, before, after)), after


def _state(outcome: Outcome, after: StoreContent) -> PassState:
    """Whether the pass waits for anybody: not where there is nothing to take, to ask or to mend."""
    if not outcome.unchanged:
        return PassState.UNSAFE
    open_ = any(
        one.standing is Standing.HELD or (one.refused_by and one.refused_by is not FactName.TURNED_DOWN)
        for one in outcome.decisions
    )
    same = fingerprint(after) == outcome.plan.fingerprint
    return PassState.CLOSED if same and not open_ and outcome.plan.id else PassState.READY


def _reported(outcome: Outcome, before: StoreContent, after: StoreContent) -> str:
    report = compose(outcome, before, after)
    return mask(report, personal_too=True).text if outcome.plan.mask_personal else report


def _named_in_project(shop: Workshop, decisions: Sequence[Decision]) -> tuple[str, ...]:
    """Where the project's own documents name a memory file that would go: nobody but its people may change those."""
    leaving = {path.rpartition("/")[2] for decision in decisions if decision.stands for path in decision.removes}
    found = shop.tree.occurrences(sorted(leaving)) if leaving else {}
    return tuple(
        f"{line.path}:{line.number} names {name}, which would go." for name, each in found.items() for line in each
    )


def hand_off(shop: Workshop, outcome: Outcome) -> Outcome:
    """Hash the live store once more; one that has changed since gets no adopt command."""
    outcome = replace(outcome, fingerprint_after=shop.store.fingerprint())
    if outcome.unchanged or outcome.state in (PassState.UNSAFE, PassState.CLOSED):
        return outcome
    return shop.book.mark_unsafe(outcome)
