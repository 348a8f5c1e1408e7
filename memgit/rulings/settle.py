"""From what a decider wants to what a pass settles: taken, held as a question, or refused by a fact."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memgit.errors import WrongState
from memgit.evidence.findings import whole
from memgit.likeness.merges import survivor
from memgit.memory.index import Drift
from memgit.memory.index_edit import drift_of
from memgit.memory.links import Names, repoint, targets
from memgit.memory.memory import (
    Dialect,
    dialect_of,
    memories,
    new_path,
    no_memories,
    read_memory,
    render_changed,
    render_new,
)
from memgit.memory.rebuild import rebuild
from memgit.memory.shapes import BEADS_MEMORIES
from memgit.model.decision import Decision, Doubt, Draft, Evidence, FactName, Kind, Proposal, Seen, Standing
from memgit.model.history import PassKind
from memgit.model.store import INDEX, Memory, StoreContent, StoreFile
from memgit.rulings.case import Case, cited
from memgit.rulings.doubts import DOUBTS, doubts_of
from memgit.rulings.facts import (
    OF_A_PROPOSAL,
    OF_MARKS,
    Refusal,
    has_no_fit_wording,
    merges_equal_texts,
    misshapen,
    same_text,
)
from memgit.rulings.handed_in import is_not_a_hosts_to_add

# --- following ---
# Links follow: memories that point to one that goes are led to what stands for it now. An index that has come apart
# from its memories is put right.


def repairs(decisions: Iterable[Decision], content: StoreContent) -> tuple[Decision, ...]:
    """The links that other memories need when ``decisions`` (or the approved part of them) are applied."""
    decisions = [decision for decision in decisions if decision.changes and decision.kind is not Kind.REPAIR]
    gone = _successors(decisions)
    if not gone:
        return ()
    changed = {path for decision in decisions for path in (*decision.writes, *decision.removes)}
    store = memories(content)
    names = Names(store)
    found = (_repair(memory, gone, names) for memory in store if memory.path not in changed)
    return tuple(repair for repair in found if repair)


def links_followed(decisions: Sequence[Decision], store: Sequence[Memory]) -> list[Decision]:
    """The decisions with the links in their own changed files led to the survivors."""
    gone = _successors(decisions)
    if not gone:
        return list(decisions)
    paths, names = {memory.path for memory in store}, Names(store)
    return [_followed(decision, paths, gone, names) for decision in decisions]


def _followed(decision: Decision, paths: set[str], gone: Mapping[str, str], names: Names) -> Decision:
    led = {path: _repointed(path, data, gone, names) for path, data in decision.writes.items() if path in paths}
    before = {path: decision.writes[path] for path, data in led.items() if data != decision.writes[path]}
    return replace(decision, writes={**decision.writes, **led}, unlinked=before)


def reconnected(
    decisions: Sequence[Decision], standing: Sequence[Decision], content: StoreContent
) -> tuple[Decision, ...]:
    """The decisions with links as the ``standing`` ones alone need them: those in their own files led anew, and the
    repairs of other memories replaced, numbered on behind the last id."""
    own = [
        replace(each, writes={**each.writes, **each.unlinked}, unlinked={}) for each in decisions if not _leads(each)
    ]
    names = {decision.id for decision in standing}
    led = {each.id: each for each in links_followed([one for one in own if one.id in names], memories(content))}
    kept = [led.get(each.id, each) for each in own]
    last = max((int(each.id[1:]) for each in kept), default=0)
    new = enumerate(repairs(tuple(led.values()), content), start=last + 1)
    return (*kept, *(replace(repair, id=f"M{number}") for number, repair in new))


def _leads(decision: Decision) -> bool:
    """Whether a decision is such a repair: it is made anew each time."""
    return decision.kind is Kind.REPAIR and bool(decision.memories) and decision.changes


def _repointed(path: str, data: bytes, gone: Mapping[str, str], names: Names) -> bytes:
    return _with_links(read_memory(StoreFile(path, data)), gone, names) or data


def _successors(decisions: Iterable[Decision]) -> dict[str, str]:
    """Which memory stands for each that goes: the survivor of a merge, the first part of a split, or nothing."""
    return {
        path.removesuffix(".md"): decision.results[0] if decision.results else ""
        for decision in decisions
        for path in sorted(decision.removes)
    }


def _with_links(memory: Memory, gone: Mapping[str, str], names: Names) -> bytes | None:
    """The memory's file with its links repointed, or None when no link of it leads to what goes."""
    body = repoint(memory.body, gone, names, memory.path.rpartition("/")[0])
    if body == memory.body:
        return None
    return render_changed(memory, Draft(memory.name, memory.description, memory.type, body, memory.id))


