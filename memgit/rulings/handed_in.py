"""What a host adds to an audit or a prune: what it may ask for, and how it goes together with memgit's own proposals.

Whether a line shows what a host says it shows is judgement, and its own; that the line is there, and of the right kind,
is looked up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from memgit.model.decision import Candidate, Decision, FactName, Intent, Kind, Proposal, Said, Seen
from memgit.model.history import PassKind
from memgit.rulings.case import Case, is_memory
from memgit.rulings.facts import Refusal

ASKED: Mapping[PassKind, tuple[Kind, ...]] = {
    PassKind.AUDIT: (Kind.MERGE, Kind.UPDATE, Kind.DROP),
    PassKind.PRUNE: (Kind.MERGE,),
}
"""What a host may add, beside turning memgit's own proposals down."""


def is_not_a_hosts_to_add(proposal: Proposal, case: Case) -> Refusal | None:
    """A change that a host adds to an audit or a prune, of a kind that it may not add, or without a line that shows it:
    these passes rest on what can be seen now."""
    if not proposal.handed_in:
        return None
    if proposal.kind not in ASKED.get(case.kind, ()):
        return Refusal(FactName.KIND, f"A host adds no {proposal.kind} to a pass of this kind ({case.kind}).")
    if proposal.kind is not Kind.MERGE and any(isinstance(one, Said) for one in proposal.evidence):
        return Refusal(FactName.KIND, "Such a change rests on what can be seen now; what was said is for a curation.")
    seen = [one for one in proposal.evidence if isinstance(one, Seen)]
    if proposal.kind is Kind.UPDATE and all(is_memory(one) for one in seen):
        return Refusal(
            FactName.NO_EVIDENCE, "An update needs the line of the working tree or the commit that shows the new value."
        )
    if proposal.kind is Kind.DROP and len(proposal.memories) != 1:
        return Refusal(FactName.SHAPE, "Each memory that goes needs a decision of its own.")
    return None


# --- beside memgit's own proposals ---


def numbered(own: Iterable[Proposal]) -> tuple[Candidate, ...]:
    """Memgit's own proposals as candidates that a decision can name: M1, M2, … in their order."""
    return tuple(
        Candidate(
            id=f"M{number}",
            intent=_INTENTS[one.kind],
            claim=one.claim,
            evidence=one.evidence,
            targets=one.memories,
            drafts=one.drafts,
            why=one.justification,
        )
        for number, one in enumerate(own, start=1)
    )


_INTENTS = {Kind.MERGE: Intent.MERGE, Kind.UPDATE: Intent.REPLACE, Kind.DROP: Intent.STALE}


Judge = Callable[[Sequence[Proposal]], Sequence[Decision]]
"""What becomes of proposals: one decision for each in their order, repairs after them."""


def agreed(own: Sequence[Proposal], handed: Sequence[Proposal], judge: Judge) -> tuple[Proposal, ...]:
    """Memgit's own proposals with what a host said of them in their places, then what it added.

    A decision that names a number and changes nothing of it confirms it; a reject or another wording takes its place;
    of several numbers that one decision joins, the first gives the place. Where a fact refuses what took a place,
    memgit's own proposal stands there again, and what was refused goes to the end.
    """
    return _but_for_beaten(own, _in_places(own, handed), judge)


def gone_on(
    own: Sequence[Proposal],
    before: Sequence[Proposal],
    told: Sequence[Proposal],
    judge: Judge,
    pins: Collection[str] = (),
) -> tuple[Proposal, ...]:
    """What stood ``before`` with what a host says of it this time, each in its place, then what it adds now."""
    pairs = enumerate(zip(before, told, strict=False), start=1)
    places = (_said_of(each, one, number, pins) for number, (each, one) in pairs)
    added = marked(told[len(before) :], pins)
    return _but_for_beaten(own, (*places, *added), judge)


def _said_of(before: Proposal, one: Proposal, number: int, pins: Collection[str]) -> Proposal:
    """What a host says of one proposal: nothing new, a confirmation, a rejection or another wording."""
    if replace(one, confirm=before.confirm) == before:
        return _answered(one)
    if one.kind is before.kind is Kind.REJECT:
        return before
    (named,) = marked([replace(one, candidates=one.candidates or (f"M{number}",))], pins)
    return _turned_down(before, named) if one.kind is Kind.REJECT else named


def _answered(one: Proposal) -> Proposal:
    """A proposal of memgit's own: what it asks is answered where a judge confirms it."""
    return replace(one, asks="") if one.confirm else one


def _but_for_beaten(own: Sequence[Proposal], joined: Sequence[Proposal], judge: Judge) -> tuple[Proposal, ...]:
    """Without what a fact refuses in the place of a proposal of memgit's own; each round of it settles one more."""
    beaten = [
        one
        for one, decision in zip(joined[: len(own)], judge(joined), strict=False)
        if one.handed_in and one.kind is not Kind.REJECT and not decision.changes
    ]
    if not beaten:
        return tuple(joined)
    by = {one.candidates for one in beaten}
    restored = [mine if one.candidates in by else one for mine, one in zip(own, joined, strict=False)]
    return _but_for_beaten(own, (*restored, *joined[len(own) :], *beaten), judge)


def marked(handed: Iterable[Proposal], pins: Collection[str]) -> tuple[Proposal, ...]:
    """What a host handed in, marked as such; what touches a memory that is on the list of pins is refused."""
    return tuple(_but_for_pinned(replace(one, handed_in=True), pins) for one in handed)


def _in_places(own: Sequence[Proposal], handed: Iterable[Proposal]) -> tuple[Proposal, ...]:
    places = list(own)
    added: list[Proposal] = []
    for one in handed:
        numbers = _numbers(one, len(own))
        if not numbers:
            added.append(one)
        elif same := [number for number in numbers if _same(one, own[number])]:
            places[same[0]] = _answered(replace(own[same[0]], confirm=one.confirm, leaves_out=one.leaves_out))
        else:
            first, *others = numbers
            places[first] = _turned_down(own[first], one) if one.kind is Kind.REJECT else one
            for other in others:
                places[other] = _turned_down(own[other], one)
    return (*places, *added)


def _numbers(one: Proposal, count: int) -> list[int]:
    """The places of memgit's own proposals that a decision names."""
    found = (int(name[1:]) - 1 for name in one.candidates if re.fullmatch(r"M\d{1,6}", name))
    return [number for number in dict.fromkeys(found) if 0 <= number < count]


def _but_for_pinned(one: Proposal, pins: Collection[str]) -> Proposal:
    pinned = sorted(set(one.memories) & set(pins))
    if not pinned or one.kind is Kind.REJECT:
        return one
    why = f"{pinned[0]} is pinned. (Proposed was: {one.kind}. {one.justification})"
    return replace(one, kind=Kind.REJECT, justification=why, drafts=(), candidates=())


def _same(one: Proposal, own: Proposal) -> bool:
    """Whether a decision only says again what memgit proposes."""
    return (one.kind, set(one.memories), one.drafts, one.evidence) == (
        own.kind,
        set(own.memories),
        own.drafts,
        own.evidence,
    )


def _turned_down(own: Proposal, by: Proposal) -> Proposal:
    why = f"Turned down by the host: {by.justification} (Proposed was: {own.kind}. {own.justification})"
    return replace(own, kind=Kind.REJECT, justification=why, drafts=(), candidates=by.candidates, asks="")
