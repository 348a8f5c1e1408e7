"""What an audit or a prune may drop without a word of the user's, and on what."""

from __future__ import annotations

from memgit.claims.documents import WORD_FOR_WORD, restates
from memgit.claims.sources import instructs
from memgit.core.prune.rules import ORPHAN
from memgit.model.decision import Kind, Proposal, Seen
from memgit.model.history import PassKind
from memgit.rulings.case import TRIVIA, Case, is_memory


def needs_no_word(proposal: Proposal, case: Case) -> bool:
    """Whether a memory may go on what can be seen: passing state, an instruction that a file gives too, an orphan."""
    if proposal.kind is not Kind.DROP:
        return False
    if case.kind is PassKind.AUDIT:
        return _is_trivia(proposal, case) or _is_taken_over(proposal, case)
    return case.kind is PassKind.PRUNE and _is_orphan(proposal, case)


def _is_trivia(proposal: Proposal, case: Case) -> bool:
    """A memory may go on its own lines where a judge says that they tell of a passing state; never one of a person's
    own words."""
    if proposal.claim != TRIVIA or case.protected(proposal):
        return False
    return all(isinstance(one, Seen) and is_memory(one) for one in proposal.evidence)


def _is_orphan(proposal: Proposal, case: Case) -> bool:
    """A memory that nobody recalled may go if no other memory leads to it; never one of a person's own words."""
    if proposal.claim != ORPHAN or case.protected(proposal):
        return False
    return not any(case.referred.get(name) for name in proposal.memories)


def _is_taken_over(proposal: Proposal, case: Case) -> bool:
    """A person's own rule may go where a file of instructions states the same rule: who reads one reads the other."""
    quotes = [one for one in proposal.evidence if isinstance(one, Seen) and one.where.startswith("tree:")]
    if len(quotes) != len(proposal.evidence) or not case.protected(proposal):
        return False
    places = (one.where.removeprefix("tree:").rpartition(":")[0] for one in quotes)
    told = "\n".join(one.quote for one in quotes)
    members = case.of(proposal.memories)
    return all(map(instructs, places)) and all(restates(told, memory, WORD_FOR_WORD) for memory in members)
