"""Memories that state the same lesson: nominated by nearness, admitted only when facts agree and evidence shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from memgit.miners.offline.anatomy import anatomy
from memgit.miners.offline.corpus import Corpus, Entry, Match
from memgit.miners.offline.distinctions import told_apart
from memgit.miners.offline.facts import (
    SIBLING_GROUPS,
    SUPERSEDES,
    Same,
    apart,
    compare,
    polarity_opposes,
    siblings,
    value_conflicts,
)
from memgit.miners.offline.guards import objection
from memgit.miners.offline.prose import Statement
from memgit.miners.offline.similarity import cosine
from memgit.miners.offline.words import content, stem

_WORD = re.compile(r"[\w./-]+")

RESTATED = 1.3
"""How well a statement must fit the best of the memories that it restates (coverage and nearness together)."""

TOUCHED = 1.15
"""How well it must fit each of them."""

COVERED = 0.38
"""Share of the statement's weighted words and values that each of them must hold."""

CLAIMED = 0.3
"""The same share, asked of the claim alone."""

EVENLY = 0.62
"""Least ratio of a member's fit to the best member's: a statement about one memory touches its relatives, too."""

KINSHIP = 0.2
"""Share of the lighter claim's words that the other must hold in any case."""

SELF_EVIDENT = 0.6
"""Share of all words of both claims that both must hold when no session restates them."""

BOUND = 3.3
"""Closeness of two mutual nearest from which on no session is needed; of all labelled pairs of one store that are
not told apart, the closest of two lessons has 3.0."""

TIGHTLY = 3.85
"""The same for a further memory that joins such a pair; the closest of another lesson has 3.65."""

ALOOF = 0.72
"""How much less close than the group's own members any outsider must be."""

SUBSTANTIAL = 12
"""Telling words that each must have: in one short sentence the measures of closeness are all the same."""

UNEVEN = 1.5
"""How many times the words of the one the other may have."""

SAID_ALIKE = 0.36
"""How near what their titles say of their common subject must be: two rules on one subject have a frame in common, and
may be as close in all else. Labelled pairs of one lesson have 0.39 and more, rules on one subject 0.1 to 0.34."""


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Memories that say the same; ``restated`` is the user's sentence that restates them all, if there is one."""

    entries: tuple[Entry, ...]
    restated: Statement | None


def duplicates(corpus: Corpus, said: Sequence[Statement]) -> tuple[Duplicates, ...]:
    """The groups of memories that may be merged, none in two groups."""
    groups = [*_restated_groups(corpus, said, _compatible_pairs(corpus)), *_standing_groups(corpus)]
    found: list[Duplicates] = []
    for group in groups:
        touching = [other for other in found if set(other.entries) & set(group.entries)]
        if not touching:
            found.append(group)
        elif len(touching) == 1 and (joined := _joined(corpus, touching[0], group)):
            found[found.index(touching[0])] = joined
    return tuple(found)


@lru_cache(maxsize=2)
def _compatible_pairs(corpus: Corpus) -> frozenset[frozenset[str]]:
    return frozenset(pair for pair in _related(corpus) if _compatible(corpus, *_both(corpus, pair)))


@lru_cache(maxsize=2)
def _standing_groups(corpus: Corpus) -> tuple[Duplicates, ...]:
    """The groups that no session is needed for: the same for all batches of a pass."""
    agreeing = frozenset(pair for pair in _compatible_pairs(corpus) if agree(*_both(corpus, pair)))
    return (*_self_evident_groups(corpus, agreeing), *_bound_groups(corpus))


def _joined(corpus: Corpus, first: Duplicates, second: Duplicates) -> Duplicates | None:
    """Two groups with a member in common as one, where no two of all the members are at odds."""
    entries = (*first.entries, *(entry for entry in second.entries if entry not in first.entries))
    at_odds = any(told_apart(corpus, a, b) for a, b in combinations(entries, 2))
    return None if at_odds else Duplicates(entries, first.restated or second.restated)


