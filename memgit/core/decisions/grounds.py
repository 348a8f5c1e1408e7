"""Sentence by sentence: what a change keeps of the old texts, and what it says that nobody said.

Details (numbers, names, spans) are looked at in ``fidelity``; here it is the plain words around them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from memgit.core.decisions.case import Case, words
from memgit.core.decisions.contradictions import changes, denials, tells_a_change
from memgit.core.decisions.endings import ends
from memgit.core.decisions.handed_in import shown, unfounded
from memgit.core.decisions.relevance import heads
from memgit.core.decisions.telling import roots
from memgit.core.sessions.quotes import Place, locate
from memgit.core.text.clock import is_told
from memgit.core.text.details import Detail, DetailKind, details, is_measure, missing, valued_alike
from memgit.core.text.tongue import tongue
from memgit.core.text.words import STOP_WORDS, sentences
from memgit.model.decision import Draft, Kind, Proposal, Said
from memgit.model.passes import PassKind
from memgit.model.session import Role
from memgit.model.store import Memory

KEPT = 0.6
"""Share of a sentence's telling words that the result must hold for the sentence to count as reworded only."""

PART = 0.3
"""Share of a memory's telling words that a replacement keeps at least."""

MEANT = 0.2
"""Share of a statement that a memory must hold, and more than any other, for all of it to be replaced."""

REWORDED = 0.25
"""The same where members of a merge tell one lesson in different words."""

TOLD = 0.5
"""Share of a sentence's telling words below which it is looked at who else may have said it."""

FACT = 0.4
"""Share of a new fact's telling words that the user, or the old texts, must have used."""

BORROWED = 0.7
"""Share of a sentence's telling words that one sentence of the assistant holds where it is the assistant's."""

GROWN = 0.7
"""Words that a merge of two languages has, of all words of its members: their sentences cannot be compared."""

RESTATED = 0.4
"""Share of a quote's telling words that a memory added on it must hold."""

_LABEL = re.compile(r"\*\*[A-Z][\w ]{0,30}:\*\*")
_LABELLED = re.compile(r"\*\*[A-Z][\w ]{0,30}:\*\*(?:(?!\n\s*\n).)*", re.DOTALL)  # with the paragraph behind it
_VALUES = (DetailKind.NUMBER, DetailKind.VERSION)
_NOBODY = frozenset({"user"})  # how a memory calls whoever speaks
_FEWEST = 3  # telling words below which a sentence is too short to be measured


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
                or _loses_untouched(proposal, case)
                or _not_cited(proposal, case)
                or _untold(proposal, case)
            )
        case Kind.MERGE | Kind.SPLIT:
            return _loses_sentences(proposal, case) or _untold(proposal, case)
        case _:
            return None


def _beside_the_quote(proposal: Proposal) -> str | None:
    """An addition says what its quotes say, not something else that is true."""
    draft = _words(f"{draft.description}\n{draft.body}" for draft in proposal.drafts)
    quotes = [_words([one.quote]) for one in proposal.evidence if isinstance(one, Said)]
    if any(not quote or len(quote & draft) >= RESTATED * len(quote) for quote in quotes) or not quotes:
        return None
    return "What it adds is not what is cited."


def _untold(proposal: Proposal, case: Case) -> str | None:
    """A fact of which neither the user nor the old texts gave the words, or words that only the assistant used.

    How a fact is told, and what it means for later work, are the proposer's own words; what it is about never is.
    """
    told = _words([*(memory.text for memory in case.of(proposal.memories)), *_heard(proposal, case)])
    for draft in proposal.drafts:
        fact = _sentences(_LABELLED.sub("", draft.body))
        strange = [one for one in _sentences(draft.body) if _share(one, told) < TOLD]
        if strange and _share("\n".join(fact), told) < FACT:
            return f'Nobody said "{_short(strange[0])}".'
        for sentence in strange:
            if sentence in fact and not _known(_words([sentence]), told):
                return f'Nobody said "{_short(sentence)}".'
            if _is_the_assistants(sentence, case):
                return f'Only the assistant said "{_short(sentence)}".'
    return None


def _share(sentence: str, told: frozenset[str]) -> float:
    """How much of a sentence was told; all of one that is too short to be measured."""
    own = _words([sentence])
    return len(_known(own, told)) / len(own) if len(own) >= _FEWEST else 1.0


