"""The decider that needs no model: weighs every candidate against the whole store and all that was said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from memgit.core.sessions.quotes import find_said
from memgit.miners.offline.anatomy import is_later
from memgit.miners.offline.corpus import corpus_of
from memgit.miners.offline.facts import Dimension, value_conflicts, values
from memgit.miners.offline.prose import statements
from memgit.miners.offline.survey import survey
from memgit.miners.offline.words import CALENDAR, content
from memgit.model.decision import Candidate, Intent, Kind, Proposal, Said
from memgit.model.session import Digest
from memgit.model.store import Memory

_KINDS = {
    Intent.NEW: Kind.ADD,
    Intent.MERGE: Kind.MERGE,
    Intent.REPLACE: Kind.REPLACE,
    Intent.STALE: Kind.DROP,
    Intent.SPLIT: Kind.SPLIT,
}
_ORDER = (Intent.SPLIT, Intent.STALE, Intent.REPLACE, Intent.MERGE, Intent.NEW)
"""Who goes first when two want the same memory: the user's plain word on it, then what is inferred."""

_EPOCH = datetime.min.replace(tzinfo=UTC)
_SAME_ADDITION = 0.5


@dataclass(frozen=True, slots=True)
class Claimed:
    """A change under consideration: its draft candidate, the ids of candidates it stands for, and when it was said."""

    candidate: Candidate
    ids: tuple[str, ...]
    time: datetime
    leaves_out: tuple[str, ...] = ()
    doubt: str = ""
    place: tuple[int, int] = (0, 0)  # turn and sentence, which tell what came later of one moment


class OfflineDecider:
    """Settles candidates by rules: the newest statement wins, each memory changes once, every refusal has a reason."""

    name = "offline"

    def decide(
        self, memories: Sequence[Memory], digests: Sequence[Digest], candidates: Sequence[Candidate]
    ) -> tuple[Proposal, ...]:
        """Changing proposals first, then one reject per candidate that was refused."""
        claims = _claims(memories, digests, candidates)
        return tuple(_settled(claims, {memory.id: memory for memory in memories}))


def _claims(memories: Sequence[Memory], digests: Sequence[Digest], candidates: Sequence[Candidate]) -> list[Claimed]:
    """The rules' findings over everything, joined with the candidates that say the same, and the other candidates."""
    surveyed = survey(corpus_of(tuple(memories)), statements(digests))
    found = surveyed.findings
    doubts = {unclear.said.text: unclear.why for unclear in surveyed.unclear}
    claims = []
    joined: set[str] = set()
    for finding in found:
        own = Candidate(
            "", finding.intent, finding.claim, finding.evidence, finding.targets, finding.drafts, why=finding.why
        )
        same = tuple(one.id for one in candidates if _is_same(one, own))
        joined.update(same)
        claims.append(Claimed(own, same, _utc(finding.time), finding.leaves_out, place=finding.place))
    claims.extend(
        Claimed(one, (one.id,), _utc(_said_at(one, digests)), doubt=_doubt(one, doubts))
        for one in candidates
        if one.id not in joined
    )
    return claims


def _doubt(candidate: Candidate, doubts: dict[str, str]) -> str:
    """What all that was said has against a candidate that one batch alone speaks for; empty where it has nothing."""
    why = next((doubts[quote] for one in candidate.evidence if (quote := _quote(one)) in doubts), "")
    return f"Seen together with all else, {why}." if why else ""


def _is_same(a: Candidate, b: Candidate) -> bool:
    if a.intent is not b.intent or set(a.targets) != set(b.targets):
        return False
    return a.intent is Intent.MERGE or {_quote(one) for one in a.evidence} == {_quote(one) for one in b.evidence}


def _quote(evidence: object) -> str:
    return evidence.quote if isinstance(evidence, Said) else ""


def _said_at(candidate: Candidate, digests: Sequence[Digest]) -> datetime | None:
    """When the newest quote of a candidate was said; None where none is found."""
    found = [find_said(evidence, digests) for evidence in candidate.evidence if isinstance(evidence, Said)]
    times = [datetime.fromisoformat(one.time) for one in found if isinstance(one, Said) and one.time]
    return max(times, default=None)


