"""What a host takes memories for, held against what it cites: an opinion counts only with a line that is there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memgit.claims.documents import HELD, WORD_FOR_WORD, restates
from memgit.claims.sources import instructs, is_document
from memgit.evidence.findings import mark_up, secrets
from memgit.evidence.quotes import Void, find_seen
from memgit.model.decision import Decision, Kind, Opinion, Proposal, Seen
from memgit.model.store import Memory
from memgit.model.verification import Appraisal, MemoryClass
from memgit.rulings.case import PROTECTED_TYPES, Case

HOST = "host"
"""``Appraisal.by`` of a class that a host gave."""


def weighed(
    opinion: Opinion, case: Case, own: Mapping[str, Appraisal], proposed: Iterable[Proposal]
) -> Appraisal | str:
    """The class that a host gives a memory, or why it does not count. ``own`` are memgit's classes, by memory;
    ``proposed`` is what it proposes and the host has not turned down."""
    memory = case.memories.get(opinion.memory)
    if memory is None:
        return f'There is no memory "{opinion.memory[:80]}" in the store.'
    found = [find_seen(one, case.memories.values(), case.tree_text) for one in opinion.evidence]
    seen = [one for one in found if isinstance(one, Seen)]
    if void := next((one for one in found if isinstance(one, Void)), None):
        return void.says
    if not seen:
        return "It cites no line; not finding something shows nothing."
    if unfit := next((one for one in seen if secrets(one.quote) or mark_up(one.quote)), None):
        return f"The line at {unfit.where} is not one to quote."
    if reason := _unshown(opinion, memory, seen) or _contested(opinion, seen, own, proposed):
        return reason
    return Appraisal(memory.id, opinion.kind, _told(opinion, seen, own.get(memory.id)), HOST)


def _unshown(opinion: Opinion, memory: Memory, seen: list[Seen]) -> str | None:
    told = "\n".join(one.quote for one in seen)
    of_memories = [one.where.removeprefix("memory:") for one in seen if one.where.startswith("memory:")]
    paths = [one.where.removeprefix("tree:").rpartition(":")[0] for one in seen if one.where.startswith("tree:")]
    protected = memory.type.lower() in PROTECTED_TYPES
    match opinion.kind:
        case MemoryClass.UNVERIFIABLE:
            return None if set(of_memories) == {memory.id} else f"Quote the claim of {memory.id} that nothing confirms."
        case MemoryClass.DUPLICATE:
            return None if set(of_memories) - {memory.id} else "Quote the line of the other memory that says the same."
        case MemoryClass.ABSORBED if protected and not all(map(instructs, paths)):
            return f"{memory.id} is a person's own word: only a file of instructions takes it over."
        case MemoryClass.ABSORBED:
            whole = restates(told, memory, WORD_FOR_WORD if protected else HELD)
            documents = bool(paths) and len(paths) == len(seen) and all(map(is_document, paths))
            return None if documents and whole else f"No lines of a document that say what {memory.id} says are cited."
        case _ if len(of_memories) == len(seen):
            return "A memory shows neither that another holds nor that it does not: cite the tree or a commit."
        case _:
            return None


def _contested(
    opinion: Opinion, seen: list[Seen], own: Mapping[str, Appraisal], proposed: Iterable[Proposal]
) -> str | None:
    """A line that memgit proposes a change on does not show that all is well, as long as that proposal stands."""
    was = own.get(opinion.memory)
    if opinion.kind is not MemoryClass.CURRENT or was is None or was.kind is not MemoryClass.STALE:
        return None
    cited = [one for each in proposed if opinion.memory in each.memories for one in each.evidence]
    against = {one.where for one in cited if isinstance(one, Seen)}
    if not any(one.where in against for one in seen):
        return None
    return f"{seen[0].where} is what memgit holds against it: turn its proposal down as well, with the reason."


def _told(opinion: Opinion, seen: list[Seen], was: Appraisal | None) -> str:
    cited = "; ".join(f"{one.where.removeprefix('tree:')} has “{one.quote[:100]}”" for one in seen[:2])
    why = f" ({opinion.why.rstrip('.')})" if opinion.why else ""
    before = f"; memgit by itself: {was.kind}" if was and was.kind is not opinion.kind else ""
    return f"{cited}{why}{before}"


def merged_by_host(decisions: Iterable[Decision], proposals: Iterable[Proposal]) -> dict[str, Appraisal]:
    """The members of each merge that a host handed in and the guards let through, by id."""
    handed = {frozenset(one.memories) for one in proposals if one.handed_in}
    merges = (one for one in decisions if one.kind is Kind.MERGE and frozenset(one.memories) in handed)
    return {
        name: Appraisal(
            name,
            MemoryClass.DUPLICATE,
            f"says what {' and '.join(other for other in each.memories if other != name)} says",
            HOST,
        )
        for each in merges
        for name in each.memories
    }
