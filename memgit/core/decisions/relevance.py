"""Whether a quote speaks of the memory that it is to change: a true sentence about something else proves nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from memgit.core.decisions.case import Case
from memgit.core.decisions.contradictions import environments
from memgit.core.decisions.endings import ends
from memgit.core.decisions.telling import SHORTEST_CUT, roots
from memgit.core.sessions.quotes import Place, locate
from memgit.core.text.details import details, is_measure, missing, valued_alike
from memgit.core.text.words import sentences
from memgit.model.decision import Kind, Proposal, Said
from memgit.model.history import PassKind
from memgit.model.session import Role
from memgit.model.store import Memory

_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}")

_ONE = re.compile(r"\b(?:that|this) (?:\w+ )?(?:rule|note|memory|entry|thing|one)\b", re.IGNORECASE)

HELD = 0.2
"""Share of a statement, by weight, that the memory which it ends must hold; the least of a labelled one is 0.31."""

HELD_BESIDE = 0.15
"""The same of a statement with all that stands beside it, which is about other things, too."""

AS_MUCH = 0.95
"""Another memory that holds so much of the statement as this one makes it unclear which of them is meant."""

BESIDE = 1.35
"""How much more of one breath another memory may hold, by words of its own, where both are ended in it."""

_LARGE = 8  # memories of a store from which on one other may be meant more
_BESIDE = 120  # characters before and after a quote that may say what it speaks of
_BEFORE = 1_500  # characters at the end of the assistant's message to which the user replies


def unrelated(proposal: Proposal, case: Case) -> str | None:
    """Why what is cited does not speak of the memory that goes or changes; None where it does, or nothing was said.

    A merge is backed by words about any of its members: that they say the same is looked at elsewhere.
    """
    said = [one for one in proposal.evidence if isinstance(one, Said)]
    if not said or proposal.kind not in (Kind.REPLACE, Kind.UPDATE, Kind.DROP, Kind.MERGE):
        return None
    words = " ".join(_spoken(one, case) for one in said)
    strangers = [memory.id for memory in case.of(proposal.memories) if not speaks_of(words, memory)]
    if not strangers or (proposal.kind is Kind.MERGE and len(strangers) < len(proposal.memories)):
        return None
    return f"What is cited does not speak of {strangers[0]}: it has no word, number or name of it."


def not_meant(proposal: Proposal, case: Case) -> str | None:
    """Why it is not this memory that the user ends or changes, or None where one quote plainly means it.

    A drop needs a word for ending or being wrong beside the quote, and no other memory that is meant as much.
    """
    places = [place for one in proposal.evidence if isinstance(place := _place(one, case), Place)]
    if case.kind is not PassKind.CURATE or not places:
        return None
    alters = proposal.kind in (Kind.DROP, Kind.REPLACE, Kind.UPDATE)
    if alters and all(_of_another_side(place, one) for place in places for one in case.of(proposal.memories)):
        return f"What is cited is about another environment than {', '.join(proposal.memories)}."
    match proposal.kind:
        case Kind.DROP:
            return _not_ended(proposal, places, case)
        case Kind.REPLACE | Kind.UPDATE:
            (memory,) = case.of(proposal.memories)
            meant = any(_values(place, memory) or _nearly_meant(place, memory, case) for place in places)
            return None if meant else f"What is cited speaks more of other memories than of {memory.id}."
        case _:
            return None


def _of_another_side(place: Place, memory: Memory) -> bool:
    """Whether statement and memory each name environments or platforms, and none in common."""
    said, own = environments(place.statement), environments(f"{memory.id} {memory.text}")
    return bool(said and own) and not said & own


def _not_ended(proposal: Proposal, places: Sequence[Place], case: Case) -> str | None:
    if not any(ends(_beside(place)) for place in places):
        return "What is cited does not say that anything is over or wrong."
    for memory in case.of(proposal.memories):
        if not any(_ended(place, memory, case) for place in places):
            return f"What is cited does not plainly say it of {memory.id}, or says it of another memory as much."
    return None


def _ended(place: Place, memory: Memory, case: Case) -> bool:
    """Whether what is said at a place ends the memory: a sentence of the statement that means it, or one beside it
    that means no other memory, where all that stands there means this one."""
    if ending := _ending(place.statement):
        return any(
            _meant(one, memory, case) or _meant_alone(_context(one, place, case), memory, case, HELD) for one in ending
        )
    beside = _beside(place)
    free = [one for one in _ending(beside) if not _elsewhere(one, place, memory, case)]
    held = case.kinship.held(place.statement)
    means_it = _shares_two(place.statement, memory) and not _above(memory, held, 0)
    return bool(free) and means_it and _meant_alone(beside, memory, case, HELD_BESIDE)


def _elsewhere(ending: str, place: Place, memory: Memory, case: Case) -> bool:
    """Whether a sentence that ends something, by itself or as a reply, means another memory more."""
    texts = (ending, _context(ending, place, case))
    return any(_above(memory, case.kinship.held(text), HELD) for text in texts)


def _ending(text: str) -> list[str]:
    return [one for one in sentences(text) if ends(one)]


def _above(memory: Memory, held: Mapping[str, float], least: float) -> list[str]:
    """The memories that hold more of a text than this one, and at least so much."""
    return [name for name, share in held.items() if share > held[memory.id] and share >= least]


def _meant(statement: str, memory: Memory, case: Case) -> bool:
    """Whether a statement is about a memory: a fair share of it, and no other memory explains it as well. One breath
    may end two memories, as long as each is meant by words of its own, and it does not speak of one ("that rule")."""
    if _UNSPACED.search(statement):
        return speaks_of(statement, memory)
    held = case.kinship.held(statement)
    mine = held[memory.id]
    beside = (
        held[name] <= mine * BESIDE and case.kinship.apart(memory.id, name, statement) for name in _rivals(memory, held)
    )
    first = not (_ONE.search(statement) and _above(memory, held, HELD))
    return mine >= HELD and first and all(beside)


def _meant_alone(window: str, memory: Memory, case: Case, least: float) -> bool:
    """Whether a text of several sentences is about one memory more than about any other."""
    held = case.kinship.held(window)
    return held[memory.id] >= least and not _rivals(memory, held)


def _rivals(memory: Memory, held: Mapping[str, float]) -> list[str]:
    return [name for name, share in held.items() if name != memory.id and share > AS_MUCH * held[memory.id]]


def _context(statement: str, place: Place, case: Case) -> str:
    """A statement and what it replies to; nothing where the statement by itself is about some memory."""
    if max(case.kinship.held(statement).values()) >= HELD:
        return ""
    return f"{statement} {_replied_to(place, case)}"


def _windows(place: Place, case: Case) -> Iterator[str]:
    """What may say that a memory is meant."""
    yield place.statement
    yield _beside(place)
    yield _context(place.statement, place, case)


def _replied_to(place: Place, case: Case) -> str:
    messages = [message for digest in case.digests for message in digest.messages]
    at = messages.index(place.message)
    before = messages[at - 1] if at else None
    same = before is not None and before.session == place.message.session and before.role is Role.ASSISTANT
    return before.text[-_BEFORE:] if before and same else ""


def _nearly_meant(place: Place, memory: Memory, case: Case) -> bool:
    if not _UNSPACED.search(place.statement) and not (
        _shares_two(place.statement, memory) or _names_its_own(place.statement, memory, case)
    ):
        return False
    near = 1 if len(case.memories) >= _LARGE else 0
    return any(
        held[memory.id] >= HELD_BESIDE and sum(share > held[memory.id] for share in held.values()) <= near
        for held in map(case.kinship.held, _windows(place, case))
    )


def _shares_two(statement: str, memory: Memory) -> bool:
    """Whether a statement has two telling words of a memory: one of them is in many a sentence about anything."""
    about = {root[:4] for root in roots(f"{memory.id} {memory.name} {memory.text}")}
    return len({root[:4] for root in roots(statement)} & about) > 1


def _names_its_own(statement: str, memory: Memory, case: Case) -> bool:
    """Whether a statement has a name of a memory that no other memory has."""
    others = "\n".join(other.text for other in case.memories.values() if other.id != memory.id)
    own = (one for one in details(memory.text) if one.is_named and not missing([one], statement))
    return any(missing([one], others) for one in own)


def _values(place: Place, memory: Memory) -> bool:
    """Whether a quote gives a value of a measure that the memory has one of, or a word of the memory's name."""
    names = set(re.findall(r"[^\W_]+", f"{memory.id} {memory.name}".lower()))
    named = names & set(re.findall(r"[^\W_]+", place.statement.lower()))
    return bool(named) or any(
        valued_alike(old, new) and (is_measure(old) or heads(old.unit, memory))
        for old in details(memory.text)
        for new in details(place.statement)
    )


def heads(unit: str, memory: Memory) -> bool:
    """Whether what is counted is what the memory is about: "20 ticks" of the tick rate, not "60 customers" of an
    incident that also had some."""
    return unit[:4] in f"{memory.id} {memory.name} {memory.description}".lower()


def _beside(place: Place) -> str:
    return place.text[max(0, place.start - _BESIDE) : place.end + _BESIDE]


def _place(one: object, case: Case) -> Place | str:
    return locate(one, case.digests) if isinstance(one, Said) else ""


def _spoken(said: Said, case: Case) -> str:
    """The quote and the sentence around it."""
    place = locate(said, case.digests)
    return said.quote if isinstance(place, str) else f"{said.quote} {place.sentence}"


def speaks_of(words: str, memory: Memory) -> bool:
    """Whether any word, number or name of ``words`` is one of the memory's: endings aside, and as a part of a
    compound on either side."""
    about = f"{memory.id} {memory.name} {memory.text}".lower()
    if any(pair in about for pair in _UNSPACED.findall(words)):
        return True
    own = tuple({root for root in roots(about) if len(root) >= SHORTEST_CUT})
    return any(root.startswith(own) or re.search(rf"(?<![^\W_]){re.escape(root)}", about) for root in roots(words))
