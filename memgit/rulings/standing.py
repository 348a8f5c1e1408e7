"""Which decisions a person can answer, and which of them a candidate holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from memgit.errors import BadReply
from memgit.memory.memory import memories
from memgit.model.decision import Approval, Decision, FactName, Kind, Standing
from memgit.model.history import PassKind
from memgit.model.store import StoreContent
from memgit.model.verification import Appraisal, MemoryClass
from memgit.text.layout import counted

NEEDS_APPROVAL = frozenset({PassKind.AUDIT, PassKind.SWEEP})
"""Passes of which nothing is adopted that nobody has approved."""


def is_decidable(decision: Decision) -> bool:
    """Whether a person can answer a decision: it changes something of its own accord. What leads links along follows
    from the others by itself."""
    return decision.changes and not (decision.kind is Kind.REPAIR and decision.memories)


def is_index_repair(decision: Decision) -> bool:
    """Whether a decision puts an index right that had come apart from its memories."""
    return decision.kind is Kind.REPAIR and not decision.memories


def is_question(decision: Decision) -> bool:
    """Whether a decision is held and nobody has answered it."""
    return decision.standing is Standing.HELD and decision.approval is Approval.PROPOSED


def is_untouched(decisions: Sequence[Decision]) -> bool:
    """Whether nobody has answered any of them."""
    return all(decision.approval is Approval.PROPOSED for decision in decisions)


def standing(decisions: Sequence[Decision], kind: PassKind) -> tuple[Decision, ...]:
    """What a candidate holds, in order.

    Of what was taken: that which a person approved, or, where none of it was and the pass needs no approval, all that
    is open. Questions that a person answered with yes come on top.
    """
    decidable = [decision for decision in decisions if is_decidable(decision)]
    approved = [decision for decision in decidable if decision.approval is Approval.APPROVED]
    taken = [decision for decision in decidable if decision.standing is Standing.TAKEN]
    narrowed = any(decision.approval is Approval.APPROVED for decision in taken) or kind in NEEDS_APPROVAL
    open_ = [] if narrowed else [decision for decision in taken if decision.approval is Approval.PROPOSED]
    return tuple(decision for decision in decidable if decision in approved or decision in open_)


def refuse_two_for_one(decisions: Sequence[Decision]) -> None:
    """Two changes of one memory cannot both stand. Raises BadReply naming them."""
    counts = Counter(name for decision in decisions for name in decision.memories)
    if twice := next((name for name, count in counts.items() if count > 1), None):
        both = " and ".join(decision.id for decision in decisions if twice in decision.memories)
        raise BadReply(f"Nothing was decided: {both} both change {twice}.", "Approve one of them and reject the other.")


# --- balance ---
# What applying the decisions of a pass came to: memories kept, updated, merged, deleted, and what to learn from it.

_UPDATES = (Kind.UPDATE, Kind.REPLACE, Kind.SPLIT)
_RECURRING = 3
"""So many memories that rotted in one way are a pattern."""

_LESSONS = {
    MemoryClass.STALE: "values and places of the code keep being copied into memories; name the file that holds them",
    MemoryClass.ABSORBED: "memories keep repeating the project's documents; they need not be kept twice",
    MemoryClass.DUPLICATE: "lessons keep being recorded a second time; look for the memory before writing one",
}


def balance(before: StoreContent, after: StoreContent, decisions: Sequence[Decision]) -> str:
    """In one line: entries kept, updated, merged and deleted, and the size before and after in bytes."""
    old, new = memories(before), memories(after)
    texts = {memory.id: memory.data for memory in old}
    kept = sum(texts.get(memory.id) == memory.data for memory in new)
    merged = sum(len(each.memories) - 1 for each in decisions if each.kind is Kind.MERGE)
    deleted = sum(len(each.removes) for each in decisions if each.kind is Kind.DROP)
    updated = sum(len(each.memories) for each in decisions if each.kind in _UPDATES)
    sizes = [sum(len(memory.data) for memory in store) for store in (old, new)]
    return (
        f"Kept {kept}, updated {updated}, merged away {merged}, deleted {deleted}; "
        f"{counted(len(old), 'memory')} and {sizes[0]:,} bytes before, {len(new)} and {sizes[1]:,} after."
    )


def recurring(appraisals: Iterable[Appraisal], trivia: int = 0) -> Iterator[str]:
    """The ways in which so many memories rot that it is worth a word to whoever writes them."""
    counts = Counter(appraisal.kind for appraisal in appraisals)
    for kind, lesson in _LESSONS.items():
        if counts[kind] >= _RECURRING:
            yield f"Recurring: {counts[kind]} {kind} memories — {lesson}."
    if trivia >= _RECURRING:
        yield f"Recurring: {trivia} entries of passing state — stop saving those."


# --- questions ---
# How many questions a pass puts to a person: the best, and no more of those that were answered before.

MOST = 15
"""Questions of a pass that nobody has judged: of more nobody reads the end, and what is worth asking is mostly among
the first."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The decisions of a pass with its questions bounded, and how many there would be beyond."""

    decisions: tuple[Decision, ...]
    beyond: int = 0


def asked_at_most(decisions: Sequence[Decision], most: int = MOST) -> Asked:
    """The decisions without questions that were answered before, and with at most so many of the others, in order."""
    kept: list[Decision] = []
    asked = beyond = 0
    for decision in decisions:
        if decision.asks and decision.refused_by is FactName.TURNED_DOWN:
            continue
        if decision.asks and asked == most:
            beyond += 1
            continue
        asked += bool(decision.asks)
        kept.append(decision)
    return Asked(tuple(replace(each, id=f"M{number}") for number, each in enumerate(kept, start=1)), beyond)
