"""An audit: what each memory claims, held against the repository as it is; proposals, and nothing adopted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from memgit.claims import names, quoted, values
from memgit.claims.appraise import Finding, appraise, duplicates
from memgit.claims.documents import Library
from memgit.claims.spans import mentions
from memgit.claims.telling import Found
from memgit.claims.verify import verify
from memgit.core.report.looks import remarks
from memgit.core.sweep.injection import facts, standing
from memgit.errors import MemgitError
from memgit.evidence.findings import secrets
from memgit.flows.conclude import Looked, built, run, settled
from memgit.flows.prepare import given_up_on_failure, prepare
from memgit.likeness.merges import best_named, equal_merged, references
from memgit.likeness.pairs import joined, near
from memgit.memory.memory import memories, written
from memgit.model.decision import Kind, Proposal, Seen
from memgit.model.history import Mode, PassKind
from memgit.model.passes import Inspection, Outcome, Plan
from memgit.model.store import Memory, StoreContent
from memgit.model.verification import MemoryCheck, Missing
from memgit.rulings.case import Case, open_case

if TYPE_CHECKING:
    from memgit.flows.prepare import Workshop
    from memgit.ports import WorkingTree

_GROUPS = (Kind.DROP, Kind.UPDATE, Kind.MERGE)
"""The order in which proposals are numbered; the index comes last."""


def audit(shop: Workshop, *, dry: bool = False, since: datetime | None = None) -> Plan | Outcome:
    """Inspect every claim that can be checked, classify each memory, and propose; nothing is adopted.

    A ``dry`` audit keeps nothing and has no id, so it can be neither approved nor adopted. With ``since`` only what was
    written, or became wrong, after that is proposed and flagged. Returns the plan where there is nothing to look at.
    """
    if not dry:
        return run(shop, PassKind.AUDIT, lambda plan, content: look_over(shop, plan, content, since))
    plan = prepare(shop, PassKind.AUDIT, dry_run=True)
    if plan.mode is Mode.NOOP:
        return plan
    with given_up_on_failure(shop, plan):
        content = shop.store.read()
        looked = look_over(shop, plan, content, since)
        shop.book.drop_digests(plan)
        return built(shop, plan, content, settled(shop, plan, content, looked.proposals), looked)[0]


def look_over(shop: Workshop, plan: Plan, content: StoreContent, since: datetime | None = None) -> Looked:
    """What an audit proposes, in the order of its numbers, and what it saw beside that."""
    store = facts(memories(content), plan.store.shape)
    findings, merges = inspect(shop, plan, store)
    findings, merges = _but_for_pinned(shop, findings, merges, store)
    if since:
        findings, merges = _recent(findings, merges, store, since)
    proposals = [*(finding.proposal for finding in findings if finding.proposal), *merges]
    told = remarks(findings, content, [pair[:3] for pair in near(store)])
    return Looked(
        sorted(proposals, key=lambda proposal: _GROUPS.index(proposal.kind)),
        inspection=Inspection(tuple(finding.appraisal for finding in findings), tuple(told)),
    )


@dataclass(frozen=True)
class Audited:
    """The audits of one store, or of every store that was found; ``unreachable`` are stores that were not audited,
    each with the reason."""

    results: tuple[Plan | Outcome, ...]
    is_all: bool = False
    unreachable: tuple[tuple[str, str], ...] = ()


def audit_all(shops: Iterable[Workshop | tuple[str, str]], *, dry: bool, since: datetime | None) -> Audited:
    """Audit store after store, each against its own project; a store without one is told with the reason."""
    results: list[Plan | Outcome] = []
    unreachable: list[tuple[str, str]] = []
    for shop in shops:
        if isinstance(shop, tuple):
            unreachable.append(shop)
            continue
        try:
            results.append(audit(shop, dry=dry, since=since))
        except MemgitError as error:
            unreachable.append((shop.store.resolution.path, error.message))
    return Audited(tuple(results), is_all=True, unreachable=tuple(unreachable))


def inspect(shop: Workshop, plan: Plan, store: Sequence[Memory]) -> tuple[tuple[Finding, ...], tuple[Proposal, ...]]:
    """What became of each memory, in their order, and the merges of those that say the same."""
    case = open_case(plan.kind, store, plan.digests, None, _ends(plan))
    shop.progress.step("comparing memories with each other")
    current = standing(store, plan.store.shape)
    merges = tuple(_well_named(merge, store) for merge in equal_merged(current))
    found = {one.appraisal.memory: one for merge in merges for one in duplicates(merge)}
    shop.progress.step("holding claims against the working tree")
    found |= appraised(shop, [memory for memory in store if memory.id not in found], case)
    return tuple(found[memory.id] for memory in store), merges


def appraised(shop: Workshop, store: Sequence[Memory], case: Case) -> dict[str, Finding]:
    """What became of each of these memories, by id, as tree and history have it."""
    checks, found = look(shop.tree, store, case)
    known = library(shop.tree)
    return {memory.id: appraise(memory, checks[memory.id], found[memory.id], known) for memory in store}


def library(tree: WorkingTree) -> Library:
    """The documents of a tree."""
    return Library(tree.documents())


def look(
    tree: WorkingTree, store: Sequence[Memory], case: Case
) -> tuple[Mapping[str, MemoryCheck], Mapping[str, Sequence[Found]]]:
    """Everything that tree and history say of these memories, each question asked once for all of them: their names,
    and what became of each claim."""
    known = {name for each in case.memories.values() for name in (each.id, each.name)}
    mentioned = {memory.id: mentions(memory.body) for memory in store}
    times = {memory.id: case.time(memory) for memory in store}
    oldest = min(filter(None, times.values()), default=None)
    checks = verify(store, tree, names=known, mentioned=mentioned, since=oldest)
    checks = {name: _without_guesses(check, mentioned[name]) for name, check in checks.items()}
    told = {memory.id: values.find(memory) for memory in store}
    words = values.wanted(value for each in told.values() for value in each)
    quoted_words = (word for check in checks.values() for word in quoted.wanted(check))
    lines = tree.occurrences((*words, *quoted_words))
    read = lru_cache(maxsize=256)(lambda path: tree.text_at(f"tree:{path}") or "")
    found = {
        memory.id: (
            *names.judge(memory, checks[memory.id], _day(times[memory.id])),
            *names.misplaced(memory, checks[memory.id], tree.files(), read),
            *(_dated(tree, one) for one in values.judge(memory, told[memory.id], lines)),
            *quoted.judge(memory, checks[memory.id], lines, read),
        )
        for memory in store
    }
    return checks, {name: [one for one in each if not holds_secret(one)] for name, each in found.items()}


def holds_secret(found: Found) -> bool:
    """Whether a line of the evidence, which is kept and shown, holds what looks like a secret."""
    return any(secrets(seen.quote) for seen in found.seen)


def _dated(tree: WorkingTree, found: Found) -> Found:
    """The same with the commit that brought the line which gives another value."""
    change = tree.since(found.place) if found.place else None
    return replace(found, line=f"{found.line}, since {change}", day=change.date) if change else found


def _day(time: datetime | None) -> str:
    return time.date().isoformat() if time else ""


def _without_guesses(check: MemoryCheck, mentioned: Sequence[str]) -> MemoryCheck:
    """The check without what only the prose mentions and neither the tree nor its history knows."""
    unknown = (Missing.NEVER, Missing.AMBIGUOUS)
    kept = (span for span in check.spans if span.missing not in unknown or span.span not in mentioned)
    return replace(check, spans=tuple(kept))


def _ends(plan: Plan) -> Mapping[str, datetime]:
    return {session.id: session.ended for session in plan.survey.sessions if session.ended}


def _well_named(merge: Proposal, store: Sequence[Memory]) -> Proposal:
    """The merge with the better-named member as its survivor."""
    first = {draft.id for draft in merge.drafts}
    members = sorted((memory for memory in store if memory.id in merge.memories), key=lambda each: each.id not in first)
    best = best_named(members, references(store))
    drafts = tuple(replace(draft, id=best.id, name=best.name, description=best.description) for draft in merge.drafts)
    return replace(merge, drafts=drafts)


def _but_for_pinned(
    shop: Workshop, findings: Sequence[Finding], merges: Sequence[Proposal], store: Sequence[Memory]
) -> tuple[tuple[Finding, ...], tuple[Proposal, ...]]:
    """The same classes, and nothing proposed for a memory that says it is pinned or that is on the list of pins: what
    would have been is flagged. Of a group with such a one the others are merged without it."""
    held = {memory.id for memory in store if memory.pinned} | set(shop.pins)
    spoken_of = {name for merge in merges for name in merge.memories} & held
    kept = tuple(
        replace(one, proposal=None, flag=f"{one.flag or one.appraisal.evidence}. It is pinned, so nothing is proposed")
        if one.appraisal.memory in held and (one.proposal or one.appraisal.memory in spoken_of)
        else one
        for one in findings
    )
    free = (merge if not held & set(merge.memories) else _without(held, merge, store) for merge in merges)
    return kept, tuple(filter(None, free))


def _without(held: set[str], merge: Proposal, store: Sequence[Memory]) -> Proposal | None:
    """The merge of those members that are not pinned, where that leaves two; what a pinned one says stays there."""
    members = [memory for memory in store if memory.id in merge.memories and memory.id not in held]
    if len(members) < 2:
        return None
    draft = joined(members, best_named(members, references(store)))
    places = {f"memory:{name}" for name in held}
    seen = tuple(one for one in merge.evidence if not (isinstance(one, Seen) and one.where in places))
    pinned = ", ".join(name for name in merge.memories if name in held)
    why = f"{merge.justification} {pinned} says it too; it is pinned and stays as it is."
    return replace(
        merge, justification=why, evidence=seen, memories=tuple(each.id for each in members), drafts=(draft,),
        leaves_out=(),
    )  # fmt: skip


def _recent(
    findings: Sequence[Finding], merges: Sequence[Proposal], store: Sequence[Memory], since: datetime
) -> tuple[tuple[Finding, ...], tuple[Proposal, ...]]:
    """The same classes, with proposals and flags only for what was written, or became wrong, since then."""
    day = since.date().isoformat()
    fresh = {memory.id for memory in store if (when := written(memory)) and when >= since}
    kept = tuple(
        one if one.day >= day or one.appraisal.memory in fresh else replace(one, proposal=None, flag="")
        for one in findings
    )
    return kept, tuple(merge for merge in merges if fresh & set(merge.memories))
