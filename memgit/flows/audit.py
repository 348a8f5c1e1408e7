"""An audit: what each memory claims, held against the repository as it is; proposals, and nothing adopted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from memgit.core.audit import configured, figures
from memgit.core.audit.absorption import Library, is_document
from memgit.core.audit.appraise import Finding, Looked, appraise, duplicate
from memgit.core.audit.conditions import ended, states
from memgit.core.audit.configured import Differs, Same
from memgit.core.audit.figures import Agreement, Contradiction, Figure
from memgit.core.audit.schedules import Rescheduled, rescheduled
from memgit.core.audit.versions import Versions
from memgit.core.memories.age import written
from memgit.core.memories.memory import memories
from memgit.core.memories.survivor import best_named, references
from memgit.core.report.audit_report import remarks
from memgit.core.report.proposals import PRINTED
from memgit.core.screening.findings import mask, secrets
from memgit.core.sweep.kept import facts, standing
from memgit.core.verification.grounding import place
from memgit.core.verification.manifests import keeps_versions, versions
from memgit.core.verification.mentions import mentions
from memgit.core.verification.named import Gone, Misplaced, gone, lost_paths, lost_scripts, lost_words, misplaced
from memgit.core.verification.named import word as script_word
from memgit.core.verification.verify import verify
from memgit.errors import MemgitError
from memgit.flows.conclude import built, conclude, settled
from memgit.flows.prepare import given_up_on_failure, prepare
from memgit.likeness.merges import equal_merged
from memgit.likeness.pairs import joined, near
from memgit.model.decision import Kind, Proposal, Seen
from memgit.model.history import Mode, PassKind
from memgit.model.passes import Inspection, Outcome, Plan
from memgit.model.store import Memory, StoreContent
from memgit.model.verification import Change, Line, MemoryCheck
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
    plan = prepare(shop, PassKind.AUDIT, dry_run=dry)
    if plan.mode is Mode.NOOP:
        return plan
    with given_up_on_failure(shop, plan):
        return _audited(shop, plan, dry, since)


def _audited(shop: Workshop, plan: Plan, dry: bool, since: datetime | None) -> Outcome:
    content = shop.store.read() if dry else shop.book.snapshot(plan)
    proposals, inspection = look_over(shop, plan, content, since)
    if not dry:
        return conclude(shop, plan, (), proposals, inspection=inspection)
    shop.book.drop_digests(plan)
    outcome, _ = built(shop, plan, content, settled(shop, plan, content, proposals), inspection=inspection)
    if sum(decision.changes for decision in outcome.decisions) > PRINTED:
        shop.book.write_report(outcome)
    return outcome


def look_over(
    shop: Workshop, plan: Plan, content: StoreContent, since: datetime | None = None
) -> tuple[list[Proposal], Inspection]:
    """What an audit proposes, in the order of its numbers, and what it saw beside that."""
    store = facts(memories(content), plan.store.shape)
    findings, merges = inspect(shop, plan, store)
    findings, merges = _but_for_pinned(shop, findings, merges, store)
    if since:
        findings, merges = _recent(findings, merges, store, since)
    proposals = _in_groups([*(finding.proposal for finding in findings if finding.proposal), *merges])
    told = remarks(findings, content, [pair[:3] for pair in near(store)])
    return proposals, Inspection(tuple(finding.appraisal for finding in findings), tuple(told))


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
    found = {one.appraisal.memory: one for merge in merges for one in duplicate(merge)}
    shop.progress.step("holding claims against the working tree")
    found |= appraised(shop, [memory for memory in store if memory.id not in found], case, plan.time)
    return tuple(found[memory.id] for memory in store), merges


def appraised(shop: Workshop, store: Sequence[Memory], case: Case, now: datetime) -> dict[str, Finding]:
    """What became of each of these memories, by id, as tree and history have it."""
    looked = look(shop.tree, store, case)
    documents = filter(is_document, shop.tree.files())
    library = Library({path: mask(shop.tree.text_at(f"tree:{path}") or "").text for path in documents})
    return {memory.id: appraise(memory, looked[memory.id], library, now) for memory in store}


def look(tree: WorkingTree, store: Sequence[Memory], case: Case) -> Mapping[str, Looked]:
    """Everything that tree and history say of these memories, each question asked once for all of them."""
    names = {name for each in case.memories.values() for name in (each.id, each.name)}
    mentioned = {memory.id: mentions(memory.body) for memory in store}
    checks = verify(store, tree, names=names, mentioned=mentioned)
    scripts = tree.removed_scripts(_each(lost_scripts(check) for check in checks.values()))
    paths = tree.removed(_each(lost_paths(check) for check in checks.values()))
    words = tree.removed_words(_each(lost_words(check) for check in checks.values()))
    given = {memory.id: figures.figures(memory) for memory in store}
    every = [figure for each in given.values() for figure in each]
    wanted = figures.all_words(figure for figure in every if not figure.spellings)
    spelled = islice(figures.all_words(figure for figure in every if figure.spellings), _MOST_SPELLINGS)
    worded = _each(configured.setting_names(memory) for memory in store)
    lines = _harmless(tree.occurrences((*wanted, *worded, *spelled)))
    manifests = _versions(tree)
    told = {memory.id: states(memory) for memory in store}
    changes = _changes(tree, (memory for memory in store if told[memory.id]), case)
    lost = {
        memory.id: tuple(
            _with_new_line(tree, one)
            for one in gone(memory, checks[memory.id], paths, words, scripts, case.time(memory))
        )
        for memory in store
    }
    checks = {name: _known(check, mentioned[name], lost[name]) for name, check in checks.items()}
    return {
        memory.id: replace(
            _looked(tree, memory, checks[memory.id], given[memory.id], lines, manifests),
            gone=lost[memory.id],
            misplaced=_misplaced(tree, memory, checks[memory.id]),
            ended=ended(told[memory.id], _after(changes, case.time(memory)) if told[memory.id] else ()),
        )
        for memory in store
    }


def _with_new_line(tree: WorkingTree, lost: Gone) -> Gone:
    """What is gone, with the line of the build file where a renamed script stands now."""
    if lost.is_path or lost.change.moved_to is None:
        return lost
    path, new = lost.change.detail.partition(" ")[2], lost.change.moved_to.rpartition(" ")[2]
    lines = enumerate((tree.text_at(f"tree:{path}") or "").split("\n"), start=1)
    found = next((Line(path, number, text) for number, text in lines if script_word(new).search(text)), None)
    return replace(lost, line=found)


def _known(check: MemoryCheck, mentioned: Sequence[str], lost: Sequence[Gone]) -> MemoryCheck:
    """The check without what only the prose mentions and neither the tree nor its history knows."""
    known = {one.span for one in lost}
    kept = (span for span in check.spans if span.where or span.span in known or span.span not in mentioned)
    return replace(check, spans=tuple(kept))


_MOST_SPELLINGS = 60_000
"""Names that are only guessed from words, of all memories together: beyond, guessing costs more than it finds."""


def _versions(tree: WorkingTree) -> Versions:
    paths = list(filter(keeps_versions, tree.files()))[:_MOST_MANIFESTS]
    texts = ((path, tree.text_at(f"tree:{path}") or "") for path in paths)
    found = (one for path, text in texts for one in versions(path, text[:_LARGEST_MANIFEST]))
    return Versions(tuple(one for one in found if not secrets(one.line.text)))


_MOST_MANIFESTS, _LARGEST_MANIFEST = 400, 200_000  # of a repository of many packages; characters of one


def _harmless(lines: Mapping[str, Sequence[Line]]) -> Mapping[str, Sequence[Line]]:
    """The lines without those that hold what looks like a secret: a line of evidence is kept and shown."""
    return {word: [line for line in each if not secrets(line.text)] for word, each in lines.items()}


def _looked(
    tree: WorkingTree,
    memory: Memory,
    check: MemoryCheck,
    given: Sequence[Figure],
    lines: Mapping[str, Sequence[Line]],
    manifests: Versions,
) -> Looked:
    judged = [verdict for figure in given if (verdict := figures.judge(figure, memory, lines))]
    judged += manifests.judge(memory)
    texts = {path: tree.text_at(f"tree:{path}") or "" for span in check.spans if (path := place(span))}
    times = [moved for path, text in texts.items() if (moved := rescheduled(memory, path, text))]
    beside = [one for path, text in texts.items() for one in configured.in_file(memory, path, text)]
    judged += [one for one in beside if isinstance(one, Agreement | Contradiction) and not _is_judged(one, judged)]
    values = [*configured.settings(memory, lines), *(one for one in beside if isinstance(one, Differs | Same))]
    values = [one for one in values if not secrets(one.line.text)] + [
        Same(one) for one in times if isinstance(one, Line)
    ]
    moved_times = tuple(one for one in times if isinstance(one, Rescheduled))
    wrong = [one.definition.line for one in judged if isinstance(one, Contradiction)]
    wrong += [one.line for one in values if isinstance(one, Differs)] + [one.lines[0] for one in moved_times]
    since = {line.where: change for line in wrong if (change := tree.since(line))}
    return Looked(check, figures=tuple(judged), rescheduled=moved_times, values=tuple(values), texts=texts, since=since)


def _is_judged(one: Agreement | Contradiction, judged: Sequence[Agreement | Contradiction]) -> bool:
    """Whether the same line was held against the memory already."""
    return any(other.definition.line == one.definition.line for other in judged)


def _misplaced(tree: WorkingTree, memory: Memory, check: MemoryCheck) -> tuple[Misplaced, ...]:
    found = misplaced(memory, check, tree.files())
    lines = ((span, path, Line(file, *_beginning(tree.text_at(f"tree:{file}") or ""))) for span, path, file in found)
    return tuple(Misplaced(span, path, line) for span, path, line in lines if line.text)


def _beginning(text: str) -> tuple[int, str]:
    """The first line that says something, with its number."""
    lines = enumerate(text.split("\n"), start=1)
    return next(((number, line.strip()) for number, line in lines if line.strip()), (1, ""))


def _changes(tree: WorkingTree, telling: Iterable[Memory], case: Case) -> tuple[Change, ...]:
    """The commits since the oldest of the memories that tell of a state somebody may have ended."""
    told = [when for memory in telling if (when := case.time(memory))]
    return tree.changes_since(min(told)) if told else ()


def _after(changes: Sequence[Change], written: datetime | None) -> list[Change]:
    return [change for change in changes if written is None or change.date >= written.date().isoformat()]


def _each(groups: Iterable[Sequence[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for group in groups for one in group))


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


def _in_groups(proposals: Sequence[Proposal]) -> list[Proposal]:
    return sorted(proposals, key=lambda proposal: _GROUPS.index(proposal.kind))


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
