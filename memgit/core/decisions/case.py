"""What guards know when they look at a proposal: the store, the frozen prose, the tree, and when things were said."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from memgit.core.decisions.kinship import Kinship
from memgit.core.memories.survivor import references
from memgit.core.screening.findings import whole
from memgit.core.sessions.quotes import Place, TreeText, locate
from memgit.core.store.shapes import DIRECTORY, Shape
from memgit.model.decision import Evidence, Proposal, Said, Seen
from memgit.model.history import PassKind
from memgit.model.session import Digest
from memgit.model.store import Memory

PROTECTED_TYPES = frozenset({"user", "feedback"})
"""Memories of these types are a person's own words: no file and no assistant can contradict them."""

BASIC_TYPES = frozenset({"user", "feedback", "project", "reference"})
"""The types of the agent's contract; a store's own come on top."""


ToldTwice = Callable[[], Sequence[frozenset[str]]]
"""Gives the groups of ids of memories that rules, and no model, take for one lesson."""


@dataclass(frozen=True, slots=True)
class Case:
    """Everything that a guard may look at. ``prose`` holds the lower-case words of each session's kept messages,
    ``referred`` how many memories link to each."""

    kind: PassKind
    memories: Mapping[str, Memory]
    digests: tuple[Digest, ...]
    tree_text: TreeText | None = None
    session_ends: Mapping[str, datetime] = field(default_factory=dict)
    prose: Mapping[str, frozenset[str]] = field(default_factory=dict)
    referred: Mapping[str, int] = field(default_factory=dict)
    kinship: Kinship = field(default_factory=lambda: Kinship(()))
    told_twice: ToldTwice | None = None
    shape: Shape = DIRECTORY

    @property
    def types(self) -> frozenset[str]:
        return BASIC_TYPES | {memory.type for memory in self.memories.values() if memory.type}

    def of(self, ids: Iterable[str]) -> tuple[Memory, ...]:
        return tuple(self.memories[name] for name in ids)

    def protected(self, proposal: Proposal) -> str:
        """The protected type that a proposal touches, or an empty string."""
        types = [memory.type for memory in self.of(proposal.memories)] + [draft.type for draft in proposal.drafts]
        return next((kind.lower() for kind in types if kind.lower() in PROTECTED_TYPES), "")

    def places(self, evidence: Iterable[Evidence]) -> list[Place]:
        """Where in the frozen prose stands what the user is cited with."""
        found = (locate(one, self.digests) for one in evidence if isinstance(one, Said))
        return [place for place in found if isinstance(place, Place)]

    def written(self, memory: Memory) -> datetime | None:
        """When a memory was last said: ``modified``, else the end of its session, else the file's time."""
        if memory.modified:
            return memory.modified
        if memory.origin_session in self.session_ends:
            return self.session_ends[memory.origin_session or ""]
        return datetime.fromtimestamp(memory.mtime_ns / 1e9, UTC) if memory.mtime_ns > 0 else None

    def vocabulary(self, evidence: Sequence[Evidence]) -> frozenset[str]:
        """The words of the evidence, of where it stands, and of the sessions it comes from."""
        places = [words(one.where) for one in evidence if isinstance(one, Seen)]
        said = [one for one in evidence if isinstance(one, Said)]
        sessions = [self.prose.get(one.session, frozenset()) for one in said]
        dates = [words(one.time) for one in said]
        return frozenset().union(*sessions, *dates, *places, *(words(one.quote) for one in evidence))


def open_case(
    kind: PassKind,
    memories: Sequence[Memory],
    digests: Sequence[Digest],
    tree_text: TreeText | None,
    session_ends: Mapping[str, datetime],
    told_twice: ToldTwice | None = None,
    shape: Shape = DIRECTORY,
) -> Case:
    """The case of one pass. Session ends come from the survey, and from the digests where it has none."""
    ends: dict[str, datetime] = {}
    prose: dict[str, set[str]] = {}
    for message in (message for digest in digests for message in digest.messages):
        prose.setdefault(message.session, set()).update(words(message.text))
        if message.time:
            ends[message.session] = max(message.time, ends.get(message.session, message.time))
    return Case(
        kind=kind,
        memories={memory.id: memory for memory in memories},
        digests=tuple(digests),
        tree_text=tree_text,
        session_ends={**ends, **session_ends},
        prose={session: frozenset(found) for session, found in prose.items()},
        referred=references(memories),
        kinship=Kinship(memories),
        told_twice=told_twice,
        shape=shape,
    )


def words(text: str) -> frozenset[str]:
    """The lower-case words and numbers of a text, names also in their parts."""
    lowered = re.sub(r"(?<=\d)_(?=\d{3})", "", whole(text).lower())  # 1_024 is 1024
    return frozenset(re.findall(r"\w+", lowered)) | frozenset(re.findall(r"[^\W_]+", lowered))


def is_memory(evidence: Seen) -> bool:
    """Whether what was seen stands in a memory of the store."""
    return evidence.where.startswith("memory:")
