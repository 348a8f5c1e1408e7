"""A change keeps what its evidence does not touch, and says nothing that nobody said."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations

from memgit.core.decisions.case import Case, words
from memgit.core.decisions.contradictions import conflicts, differing_environments
from memgit.core.text.clock import is_told
from memgit.core.text.details import Detail, DetailKind, comparable, details, lost, measured_alike, missing
from memgit.core.text.words import content_words
from memgit.model.decision import Draft, Kind, Proposal
from memgit.model.store import Memory

RESTATED = 0.85
"""Share of a draft's words that one memory must hold for the draft to be its restatement."""


def unfaithful(proposal: Proposal, case: Case) -> str | None:
    """Why a proposal loses, mixes up, repeats or invents something, or None."""
    match proposal.kind:
        case Kind.MERGE:
            return _contradictory(proposal, case) or _loses(proposal, case) or _invents(proposal, case)
        case Kind.SPLIT:
            return _loses(proposal, case) or _invents(proposal, case)
        case Kind.REPLACE | Kind.UPDATE:
            return (
                _same(proposal, case)
                or _half_replaced(proposal, case)
                or _loses_untouched(proposal, case)
                or _invents(proposal, case)
            )
        case Kind.ADD:
            return _repeats(proposal, case) or _invents(proposal, case)
        case _:
            return None


def left_out(proposal: Proposal, case: Case) -> tuple[str, ...]:
    """The details that a change loses and that ``leaves_out`` names, as the old texts wrote them."""
    before = [memory.text for memory in case.of(proposal.memories)]
    after = _texts(proposal.drafts)
    unnamed = lost(before, after, proposal.leaves_out)
    return tuple(dict.fromkeys(detail.text for detail in lost(before, after) if detail not in unnamed))


def restates(draft: Draft, memory: Memory) -> bool:
    """True when ``memory`` already says what ``draft`` says: its words, all its details, and the same way round."""
    text = _texts([draft])
    mine, theirs = content_words(draft.body), content_words(memory.text)
    if _letters(draft.body) == _letters(memory.body):
        return True
    shared = len(mine & theirs) / len(mine) if mine else 0.0
    return shared >= RESTATED and not missing(details(text), memory.text) and not conflicts(draft.body, memory.body)


def _contradictory(proposal: Proposal, case: Case) -> str | None:
    for one, other in combinations(case.of(proposal.memories), 2):
        titles = (f"{each.id} {each.description}".replace("_", " ") for each in (one, other))
        if reasons := (*conflicts(one.text, other.text), *differing_environments(*titles)):
            return f"{one.id} and {other.id} do not say the same: {reasons[0]}."
    return None


def _loses(proposal: Proposal, case: Case) -> str | None:
    after = _texts(proposal.drafts)
    headed = proposal.kind is not Kind.SPLIT  # the heading of a memory of several facts tells none of them
    members = [memory.text if headed else memory.body for memory in case.of(proposal.memories)]
    gone = [detail.text for detail in lost(members, after, proposal.leaves_out)]
    gone += _lost_labels(members, after, proposal.leaves_out)
    return f"It would lose {_listed(gone)}, which leaves_out does not name." if gone else None


def _same(proposal: Proposal, case: Case) -> str | None:
    (memory,), (draft,) = case.of(proposal.memories), proposal.drafts
    unchanged = draft.body == memory.body and draft.description == memory.description
    return "It changes nothing." if unchanged else None


def _half_replaced(proposal: Proposal, case: Case) -> str | None:
    """A description left as it was must not go on saying what the new body no longer says."""
    (memory,), (draft,) = case.of(proposal.memories), proposal.drafts
    if draft.description != memory.description:
        return None
    gone = missing(details(memory.body), draft.body)
    stale = [detail.text for detail in gone if not missing([detail], draft.description)]
    return f"Its description would go on saying {_listed(stale)}." if stale else None


def _loses_untouched(proposal: Proposal, case: Case) -> str | None:
    """A replacement may lose the value that the evidence contradicts, and nothing else."""
    (memory,), (draft,) = case.of(proposal.memories), proposal.drafts
    after = _texts([draft])
    spoken = " ".join(evidence.quote for evidence in proposal.evidence)
    vocabulary = case.vocabulary(proposal.evidence)
    new_ones = missing(details(after), memory.text)
    fresh = [new for new in new_ones if _is_known(new, vocabulary) or is_told(new.text, spoken)]
    gone = [
        old.text
        for old in lost([memory.text], after, proposal.leaves_out)
        if missing([old], spoken) and not any(comparable(old, new) or measured_alike(old, new) for new in fresh)
    ]
    gone += _lost_labels([memory.body], draft.body, proposal.leaves_out)
    return f"It would lose {_listed(gone)}, which its evidence does not touch." if gone else None


def _invents(proposal: Proposal, case: Case) -> str | None:
    members = [memory.text for memory in case.of(proposal.memories)]
    vocabulary = case.vocabulary(proposal.evidence).union(*(words(text) for text in members))
    spoken = " ".join(evidence.quote for evidence in proposal.evidence)
    for draft in proposal.drafts:
        fresh = missing(details(_texts([draft])), "\n".join(members))
        if made_up := [one.text for one in fresh if not (_is_known(one, vocabulary) or is_told(one.text, spoken))]:
            return f"Nobody said {_listed(made_up)}."
    return None


def _is_known(detail: Detail, vocabulary: frozenset[str]) -> bool:
    """True when every part of a detail was said. Names are left to the reader, small numbers as words too."""
    if detail.kind is DetailKind.NAME or (detail.kind is DetailKind.NUMBER and detail.text[0].isalpha()):
        return True
    source = detail.value if detail.kind is DetailKind.NUMBER else detail.text
    parts = re.findall(r"[^\W_]+", source.lower())
    return all(
        part in vocabulary or _in_pieces(part, vocabulary) or (part.isdigit() and str(int(part)) in vocabulary)
        for part in parts
    )


def _in_pieces(part: str, vocabulary: frozenset[str]) -> bool:
    """``15m`` is known where ``15`` is, ``frozenlockfile`` is not where only its pieces are."""
    digits = re.match(r"\d+", part)
    return bool(digits and digits[0] in vocabulary) or any(
        word.startswith(part) for word in vocabulary if part.isdigit()
    )


def _repeats(proposal: Proposal, case: Case) -> str | None:
    (draft,) = proposal.drafts
    held = next((memory for memory in case.memories.values() if restates(draft, memory)), None)
    return f"{held.id} says it already." if held else None


def _lost_labels(before: Iterable[str], after: str, leaves_out: Iterable[str]) -> list[str]:
    named = " ".join(leaves_out).lower()
    labels = dict.fromkeys(label for text in before for label in _LABEL.findall(text))
    return [
        f"the {label} part" for label in labels if label not in _LABEL.findall(after) and label.lower() not in named
    ]


_LABEL = re.compile(r"\*\*(Why|How to apply):\*\*")


def _texts(drafts: Iterable[Draft]) -> str:
    return "\n\n".join(f"{draft.description}\n{draft.body}" for draft in drafts)


@lru_cache(maxsize=8192)
def _letters(text: str) -> str:
    return "".join(re.findall(r"\w+", text.lower()))


def _listed(texts: Iterable[str]) -> str:
    shown = list(dict.fromkeys(texts))
    more = f" and {len(shown) - 5} more" if len(shown) > 5 else ""
    return ", ".join(f'"{text}"' for text in shown[:5]) + more
