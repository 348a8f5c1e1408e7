"""What every sweep's proposals must keep to, whoever proposes them; and how the common guards read marked memories."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from memgit.core.sweep.filing import filed, newest_continuation
from memgit.core.sweep.header import marked
from memgit.core.sweep.knowledge import cooled
from memgit.core.sweep.taxonomy import Life
from memgit.model.decision import Draft, Kind, Proposal, Said, Seen
from memgit.model.store import Memory
from memgit.rulings.case import Case


def forbidden(proposal: Proposal, case: Case) -> str | None:
    """Why a sweep must not do this, or None: nothing is lost for good but exact duplicates and cited noise, a mark
    names a memory that is there, and the newest continuation stays."""
    kept = {draft.id for draft in proposal.drafts}
    gone = [memory for memory in case.of(proposal.memories) if memory.id not in kept]
    marks = [draft for draft in proposal.drafts if draft.id and marked(draft.body).superseded]
    retired = {*(memory.id for memory in gone), *(draft.id for draft in marks if _is_new(draft, case))}
    return (
        _retires_newest(retired, case)
        or _forgets(proposal, gone, case)
        or _names_nothing(proposal, marks, case)
        or _shrinks(proposal, marks, case)
    )


def only_marks(proposal: Proposal, case: Case) -> bool:
    """Whether a change leaves every fact as it is, and only what is said of it in front is another."""
    return proposal.kind is Kind.UPDATE and all(
        marked(draft.body).body.strip() == marked(case.memories[draft.id].body).body.strip()
        and draft.body != case.memories[draft.id].body
        for draft in proposal.drafts
    )


def beneath(proposal: Proposal, case: Case) -> tuple[Proposal, Case]:
    """Proposal and case as the facts beneath the marks; a merge without the members that it only marks."""
    facts = {name: replace(memory, body=marked(memory.body).body) for name, memory in case.memories.items()}
    drafts = [replace(draft, body=marked(draft.body).body) for draft in proposal.drafts]
    if proposal.kind is Kind.MERGE:
        drafts = drafts[:1]
    return replace(proposal, drafts=tuple(drafts)), replace(case, memories=facts)


def _retires_newest(retired: set[str], case: Case) -> str | None:
    if not retired:
        return None
    newest = newest_continuation(filed(case.memories.values()))
    if newest is None or newest.memory.id not in retired:
        return None
    return f"{newest.key} is the newest continuation; it is never retired."


def _forgets(proposal: Proposal, gone: list[Memory], case: Case) -> str | None:
    """What goes for good must stand word for word in what stays, or be noise by something outside the store."""
    cited = any(not (isinstance(one, Seen) and one.where.startswith("memory:")) for one in proposal.evidence)
    if proposal.kind is Kind.DROP and (beads := _beads(proposal, case)):
        return next((reason for one in gone if (reason := _is_not_moved(one, beads))), None)
    if proposal.kind is Kind.DROP and cited:
        return next((f"{one.id} is no noise: it lasts." for one in gone if _lasts(one)), None)
    stays = [case.memories[name] for name in case.memories.keys() - {memory.id for memory in gone}]
    for memory in gone:
        if not any(_fact(memory) == _fact(other) for other in stays):
            return f"{memory.id} would be gone for good, and no memory that stays is its exact duplicate."
    return None


def _beads(proposal: Proposal, case: Case) -> list[str]:
    """The texts of the beads that a proposal cites."""
    places = [one.where for one in proposal.evidence if isinstance(one, Seen) and one.where.startswith("bead:")]
    return [" ".join(((case.tree_text and case.tree_text(place)) or "").split()) for place in places]


def _is_not_moved(memory: Memory, beads: list[str]) -> str | None:
    """Why a memory may not go into a bead: none that is cited holds all of it, or it is one that sessions are told."""
    (one,) = filed([memory])
    if not any(_fact(memory) in text for text in beads):
        return f"{memory.id} would be gone for good, and no bead that is cited holds all that it says."
    return f"{memory.id} lasts, and has not cooled." if one.of(Life.DURABLE) and not cooled(one) else None


def _lasts(memory: Memory) -> bool:
    (one,) = filed([memory])
    return one.of(Life.DURABLE)


def _names_nothing(proposal: Proposal, marks: list[Draft], case: Case) -> str | None:
    """A mark names a memory of the store that stands, or the one that the same decision writes."""
    written = {draft.name for draft in proposal.drafts if not draft.id}
    known = written | set(_standing_keys(case))
    for draft in marks:
        _, key = marked(draft.body).superseded or ("", "")
        if key not in known and _is_new(draft, case):
            return f"{draft.id} would be marked as superseded by {key[:80]!r}, which is no memory that stands."
    return None


def _shrinks(proposal: Proposal, marks: list[Draft], case: Case) -> str | None:
    """A mark leaves the text as it is, and only the user's word takes a part of one away."""
    if torn := next((draft for draft in marks if _folded(draft.body) != _fact(case.memories[draft.id])), None):
        return f"{torn.id} would be marked as superseded with another text than its own."
    if proposal.kind not in (Kind.UPDATE, Kind.REPLACE) or any(isinstance(one, Said) for one in proposal.evidence):
        return None
    lost = (draft.id for draft in proposal.drafts if _fact(case.memories[draft.id]) not in _folded(draft.body))
    return next((f"{name} would say less than it does, and no user said so." for name in lost), None)


def _standing_keys(case: Case) -> Iterator[str]:
    return (one.key for one in filed(case.memories.values()) if one.stands)


def _is_new(draft: Draft, case: Case) -> bool:
    """Whether the draft brings a mark that its memory does not have."""
    return marked(draft.body).superseded != marked(case.memories[draft.id].body).superseded


def _fact(memory: Memory) -> str:
    return _folded(memory.body)


def _folded(text: str) -> str:
    return " ".join(marked(text).body.split())
