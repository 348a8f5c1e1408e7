"""What could go from a store: copies, and memories that nobody uses; what is asked: lessons told twice; and what is
only told: contradictions, memories of things that are gone.

A memory that is pinned is exempt from everything, age alone is no reason, and a contradiction is never settled here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import chain
from types import MappingProxyType

from memgit.claims.appraise import Finding, is_protected
from memgit.core.prune.recalls import Recalls
from memgit.likeness.merges import is_original, merge, references
from memgit.likeness.pairs import equal, opposed
from memgit.memory.memory import written, written_on
from memgit.model.decision import Kind, Proposal, Seen
from memgit.model.store import Memory
from memgit.model.times import days_before
from memgit.model.verification import MemoryClass
from memgit.text.layout import counted, line
from memgit.text.markdown import sentences
from memgit.text.words import content_words

# --- company ---
# The memories of a large store that share enough rare words with another one to be about the same thing.
#
# Comparing by meaning grows with the number of memories and, among neighbours in time, with its square. A memory whose
# rare words stand together nowhere else is about something of its own, and need not be compared.

_RAREST = 10
"""Words of a memory that are looked up: those that fewest others have."""

_COMMON = 80
"""Memories with a word beyond which it says nothing of what they are about."""

_SHARED = 3
"""Rare words in common that make two memories companions; of a memory with fewer, all of them."""


def in_company(memories: Sequence[Memory]) -> tuple[Memory, ...]:
    """Those that have a companion, in their order."""
    words = [content_words(memory.text) for memory in memories]
    counts = Counter(word for each in words for word in each)
    rare = [_rarest(each, counts) for each in words]
    having: defaultdict[str, list[int]] = defaultdict(list)
    for number, each in enumerate(rare):
        for word in each:
            having[word].append(number)
    return tuple(memory for memory, each in zip(memories, rare, strict=True) if each and _has_companion(each, having))


def _rarest(words: frozenset[str], counts: Counter[str]) -> tuple[str, ...]:
    shared = (word for word in words if 1 < counts[word] <= _COMMON)
    return tuple(sorted(shared, key=lambda word: (counts[word], word))[:_RAREST])


def _has_companion(rare: Sequence[str], having: defaultdict[str, list[int]]) -> bool:
    met = Counter(chain.from_iterable(having[word] for word in rare))
    nearest = sorted(met.values())[-2:]  # the last is the memory itself
    return len(nearest) == 2 and nearest[0] >= max(2, min(_SHARED, len(rare)))


ORPHAN = "orphan"
"""The claim of a proposal that rests on nobody having used the memory."""

ALIKE = 0.3
"""The chance from which two memories are asked about as one lesson."""

COPY, LESSON = "copy", "same lesson"
"""The claims of merges: what is equal but for form, and what only a person can tell."""

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Terms:
    """What a prune may do. ``alike`` is the chance (0 to 1) from which two memories are asked about as one lesson;
    ``window`` days may lie between them; an orphan was not recalled for ``orphan_days``. ``pins`` are ids that are left
    alone."""

    alike: float = ALIKE
    window: int = 180
    orphan_days: int = 30
    include_stale: bool = False
    pins: tuple[str, ...] = ()


Pair = tuple[str, str, float]
"""The ids of two memories, and how near they are, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Pruning:
    """What a prune would do, ask and only tell. ``stale`` are flagged with the evidence, ``contradictions`` have both
    sides and their days; ``no_orphans`` says why none is proposed. ``passed_over`` memories of a database that keeps
    vectors have none to be compared by."""

    memories: int
    pinned: tuple[str, ...]
    proposals: tuple[Proposal, ...]
    stale: tuple[tuple[str, str], ...]
    contradictions: tuple[str, ...]
    no_orphans: str = ""
    passed_over: int = 0

    def of(self, *claims: str) -> tuple[Proposal, ...]:
        return tuple(proposal for proposal in self.proposals if proposal.claim in claims)


def pool(store: Sequence[Memory], terms: Terms) -> tuple[Memory, ...]:
    """The memories that a prune may touch."""
    return tuple(memory for memory in store if not (memory.pinned or memory.id in terms.pins))


def copies(
    free: Sequence[Memory], cited: Mapping[str, int] = MappingProxyType({}), listed: Collection[str] = ()
) -> Iterator[Proposal]:
    """Memories that are equal but for form, merged into the original: no copy by its name, one that the index lists,
    the one that the store cites most, else the newest."""
    referred = Counter(references(free)) + Counter(cited)
    for members in equal(free):
        kept = max(members, key=lambda each: (*is_original(each, listed), *_weight(each, referred)))
        why = f"{len(members)} memories are equal but for case, white space, punctuation and mark-up; {kept.id} stays."
        yield replace(merge(members, kept, why), claim=COPY)


def _weight(memory: Memory, cited: Mapping[str, int]) -> tuple[int, datetime, str]:
    return cited.get(memory.id, 0), written(memory) or _LONG_AGO, memory.id


def left_of(free: Sequence[Memory], proposals: Iterable[Proposal]) -> tuple[Memory, ...]:
    """The memories that stay when merges are done."""
    going = {name for one in proposals for name in one.memories if name not in {draft.id for draft in one.drafts}}
    return tuple(memory for memory in free if memory.id not in going)


