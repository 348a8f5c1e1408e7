"""Which evidence a change needs, and whether what a proposal brings is there, enough, and new enough."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from memgit.core.decisions.case import Case, is_memory
from memgit.core.decisions.handed_in import unshown
from memgit.core.sessions.quotes import ACCEPTED, find_said, find_seen, locate
from memgit.model.decision import Evidence, Kind, Proposal, Said, Seen
from memgit.model.history import PassKind


def checked(proposal: Proposal, case: Case) -> tuple[Evidence, ...] | str:
    """The proposal's evidence, looked up and completed; or why it is void. One void citation voids the whole."""
    found: list[Evidence] = []
    for evidence in proposal.evidence:
        result = _look_up(evidence, case)
        if isinstance(result, str):
            return result
        found.append(result)
    return tuple(dict.fromkeys(found))


def insufficient(proposal: Proposal, case: Case) -> str | None:
    """Why the (checked) evidence does not carry this kind of change, or None."""
    if not proposal.evidence:
        return "It names no evidence."
    if reason := unshown(proposal, case):
        return reason
    if _needs_no_word(proposal, case):
        return None
    protected = case.protected(proposal)
    counting = [one for one in proposal.evidence if not (protected and _is_second_hand(one))]
    if _carries(proposal, counting, case.kind):
        return None
    if protected and _carries(proposal, proposal.evidence, case.kind):
        return f"A {protected} memory is changed on the user's own words only, not on files or accepted proposals."
    return _NEEDS[proposal.kind if case.kind in _SAID_ONLY or proposal.kind in _BY_MEMBERS else Kind.UPDATE]


def _needs_no_word(proposal: Proposal, case: Case) -> bool:
    if case.kind not in (PassKind.AUDIT, PassKind.PRUNE):
        return False
    from memgit.core.decisions.exempt import needs_no_word  # the rules of these passes: a curation has no use for them

    return needs_no_word(proposal, case)


def outdated(proposal: Proposal, case: Case) -> str | None:
    """Why the statement is not the newer one: what replaces or drops a memory was said after it was written."""
    said = [one for one in proposal.evidence if isinstance(one, Said)]
    if proposal.kind not in (Kind.REPLACE, Kind.UPDATE, Kind.DROP) or not said:
        return None
    times = [_moment(one.time) for one in said if one.time]
    if not times:
        return "The cited message carries no time, so nobody can tell which statement is the newer one."
    for memory in case.of(proposal.memories):
        written = case.written(memory)
        if written and max(times) <= written:
            return f"{memory.id} was written {written:%Y-%m-%d %H:%M}, after what is cited was said."
    return None


def hypothetical(proposal: Proposal, case: Case) -> str | None:
    """Why nothing can be added: the user only wondered."""
    said = [one for one in proposal.evidence if isinstance(one, Said)]
    if proposal.kind is Kind.ADD and said and all(_is_question(one, case) for one in said):
        return "The cited sentence only asks or supposes; it states nothing."
    return None


_SAID_ONLY = frozenset({PassKind.CURATE, PassKind.EXTRACT})
_BY_MEMBERS = frozenset({Kind.MERGE, Kind.SPLIT, Kind.ADD})
_NEEDS = {
    Kind.ADD: "A memory is added only on what the user said in a session.",
    Kind.REPLACE: "A memory is replaced only on what the user said in a session.",
    Kind.DROP: "A memory is dropped only on what the user said in a session.",
    Kind.UPDATE: "Its evidence is neither said by the user nor seen outside the memory itself.",
    Kind.MERGE: "A merge needs a line of each of the memories, or the user's words.",
    Kind.SPLIT: "A split needs lines of the memory, or the user's words.",
}

_SUPPOSING = re.compile(
    r"^\W*(?:what if|suppose|supposing|imagine|hypothetically|let's say|say we|assume|assuming|was w(?:ä|ae)re,? wenn"
    r"|angenommen|stell dir (?:mal )?vor)\b",
    re.I,
)
_ASKING = re.compile(
    r"^\W*(?:(?:so|and|but|hm+|hey|also)\W+)?(?:would|wouldn't|could (?:we|one|it|that)|should (?:we|i)|might"
    r"|do you think|does|is (?:it|there|that)|are there|maybe we|how about|why|what|which|when|where|who"
    r"|soll(?:en|te|ten)?|k(?:ö|oe)nnten?|w(?:ä|ae)re|ist|sind|gibt es|vielleicht"
    r"|warum|wieso|was|welche[rsn]?|wann|wo|wer|wie)\b.*\?$",
    re.I,
)


def _look_up(evidence: Evidence, case: Case) -> Evidence | str:
    match evidence:
        case Said():
            return find_said(evidence, case.digests)
        case Seen():
            return find_seen(evidence, case.memories.values(), case.tree_text)


def _carries(proposal: Proposal, evidence: Sequence[Evidence], kind: PassKind) -> bool:
    if any(isinstance(one, Said) for one in evidence):
        return True
    lines = {one.where.partition(":")[2] for one in evidence if isinstance(one, Seen) and is_memory(one)}
    if proposal.kind in (Kind.MERGE, Kind.SPLIT):
        return set(proposal.memories) <= lines
    if kind in _SAID_ONLY or proposal.kind is Kind.ADD:
        return False
    return bool(lines - set(proposal.memories)) or any(isinstance(one, Seen) and not is_memory(one) for one in evidence)


def _is_second_hand(evidence: Evidence) -> bool:
    """True for what does not come from the user: files, commits, and the assistant's prose even when accepted."""
    return evidence.by == ACCEPTED if isinstance(evidence, Said) else not is_memory(evidence)


def _is_question(said: Said, case: Case) -> bool:
    place = locate(said, case.digests)
    if isinstance(place, str):
        return False
    return bool(_SUPPOSING.match(place.sentence) or _ASKING.match(place.sentence))


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
