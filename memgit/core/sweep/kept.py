"""The other passes over a store of beads: they compare what memories say, and a memory that they reword keeps its
header, with what the headers of those it takes in hold beyond it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from memgit.core.sweep.header import Marked, marked, united
from memgit.memory.shapes import BEADS, key_of
from memgit.model.decision import Draft, Kind, Proposal
from memgit.model.store import Memory

_TELLING = ("type", "salience", "created")
"""Fields of which a memory has one value: where two differ, the keeper's stays, and that is said."""


def facts(store: Iterable[Memory], shape: str) -> tuple[Memory, ...]:
    """The memories as what they say: of beads the facts beneath their marks, of other stores as they are."""
    if shape != BEADS:
        return tuple(store)
    return tuple(replace(memory, body=marked(memory.body).body) for memory in store)


def standing(store: Iterable[Memory], shape: str) -> tuple[Memory, ...]:
    """Those that nothing has superseded."""
    return tuple(memory for memory in store if shape != BEADS or marked(_whole(memory)).superseded is None)


def with_headers(proposal: Proposal, members: Sequence[Memory]) -> Proposal:
    """The proposal with each reworded memory's own header, whatever its wording brings in front; of a merge with the
    references and tags of all. ``members`` are the memories that it speaks of."""
    if not any(draft.id for draft in proposal.drafts):
        return proposal
    drafts = tuple(_headed(draft, proposal, members) for draft in proposal.drafts)
    differing = _differing(proposal, members)
    return replace(proposal, drafts=drafts, justification=" ".join((proposal.justification, *differing)))


def _headed(draft: Draft, proposal: Proposal, members: Sequence[Memory]) -> Draft:
    own = next((memory for memory in members if memory.id == draft.id), None)
    if own is None:
        return draft
    parts = marked(_whole(own))
    if proposal.kind is Kind.MERGE:
        parts = united(parts, [marked(_whole(each)) for each in members], frozenset(map(_key, members)))
    return replace(draft, body=replace(parts, body=marked(draft.body).body).text())


def _differing(proposal: Proposal, members: Sequence[Memory]) -> list[str]:
    """What the headers of a merge's members say that the keeper's says otherwise, a sentence for each memory."""
    kept = next((memory for memory in members if memory.id == proposal.drafts[0].id), None)
    if kept is None or proposal.kind is not Kind.MERGE:
        return []
    own = marked(_whole(kept))
    others = ((memory, _others(marked(_whole(memory)), own)) for memory in members if memory is not kept)
    return [
        f"{_key(kept)} keeps its own header; that of {_key(memory)} says {said}." for memory, said in others if said
    ]


def _others(other: Marked, own: Marked) -> str:
    names = (name for name in _TELLING if other.fields.get(name) and own.fields.get(name))
    return ", ".join(f"@{name}={other.fields[name]}" for name in names if other.fields[name] != own.fields[name])


def _whole(memory: Memory) -> str:
    """The text as the store has it, whether or not the memory was made bare."""
    return memory.data.decode("utf-8", "replace").replace("\r\n", "\n").strip()


def _key(memory: Memory) -> str:
    return key_of(memory.path) or memory.id
