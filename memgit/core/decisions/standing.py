"""Which decisions a person can rule on, and which of them a candidate holds."""

from __future__ import annotations

from collections.abc import Sequence

from memgit.model.decision import Approval, Decision, Kind
from memgit.model.history import PassKind

NEEDS_APPROVAL = frozenset({PassKind.AUDIT, PassKind.SWEEP})
"""Passes of which nothing is adopted that nobody has approved."""


def is_decidable(decision: Decision) -> bool:
    """Whether a person can rule on a decision: it changes something of its own accord. What leads links along follows
    from the others by itself."""
    return decision.changes and not (decision.kind is Kind.REPAIR and decision.memories)


def standing(decisions: Sequence[Decision], kind: PassKind) -> tuple[Decision, ...]:
    """What a candidate holds: what was approved. Of a pass that needs no approval and had none, all that is open."""
    decidable = [decision for decision in decisions if is_decidable(decision)]
    approved = tuple(decision for decision in decidable if decision.approval is Approval.APPROVED)
    if approved or kind in NEEDS_APPROVAL:
        return approved
    return tuple(decision for decision in decidable if decision.approval is Approval.PROPOSED)
