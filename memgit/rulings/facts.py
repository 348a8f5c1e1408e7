"""What refuses a proposal: facts, one function each, none of which understands a sentence.

A quote stands where it is said to or not; a memory is there or not; two texts are equal; a time, a name, a limit; a
secret; bytes. Whatever reads meaning is a doubt (see ``doubts``) and refuses nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from memgit.evidence.findings import Finding, mark_up, secrets
from memgit.evidence.masks import MASK
from memgit.memory.index import merge_markers
from memgit.memory.shapes import CODEX, misshapen_summary, untouchable
from memgit.model.decision import Draft, FactName, Kind, Proposal, Said, Seen
from memgit.model.history import PassKind
from memgit.model.store import Memory
from memgit.rulings.case import Case, is_memory
from memgit.text.layout import counted
from memgit.text.words import letters

MAX_BYTES = 20_000
"""A memory is one fact; longer drafts are refused."""

MAX_NAME = 80


@dataclass(frozen=True, slots=True)
class Refusal:
    """The fact that stands against a proposal, and a sentence that names the thing and what would mend it."""

    fact: FactName
    says: str


Fact = Callable[[Proposal, Case], Refusal | None]


# --- the shape of a proposal ---

_SHAPES = {
    Kind.ADD: (range(1), range(1, 2)),
    Kind.REPLACE: (range(1, 2), range(1, 2)),
    Kind.UPDATE: (range(1, 2), range(1, 2)),
    Kind.MERGE: (range(2, 100), range(1, 2)),
    Kind.SPLIT: (range(1, 2), range(2, 50)),
    Kind.DROP: (range(1, 100), range(1)),
}
"""How many memories a change speaks of, and how many wordings it brings."""

_WITH_MARKS = {**_SHAPES, Kind.MERGE: (range(2, 100), range(1, 101))}
"""The same for a sweep, which marks the members of a merge."""


def misshapen(proposal: Proposal, case: Case) -> Refusal | None:
    """It names memories that are not there, too many or too few, or wordings for none of them."""
    if proposal.kind not in _SHAPES:
        return Refusal(FactName.KIND, f"{_one(proposal.kind)} is not for a decider to propose.")
    if unknown := next((name for name in proposal.memories if name not in case.memories), None):
        return Refusal(FactName.SHAPE, f'There is no memory "{unknown[:80]}" in the store.')
    targets, drafts = (_WITH_MARKS if case.kind is PassKind.SWEEP else _SHAPES)[proposal.kind]
    named = set(proposal.memories)
    if len(named) not in targets or len(named) != len(proposal.memories):
        return Refusal(
            FactName.SHAPE,
            f"{_one(proposal.kind)} speaks of {_bounds(targets, 'memory')}, this one of {len(proposal.memories)}.",
        )
    if len(proposal.drafts) not in drafts:
        return Refusal(
            FactName.SHAPE,
            f"{_one(proposal.kind)} brings {_bounds(drafts, 'wording')}, this one {len(proposal.drafts)}.",
        )
    ids = [draft.id for draft in proposal.drafts if draft.id]
    if stray := next((name for name in ids if name not in proposal.memories), None):
        return Refusal(FactName.SHAPE, f'Its wording is for "{stray[:80]}", which is none of the memories it names.')
    return Refusal(FactName.SHAPE, "Two of its wordings are for one memory.") if len(ids) != len(set(ids)) else None


def _one(kind: Kind) -> str:
    """A decision of a kind, at the beginning of a sentence."""
    return f"An {kind}" if kind.value[0] in "aeiou" else f"A {kind}"


def _bounds(allowed: range, noun: str) -> str:
    if allowed.stop == 1:
        return f"no {noun}"
    return ("" if len(allowed) == 1 else "at least ") + counted(allowed.start, noun)


def changes_what_is_not_there(proposal: Proposal, case: Case) -> Refusal | None:
    """A cold start found no usable store, so that nothing in it can be merged, replaced or dropped."""
    if case.cold_start and proposal.kind is not Kind.ADD:
        return Refusal(FactName.KIND, f"A cold start only adds; it makes no {proposal.kind}.")
    return None


def breaks_the_form_of_the_store(proposal: Proposal, case: Case) -> Refusal | None:
    """The shape of the store does not allow it."""
    if own := next(untouchable(case.shape, proposal.memories), None):
        return Refusal(FactName.KIND, f"{own} is made by the agent's client for itself.")
    if not case.shape.grows and any(not draft.id for draft in proposal.drafts):
        return Refusal(FactName.KIND, "No memory can be added to a store of this shape: its own tool makes them.")
    opening = case.shape.opening_id
    if not opening or opening not in proposal.memories:
        return None
    if proposal.kind not in (Kind.REPLACE, Kind.UPDATE):
        return Refusal(
            FactName.KIND, f"{opening} is what agents are given at the start of a session: it is only ever reworded."
        )
    told = misshapen_summary(proposal.drafts[0].body.encode("utf-8", "replace")) if case.shape is CODEX else ""
    return Refusal(FactName.FORM, told) if told else None


def touches_a_pinned_one(proposal: Proposal, case: Case) -> Refusal | None:
    """A memory that its owner pinned goes in a curation only, where the owner speaks."""
    kept = {draft.id for draft in proposal.drafts}
    goes = [memory for memory in case.of(proposal.memories) if memory.id not in kept]
    pinned = next((memory for memory in goes if memory.pinned), None)
    return Refusal(FactName.PINNED, f"{pinned.id} is pinned.") if pinned and case.kind is not PassKind.CURATE else None


def touches_a_half_merged_one(proposal: Proposal, case: Case) -> Refusal | None:
    """A memory that holds both sides of a merge says neither: which one holds is known to whoever finishes it."""
    open_ = next((memory for memory in case.of(proposal.memories) if merge_markers(memory.data)), None)
    return Refusal(FactName.HALF_DONE, f"{open_.id} is in the middle of a merge; finish it first.") if open_ else None


# --- evidence and time ---

_SAID_ONLY = frozenset({PassKind.CURATE, PassKind.EXTRACT})


def lacks_evidence(proposal: Proposal, case: Case) -> Refusal | None:
    """What was found of its evidence does not carry this kind of change.

    A curation changes on what a person said; only merges and splits may rest on lines of the memories themselves. An
    audit, a prune or a sweep may rest on what can be seen, but for the memories that are a person's own words.
    """
    if not proposal.evidence:
        return Refusal(FactName.NO_EVIDENCE, "It names no evidence.")
    if any(isinstance(one, Said) for one in proposal.evidence):
        return None
    seen = [one for one in proposal.evidence if isinstance(one, Seen)]
    lines = {one.where.partition(":")[2] for one in seen if is_memory(one)}
    if proposal.kind in (Kind.MERGE, Kind.SPLIT):
        if set(proposal.memories) <= lines:
            return None
        return Refusal(
            FactName.NO_EVIDENCE, f"{_one(proposal.kind)} needs a line of each memory, or what the user said."
        )
    if case.kind in _SAID_ONLY or proposal.kind is Kind.ADD:
        return Refusal(FactName.NO_EVIDENCE, f"{_one(proposal.kind)} needs what the user said in a session.")

    if _needs_no_word(proposal, case):
        return None
    if protected := case.protected(proposal):
        return Refusal(
            FactName.OWN_WORDS, f"A {protected} memory is changed on the user's own words only, not on what is seen."
        )
    if lines - set(proposal.memories) or any(not is_memory(one) for one in seen):
        return None
    return Refusal(FactName.NO_EVIDENCE, "Its evidence is neither said by the user nor seen outside the memory itself.")


def _needs_no_word(proposal: Proposal, case: Case) -> bool:
    if case.kind not in (PassKind.AUDIT, PassKind.PRUNE):
        return False
    from memgit.rulings.exempt import needs_no_word  # the rules of these passes: a curation has no use for them

    return needs_no_word(proposal, case)


def is_older_than_the_memory(proposal: Proposal, case: Case) -> Refusal | None:
    """What replaces or drops a memory was said before it was written, by times that records or memories carry. Equal
    times decide nothing."""
    if proposal.kind not in (Kind.REPLACE, Kind.UPDATE, Kind.DROP):
        return None
    times = [moment(one.time) for one in proposal.evidence if isinstance(one, Said) and one.time]
    for memory in case.of(proposal.memories):
        written = case.written(memory)
        if times and written and written.known and max(times) < written.time:
            return Refusal(
                FactName.OLDER,
                f"{memory.id} was written {written.time:%Y-%m-%d %H:%M}, after what is cited was said.",
            )
    return None


def moment(text: str) -> datetime:
    """The time that evidence carries; one without a zone is taken as UTC."""
    time = datetime.fromisoformat(text)
    return time if time.tzinfo else time.replace(tzinfo=UTC)


# --- the texts ---


def changes_nothing(proposal: Proposal, case: Case) -> Refusal | None:
    """The result is what is there already, letter for letter."""
    if proposal.kind in (Kind.REPLACE, Kind.UPDATE):
        (memory,), (draft,) = case.of(proposal.memories), proposal.drafts
        if draft.body.strip() == memory.body.strip() and draft.description == memory.description:
            return Refusal(FactName.NO_CHANGE, "It changes nothing.")
    if proposal.kind is Kind.ADD:
        (draft,) = proposal.drafts
        held = next((memory for memory in case.memories.values() if letters(memory.body) == letters(draft.body)), None)
        return Refusal(FactName.NO_CHANGE, f"{held.id} says it already, word for word.") if held else None
    return None


def has_no_fit_wording(proposal: Proposal, case: Case) -> Refusal | None:
    """A wording that no memory may have: empty, too long, without a name, of an unknown type, with a secret, or with
    characters and mark-up that speak to the agent's client instead of its reader."""
    known = [memory.text for memory in case.of(proposal.memories)] + [one.quote for one in proposal.evidence]
    return next((found for draft in proposal.drafts if (found := unfit(draft, case, known))), None)