def _repair(memory: Memory, gone: Mapping[str, str], names: Names) -> Decision | None:
    data = _with_links(memory, gone, names)
    if data is None:
        return None
    led = sorted(target for target in targets(memory, names) if target in gone)
    moves = ", ".join(f"{name} → {gone[name]}" if gone[name] else f"{name} → plain text" for name in led)
    return Decision(
        id="",
        kind=Kind.REPAIR,
        justification=f"Its links follow what this pass moves: {moves}.",
        memories=(memory.id,),
        results=(memory.id,),
        writes={memory.path: data},
    )


# --- the index ---


def index_repair(content: StoreContent) -> Decision | None:
    """The index as rebuilding makes it, with every line that is wrong now; None where nothing is."""
    store = memories(content)
    found = drift_of(content)
    if not store or (content.index and content.index.is_link) or found.is_clean:
        return None
    before = content.index_text
    data = rebuild(content.index, store, store, others=no_memories(content), roots=content.roots)
    return Decision(
        id="",
        kind=Kind.REPAIR,
        justification=_drifted(found, before, data),
        evidence=tuple(_wrong_lines(found, before)),
        writes={INDEX: data},
        claim="index",
    )


def _wrong_lines(found: Drift, index: bytes) -> Iterable[Evidence]:
    lines = index.decode("utf-8", "replace").split("\n")
    numbers = sorted({place.line for place in (*found.dead, *found.doubles)})
    return (Seen(f"index:{number}", lines[number - 1].strip()) for number in numbers)


def _drifted(found: Drift, before: bytes, after: bytes) -> str:
    told = [f"line {place.line} points to {place.target}, which is not there" for place in found.dead]
    told += [f"line {place.line} lists {place.target} a second time" for place in found.doubles]
    told += [f"{name} is not listed" for name in found.orphans]
    old = set(before.decode("utf-8", "replace").split("\n"))
    added = [line.strip() for line in after.decode("utf-8", "replace").split("\n") if line.strip() and line not in old]
    lines = f" New lines: {' / '.join(added)}" if added else ""
    return f"The index and the memories have come apart: {'; '.join(told)}.{lines}"


MAX_PROPOSALS = 500
"""More changes than this in one pass are refused: nobody could look through them."""


def settle(
    proposals: Iterable[Proposal],
    content: StoreContent,
    case: Case,
    *,
    remove_most: bool = False,
    limit: int = MAX_PROPOSALS,
    confirmable: bool = True,
) -> tuple[Decision, ...]:
    """What becomes of each proposal, numbered M1, M2, … in their order; repairs come last, of the index (which only
    an audit proposes by itself) and of links.

    A proposal against which a fact stands is refused and says which. One that somebody doubts is held, unless its
    judge has confirmed it (which only counts if ``confirmable``: nobody stands beside an unattended model); so is one
    that only asks. All others are taken. Raises WrongState when a curation would drop more than half of the memories
    without ``remove_most``; duplicates that a merge takes in are not counted.
    """
    store = memories(content)
    verdicts = _ruled(proposals, case, limit, confirmable=confirmable)
    if case.kind in _DECIDED_WHOLE and not remove_most:
        _stop_at_most(verdicts, len(store))
    decisions = [*_rendered(verdicts, content, store)]
    if case.kind is PassKind.AUDIT and (repair := index_repair(content)):
        decisions.append(repair)
    numbered = [replace(decision, id=f"M{number}") for number, decision in enumerate(decisions, start=1)]
    return reconnected(numbered, [decision for decision in numbered if decision.stands], content)


