"""The line of every pass, and ``conclude``, the tail of it: that alone carries the promises."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from memgit.claims.verify import verify
from memgit.core.report.compose import compose, index_change
from memgit.evidence.findings import mask
from memgit.flows.prepare import given_up_on_failure, prepare
from memgit.memory.apply import apply
from memgit.memory.fingerprint import fingerprint
from memgit.memory.health import left_over, suspicious
from memgit.memory.memory import memories
from memgit.memory.shapes import shape_named
from memgit.model.decision import FactName, Standing
from memgit.model.history import Mode, PassState
from memgit.model.passes import NOTHING_SEEN, Inspection, Outcome
from memgit.rulings.case import open_case
from memgit.rulings.rejections import withheld
from memgit.rulings.settle import settle
from memgit.rulings.standing import asked_at_most
from memgit.text.layout import counted

if TYPE_CHECKING:
    from memgit.flows.prepare import Workshop
    from memgit.model.decision import Candidate, Decision, MinerReply, Proposal
    from memgit.model.history import PassKind
    from memgit.model.passes import Plan
    from memgit.model.store import StoreContent
    from memgit.rulings.rejections import Rejection


@dataclass(frozen=True)
class Looked:
    """What a look at a store came to.

    ``cut`` are candidates that a bound left out; the report names them. ``inspection`` may depend on what is settled.
    ``beside`` are texts that are neither store nor tree, by the place that evidence names (``bead:<id>``).
    """

    proposals: Sequence[Proposal]
    replies: Sequence[MinerReply] = ()
    cut: Sequence[Candidate] = ()
    inspection: Inspection | Callable[[Sequence[Decision]], Inspection] = NOTHING_SEEN
    beside: Mapping[str, str] = field(default_factory=dict)


def run(
    shop: Workshop,
    kind: PassKind,
    look: Callable[[Plan, StoreContent], Looked],
    drawn: tuple[Plan, StoreContent] | None = None,
) -> Plan | Outcome:
    """One pass: prepare, look, settle, conclude. Returns the plan alone where there is nothing to look at.

    A pass that fails or is interrupted before it is decided is given up, and the error says so: nobody would ever
    decide it.
    """
    plan = prepare(shop, kind, drawn=drawn)
    if plan.mode is Mode.NOOP:
        return plan
    with given_up_on_failure(shop, plan):
        return conclude(shop, plan, look(plan, shop.book.snapshot(plan)))


def conclude(shop: Workshop, plan: Plan, looked: Looked, *, final: bool = True) -> Outcome:
    """Settle, apply, verify, report, commit, re-fingerprint, hand off.

    Unless it is ``final`` a host may come back to its decisions. What the user turned down in an earlier pass, on the
    same evidence, is not proposed again. Nothing here can touch the live store: it is only read again, to see whether
    it is still the one that was curated.
    """
    outcome, after = concluded(shop, plan, looked)
    return hand_off(shop, shop.book.commit_candidate(outcome, after, looked.proposals, final=final))


@dataclass(frozen=True)
class Turn:
    """A host's turn at a pass: what its last one came to, whether what it says now goes on from there, whether it only
    asks what would come of it (``check``), and whether it is its last word (``final``)."""

    last: tuple[Proposal, ...]
    goes_on: bool
    check: bool = False
    final: bool = False


def answered(shop: Workshop, plan: Plan, looked: Looked, turn: Turn) -> Outcome:
    """What a turn of a host comes to; one that changes nothing is its last."""
    if turn.check:
        return replace(concluded(shop, plan, looked)[0], state=PassState.PLANNED)
    return conclude(shop, plan, looked, final=turn.final or tuple(looked.proposals) == turn.last)


def concluded(shop: Workshop, plan: Plan, looked: Looked) -> tuple[Outcome, StoreContent]:
    """What ``conclude`` would commit, of which nothing is kept yet."""
    before = shop.book.snapshot(plan)
    notes = tuple(f"Cut by the bound on candidates, {one.id}: {one.claim}" for one in looked.cut)
    asked = asked_at_most(settled(shop, plan, before, looked.proposals, shop.book.rejections(), looked.beside))
    if asked.beyond:
        notes = (*notes, f"{counted(asked.beyond, 'further question')} would be less likely worth asking.")
    return built(shop, plan, before, asked.decisions, looked, (*notes, *shop.account()))


def settled(
    shop: Workshop,
    plan: Plan,
    before: StoreContent,
    proposals: Sequence[Proposal],
    turned_down: Sequence[Rejection] = (),
    beside: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Decision, ...]:
    """The proposals as facts, doubts and what the user has turned down before leave them."""
    case = open_case(
        plan.kind,
        memories(before),
        plan.digests,
        lambda where: beside.get(where) or shop.tree.text_at(where),
        {session.id: session.ended for session in plan.survey.sessions if session.ended},
        shape_named(shop.store.resolution.shape),
        cold_start=plan.mode is Mode.COLD_START,
    )
    decisions = settle(proposals, before, case, remove_most=shop.remove_most, confirmable=shop.attended)
    return withheld(decisions, before, turned_down)


def built(
    shop: Workshop,
    plan: Plan,
    before: StoreContent,
    decisions: tuple[Decision, ...],
    looked: Looked,
    notes: tuple[str, ...] = (),
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
        replies=tuple(looked.replies),
        verification=verify(kept, shop.tree, names={name for each in kept for name in (each.id, each.name)}),
        report="",
        candidate=None,
        fingerprint_after=shop.store.fingerprint(),
        notes=(*notes, *_named_in_project(shop, decisions), *left_over(before, after)),
        findings=suspicious(after),
        inspection=seen if isinstance(seen := looked.inspection, Inspection) else seen(decisions),
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