def unfit(draft: Draft, case: Case, known: Iterable[str] = ()) -> Refusal | None:
    """Why one wording must not be written, or None. ``known`` are texts it may repeat: the old memory, the quotes."""
    if reason := _malformed(draft, case):
        return Refusal(FactName.FORM, reason)
    text = wording(draft)
    if MASK.search(text):
        return Refusal(FactName.SECRET, "Its text holds a masked secret.")
    if found := secrets(text):
        return Refusal(FactName.SECRET, f"Its text holds what looks like a secret ({_kinds(found)}).")
    before = {finding.kind for each in known for finding in mark_up(each)}
    if marks := [finding for finding in mark_up(text) if finding.kind not in before]:
        return Refusal(FactName.STEERING, f"Its text holds what speaks to the agent's client ({_kinds(marks)}).")
    return None


def _malformed(draft: Draft, case: Case) -> str | None:
    size = len(wording(draft).encode())
    if not draft.body.strip():
        return "Its text is empty."
    if size > MAX_BYTES:
        return f"Its text is {size:,} bytes long; a memory holds one fact in at most {MAX_BYTES:,}."
    if draft.id:
        return None
    if not re.search(r"[^\W_]", draft.name) or len(draft.name) > MAX_NAME or re.search(r"[/\\\x00-\x1f]", draft.name):
        return f'"{draft.name[:40]}" cannot name a memory.'
    if not draft.description:
        return "A new memory needs a description of one line."
    if draft.type not in case.types:
        return f'"{draft.type[:40]}" is no type of this store; known are {", ".join(sorted(case.types))}.'
    return None