@dataclass(frozen=True, slots=True)
class _Verdict:
    """A proposal, and what stands against it: a fact, or doubts."""

    proposal: Proposal
    refusal: Refusal | None = None
    doubts: tuple[Doubt, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def standing(self) -> Standing:
        if self.refusal:
            return Standing.REFUSED
        if self.proposal.asks or (self.doubts and not self.proposal.confirm):
            return Standing.HELD
        return Standing.TAKEN


@dataclass(slots=True)
class _Ledger:
    """What the proposals taken so far have claimed."""

    memories: dict[str, int] = field(default_factory=dict)
    added: list[Draft] = field(default_factory=list)
    accepted: int = 0

    def objection(self, proposal: Proposal) -> Refusal | None:
        """Why this one cannot stand beside those before it."""
        for name in proposal.memories:
            if name in self.memories:
                return Refusal(
                    FactName.TWICE,
                    f"Another decision of this pass (number {self.memories[name]}) changes {name} already.",
                )
        if any(same_text(draft, other) for draft in _new(proposal) for other in self.added):
            return Refusal(FactName.TWICE, "Another decision of this pass adds the same text.")
        return None

    def accept(self, verdict: _Verdict, number: int) -> None:
        """Questions claim nothing: two may be asked about one memory, and a person takes one of them."""
        self.accepted += 1
        if verdict.standing is Standing.TAKEN:
            self.memories |= dict.fromkeys(verdict.proposal.memories, number)
            self.added += _new(verdict.proposal)


def _ruled(proposals: Iterable[Proposal], case: Case, limit: int, *, confirmable: bool) -> list[_Verdict]:
    verdicts: list[_Verdict] = []
    ledger = _Ledger()
    for number, proposal in enumerate(proposals, start=1):
        given = proposal if confirmable else replace(proposal, confirm="")
        if proposal.kind is Kind.REJECT:
            verdicts.append(_Verdict(proposal))
            continue
        if ledger.accepted >= limit:
            verdicts.append(_Verdict(proposal, Refusal(FactName.LIMIT, f"A pass settles at most {limit} changes.")))
            continue
        verdict = _ruled_alone(given, case, strict=not confirmable)
        if not verdict.refusal and (objection := ledger.objection(verdict.proposal)):
            verdict = replace(verdict, refusal=objection)
        if not verdict.refusal:
            ledger.accept(verdict, number)
        verdicts.append(verdict)
    return verdicts


def _ruled_alone(proposal: Proposal, case: Case, *, strict: bool) -> _Verdict:
    if refusal := misshapen(proposal, case):
        return _Verdict(proposal, refusal)
    proposal = _completed(proposal, case)
    evidence = cited(proposal, case)
    proposal = replace(proposal, evidence=evidence.found)
    remarks = tuple(f"Left out: {void.says}" for void in evidence.void)
    refusal = _refusal(proposal, case)
    if refusal and refusal.fact is FactName.NO_EVIDENCE and evidence.void:  # what was cited and is void says more
        first = evidence.void[0]
        return _Verdict(proposal, Refusal(first.fact, first.says))
    if refusal:
        return _Verdict(proposal, refusal, remarks=remarks)
    return _Verdict(proposal, doubts=tuple(_doubts(*_as_told(proposal, case), strict=strict)), remarks=remarks)


def _doubts(proposal: Proposal, case: Case, *, strict: bool) -> Iterator[Doubt]:
    """What is doubted. That texts are equal is a fact: how alike they are is then not weighed, only what would go."""
    if merges_equal_texts(proposal, case):
        return (doubt for look in DOUBTS if (doubt := look(proposal, case)))
    return doubts_of(proposal, case, strict=strict)


def looked_up(proposal: Proposal, case: Case) -> Proposal:
    """A well-shaped proposal as facts and doubts look at it: completed, with the evidence that was found."""
    completed = _completed(proposal, case)
    return replace(completed, evidence=cited(completed, case).found)


def _refusal(proposal: Proposal, case: Case) -> Refusal | None:
    """The first fact against a proposal. In a store of beads facts look at what is told beneath the marks."""
    facts = (is_not_a_hosts_to_add, *OF_A_PROPOSAL)
    if case.kind is PassKind.SWEEP:
        from memgit.core.sweep.proposals import beneath, forbidden, only_marks  # no other store has marks

        if told := forbidden(proposal, case):
            return Refusal(FactName.KIND, told)
        if found := has_no_fit_wording(proposal, case):
            return found
        facts = OF_MARKS if only_marks(proposal, case) else facts
        proposal, case = beneath(proposal, case)
    else:
        proposal, case = _as_told(proposal, case)
    return next((found for fact in facts if (found := fact(proposal, case))), None)


def _as_told(proposal: Proposal, case: Case) -> tuple[Proposal, Case]:
    """Proposal and case as what memories say: the header of a bead is no content of it."""
    if case.shape is not BEADS_MEMORIES:
        return proposal, case
    from memgit.core.sweep.proposals import beneath

    return beneath(proposal, case)


def _completed(proposal: Proposal, case: Case) -> Proposal:
    """Drafts tidied and addressed: a change of one memory is for that memory, a merge for its survivor."""
    drafts = tuple(tidied(draft) for draft in proposal.drafts)
    match proposal.kind:
        case Kind.REPLACE | Kind.UPDATE | Kind.MERGE if len(drafts) == 1 and not drafts[0].id:
            drafts = (replace(drafts[0], id=survivor(case.of(proposal.memories), case.referred).id),)
    proposal = replace(proposal, drafts=tuple(_described(draft, case) for draft in drafts))
    if case.shape is not BEADS_MEMORIES or case.kind is PassKind.SWEEP:
        return proposal
    from memgit.core.sweep.injection import with_headers  # no other store has any

    return with_headers(proposal, case.of(proposal.memories))


def tidied(draft: Draft) -> Draft:
    """The draft as valid Unicode with LF line ends, one-line name and description, no blank edges."""
    return replace(
        draft,
        name=" ".join(whole(draft.name).split()),
        description=" ".join(whole(draft.description).split()),
        body=whole(draft.body).replace("\r\n", "\n").replace("\r", "\n").strip("\n").rstrip(),
    )


def _described(draft: Draft, case: Case) -> Draft:
    """An existing memory keeps its description where the draft brings none, and its type always."""
    if not draft.id:
        return draft
    memory = case.memories[draft.id]
    own = draft.description if case.shape.described else ""
    return replace(draft, description=own or memory.description, type=memory.type)


def _new(proposal: Proposal) -> list[Draft]:
    return [draft for draft in proposal.drafts if not draft.id]


_DECIDED_WHOLE = frozenset({PassKind.CURATE, PassKind.EXTRACT})
"""Passes that are adopted as they are; of the others a person approves proposal by proposal, and adopting asks."""


def _stop_at_most(verdicts: Iterable[_Verdict], total: int) -> None:
    dropped = sum(
        len(each.proposal.memories)
        for each in verdicts
        if each.proposal.kind is Kind.DROP and each.standing is Standing.TAKEN
    )
    if 2 * dropped > total:
        raise WrongState(
            f"The pass would drop {dropped} of {total} memories; it stops here, and nothing is decided.",
            "Look at the proposals again; if that is meant, run the command once more with --yes-remove-most.",
        )


def _rendered(verdicts: Sequence[_Verdict], content: StoreContent, store: Sequence[Memory]) -> Iterator[Decision]:
    """Decisions with their files. Names of new files are chosen one after another, so that none is taken twice."""
    by_id = {memory.id: memory for memory in store}
    is_new = any(_new(verdict.proposal) for verdict in verdicts)
    dialect = dialect_of(store, indexed=content.indexed) if is_new else Dialect()
    taken = set(content.files)
    for verdict in verdicts:
        if verdict.proposal.kind is Kind.REJECT or verdict.refusal:
            yield _decision(verdict)
            continue
        decision = _decided(verdict, by_id, dialect, taken)
        taken |= set(decision.writes)
        yield decision


def _decided(verdict: _Verdict, by_id: Mapping[str, Memory], dialect: Dialect, taken: Iterable[str]) -> Decision:
    proposal = verdict.proposal
    writes: dict[str, bytes] = {}
    for draft in proposal.drafts:
        if draft.id:
            writes[by_id[draft.id].path] = render_changed(by_id[draft.id], draft)
        else:
            writes[new_path(draft, dialect, {*taken, *writes})] = render_new(draft, dialect)
    members = [by_id[name] for name in proposal.memories]
    return replace(
        _decision(verdict),
        results=tuple(path.removesuffix(".md") for path in writes),
        writes=writes,
        removes=frozenset(memory.path for memory in members if memory.path not in writes),
        dropped_text={memory.id: _whole(memory) for memory in members if writes.get(memory.path) != memory.data},
    )


def _decision(verdict: _Verdict) -> Decision:
    proposal = verdict.proposal
    return Decision(
        id="",
        kind=proposal.kind,
        justification=proposal.justification,
        evidence=proposal.evidence,
        memories=proposal.memories,
        candidates=proposal.candidates,
        claim=proposal.claim,
        leaves_out=proposal.leaves_out,
        standing=verdict.standing,
        doubts=verdict.doubts,
        confirmed=proposal.confirm if verdict.doubts else "",
        refused_by=verdict.refusal.fact if verdict.refusal else None,
        asks=proposal.asks,
        refusal=verdict.refusal.says if verdict.refusal else "",
        remarks=verdict.remarks,
    )


def _whole(memory: Memory) -> str:
    return memory.data.decode("utf-8", "replace")
