"""Whether a merge joins one lesson told twice, and a split parts several: no measure of likeness can tell, so what is
asked is what a careless merge or split lacks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memgit.core.decisions.case import Case
from memgit.core.decisions.phrases import LABEL
from memgit.core.decisions.telling import roots
from memgit.core.text.words import sentences
from memgit.model.decision import Kind, Proposal
from memgit.model.history import PassKind

NEAREST = 3
"""Two memories that tell one lesson are each among so many nearest of the other; a further
member may stand between them."""

_BLOCKS = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*•]|\d+[.)])\s)")
_LABELLED = re.compile(r"\s*(?:[-*•]\s*)?\*\*[A-Z][\w ]{0,30}:\*\*")
_FAR = 5  # the same for one side, where the names have a word in common


def careless(proposal: Proposal, case: Case) -> str | None:
    """Why a merge or a split of a curation, or one that a host handed in, is none, or None."""
    if case.kind is not PassKind.CURATE and not proposal.handed_in:
        return None
    match proposal.kind:
        case Kind.MERGE:
            return _strangers(proposal, case) or _strung_together(proposal, case)
        case Kind.SPLIT:
            return _one_fact(proposal, case)
        case _:
            return None


def _strangers(proposal: Proposal, case: Case) -> str | None:
    """Members that are joined by nothing: neither near each other nor spoken of in one breath by the user."""
    members = case.of(proposal.memories)
    spoken = _spoken(proposal, case)
    joined, waiting = {members[0].id}, [member.id for member in members[1:]]
    reach = min(NEAREST, 1 + len(case.memories) // 5) + len(members) - 2
    while near := [name for name in waiting if any(_near(name, other, reach, spoken, case) for other in joined)]:
        joined |= set(near)
        waiting = [name for name in waiting if name not in joined]
    if waiting:
        return f"{waiting[0]} is no near relative of {members[0].id}: others are nearer to each of them."
    return None


def _strung_together(proposal: Proposal, case: Case) -> str | None:
    """A survivor in which no sentence is anybody's but a member's, or a label stands twice, where nothing but the
    proposal says that its members tell one lesson: neither rules nor the user, in one breath, about just these."""
    members, (draft,) = case.of(proposal.memories), proposal.drafts
    names = {memory.id for memory in members}
    labels = LABEL.findall(draft.body)
    written, own = _plain(draft.body), {sentence for memory in members for sentence in _plain(memory.body)}
    one_breath = any(names <= set(case.kinship.closest(text, len(names))) for text in _spoken(proposal, case))
    if len(labels) == len(set(labels)) and (one_breath or not written <= own):
        return None
    if case.told_twice is None or names in case.told_twice():
        return None
    return "It only strings its members together; a merge tells their lesson once, in words that join them."


def _plain(text: str) -> set[str]:
    return {" ".join(re.findall(r"\w+", sentence.lower())) for sentence in sentences(LABEL.sub("\n\n", text))}


def _spoken(proposal: Proposal, case: Case) -> list[str]:
    """The statements of the user that a proposal quotes."""
    return [place.statement for place in case.places(proposal.evidence)]


def _one_fact(proposal: Proposal, case: Case) -> str | None:
    """A memory of one paragraph, with its reason and use, is one fact, unless the user speaks of that very memory."""
    (memory,) = case.of(proposal.memories)
    facts = [part for part in _BLOCKS.split(memory.body) if part.strip() and not _LABELLED.match(part)]
    spoken = _spoken(proposal, case)
    if len(facts) > 1 or any(memory.id in case.kinship.closest(text, 1) for text in spoken):
        return None
    return f"{memory.id} is one fact with its reason and use; there is nothing to split."


def _near(one: str, other: str, reach: int, spoken: Sequence[str], case: Case) -> bool:
    places = (case.kinship.place(one, other), case.kinship.place(other, one))
    if max(places) < reach or (min(places) < _FAR and set(roots(one)) & set(roots(other))):
        return True
    return any({one, other} <= set(case.kinship.closest(text, 2)) for text in spoken)
