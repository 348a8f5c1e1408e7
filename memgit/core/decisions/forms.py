"""What the shape of a store does not let a pass do."""

from __future__ import annotations

from memgit.core.decisions.case import Case
from memgit.core.store.shapes import CODEX, misshapen_summary, untouchable
from memgit.model.decision import Kind, Proposal

_REWORDS = frozenset({Kind.REPLACE, Kind.UPDATE})


def out_of_form(proposal: Proposal, case: Case) -> str | None:
    """Why a change would break the form of the store; None where it keeps it."""
    if own := next(untouchable(case.shape, proposal.memories), None):
        return f"{own} is made by the agent's client for itself."
    if not case.shape.grows and any(not draft.id for draft in proposal.drafts):
        return "No memory can be added to a store of this shape: its own tool makes them."
    opening = case.shape.opening_id
    if not opening or opening not in proposal.memories:
        return None
    if proposal.kind not in _REWORDS:
        return f"{opening} is what agents are given at the start of a session: it is only ever reworded."
    if case.shape is CODEX:
        return misshapen_summary(proposal.drafts[0].body.encode("utf-8", "replace")) or None
    return None
