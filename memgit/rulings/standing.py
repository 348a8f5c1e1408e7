"""Which decisions a person can rule on, and which of them a candidate holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from memgit.errors import BadReply
from memgit.model.decision import Approval, Decision, Kind, Standing
from memgit.model.history import PassKind

NEEDS_APPROVAL = frozenset({PassKind.AUDIT, PassKind.SWEEP})
"""Passes of which nothing is adopted that nobody has approved."""


def is_decidable(decision: Decision) -> bool:
    """Whether a person can rule on a decision: it changes something of its own accord. What leads links along follows
    from the others by itself."""
    return decision.changes and not (decision.kind is Kind.REPAIR and decision.memories)


def is_index_repair(decision: Decision) -> bool:
    """Whether a decision puts an index right that had come apart from its memories."""
    return decision.kind is Kind.REPAIR and not decision.memories


def is_question(decision: Decision) -> bool:
    """Whether a decision is held and nobody has answered it."""
    return decision.standing is Standing.HELD and decision.approval is Approval.PROPOSED


def is_untouched(decisions: Sequence[Decision]) -> bool:
    """Whether nobody has ruled on any of them."""
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