def _utc(time: datetime | None) -> datetime:
    if time is None:
        return _EPOCH
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _settled(claims: Sequence[Claimed], memories: dict[str, Memory]) -> Iterator[Proposal]:
    changes: list[Claimed] = []
    additions: list[Claimed] = []
    refused: list[tuple[Claimed, str]] = []
    for claim in sorted(claims, key=_precedence):
        if claim.candidate.intent is Intent.NEW:
            reason = claim.doubt or _superseded(claim, additions) or _outdated(claim, memories)
            additions = additions if reason else [*additions, claim]
        else:
            reason = claim.doubt or _objection(claim, changes, memories)
            changes = changes if reason else [*changes, claim]
        if reason:
            refused.append((claim, reason))
    yield from (_proposal(claim) for claim in (*changes, *reversed(additions)))
    yield from (_reject(claim, reason) for claim, reason in refused if claim.ids)


def _precedence(claim: Claimed) -> tuple[int, float, int, int, str]:
    """By intent, then newest first; of one message the last value counts, but the sentence that names the memory."""
    age = (claim.time - _EPOCH).total_seconds()
    turn, order = claim.place if claim.candidate.intent in (Intent.REPLACE, Intent.NEW) else (0, 0)
    return _ORDER.index(claim.candidate.intent), -age, -turn, -order, claim.candidate.claim


def _objection(claim: Claimed, taken: Sequence[Claimed], memories: dict[str, Memory]) -> str:
    """Why a change of a memory is refused; empty when it stands."""
    targets = claim.candidate.targets
    if missing := [target for target in targets if target not in memories]:
        return f"There is no memory {missing[0]}."
    if not targets:
        return "It names no memory to change."
    for target in targets:
        if _needs_later(claim) and not is_later(claim.time, memories[target]):
            return f"It was said before {target} was written."
        for other in taken:
            if target in other.candidate.targets:
                return f"A newer or plainer statement decides {target} already: {other.candidate.claim}"
    return ""


def _needs_later(claim: Claimed) -> bool:
    return claim.candidate.intent in (Intent.REPLACE, Intent.STALE)


def _superseded(claim: Claimed, newer: Sequence[Claimed]) -> str:
    """Why an addition gives way to a newer one: it says the same, or gives an older value of the same thing."""
    text = claim.candidate.claim
    for other in newer:
        theirs = other.candidate.claim
        if _same_addition(text, theirs):
            return f"The user said it again later: {theirs}"
        if _older_value(claim, other):
            return f"The user later gave another value: {theirs}"
    return ""


def _outdated(claim: Claimed, memories: dict[str, Memory]) -> str:
    """Why an addition is too old: a memory written after it gives another value of the same thing."""
    said = claim.candidate.claim
    for memory in memories.values():
        if not is_later(claim.time, memory) and _gives_otherwise(said, memory.text):
            return f"{memory.id}, written later, says otherwise."
    return ""


def _gives_otherwise(said: str, text: str) -> bool:
    return len(content(said) & content(text)) >= 2 and (_dates_differ(said, text) or bool(value_conflicts(said, text)))


def _dates_differ(a: str, b: str) -> bool:
    dates = [{value.amount for value in values(text) if value.dimension is Dimension.DATE} for text in (a, b)]
    return bool(dates[0] and dates[1] and dates[0] != dates[1])


def _same_addition(a: str, b: str) -> bool:
    words_a, words_b = content(a), content(b)
    smaller = min(len(words_a), len(words_b))
    return smaller >= 2 and len(words_a & words_b) >= max(2, _SAME_ADDITION * smaller)


def _older_value(older: Claimed, newer: Claimed) -> bool:
    """Whether a newer addition gives another value of the same thing; of dates, one word in common is enough."""
    a, b = older.candidate.claim, newer.candidate.claim
    return _gives_otherwise(a, b) or (bool(content(a) & content(b) - CALENDAR) and _dates_differ(a, b))


def _proposal(claim: Claimed) -> Proposal:
    one = claim.candidate
    return Proposal(
        kind=_KINDS[one.intent],
        justification=one.why or one.claim,
        evidence=one.evidence,
        memories=one.targets,
        drafts=one.drafts,
        candidates=claim.ids,
        claim=one.claim,
        leaves_out=claim.leaves_out,
    )


def _reject(claim: Claimed, reason: str) -> Proposal:
    one = claim.candidate
    return Proposal(
        kind=Kind.REJECT,
        justification=reason,
        evidence=one.evidence,
        memories=one.targets,
        candidates=claim.ids,
        claim=one.claim,
    )
