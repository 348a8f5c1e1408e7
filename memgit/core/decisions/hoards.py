"""Whether a miner chose at all: a list that keeps whatever a session says is no choice, and none of it stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from memgit.core.decisions.case import Case
from memgit.model.decision import Kind, Proposal, Said
from memgit.model.history import PassKind
from memgit.model.session import Role

MOST_OF_A_SESSION = 5
"""Additions that may rest on one session, however short; no labelled session gives more than three."""


def hoards_refused(proposals: Iterable[Proposal], case: Case) -> tuple[Proposal, ...]:
    """The proposals of a curation, those to add from a session refused where they are more than half of its turns."""
    proposals = tuple(proposals)
    if case.kind is not PassKind.CURATE:
        return proposals
    added = Counter(_session(each, case) for each in proposals if each.kind is Kind.ADD)
    turns = Counter(
        message.session for digest in case.digests for message in digest.messages if message.role is Role.USER
    )
    hoarded = {name for name, count in added.items() if count > max(MOST_OF_A_SESSION, turns[name] / 2)}
    return tuple(
        _refused(each, added[name]) if (name := _session(each, case)) in hoarded else each for each in proposals
    )


def _session(proposal: Proposal, case: Case) -> str:
    """The session that an addition rests on, by its whole id; empty for everything else."""
    named = next((one.session for one in proposal.evidence if isinstance(one, Said)), "")
    if proposal.kind is not Kind.ADD or not named:
        return ""
    return next((name for name in case.prose if name.startswith(named)), named)


def _refused(proposal: Proposal, count: int) -> Proposal:
    if proposal.kind is not Kind.ADD:
        return proposal
    why = f"{count} additions from one session are no choice. (Proposed was: add. {proposal.justification})"
    return replace(proposal, kind=Kind.REJECT, justification=why, drafts=())
