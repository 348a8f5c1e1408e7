"""What a change says that nobody said, and whether what is cited is what it says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memgit.core.decisions.case import Case
from memgit.core.decisions.contradictions import changes, denials
from memgit.core.decisions.endings import ends
from memgit.core.decisions.handed_in import shown, unfounded
from memgit.core.decisions.keeping import loses_sentences, loses_untouched
from memgit.core.decisions.phrases import FEWEST, known, short, telling_words, told_in
from memgit.core.decisions.relevance import heads
from memgit.core.sessions.quotes import Place
from memgit.core.text.clock import is_told
from memgit.core.text.details import Detail, DetailKind, details, is_measure, missing, valued_alike
from memgit.core.text.words import sentences
from memgit.model.decision import Draft, Kind, Proposal, Said
from memgit.model.history import PassKind
from memgit.model.session import Role
from memgit.model.store import Memory

TOLD = 0.5
"""Share of a sentence's telling words below which it is looked at who else may have said it."""

FACT = 0.4
"""Share of a new fact's telling words that the user, or the old texts, must have used."""

BORROWED = 0.7
"""Share of a sentence's telling words that one sentence of the assistant holds where it is the assistant's."""

RESTATED = 0.4
"""Share of a quote's telling words that a memory added on it must hold."""

_LABELLED = re.compile(r"\*\*[A-Z][\w ]{0,30}:\*\*(?:(?!\n\s*\n).)*", re.DOTALL)  # with the paragraph behind it
_VALUES = (DetailKind.NUMBER, DetailKind.VERSION)


def ungrounded(proposal: Proposal, case: Case) -> str | None:
    """Why a change loses sentences that its evidence does not touch, or says what nobody said."""
    if case.kind is not PassKind.CURATE and not proposal.handed_in:
        return None
    if reason := unfounded(proposal, case):
        return reason
    match proposal.kind:
        case Kind.ADD:
            return _beside_the_quote(proposal) or _untold(proposal, case)
        case Kind.REPLACE | Kind.UPDATE:
            return (
                _replaces_nothing(proposal, case)
                or loses_untouched(proposal, case)
                or _not_cited(proposal, case)
                or _untold(proposal, case)
            )
        case Kind.MERGE | Kind.SPLIT:
            return loses_sentences(proposal, case) or _untold(proposal, case)
        case _:
            return None


def _beside_the_quote(proposal: Proposal) -> str | None:
    """An addition says what its quotes say, not something else that is true."""
    draft = telling_words(f"{draft.description}\n{draft.body}" for draft in proposal.drafts)
    quotes = [telling_words([one.quote]) for one in proposal.evidence if isinstance(one, Said)]
    if any(not quote or len(quote & draft) >= RESTATED * len(quote) for quote in quotes) or not quotes:
        return None
    return "What it adds is not what is cited."


def _untold(proposal: Proposal, case: Case) -> str | None:
    """A fact of which neither the user nor the old texts gave the words, or words that only the assistant used.

    How a fact is told, and what it means for later work, are the proposer's own words; what it is about never is.
    """
    told = telling_words([*(memory.text for memory in case.of(proposal.memories)), *_heard(proposal, case)])
    for draft in proposal.drafts:
        fact = told_in(_LABELLED.sub("", draft.body))
        strange = [one for one in told_in(draft.body) if _share(one, told) < TOLD]
        if strange and _share("\n".join(fact), told) < FACT:
            return f'Nobody said "{short(strange[0])}".'
        for sentence in strange:
            if sentence in fact and not known(telling_words([sentence]), told):
                return f'Nobody said "{short(sentence)}".'
            if _is_the_assistants(sentence, case):
                return f'Only the assistant said "{short(sentence)}".'
    return None


def _share(sentence: str, told: frozenset[str]) -> float:
    """How much of a sentence was told; all of one that is too short to be measured."""
    own = telling_words([sentence])
    return len(known(own, told)) / len(own) if len(own) >= FEWEST else 1.0


