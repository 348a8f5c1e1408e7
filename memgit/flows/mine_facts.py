"""What one session holds that could be remembered, found without an agent: proposed, and nothing written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgit.claims import values
from memgit.errors import WrongState
from memgit.evidence.findings import printable
from memgit.flows.audit import harmless, library
from memgit.flows.prepare import freeze_batch
from memgit.memory.memory import dialect_of, memories, read_memory, render_new, slug
from memgit.model.decision import Draft, Intent
from memgit.model.fact import Extracted, Fact, Refusal, Refused
from memgit.model.session import Batch, Session
from memgit.model.store import Memory, StoreFile
from memgit.rulings.session_facts import about, extract, shown

if TYPE_CHECKING:
    from memgit.flows.prepare import Workshop
    from memgit.ports import WorkingTree


@dataclass(frozen=True)
class Found:
    """What a look at one session came to: facts worth handing in, what speaks against others, and the session."""

    session: str
    extracted: Extracted


def mine_session(shop: Workshop, named: str, calling: str = "") -> Found:
    """Mine one session and propose: the one that is named, else the one that calls, else the newest. What the tree
    shows is refused. Nothing is written.

    Raises WrongState for a named session that is not in the pool, and where there is none at all.
    """
    content, now = shop.store.read(), shop.clock()
    session = _session(shop.transcripts.survey(shop.project, shop.progress).sessions, named, calling)
    digest, _ = freeze_batch(Batch(1, (session,)), shop.transcripts.messages)
    reply = shop.miner.mine(digest, memories(content))
    facts = [
        Fact(draft.name, draft.description, draft.type, draft.body, memory=draft.id)
        for candidate in reply.candidates
        if candidate.intent in (Intent.NEW, Intent.REPLACE)
        for draft in candidate.drafts
    ]
    found = extract(facts, content, now)
    known = _shown(shop.tree, facts, memories(content))
    return Found(session.id, _without(found, known))


def _without(found: Extracted, known: Mapping[Fact, tuple[Refusal, ...]]) -> Extracted:
    """The same with what is known elsewhere among the refused, whatever else speaks against it."""
    against = {each.fact: each.refusals for each in found.refused}
    refused = tuple(Refused(fact, (*against.get(fact, ()), *known.get(fact, ()))) for fact in {**against, **known})
    return Extracted(found.content, tuple(each for each in found.placed if each.fact not in known), refused)


def _session(pool: Sequence[Session], named: str, calling: str) -> Session:
    found = [session for session in pool if session.id.startswith(named)]
    if not found:
        raise WrongState(
            f"There is no session {printable(named)!r} of this project." if named else "There is no session yet.",
            "`memgit curate --dry-run` lists the sessions that can be read.",
        )
    return next((session for session in found if session.id == calling), found[0])


# --- what can be rebuilt ---


def _shown(tree: WorkingTree, facts: Sequence[Fact], store: Sequence[Memory]) -> Mapping[Fact, tuple[Refusal, ...]]:
    """The facts that need no memory. A correction of a memory is none of them: the memory would stay wrong."""
    new = {memory.id: (fact, memory) for fact in facts if about(fact, store) is None for memory in (_memory(fact),)}
    if not new:
        return {}
    told = {name: values.find(memory) for name, (_, memory) in new.items()}
    lines = harmless(tree.occurrences(values.wanted(value for each in told.values() for value in each)))
    documents = library(tree)
    refusals = {
        fact: tuple(shown(memory, tuple(values.judge(memory, told[name], lines)), documents))
        for name, (fact, memory) in new.items()
    }
    return {fact: found for fact, found in refusals.items() if found}


def _memory(fact: Fact) -> Memory:
    """The memory that a fact would become, with names of code marked as such: people type them without."""
    draft = Draft(fact.name, fact.description, fact.type, _CONSTANT.sub(r"`\g<0>`", fact.body))
    return read_memory(StoreFile(f"{slug(fact.name)}.md", render_new(draft, dialect_of(()))))


_CONSTANT = re.compile(r"(?<![`\w])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![`\w])")
