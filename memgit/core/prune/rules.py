"""What could go from a store: copies, lessons told twice, memories nobody uses; and what is only told: contradictions,
memories of things that are gone.

A memory that is pinned is exempt from everything, age alone is no reason, and a contradiction is never settled here.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from difflib import SequenceMatcher
from itertools import chain, combinations
from types import MappingProxyType

from memgit.claims.appraise import Finding, is_protected
from memgit.core.decisions.contradictions import conflicts, environments
from memgit.core.prune.nearly import NEAR, near_groups
from memgit.core.prune.recalls import Recalls
from memgit.core.text.details import Detail, DetailKind, details, missing
from memgit.likeness.merges import is_original, references
from memgit.likeness.pairs import opposed
from memgit.memory.memory import written, written_on
from memgit.model.decision import Draft, Kind, Proposal, Seen
from memgit.model.store import Memory
from memgit.model.times import days_before
from memgit.model.verification import MemoryClass
from memgit.text.layout import counted, line
from memgit.text.markdown import claim, sentences
from memgit.text.words import STOP_WORDS, content_words, stem

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


# --- apart ---
# What keeps two memories from being one, however alike they read: the strict veto of a prune.

_HOST = re.compile(r"\b(?:[a-z][\w-]*\.)+[a-z]{2,}\b|\b[a-z]+-?[a-z]*-?\d{1,3}\b", re.IGNORECASE)
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|cannot|without|neither|nor|avoid\w*|forbid\w*|forbidden|banned|stop|skip"
    r"|nicht|nie|kein\w*)\b|n['’]t\b",
    re.IGNORECASE,
)
_VALUES = frozenset({DetailKind.NUMBER, DetailKind.VERSION, DetailKind.DATE})


def told_apart(one: Memory, other: Memory) -> str | None:
    """Why two memories must not be merged: a number, unit, version, date, environment, host or name that each has and
    the other lacks, or a yes against a no. None where nothing tells them apart."""
    here, there = claim(one), claim(other)
    if environments(here) != environments(there) and environments(here) and environments(there):
        return f"{_listed(environments(here))} against {_listed(environments(there))}"
    mine, theirs = missing(details(here), there), missing(details(there), here)
    if pair := _opposed(mine, theirs):
        return f"{pair[0].text} against {pair[1].text}"
    hosts = {match.lower() for match in _HOST.findall(here)}, {match.lower() for match in _HOST.findall(there)}
    if hosts[0] - hosts[1] and hosts[1] - hosts[0]:
        return f"{_listed(hosts[0] - hosts[1])} against {_listed(hosts[1] - hosts[0])}"
    if swapped := other_words_in_one_frame(here, there):
        return f"{swapped[0]} against {swapped[1]}"
    if bool(_NEGATION.search(one.description)) != bool(_NEGATION.search(other.description)) and _same_frame(one, other):
        return "one says no where the other says yes"
    return next(iter(conflicts(here, there)), None)


def other_words_in_one_frame(one: str, other: str) -> tuple[str, str] | None:
    """The telling words that two texts have in each other's place, where they share the words around them: nobody who
    words a lesson anew keeps its frame, so these are two lessons, or two sides of one."""
    mine, theirs = _WORD.findall(one.lower())[:_LONGEST], _WORD.findall(other.lower())[:_LONGEST]
    steps = SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes()
    if 2 * sum(j - i for tag, i, j, _, _ in steps if tag == "equal") < _FRAME * (len(mine) + len(theirs)):
        return None
    swaps = ((_telling(mine[i:j]), _telling(theirs[m:n])) for tag, i, j, m, n in steps if tag == "replace")
    return next(((here[0], there[0]) for here, there in swaps if here and there and set(here) != set(there)), None)


_WORD = re.compile(r"\w+")
_LONGEST = 400  # words of a text that are compared in order
_FRAME = 0.55


def _telling(words: list[str]) -> list[str]:
    return [stem(word) for word in words if word not in STOP_WORDS]


def any_told_apart(members: tuple[Memory, ...]) -> str | None:
    """The first reason among all pairs of a group."""
    pairs = combinations(members, 2)
    return next((reason for one, other in pairs if (reason := told_apart(one, other))), None)


def _opposed(mine: tuple[Detail, ...], theirs: tuple[Detail, ...]) -> tuple[Detail, Detail] | None:
    """A detail of each that the other lacks, both values or both names."""
    for one in mine:
        for other in theirs:
            if (one.kind in _VALUES) == (other.kind in _VALUES):
                return one, other
    return None


def _same_frame(one: Memory, other: Memory) -> bool:
    words = [set(re.findall(r"\w+", memory.description.lower())) for memory in (one, other)]
    return len(words[0] & words[1]) >= 0.7 * min(map(len, words))


def _listed(names: frozenset[str] | set[str]) -> str:
    return ", ".join(sorted(names))


ORPHAN = "orphan"
"""The claim of a proposal that rests on nobody having used the memory."""

ALIKE = 0.84
"""Nearness in meaning from which two memories may be one lesson. Measured on labelled pairs: nothing that is only
related comes above 0.79, and of what contradicts each other and no rule sees, nothing above 0.83."""

COPY, LESSON = "copy", "same lesson"
"""The claims of merges of both levels."""

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Terms:
    """What a prune may do. ``near`` is the share of words that copies have in common, ``alike`` the nearness in meaning
    (0 to 1) from which two may be one lesson; ``window`` days may lie between
    two memories of one lesson; an orphan was not recalled for ``orphan_days``. ``pins`` are ids that are left alone."""

    near: float = NEAR
    alike: float = ALIKE
    window: int = 180
    orphan_days: int = 30
    include_stale: bool = False
    pins: tuple[str, ...] = ()


Pair = tuple[str, str, float]
"""The ids of two memories and the cosine of their vectors."""


@dataclass(frozen=True, slots=True)
class Nominated:
    """The pairs that vectors take for one thing, nearest first, and how many memories have none to be compared."""

    pairs: tuple[Pair, ...]
    passed_over: int


@dataclass(frozen=True, slots=True)
class Suspects:
    """``pairs`` that may be one thing, those that nothing tells apart first and of them the nearest first, with a line
    on each; ``beyond`` are those that are not told, ``passed_over`` the memories without a vector to be compared."""

    pairs: tuple[Pair, ...] = ()
    lines: tuple[str, ...] = ()
    beyond: int = 0
    passed_over: int = 0


@dataclass(frozen=True, slots=True)
class Pruning:
    """What a prune would do and what it only tells. ``stale`` are flagged with the evidence, ``contradictions`` have
    both sides and their days; ``no_orphans`` says why none is proposed. ``suspects`` is None where a store keeps no
    vectors."""

    memories: int
    pinned: tuple[str, ...]
    proposals: tuple[Proposal, ...]
    stale: tuple[tuple[str, str], ...]
    contradictions: tuple[str, ...]
    no_orphans: str = ""
    suspects: Suspects | None = None

    def of(self, *claims: str) -> tuple[Proposal, ...]:
        return tuple(proposal for proposal in self.proposals if proposal.claim in claims)


Join = Callable[[Sequence[Memory], Memory], Draft]
"""Words one memory from several: the second is the one that stays, and it then says all that the others say."""


def pool(store: Sequence[Memory], terms: Terms) -> tuple[Memory, ...]:
    """The memories that a prune may touch."""
    return tuple(memory for memory in store if not (memory.pinned or memory.id in terms.pins))


def copies(
    free: Sequence[Memory],
    terms: Terms,
    join: Join,
    cited: Mapping[str, int] = MappingProxyType({}),
    listed: Collection[str] = (),
) -> Iterator[Proposal]:
    """Near-identical memories, merged into the original: no copy by its name, one that the index lists, the one that
    the store cites most, else the newest."""
    for numbers in near_groups([memory.text for memory in free], terms.near):
        members = tuple(free[number] for number in numbers)
        if any_told_apart(members[:_COMPARED]) is None:
            kept = max(members, key=lambda each: (*is_original(each, listed), *_weight(each, cited)))
            weight = "most cited" if cited.get(kept.id) else "newest"
            why = "original" if len({is_original(each, listed) for each in members}) > 1 else weight
            reason = f"{len(members)} memories say nearly word for word the same; the {why}, {kept.id}, stays."
            yield _merge(members, kept, join, reason, COPY)


def _weight(memory: Memory, cited: Mapping[str, int]) -> tuple[int, datetime, str]:
    return cited.get(memory.id, 0), written(memory) or _LONG_AGO, memory.id


_COMPARED = 8


def left_of(free: Sequence[Memory], proposals: Iterable[Proposal]) -> tuple[Memory, ...]:
    """The memories that stay when merges are done."""
    going = {name for one in proposals for name in one.memories if name not in {draft.id for draft in one.drafts}}
    return tuple(memory for memory in free if memory.id not in going)


def lessons(
    free: Sequence[Memory],
    found: Iterable[Proposal],
    terms: Terms,
    join: Join,
    taken: Iterable[str],
    cited: Mapping[str, int] = MappingProxyType({}),
) -> Iterator[Proposal]:
    """Merges of memories that state one lesson within the window; the most referred to stays, then the most recent, a
    copy by its name never."""
    by_id = {memory.id: memory for memory in free}
    referred, used = Counter(references(free)) + Counter(cited), set(taken)
    for proposal in found:
        members = tuple(by_id[name] for name in proposal.memories if name in by_id)
        if len(members) < 2 or used & {member.id for member in members}:
            continue
        if not _within(members, terms.window) or _one_says_more(members) or any_told_apart(members):
            continue
        keeper = max(members, key=lambda each: (*is_original(each), *_weight(each, referred)))
        why = "most referred to" if referred.get(keeper.id) else "most recent"
        used |= {member.id for member in members}
        reason = f"They state the same lesson; the {why}, {keeper.id}, stays and carries what the others add."
        yield _merge(members, keeper, join, reason, LESSON)


def alike(pairs: Iterable[tuple[str, str, float]], terms: Terms) -> Iterator[Proposal]:
    """Pairs that are near enough in meaning to be looked at as one lesson, nearest first."""
    reason = "They are near each other in meaning."
    return (Proposal(Kind.MERGE, reason, memories=(one, other)) for one, other, near in pairs if near >= terms.alike)


def _one_says_more(members: Sequence[Memory]) -> bool:
    """Whether one is a collection that holds the lesson among others."""
    sizes = [len(claim(member).split()) for member in members]
    return max(sizes) > _MUCH_MORE * min(sizes)


_MUCH_MORE = 2.2


def _within(members: Sequence[Memory], days: int) -> bool:
    times = [written(member) or _LONG_AGO for member in members]
    return (max(times) - min(times)) / timedelta(days=1) <= days


def _merge(members: Sequence[Memory], keeper: Memory, join: Join, reason: str, claimed: str) -> Proposal:
    evidence = tuple(Seen(f"memory:{member.id}", _first_line(member)) for member in members)
    return Proposal(
        Kind.MERGE, reason, evidence, tuple(member.id for member in members), (join(members, keeper),), claim=claimed
    )


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


# --- suspects ---
# Pairs that only vectors take for one thing: a question, shown to who decides, and nothing is merged for it.
#
# A vector hardly feels a number, a name or a "not". What the texts themselves prove of such a pair is proposed
# elsewhere.

MOST = 50
"""Pairs that are told; of more only the number."""


def suspects(
    left: Sequence[Memory],
    nominated: Nominated,
    proposals: Sequence[Proposal],
    contradictory: Collection[frozenset[str]],
) -> Suspects:
    """The pairs that are not known to be ``contradictory``, and of which the ``proposals`` let no memory go."""
    store = {memory.id: memory for memory in left_of(left, proposals)}
    quiet = (pair for pair in nominated.pairs if frozenset(pair[:2]) not in contradictory)
    open_to = [pair for pair in quiet if store.keys() >= set(pair[:2])]
    looked_at = [(pair, told_apart(store[pair[0]], store[pair[1]])) for pair in open_to[: 2 * MOST]]
    shown = sorted(looked_at, key=lambda found: found[1] is not None)[:MOST]
    return Suspects(
        tuple(pair for pair, _ in shown),
        tuple(_asked(store[one], store[other], near, why) for (one, other, near), why in shown),
        len(open_to) - len(shown),
        nominated.passed_over,
    )


def _asked(one: Memory, other: Memory, near: float, apart: str | None) -> str:
    why = f"; told apart by {line(apart)}" if apart else ""
    return f"{as_told(one)} and {as_told(other)}: cosine {near:.3f}{why}"