def _related(corpus: Corpus) -> frozenset[frozenset[str]]:
    """Pairs of ids whose claims are near each other and share enough of their weighted words."""
    return frozenset(pair for pair in corpus.related if overlap(corpus, *_both(corpus, pair)) >= KINSHIP)


def _compatible(corpus: Corpus, a: Entry, b: Entry) -> bool:
    """Whether nothing speaks against two memories that the user states in one breath."""
    return not told_apart(corpus, a, b) and not polarity_opposes(a.claim, b.claim)


def _both(corpus: Corpus, pair: frozenset[str]) -> tuple[Entry, Entry]:
    first, second = sorted(pair)
    return corpus.by_id[first], corpus.by_id[second]


def agree(a: Entry, b: Entry) -> bool:
    """Whether nothing checkable in two memories' claims tells them apart."""
    if a.memory.body.strip() == b.memory.body.strip():
        return True
    titles = (a.memory.description, b.memory.description)
    return isinstance(compare(a.claim, b.claim), Same) and not any(siblings(*titles, group) for group in SIBLING_GROUPS)


def _restated_groups(
    corpus: Corpus, said: Sequence[Statement], pairs: frozenset[frozenset[str]]
) -> Iterator[Duplicates]:
    """Groups that the user restates in one or two sentences, most members first, newest first."""
    groups = []
    for order, statement in enumerate(said):
        group = _largest_clique(_restated(corpus, statement), pairs)
        if len(group) >= 2:
            groups.append((len(group), order, Duplicates(tuple(group), statement)))
    yield from (group for _, _, group in sorted(groups, key=lambda item: (-item[0], -item[1])))


def _two(statement: Statement) -> str:
    return " ".join((statement.text, *statement.following[:1]))


@lru_cache(maxsize=20_000)
def _restated(corpus: Corpus, statement: Statement) -> tuple[Entry, ...]:
    if objection(statement) or SUPERSEDES.search(statement.text):
        return ()
    fits: dict[str, float] = {}
    for window in (statement.text, _two(statement)):
        for match in corpus.matches(window):
            if _restates(window, match):
                fits[match.entry.memory.id] = max(match.fit, fits.get(match.entry.memory.id, 0.0))
    best = max(fits.values(), default=0.0)
    if best < RESTATED:
        return ()
    return tuple(
        corpus.by_id[name] for name in sorted(fits, key=lambda name: -fits[name]) if fits[name] >= EVENLY * best
    )


def _restates(text: str, match: Match) -> bool:
    return (
        match.fit >= TOUCHED
        and match.whole >= COVERED
        and match.claim >= CLAIMED
        and (len(match.shared) >= 3 or (len(match.shared) == 2 and match.fit >= 1.4 and len(content(text)) >= 3))
        and not value_conflicts(text, match.entry.claim)
        and not polarity_opposes(text, match.entry.claim)
        and not any(apart(text, match.entry.claim, group) for group in SIBLING_GROUPS)
    )


def _largest_clique(entries: Sequence[Entry], pairs: frozenset[frozenset[str]]) -> list[Entry]:
    """The best-covered entry with all further ones that agree with every one taken before."""
    best: list[Entry] = []
    for first in entries:
        group = [first]
        for entry in entries:
            if entry not in group and all(_paired(entry, other, pairs) for other in group):
                group.append(entry)
        best = max(best, group, key=len)
    return best


def _paired(a: Entry, b: Entry, pairs: frozenset[frozenset[str]]) -> bool:
    return frozenset((a.memory.id, b.memory.id)) in pairs


def _self_evident_groups(corpus: Corpus, pairs: frozenset[frozenset[str]]) -> Iterator[Duplicates]:
    """Groups whose own words are nearly the same: no session is needed to see it."""
    evident = frozenset(pair for pair in pairs if _evident(corpus, *sorted(pair)))
    members = [corpus.by_id[name] for name in sorted({name for pair in evident for name in pair})]
    while members:
        group = _largest_clique(members, evident)
        if len(group) < 2:
            return
        yield Duplicates(tuple(group), None)
        members = [entry for entry in members if entry not in group]


