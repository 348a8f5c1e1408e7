"""What facts and doubts may look at: the proposal's store, the frozen prose, the tree, and when things were said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from memgit.evidence.quotes import Place, Prose, TreeText, Void, find_said, find_seen, is_a_persons
from memgit.likeness.merges import references
from memgit.likeness.nearness import Weights, told
from memgit.memory.shapes import DIRECTORY, Shape
from memgit.model.decision import Evidence, FactName, Proposal, Said, Seen
from memgit.model.history import PassKind
from memgit.model.session import Digest
from memgit.model.store import Memory
from memgit.model.times import time_of_seconds
from memgit.text.language import DEFAULT, Lexicon, language, lexicon

PROTECTED_TYPES = frozenset({"user", "feedback"})
"""Memories of these types are a person's own words: no file and no assistant can contradict them."""

BASIC_TYPES = frozenset({"user", "feedback", "project", "reference"})
"""The types of the agent's contract; a store's own come on top."""

TRIVIA = "passing state"
"""The claim of a judge's proposal that rests on a memory telling no more than where some task stands."""


@dataclass(frozen=True, slots=True)
class Written:
    """When a memory was last said. It is ``known`` where the memory, its session or the client says so; a file's own
    time says only when somebody last copied it."""

    time: datetime
    known: bool


class Texts:
    """What is compared with each other in a pass, weighed once and only where somebody asks."""

    def __init__(self, memories: Sequence[Memory], prose: Prose) -> None:
        self._memories = memories
        self._prose = prose

    @cached_property
    def weights(self) -> Weights:
        """How much each term tells, by the memories and the messages at hand."""
        messages = (passage.text for passages in self._prose.sessions.values() for passage in passages)
        return Weights((*map(told, self._memories), *messages))

    @cached_property
    def _languages(self) -> dict[str, str]:
        return {}

    def lexicon(self, session: str) -> Lexicon:
        """The words of the language that a session's user writes in."""
        if session not in self._languages:
            passages = self._prose.sessions.get(session, ())
            typed = " ".join(passage.text for passage in passages if is_a_persons(passage.message))
            self._languages[session] = language(typed) or DEFAULT
        return lexicon(self._languages[session])


@dataclass(frozen=True, slots=True)
class Case:
    """Everything that a fact or a doubt may look at. ``referred`` tells how many memories link to each; ``cold_start``
    that there was no usable store, so that nothing in it can be changed."""

    kind: PassKind
    memories: Mapping[str, Memory]
    prose: Prose
    tree_text: TreeText | None = None
    session_ends: Mapping[str, datetime] = field(default_factory=dict)
    referred: Mapping[str, int] = field(default_factory=dict)
    shape: Shape = DIRECTORY
    cold_start: bool = False
    texts: Texts = field(default_factory=lambda: Texts((), Prose(())))

    @property
    def types(self) -> frozenset[str]:
        return BASIC_TYPES | {memory.type for memory in self.memories.values() if memory.type}

    def of(self, ids: Iterable[str]) -> tuple[Memory, ...]:
        return tuple(self.memories[name] for name in ids)

    def protected(self, proposal: Proposal) -> str:
        """The protected type that a proposal touches, or an empty string."""
        types = [memory.type for memory in self.of(proposal.memories)] + [draft.type for draft in proposal.drafts]
        return next((kind.lower() for kind in types if kind.lower() in PROTECTED_TYPES), "")

    def places(self, evidence: Iterable[Evidence]) -> Iterator[Place]:
        """Where in the frozen prose stands what the user is cited with."""
        found = (self.prose.locate(one) for one in evidence if isinstance(one, Said))
        return (place for place in found if isinstance(place, Place))

    def written(self, memory: Memory) -> Written | None:
        """When a memory was last said: ``modified``, else the end of its session, else the file's own time."""
        if memory.modified:
            return Written(memory.modified, known=True)
        if memory.origin_session in self.session_ends:
            return Written(self.session_ends[memory.origin_session or ""], known=True)
        time = time_of_seconds(memory.mtime_ns / 1e9) if memory.mtime_ns > 0 else None
        return Written(time, known=False) if time else None

    def time(self, memory: Memory) -> datetime | None:
        """The same as a time alone."""
        written = self.written(memory)
        return written.time if written else None


def open_case(
    kind: PassKind,
    memories: Sequence[Memory],
    digests: Sequence[Digest],
    tree_text: TreeText | None = None,
    session_ends: Mapping[str, datetime] | None = None,
    shape: Shape = DIRECTORY,
    *,
    cold_start: bool = False,
) -> Case:
    """The case of one pass. Session ends come from the survey, and from the digests where it has none."""
    ends: dict[str, datetime] = {}
    for message in (message for digest in digests for message in digest.messages):
        if message.time:
            ends[message.session] = max(message.time, ends.get(message.session, message.time))
    prose = Prose(digests)
    return Case(
        kind=kind,
        memories={memory.id: memory for memory in memories},
        prose=prose,
        tree_text=tree_text,
        session_ends={**ends, **(session_ends or {})},
        referred=references(memories),
        shape=shape,
        cold_start=cold_start,
        texts=Texts(memories, prose),
    )


def is_memory(evidence: Seen) -> bool:
    """Whether what was seen stands in a memory of the store."""
    return evidence.where.startswith("memory:")


# --- citing ---
# Looking up what a proposal cites: what is found counts, what is not is left out and told.


@dataclass(frozen=True, slots=True)
class Cited:
    """The evidence that was found, completed, and what is void of it."""

    found: tuple[Evidence, ...]
    void: tuple[Void, ...] = ()


def cited(proposal: Proposal, case: Case) -> Cited:
    """Look up everything that a proposal cites.

    What only the agent said counts where a cited message of the user directly answers it: the two are one piece of
    evidence. Everything else that is not there, or is nobody's typing, is void.
    """
    evidence = tuple(_with_answers(proposal.evidence, case.prose))
    looked_up = [_look_up(one, case) for one in evidence]
    found = [one for one in looked_up if not isinstance(one, Void)]
    return Cited(tuple(dict.fromkeys(found)), tuple(one for one in looked_up if isinstance(one, Void)))


def _look_up(evidence: Evidence, case: Case) -> Evidence | Void:
    match evidence:
        case Said():
            return find_said(evidence, case.prose)
        case Seen():
            return find_seen(evidence, case.memories.values(), case.tree_text)


def _with_answers(evidence: Sequence[Evidence], prose: Prose) -> Iterator[Evidence]:
    """The evidence with quotes of the agent joined to those of the user that answer them."""
    places = {one: prose.locate(one) for one in evidence if isinstance(one, Said)}
    agents = [one for one, place in places.items() if isinstance(place, Void) and place.fact is FactName.AGENT]
    joined: dict[Said, Said] = {}
    used: set[Said] = set()
    for one, place in places.items():
        if isinstance(place, Place) and not one.answers:
            asked = next((each for each in agents if each not in used and _answers(one, each, prose)), None)
            if asked:
                used.add(asked)
                joined[one] = replace(one, answers=asked.quote)
    for given in evidence:
        if not isinstance(given, Said):
            yield given
        elif given not in used:
            yield joined.get(given, given)


def _answers(said: Said, asked: Said, prose: Prose) -> bool:
    """Whether the user's words directly answer the agent's, in one session."""
    place = prose.locate(replace(said, answers=asked.quote))
    return isinstance(place, Place) and place.message.session.startswith(asked.session)