def _is_the_assistants(sentence: str, case: Case) -> bool:
    own = telling_words([sentence])
    theirs = (message.text for digest in case.digests for message in digest.messages if message.role is Role.ASSISTANT)
    return any(len(own & telling_words([one])) >= BORROWED * len(own) for text in theirs for one in sentences(text))


def _heard(proposal: Proposal, case: Case) -> Iterable[str]:
    """What the user said in the sessions that are cited, and what is quoted."""
    cited = {place.message.session for place in case.places(proposal.evidence)}
    yield from (one.quote for one in proposal.evidence)
    messages = [message for digest in case.digests for message in digest.messages if message.session in cited]
    yield from (message.text for message in messages if message.role is Role.USER)


def _replaces_nothing(proposal: Proposal, case: Case) -> str | None:
    (memory,), (draft,) = case.of(proposal.memories), proposal.drafts
    if proposal.kind is Kind.UPDATE or not _whole_in(memory.body, draft.body):
        return None
    return f"It replaces nothing of {memory.id}; what is new beside it is an addition."


def _whole_in(old: str, new: str) -> bool:
    return " ".join(old.split()) in " ".join(new.split())


def _not_cited(proposal: Proposal, case: Case) -> str | None:
    """What differs from the old text is what the statement says: its values, its yes or no, and not only less."""
    (memory,), (draft,) = case.of(proposal.memories), proposal.drafts
    found = case.places(proposal.evidence)
    heard = "\n".join([*(one.quote for one in proposal.evidence), *(place.message.text for place in found)])
    values = [new for new in missing(details(draft.body), memory.text) if new.kind in _VALUES]
    untold = (new for new in missing(values, heard) if not (is_told(new.text, heard) or shown(new.text, proposal)))
    strange = [new for new in untold if not _follows(new, memory, draft)]
    if strange := [*strange, *_counts_something_else(values, memory, heard)]:
        return f'"{strange[0].text}" does not stand in what is cited.'
    fresh = telling_words([draft.description, draft.body]) - telling_words([memory.text])
    if not values and not known(fresh, telling_words([heard])) and not any(ends(place.statement) for place in found):
        return "It takes up nothing of what is cited."
    return _turned(memory, draft, found)


def _counts_something_else(values: Sequence[Detail], memory: Memory, heard: str) -> list[Detail]:
    """The new numbers of things that the memory counts, where nothing was heard of those things and it is not about
    them: who says "3 times" does not say "3 customers"."""
    old = details(memory.text)
    things = [
        new
        for new in values
        if new.value.isdigit() and not is_measure(new) and any(valued_alike(each, new) for each in old)
        if new.unit[:4] not in heard.lower() and not heads(new.unit, memory)
    ]
    plain = {new.value for new in values if new not in things}
    return [new for new in things if new.value not in plain]


def _turned(memory: Memory, draft: Draft, found: Sequence[Place]) -> str | None:
    turns = any(changes(place.statement, memory.body) for place in found)
    more = denials(draft.body) - denials(memory.body)
    denied = any(denials(place.statement) or changes(place.statement, "") for place in found)
    if (more > 0 and not denied) or (more < 0 and not turns):
        return "It turns a yes into a no, or a no into a yes, which is not what is cited."
    return None


def _follows(new: Detail, memory: Memory, draft: Draft) -> bool:
    """Whether a value goes with another as before: at 30 a second each takes 33 ms, so at 20 each takes 50."""
    old, now = _amounts(memory.body), _amounts(draft.body)
    mine = [amount for unit, amount in now if unit == new.unit]
    return any(
        then and before and (_near(mine[0] / then, after / before) or _near(mine[0] * after, then * before))
        for unit, then in old
        for other, before in old
        for another, after in now
        if mine and unit == new.unit != other == another and before != after
    )


def _amounts(text: str) -> list[tuple[str, float]]:
    numbers = (each for each in details(text) if each.kind is DetailKind.NUMBER and each.unit)
    return [(each.unit, float(each.value)) for each in numbers if re.fullmatch(r"\d+(?:\.\d+)?", each.value)]


def _near(one: float, other: float) -> bool:
    return abs(one - other) <= 0.02 * max(one, other)