def wording(draft: Draft) -> str:
    """All that a draft brings into a store."""
    return f"{draft.name}\n{draft.description}\n{draft.body}"


def _kinds(findings: Iterable[Finding]) -> str:
    return ", ".join(dict.fromkeys(finding.kind for finding in findings))


OF_A_PROPOSAL: tuple[Fact, ...] = (
    changes_what_is_not_there,
    breaks_the_form_of_the_store,
    lacks_evidence,
    is_older_than_the_memory,
    touches_a_pinned_one,
    touches_a_half_merged_one,
    has_no_fit_wording,
    changes_nothing,
)
"""What is looked at once a proposal is well shaped and its evidence has been looked up."""

OF_MARKS: tuple[Fact, ...] = (touches_a_pinned_one, touches_a_half_merged_one)
"""The same for a change that leaves every fact as it is (a sweep's marks)."""


def same_text(draft: Draft, other: Draft | Memory) -> bool:
    """Whether two texts are equal but for case, white space, punctuation and mark-up."""
    return letters(draft.body) == letters(other.body)


def merges_equal_texts(proposal: Proposal, case: Case) -> bool:
    """Whether it joins memories of one type whose texts are equal but for form, and leaves just that text."""
    if proposal.kind is not Kind.MERGE:
        return False
    members = case.of(proposal.memories)
    texts = {letters(body) for body in (*(each.body for each in members), *(each.body for each in proposal.drafts))}
    return len(texts) == len({member.type.lower() for member in members}) == 1