def _is_the_assistants(sentence: str, case: Case) -> bool:
    own = _words([sentence])
    theirs = (message.text for digest in case.digests for message in digest.messages if message.role is Role.ASSISTANT)
    return any(len(own & _words([one])) >= BORROWED * len(own) for text in theirs for one in sentences(text))


def _heard(proposal: Proposal, case: Case) -> Iterable[str]:
    """What the user said in the sessions that are cited, the replies it is an answer to, and what is quoted."""
    places = [locate(one, case.digests) for one in proposal.evidence if isinstance(one, Said)]
    cited = {place.message.session for place in places if isinstance(place, Place)}
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


def _loses_untouched(proposal: Proposal, case: Case) -> str | None:
    """A replacement rewrites the sentences that the user spoke of, and keeps a fair part of the rest."""
    (memory,), (draft,) = case.of(proposal.memories), proposal.drafts
    spoken, own = _spoken(proposal, case), _words([memory.body])
    after = _words([draft.description, draft.body])
    whole = _plainly_meant(memory, proposal, case)
    if len(_known(own, after)) < PART * len(own) and not whole:
        return f"It replaces nearly all of {memory.id}, and not only what the user spoke of."
    named = after | _words(proposal.leaves_out)
    for sentence in _gone(memory, draft):
        told = _words([sentence])
        touched = len(_known(told, spoken)) >= (1 if _is_retold(sentence, draft, KEPT) else min(2, len(told) // 2))
        given_up = whole or (proposal.leaves_out and len(_known(told, named)) >= KEPT * len(told))
        if told and not touched and not (given_up and _part(sentence, memory.body) in _LABEL.findall(draft.body)):
            return f'It would lose "{_short(sentence)}", which its evidence does not touch.'
    return _swaps_elsewhere(memory, draft, proposal)


def _swaps_elsewhere(memory: Memory, draft: Draft, proposal: Proposal) -> str | None:
    """A value changes only where one of the changed sentences shares a word with the quotes, or a measure."""
    quoted = " ".join(one.quote for one in proposal.evidence)
    new = set(map(_flat, _sentences(draft.body)))
    changed = [sentence for sentence in _sentences(memory.body) if _flat(sentence) not in new]
    if not changed or any(_shares(sentence, quoted, memory) for sentence in changed):
        return None
    return f'What is cited has nothing of "{_short(changed[0])}", which it would change.'


def _shares(sentence: str, quoted: str, memory: Memory) -> bool:
    """Whether a sentence and a quote have a word in common beside what they both count, or a measure."""
    common = {word for word in words(sentence) & words(quoted) if not word.isdigit()} - STOP_WORDS
    common |= {root for root in _known(_words([sentence]), _words([quoted])) if not root.isdigit()}
    alike = [old for old in details(sentence) for now in details(quoted) if valued_alike(old, now)]
    counted = {old.unit[:4] for old in alike if not is_measure(old) and not heads(old.unit, memory)}
    return any(word[:4] not in counted for word in common) or len(alike) > len(counted)


def _flat(sentence: str) -> str:
    return " ".join(sentence.split())


def _plainly_meant(memory: Memory, proposal: Proposal, case: Case) -> bool:
    """Whether a statement is about this memory before all others, so that all of it may be meant."""
    places = [locate(one, case.digests) for one in proposal.evidence if isinstance(one, Said)]
    statements = [place.statement for place in places if isinstance(place, Place)]
    statements += [one.quote for one in proposal.evidence if isinstance(one, Said)]
    clauses = [clause for text in statements for clause in re.split(r"[,;] ", text)]
    return any(
        tells_a_change(text)
        and memory.id in case.kinship.closest(text, 1)
        and case.kinship.held(text)[memory.id] >= MEANT
        for text in (*statements, *clauses)
    )


def _not_cited(proposal: Proposal, case: Case) -> str | None:
    """What differs from the old text is what the statement says: its values, its yes or no, and not only less."""
    (memory,), (draft,) = case.of(proposal.memories), proposal.drafts
    places = [locate(one, case.digests) for one in proposal.evidence if isinstance(one, Said)]
    found = [place for place in places if isinstance(place, Place)]
    heard = "\n".join([*(one.quote for one in proposal.evidence), *(place.message.text for place in found)])
    values = [new for new in missing(details(draft.body), memory.text) if new.kind in _VALUES]
    untold = (new for new in missing(values, heard) if not (is_told(new.text, heard) or shown(new.text, proposal)))
    if strange := [new for new in untold if not _follows(new, memory, draft)]:
        return f'"{strange[0].text}" does not stand in what is cited.'
    fresh = _words([draft.description, draft.body]) - _words([memory.text])
    if not values and not _known(fresh, _words([heard])) and not any(ends(place.statement) for place in found):
        return "It takes up nothing of what is cited."
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


def _loses_sentences(proposal: Proposal, case: Case) -> str | None:
    """A merge or a split keeps what each member says, if in other words."""
    after = "\n\n".join(f"{draft.description}\n{draft.body}" for draft in proposal.drafts)
    held, share = _words([after]), KEPT if proposal.kind is Kind.SPLIT else REWORDED
    foreign = [memory for memory in case.of(proposal.memories) if _is_foreign(memory, after)]
    if foreign and _size(after) < GROWN * sum(_size(memory.body) for memory in case.of(proposal.memories)):
        return f"It is too short to hold {foreign[0].id}, which is in another language."
    for memory in case.of(proposal.memories):
        named = details(memory.body if proposal.kind is Kind.SPLIT else memory.text)
        if named and len(missing(named, after)) == len(named):
            return f"Nothing that {memory.id} names would be left."
        for sentence in () if memory in foreign else _sentences(memory.body):
            told = _words([sentence])
            if len(told) >= _FEWEST and len(_known(told, held)) < share * len(told):
                return f'It would lose "{_short(sentence)}" of {memory.id}.'
    return None


def _is_foreign(memory: Memory, text: str) -> bool:
    return bool(tongue(memory.body) and tongue(text)) and tongue(memory.body) != tongue(text)


def _size(text: str) -> int:
    return len(text.split())


def _gone(memory: Memory, draft: Draft) -> list[str]:
    """The sentences of a memory that a draft does not hold, or in which it changes more than a value or adds to it."""
    new = {_without_values(sentence) for sentence in _sentences(draft.body)}
    missing_ones = (sentence for sentence in _sentences(memory.body) if _without_values(sentence) not in new)
    return [sentence for sentence in missing_ones if not _is_retold(sentence, draft, 1)]


def _without_values(sentence: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\W\d_]+", sentence.lower()))


def _is_retold(sentence: str, draft: Draft, share: float) -> bool:
    """Whether a draft says a sentence in other words, and with the same yes or no: so much of it, and no "not" of its
    own in the clause that is nearest."""
    own = frozenset(word for word in _words([sentence]) if not word.isdigit())
    clauses = [part for each in _sentences(draft.body) for part in (each, *re.split(r"(?<=\w)[;:]\s", each))]
    nearest = max(clauses, key=lambda one: (len(_known(own, _words([one]))), -len(one)), default="")
    after = nearest if share == 1 else f"{draft.description}\n{draft.body}"
    return denials(nearest) == denials(sentence) and len(_known(own, _words([after]))) >= share * len(own) > 0


def _part(sentence: str, body: str) -> str:
    """The label of the part of a memory that a sentence stands in; empty for the fact itself."""
    at = body.find(sentence[:30])
    return next((label[0] for label in reversed([*_LABEL.finditer(body)]) if 0 <= label.start() <= at), "")


def _spoken(proposal: Proposal, case: Case) -> frozenset[str]:
    """The words of the quotes with the sentences around them."""
    places = [locate(one, case.digests) for one in proposal.evidence if isinstance(one, Said)]
    statements = (place.statement for place in places if isinstance(place, Place))
    return _words([*(one.quote for one in proposal.evidence), *statements])


def _sentences(text: str) -> Sequence[str]:
    return sentences(_LABEL.sub("", text))


def _words(texts: Iterable[str]) -> frozenset[str]:
    return frozenset().union(*map(_roots, texts)) - _NOBODY


@lru_cache(maxsize=8192)
def _roots(text: str) -> frozenset[str]:
    return frozenset(roots(text))


def _known(words: frozenset[str], told: frozenset[str]) -> frozenset[str]:
    """Those of ``words`` that were told, whole, as the beginning of a compound on either side, or shortened."""
    starts = {root[:4] for root in told if len(root) >= 3}
    return frozenset(word for word in words if word in told or word[:4] in starts or word[:3] in starts)


def _short(sentence: str) -> str:
    flat = " ".join(sentence.split())
    return flat if len(flat) <= 60 else f"{flat[:59]}…"
