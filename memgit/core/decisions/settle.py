"""From what a decider wants to what a pass settles: every guard in one place, for every miner and host alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from memgit.core.decisions.bundles import careless
from memgit.core.decisions.case import Case, ToldTwice, open_case
from memgit.core.decisions.evidence import checked, hypothetical, insufficient, outdated
from memgit.core.decisions.fidelity import left_out, restates, unfaithful
from memgit.core.decisions.forms import out_of_form
from memgit.core.decisions.grounds import ungrounded
from memgit.core.decisions.hoards import hoards_refused
from memgit.core.decisions.lasting import unsettled
from memgit.core.decisions.relevance import not_meant, unrelated
from memgit.core.decisions.repair import index_repair, links_followed, repairs
from memgit.core.decisions.wording import tidied, unfit
from memgit.core.memories.links import Names, targets
from memgit.core.memories.memory import Dialect, dialect_of, memories, new_path, render_changed, render_new
from memgit.core.sessions.quotes import TreeText
from memgit.core.store.shapes import BEADS_MEMORIES, DIRECTORY, Shape
from memgit.errors import WrongState
from memgit.model.decision import Decision, Draft, Kind, Proposal
from memgit.model.history import PassKind
from memgit.model.session import Digest
from memgit.model.store import Memory, StoreContent

MAX_PROPOSALS = 500
"""More changes than this in one pass are refused: nobody could look through them."""


def settle(
    proposals: Iterable[Proposal],
    content: StoreContent,
    digests: Sequence[Digest],
    *,
    kind: PassKind = PassKind.CURATE,
    tree_text: TreeText | None = None,
    session_ends: Mapping[str, datetime] | None = None,
    remove_most: bool = False,
    limit: int = MAX_PROPOSALS,
    told_twice: ToldTwice | None = None,
    shape: Shape = DIRECTORY,
) -> tuple[Decision, ...]:
    """What becomes of each proposal, numbered M1, M2, … in their order; repairs come last, of the index (which only
    an audit proposes by itself) and of links.

    A proposal that a guard refuses becomes a ``reject`` whose justification says which and keeps the
    original wording. ``session_ends`` gives the time of the last message of sessions outside the
    digests (for memories that name their session), ``told_twice`` the memories that may be merged as they
    stand; ``shape`` is the store's. Raises WrongState when a curation would drop more than half of the memories
    without ``remove_most``; duplicates that a merge takes in are not counted.
    """
    store = memories(content)
    case = open_case(kind, store, digests, tree_text, session_ends or {}, told_twice, shape)
    verdicts = _guarded(hoards_refused(proposals, case), case, limit)
    if kind in _DECIDED_WHOLE and not remove_most:
        _stop_at_most(verdicts, len(store))
    decisions = [*_rendered(verdicts, content, store)]
    if kind is PassKind.AUDIT and (repair := index_repair(content)):
        decisions.append(repair)
    decisions += repairs(decisions, content)
    return tuple(replace(decision, id=f"M{number}") for number, decision in enumerate(decisions, start=1))


@dataclass(frozen=True, slots=True)
class _Verdict:
    """A proposal that every guard let through, or one with the ``refusal`` of the guard that did not."""

    proposal: Proposal
    refusal: str = ""
    leaves_out: tuple[str, ...] = ()


@dataclass(slots=True)
class _Ledger:
    """What the proposals accepted so far have claimed."""

    memories: dict[str, int] = field(default_factory=dict)
    added: list[Draft] = field(default_factory=list)
    accepted: int = 0

    def is_full(self, limit: int) -> str | None:
        """Why none can be added, where it is so: asked first, for a thousand more need no look at each."""
        return f"A pass settles at most {limit} changes." if self.accepted >= limit else None

    def objection(self, proposal: Proposal) -> str | None:
        """Why this one cannot stand beside those before it."""
        for name in proposal.memories:
            if name in self.memories:
                return f"Another decision of this pass (number {self.memories[name]}) changes {name} already."
        if any(_same_fact(draft, other) for draft in _new(proposal) for other in self.added):
            return "Another decision of this pass adds the same."
        return None

    def accept(self, proposal: Proposal, number: int) -> None:
        self.memories |= dict.fromkeys(proposal.memories, number)
        self.added += _new(proposal)
        self.accepted += 1


def _guarded(proposals: Iterable[Proposal], case: Case, limit: int) -> list[_Verdict]:
    verdicts: list[_Verdict] = []
    ledger = _Ledger()
    for number, proposal in enumerate(proposals, start=1):
        verdict = _judge(proposal, case, ledger, limit)
        if not verdict.refusal and proposal.kind is not Kind.REJECT:
            ledger.accept(verdict.proposal, number)
        verdicts.append(verdict)
    return verdicts


def _judge(proposal: Proposal, case: Case, ledger: _Ledger, limit: int) -> _Verdict:
    if proposal.kind is Kind.REJECT:
        return _Verdict(proposal)
    if reason := ledger.is_full(limit) or _misshapen(proposal, case):
        return _Verdict(proposal, reason)
    proposal = _completed(proposal, case)
    evidence = checked(proposal, case)
    if isinstance(evidence, str):
        return _Verdict(proposal, evidence)
    proposal = replace(proposal, evidence=evidence)
    if reason := _objection(proposal, case) or ledger.objection(proposal):
        return _Verdict(proposal, reason)
    leaves_out = left_out(*_as_told(proposal, case)) if proposal.drafts and proposal.memories else ()
    return _Verdict(proposal, leaves_out=leaves_out)


def _objection(proposal: Proposal, case: Case) -> str | None:
    """What a guard has against a proposal. In a store of beads they look at the facts beneath the marks."""
    guards = _GUARDS
    if case.kind is PassKind.SWEEP:
        from memgit.core.sweep.guards import beneath, forbidden, only_marks  # no other store has marks

        if reason := forbidden(proposal, case) or _unfit_wording(proposal, case):
            return reason
        guards = _OF_MARKS if only_marks(proposal, case) else guards
        proposal, case = beneath(proposal, case)
    else:
        proposal, case = _as_told(proposal, case)
    return next((found for guard in guards if (found := guard(proposal, case))), None)


def _as_told(proposal: Proposal, case: Case) -> tuple[Proposal, Case]:
    """Proposal and case as what memories say: the header of a bead is no content of it."""
    if case.shape is not BEADS_MEMORIES or case.kind is PassKind.SWEEP:
        return proposal, case
    from memgit.core.sweep.guards import beneath

    return beneath(proposal, case)


def _unfit_wording(proposal: Proposal, case: Case) -> str | None:
    known = [memory.text for memory in case.of(proposal.memories)] + [one.quote for one in proposal.evidence]
    return next((reason for draft in proposal.drafts if (reason := unfit(draft, case, known))), None)


def _pinned(proposal: Proposal, case: Case) -> str | None:
    kept = {draft.id for draft in proposal.drafts}
    goes = [memory for memory in case.of(proposal.memories) if memory.id not in kept]
    pinned = next((memory for memory in goes if memory.pinned), None)
    return f"{pinned.id} is pinned." if pinned and case.kind is not PassKind.CURATE else None


_Guard = Callable[[Proposal, Case], str | None]
_GUARDS: tuple[_Guard, ...] = (
    out_of_form,
    insufficient,
    unrelated,
    not_meant,
    outdated,
    hypothetical,
    unsettled,
    _pinned,
    _unfit_wording,
    unfaithful,
    ungrounded,
    careless,
)

_OF_MARKS: tuple[_Guard, ...] = (_pinned,)
"""What is asked of a change that leaves every fact as it is."""

_SHAPES: Mapping[Kind, tuple[range, range]] = {
    Kind.ADD: (range(1), range(1, 2)),
    Kind.REPLACE: (range(1, 2), range(1, 2)),
    Kind.UPDATE: (range(1, 2), range(1, 2)),
    Kind.MERGE: (range(2, 100), range(1, 2)),
    Kind.SPLIT: (range(1, 2), range(2, 50)),
    Kind.DROP: (range(1, 100), range(1)),
}
"""How many memories a change speaks of, and how many drafts it brings."""

_WITH_MARKS = {**_SHAPES, Kind.MERGE: (range(2, 100), range(1, 101))}
"""The same for a sweep, which marks the members of a merge."""


def _misshapen(proposal: Proposal, case: Case) -> str | None:
    if proposal.kind not in _SHAPES:
        return f"A {proposal.kind} is not for a decider to propose."
    for name in proposal.memories:
        if name not in case.memories:
            return f'There is no memory "{name[:80]}" in the store.'
    targets_allowed, drafts_allowed = (_WITH_MARKS if case.kind is PassKind.SWEEP else _SHAPES)[proposal.kind]
    if len(set(proposal.memories)) not in targets_allowed or len(set(proposal.memories)) != len(proposal.memories):
        return f"A {proposal.kind} speaks of {_counted(targets_allowed)}, this one of {len(set(proposal.memories))}."
    if len(proposal.drafts) not in drafts_allowed:
        return f"A {proposal.kind} brings {_counted(drafts_allowed)} wordings, this one {len(proposal.drafts)}."
    return _misaddressed(proposal)


def _misaddressed(proposal: Proposal) -> str | None:
    ids = [draft.id for draft in proposal.drafts if draft.id]
    if stray := next((name for name in ids if name not in proposal.memories), None):
        return f'Its wording is for "{stray[:80]}", which is none of the memories it speaks of.'
    return "Two of its wordings are for one memory." if len(ids) != len(set(ids)) else None


def _counted(allowed: range) -> str:
    if len(allowed) == 1:
        return str(allowed.start) if allowed.start else "no"
    return f"at least {allowed.start}"


def _completed(proposal: Proposal, case: Case) -> Proposal:
    """Drafts tidied and addressed: a change of one memory is for that memory, a merge for its survivor."""
    drafts = tuple(tidied(draft) for draft in proposal.drafts)
    match proposal.kind:
        case Kind.REPLACE | Kind.UPDATE | Kind.MERGE if len(drafts) == 1 and not drafts[0].id:
            drafts = (replace(drafts[0], id=_survivor(proposal.memories, case)),)
    proposal = replace(proposal, drafts=tuple(_described(draft, case) for draft in drafts))
    if case.shape is not BEADS_MEMORIES or case.kind is PassKind.SWEEP:
        return proposal
    from memgit.core.sweep.kept import with_headers  # no other store has any

    return with_headers(proposal, case.of(proposal.memories))


def _described(draft: Draft, case: Case) -> Draft:
    """An existing memory keeps its description where the draft brings none, and its type always."""
    if not draft.id:
        return draft
    memory = case.memories[draft.id]
    own = draft.description if case.shape.described else ""
    return replace(draft, description=own or memory.description, type=memory.type)


def _survivor(members: Sequence[str], case: Case) -> str:
    """The first member that a memory outside the merge links to, else the first."""
    names = Names(case.memories.values())
    linked = {
        target for memory in case.memories.values() if memory.id not in members for target in targets(memory, names)
    }
    return next((member for member in members if member in linked), members[0])


def _new(proposal: Proposal) -> list[Draft]:
    return [draft for draft in proposal.drafts if not draft.id]


def _same_fact(draft: Draft, other: Draft) -> bool:
    return restates(draft, Memory("", "", b"", other.body, description=other.description))


_DECIDED_WHOLE = frozenset({PassKind.CURATE, PassKind.EXTRACT})
"""Passes that are adopted as they are; of the others a person approves proposal by proposal, and adopting asks."""


def _stop_at_most(verdicts: Iterable[_Verdict], total: int) -> None:
    dropped = sum(len(verdict.proposal.memories) for verdict in verdicts if _drops(verdict))
    if 2 * dropped > total:
        raise WrongState(
            f"The pass would drop {dropped} of {total} memories; it stops here, and nothing is decided.",
            "Look at the proposals again; if that is meant, run the command once more with --yes-remove-most.",
        )


def _drops(verdict: _Verdict) -> bool:
    return verdict.proposal.kind is Kind.DROP and not verdict.refusal


def _rendered(verdicts: Sequence[_Verdict], content: StoreContent, store: Sequence[Memory]) -> list[Decision]:
    """Decisions with their files. Names of new files are chosen one after another, so that none is taken twice."""
    by_id = {memory.id: memory for memory in store}
    is_new = any(_new(verdict.proposal) for verdict in verdicts)
    dialect = dialect_of(store, indexed=content.indexed) if is_new else Dialect()
    taken = set(content.files)
    decisions: list[Decision] = []
    for verdict in verdicts:
        decision = _refused(verdict) or _decided(verdict, by_id, dialect, taken)
        taken |= set(decision.writes)
        decisions.append(decision)
    return links_followed(decisions, store)


def _refused(verdict: _Verdict) -> Decision | None:
    proposal = verdict.proposal
    if proposal.kind is Kind.REJECT:
        return _decision(proposal, Kind.REJECT, proposal.justification)
    if verdict.refusal:
        wanted = f"{verdict.refusal} (Proposed was: {proposal.kind}. {proposal.justification})"
        return _decision(proposal, Kind.REJECT, wanted)
    return None


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
        _decision(proposal, proposal.kind, proposal.justification),
        results=tuple(path.removesuffix(".md") for path in writes),
        writes=writes,
        removes=frozenset(memory.path for memory in members if memory.path not in writes),
        dropped_text={memory.id: _whole(memory) for memory in members if writes.get(memory.path) != memory.data},
        leaves_out=verdict.leaves_out,
    )


def _decision(proposal: Proposal, kind: Kind, justification: str) -> Decision:
    return Decision(
        id="",
        kind=kind,
        justification=justification,
        evidence=proposal.evidence,
        memories=proposal.memories,
        candidates=proposal.candidates,
        claim=proposal.claim,
        leaves_out=proposal.leaves_out,
    )


def _whole(memory: Memory) -> str:
    return memory.data.decode("utf-8", "replace")
