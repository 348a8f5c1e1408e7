"""What a host adds to an audit or a prune: what it may ask for, and how it goes together with memgit's own proposals.

Memgit's own proposals come from rules that vouch for their evidence. A host's do not, so what a rule would have seen to
is asked here: that a quote shows just this change of just this memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from memgit.core.decisions.case import PROTECTED_TYPES, Case
from memgit.core.decisions.telling import roots
from memgit.core.text.words import content_words, sentences
from memgit.model.decision import Candidate, Decision, Intent, Kind, Proposal, Said, Seen
from memgit.model.history import PassKind

ASKED: Mapping[PassKind, tuple[Kind, ...]] = {
    PassKind.AUDIT: (Kind.MERGE, Kind.UPDATE, Kind.DROP),
    PassKind.PRUNE: (Kind.MERGE,),
}
"""What a host may add, beside turning memgit's own proposals down."""


def unshown(proposal: Proposal, case: Case) -> str | None:
    """Why the evidence of a change that a host handed in does not show it, or None. The evidence has been found."""
    if not proposal.handed_in:
        return None
    if proposal.kind not in ASKED.get(case.kind, ()):
        return f"A host adds no {proposal.kind} to a pass of this kind ({case.kind})."
    if proposal.kind is not Kind.MERGE and any(isinstance(one, Said) for one in proposal.evidence):
        return "Such a change rests on what can be seen now; what was said is for a curation."
    seen = [one for one in proposal.evidence if isinstance(one, Seen)]
    match proposal.kind:
        case Kind.UPDATE if all(_of_memory(one) for one in seen):
            return "An update needs the line of the working tree or the commit that shows the new value."
        case Kind.DROP:
            return _not_over(proposal, seen, case)
        case _:
            return None


def unfounded(proposal: Proposal, case: Case) -> str | None:
    """Why a wording says more than the old texts and the cited lines, or None: nobody spoke here, so that each sentence
    must have its words from them."""
    if not proposal.handed_in:
        return None
    told = "\n".join(
        [*(memory.text for memory in case.of(proposal.memories)), *(one.quote for one in proposal.evidence)]
    )
    known = {root[:_START] for root in roots(told)}
    for sentence in (sentence for draft in proposal.drafts for sentence in sentences(draft.body)):
        words = set(roots(sentence))
        if len(words) >= _FEWEST and sum(word[:_START] in known for word in words) < TOLD * len(words):
            return f'Nobody said "{" ".join(sentence.split())[:60]}".'
    return None


TOLD = 0.5
"""Share of a sentence's telling words that the members of a merge, the old text or the cited lines must have."""

_FEWEST = 3  # telling words below which a sentence is too short to be measured
_START = 4  # letters in which two words of one root agree


def shown(value: str, proposal: Proposal) -> bool:
    """Whether a value stands in lines of the tree or its history that are cited: as digits by themselves, for code
    joins them to letters (``gcc-13.3/bin``) and writes a zero more (``17.0``)."""
    digits = re.findall(r"\d+(?:\.\d+)*", value)
    lines = "\n".join(one.quote for one in proposal.evidence if isinstance(one, Seen) and not _of_memory(one))
    found = (rf"(?<![\d.]){re.escape(each)}(?:\.0)*(?!\d|\.\d)" for each in digits)
    return bool(digits) and all(re.search(pattern, lines) for pattern in found)


def _not_over(proposal: Proposal, seen: Sequence[Seen], case: Case) -> str | None:
    from memgit.core.audit.absorption import COVERED, is_document, states  # here: a curation has no use for them
    from memgit.core.audit.trivia import MOSTLY, TRIVIA, shows

    if len(proposal.memories) != 1:
        return "Each memory that goes needs a decision of its own."
    (memory,) = case.of(proposal.memories)
    if memory.type.lower() in PROTECTED_TYPES:
        return None  # only an instruction file takes over a person's word, and `insufficient` sees to that
    told = "\n".join(one.quote for one in seen)
    if proposal.claim == TRIVIA:
        mostly = len(content_words(told)) >= MOSTLY * len(content_words(memory.body))
        alone = all(one.where == f"memory:{memory.id}" and shows(one.quote) for one in seen)
        return None if alone and mostly else f"What is cited does not show that most of {memory.id} is passing state."
    if not all(is_document(_path(one)) for one in seen):
        return "A memory goes only where lines of a document say what it says, or as passing state by its own lines."
    return None if states(told, memory, COVERED) else f"What is cited does not say what {memory.id} says."


def _of_memory(one: Seen) -> bool:
    return one.where.startswith("memory:")


def _path(one: Seen) -> str:
    kind, _, place = one.where.partition(":")
    path, _, number = place.rpartition(":")
    return "" if kind != "tree" else path if number.isdecimal() else place


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
"""What the guards make of proposals, one decision for each in their order, repairs after them."""


def agreed(own: Sequence[Proposal], handed: Sequence[Proposal], judge: Judge) -> tuple[Proposal, ...]:
    """Memgit's own proposals with what a host said of them in their places, then what it added.

    A decision that names a number and changes nothing of it confirms it; a reject or another wording takes its place;
    of several numbers that one decision joins, the first gives the place. Where the guards refuse what took a place,
    memgit's own proposal stands there again, and what was refused goes to the end with the reason.
    """
    joined = _in_places(own, handed)
    beaten = [
        (one, decision.justification)
        for one, decision in zip(joined[: len(own)], judge(joined), strict=False)
        if one.handed_in and one.kind is not Kind.REJECT and not decision.changes
    ]
    if not beaten:
        return joined
    others = [one for one in handed if one not in [each for each, _ in beaten]]
    refused = (replace(one, kind=Kind.REJECT, justification=why, drafts=()) for one, why in beaten)
    return (*agreed(own, others, judge), *refused)


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
        elif not any(_same(one, own[number]) for number in numbers):
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
    return replace(own, kind=Kind.REJECT, justification=why, drafts=(), candidates=by.candidates)