def _evident(corpus: Corpus, first: str, second: str) -> bool:
    a, b = corpus.by_id[first], corpus.by_id[second]
    if a.memory.body.strip() == b.memory.body.strip():
        return True
    both, either = a.claim_stems & b.claim_stems, a.claim_stems | b.claim_stems
    return len(both) >= 5 and corpus.weights.mass(both) >= SELF_EVIDENT * corpus.weights.mass(either)


def _bound_groups(corpus: Corpus) -> Iterator[Duplicates]:
    """Groups of memories that are each other's nearest by far, with nothing that tells them apart."""
    for first in corpus.by_id:
        for second in corpus.bonds.nearest(first)[:1]:
            if first < second and corpus.bonds.nearest(second)[:1] == (first,):
                group = _bound(corpus, first, second)
                if group and not _stands_near(corpus, group):
                    yield Duplicates(tuple(corpus.by_id[name] for name in group), None)


def _bound(corpus: Corpus, first: str, second: str) -> tuple[str, ...]:
    """A pair of nearest ones that are close enough, with all further memories as close to both; empty if it is not."""
    if corpus.bonds.strength(first, second) < BOUND or not _of_one_size(corpus, first, second):
        return ()
    if _apart(corpus, first, second) or not _said_alike(corpus, first, second):
        return ()
    group = [first, second]
    for other in corpus.bonds.nearest(first):
        if other not in group and all(_bound_tightly(corpus, other, member) for member in group):
            group.append(other)
    return tuple(group)


def _of_one_size(corpus: Corpus, first: str, second: str) -> bool:
    """Whether two memories say about as much, and enough: one that holds much more is no restatement of the other."""
    fewer, more = sorted(len(corpus.by_id[name].stems) for name in (first, second))
    return fewer >= SUBSTANTIAL and more <= UNEVEN * fewer


def _bound_tightly(corpus: Corpus, first: str, second: str) -> bool:
    close = corpus.bonds.strength(first, second) >= TIGHTLY
    return close and not _apart(corpus, first, second) and _said_alike(corpus, first, second)


def _said_alike(corpus: Corpus, first: str, second: str) -> bool:
    """Whether two titles say something alike beyond the words that they share."""
    titles = [corpus.by_id[name].memory.description for name in (first, second)]
    shared = content(titles[0]) & content(titles[1])
    rests = [" ".join(word for word in _WORD.findall(title.lower()) if stem(word) not in shared) for title in titles]
    return not all(rests) or cosine(*rests) >= SAID_ALIKE


def _stands_near(corpus: Corpus, group: Sequence[str]) -> bool:
    """Whether a memory outside of a group may belong to it, too: then it is not known which of them say the same."""
    weakest = min(corpus.bonds.strength(a, b) for a, b in combinations(group, 2))
    return any(
        corpus.bonds.strength(member, other) >= ALOOF * weakest and not _apart(corpus, member, other)
        for member in group
        for other in corpus.bonds.nearest(member)
        if other not in group
    )


def _apart(corpus: Corpus, first: str, second: str) -> bool:
    return bool(told_apart(corpus, corpus.by_id[first], corpus.by_id[second]))


def overlap(corpus: Corpus, a: Entry, b: Entry) -> float:
    """The weighted share of the lighter claim's words that the other claim holds, 0 to 1."""
    lighter = min(corpus.weights.mass(a.claim_stems), corpus.weights.mass(b.claim_stems))
    return corpus.weights.mass(a.claim_stems & b.claim_stems) / lighter if lighter else 0.0


def first_line(entry: Entry) -> str:
    """The first line of a memory's claim: what a reader compares to see that two say the same."""
    return anatomy(entry.memory.body).claim.split("\n")[0] or entry.memory.description