def lessons(
    free: Sequence[Memory], pairs: Iterable[Pair], terms: Terms, cited: Mapping[str, int] = MappingProxyType({})
) -> Iterator[Proposal]:
    """Questions about memories that may state one lesson within the window, the likeliest first. Of those that a person
    makes one, the most referred to stays, then the most recent, a copy by its name never."""
    by_id = {memory.id: memory for memory in free}
    referred = Counter(references(free)) + Counter(cited)
    for one, other, chance in sorted(pairs, key=lambda pair: -pair[2]):
        members = tuple(by_id[name] for name in (one, other) if name in by_id)
        if len(members) == 2 and chance >= terms.alike and _within(members, terms.window):
            keeper = max(members, key=lambda each: (*is_original(each), *_weight(each, referred)))
            asked = merge(members, keeper, "They are near each other.")
            yield replace(asked, claim=LESSON, asks=f"Do {one} and {other} say the same?")


def _within(members: Sequence[Memory], days: int) -> bool:
    times = [written(member) or _LONG_AGO for member in members]
    return (max(times) - min(times)) / timedelta(days=1) <= days


def _first_line(memory: Memory) -> str:
    return next(iter(sentences(memory.body)), "") or memory.description


def orphans(
    store: Sequence[Memory], free: Sequence[Memory], recalls: Recalls, terms: Terms, now: datetime, taken: Iterable[str]
) -> Iterator[Proposal]:
    """Memories that nothing links to and no session recalled, old enough to have had the chance. A person's own words
    are read from the index and need no recall."""
    since = days_before(now, terms.orphan_days)
    if not recalls.covers(since):
        return
    referred, used = Counter(references(store)) + Counter(recalls.cited), set(taken)
    for memory in free:
        when = written(memory)
        if memory.id in used or is_protected(memory) or referred.get(memory.id) or when is None or when > since:
            continue
        last = recalls.last.get(memory.id)
        if last is None or last < since:
            told = f"last {last:%Y-%m-%d}" if last else "never seen"
            days = counted(terms.orphan_days, "day")
            silent = "no search found it" if recalls.counting else f"none of {_looked(recalls)} recalled it"
            reason = f"Nothing links to it, and {silent} in {days} ({told}); written {written_on(memory)}."
            yield Proposal(
                Kind.DROP, reason, (Seen(f"memory:{memory.id}", _first_line(memory)),), (memory.id,), claim=ORPHAN
            )


def _looked(recalls: Recalls) -> str:
    return counted(recalls.sessions, "session")


def why_no_orphans(recalls: Recalls, terms: Terms, now: datetime) -> str:
    """Why no orphan can be proposed; empty where orphans can be told."""
    if recalls.lacks:
        return recalls.lacks
    if not recalls.last and not recalls.counting:
        return "no transcript shows a memory being read, so nobody can tell which are never recalled"
    if not recalls.covers(days_before(now, terms.orphan_days)):
        days = counted(terms.orphan_days, "day")
        return f"the transcripts do not reach back {days}, and missing ones are no sign of no recall"
    return ""


def stale(findings: Iterable[Finding], free: Sequence[Memory]) -> tuple[Finding, ...]:
    """The findings of memories whose subject is gone or different now, of those that may be touched."""
    names = {memory.id for memory in free}
    return tuple(one for one in findings if one.appraisal.kind is MemoryClass.STALE and one.appraisal.memory in names)


_YOUNG = timedelta(days=7)


def spared(free: Sequence[Memory], recalls: Recalls, now: datetime) -> Iterator[str]:
    """The memories of a database that are never removed: others rest on them, or they are of the last days."""
    for memory in free:
        when = written(memory)
        if recalls.cited.get(memory.id) or when is None or when > now - _YOUNG:
            yield memory.id


def stale_drops(found: Iterable[Finding], taken: Iterable[str]) -> Iterator[Proposal]:
    """Deletions of flagged memories, as the user asked for: not of what has moved or may have another value."""
    used = set(taken)
    for one in found:
        if one.gone and one.appraisal.memory not in used:
            reason = f"{one.appraisal.evidence[:1].upper()}{one.appraisal.evidence[1:]}."
            yield Proposal(Kind.DROP, reason, one.gone, (one.appraisal.memory,), claim="stale")


def called_contradictory(store: Mapping[str, Memory], pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Memories between which the store itself keeps a contradiction, with both sides and their days."""
    for first, second in pairs:
        if first in store and second in store:
            yield f"{as_told(store[first])} against {as_told(store[second])}: an edge calls them contradictory"


def contradictions(
    store: Mapping[str, Memory], pairs: Iterable[tuple[str, str, float]]
) -> Iterator[tuple[frozenset[str], str]]:
    """Memories on one thing that cannot both hold, and what is told of them: both sides and their days. Only their user
    settles them."""
    for first, second, _ in pairs:
        one, other = store[first], store[second]
        if why := opposed(one, other):
            yield frozenset((first, second)), f"{as_told(one)} against {as_told(other)}: {line(why)}"


def as_told(memory: Memory) -> str:
    """What a memory says, in a line; its first sentence where it has no description."""
    return f"“{line(memory.description or _first_line(memory))}” ({memory.id}, {written_on(memory)})"
