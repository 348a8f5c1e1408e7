"""Candidate lists brought down to a size that one decider can weigh, without inventing or losing anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from memgit.model.decision import Candidate, Evidence, Intent
from memgit.text.words import content_words

SAME_CLAIM = 0.8
"""Share of common words (of all words of both) from which two claims for new memories are one."""

CandidateList = tuple[Candidate, ...]
MergePair = Callable[[CandidateList, CandidateList], CandidateList]
"""Makes one list of two: ranked, without duplicates, every citation carried."""


@dataclass(frozen=True, slots=True)
class Bounded:
    """A list cut to its bound, and what was cut, which the report names."""

    kept: CandidateList
    cut: CandidateList = ()


def bound(candidates: Iterable[Candidate], limit: int = 15) -> Bounded:
    """The best ``limit`` candidates by rank (1 is best, ties in the given order), and the rest."""
    ranked = sorted(candidates, key=lambda candidate: candidate.rank)
    return Bounded(tuple(ranked[:limit]), tuple(ranked[limit:]))


@dataclass(frozen=True, slots=True)
class Reduced:
    """The lists that go to the decider, and what the bound cut on the way."""

    lists: tuple[CandidateList, ...]
    cut: CandidateList = ()


def reduce(
    lists: Sequence[CandidateList], merge_pair: MergePair | None = None, *, threshold: int = 8, limit: int = 15
) -> Reduced:
    """Merge neighbours pairwise, round by round, until at most ``threshold`` lists remain.

    A merged list that ``check_reduced`` objects to is not used: the offline merge takes its place, so
    that no model can drop a citation on the way.
    """
    merge = merge_pair or merged
    current = tuple(lists)
    cut: list[Candidate] = []
    while len(current) > max(1, threshold):
        bounded = [_pair(current[at : at + 2], merge, limit) for at in range(0, len(current), 2)]
        cut += [candidate for one in bounded for candidate in one.cut]
        current = tuple(one.kept for one in bounded)
    return Reduced(current, tuple(cut))


def merged(left: CandidateList, right: CandidateList) -> CandidateList:
    """The offline merge of two lists: the same proposal once, with the citations of both, re-ranked."""
    result: list[Candidate] = []
    for candidate in sorted((*left, *right), key=lambda candidate: candidate.rank):
        at = next((number for number, other in enumerate(result) if same_proposal(candidate, other)), None)
        if at is None:
            result.append(candidate)
        else:
            result[at] = _with_evidence(result[at], candidate.evidence)
    return tuple(replace(candidate, rank=rank) for rank, candidate in enumerate(result, start=1))


def same_proposal(one: Candidate, other: Candidate) -> bool:
    """True when two candidates want the same: the same change of the same memories, or the same new fact."""
    if one.intent is not other.intent or set(one.targets) != set(other.targets):
        return False
    return one.intent is not Intent.NEW or _similar(one.claim, other.claim)


def check_reduced(before: Iterable[Candidate], after: Sequence[Candidate], limit: int = 15) -> list[str]:
    """What is wrong with a reduced list, one sentence each: too long, new claims, lost or changed citations."""
    before = tuple(before)
    problems = [f"The list holds {len(after)} candidates; {limit} are allowed."] if len(after) > limit else []
    known = _citations(before)
    for candidate in after:
        if stray := _citations([candidate]) - known:
            problems.append(f"{candidate.id}: the citation {_cited(stray)} stands in neither list.")
        if not any(_traces(candidate, source) for source in before):
            problems.append(f"{candidate.id}: neither list proposes a {candidate.intent} like it.")
    due = known if len(after) < limit else _citations(source for source in before if _is_kept(source, after))
    if lost := due - _citations(after):
        problems.append(f"The citation {_cited(lost)} is gone.")
    return problems


def _is_kept(source: Candidate, after: Iterable[Candidate]) -> bool:
    """A full list may have cut a candidate whole, but not some of its citations."""
    return any(_traces(candidate, source) for candidate in after)


def _pair(lists: Sequence[CandidateList], merge: MergePair, limit: int) -> Bounded:
    if len(lists) == 1:
        return bound(lists[0], limit)
    result = merge(lists[0], lists[1])
    if merge is not merged and check_reduced((*lists[0], *lists[1]), result, limit):
        result = merged(lists[0], lists[1])
    return bound(result, limit)


def _with_evidence(candidate: Candidate, evidence: Iterable[Evidence]) -> Candidate:
    return replace(candidate, evidence=tuple(dict.fromkeys((*candidate.evidence, *evidence))))


def _similar(one: str, other: str) -> bool:
    here, there = content_words(one), content_words(other)
    return bool(here) and len(here & there) >= SAME_CLAIM * len(here | there)


def _citations(candidates: Iterable[Candidate]) -> set[Evidence]:
    return {evidence for candidate in candidates for evidence in candidate.evidence}


def _traces(candidate: Candidate, source: Candidate) -> bool:
    """True when a reduced candidate can be ``source`` in other words."""
    same_change = candidate.intent is source.intent and set(candidate.targets) == set(source.targets)
    return same_change and bool(set(candidate.evidence) & set(source.evidence))


def _cited(citations: Iterable[Evidence]) -> str:
    quote = min(citation.quote for citation in citations)
    return f'"{quote[:60]}"'


# --- groups ---
# Candidates that must be weighed together, so that many of them can be put to a decider in several parts.

ALIKE = 0.5
"""Share of common words (of the shorter claim's) from which two claims may be about one thing."""

Group = tuple[Candidate, ...]


def related(candidates: Sequence[Candidate]) -> tuple[Group, ...]:
    """The candidates in groups: those that share a memory, or whose claims are about one thing, stand in one."""
    groups: list[Group] = []
    for candidate in candidates:
        touched = [group for group in groups if any(_belong(candidate, other) for other in group)]
        joined = (*(one for group in touched for one in group), candidate)
        groups = [*(group for group in groups if group not in touched), joined]
    return tuple(sorted(groups, key=lambda group: candidates.index(group[0])))


def packed(groups: Iterable[Group], most: int) -> tuple[Group, ...]:
    """The groups put together into parts of at most ``most`` candidates; a larger group is a part of its own."""
    parts: list[Group] = []
    for group in groups:
        if parts and len(parts[-1]) + len(group) <= most:
            parts[-1] += group
        else:
            parts.append(group)
    return tuple(parts)


def _belong(one: Candidate, other: Candidate) -> bool:
    if set(one.targets) & set(other.targets):
        return True
    here, there = content_words(one.claim), content_words(other.claim)
    return bool(here and there) and len(here & there) >= ALIKE * min(len(here), len(there))
