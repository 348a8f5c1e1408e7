"""What a change keeps of the old texts, sentence by sentence.

Details (numbers, names, spans) are looked at in ``fidelity``; here it is the plain words around them.
"""

from __future__ import annotations

import re

from memgit.core.decisions.case import Case, words
from memgit.core.decisions.contradictions import denials, tells_a_change
from memgit.core.decisions.phrases import FEWEST, LABEL, known, short, telling_words, told_in
from memgit.core.decisions.relevance import heads
from memgit.core.text.details import details, is_measure, missing, valued_alike
from memgit.core.text.tongue import tongue
from memgit.core.text.words import STOP_WORDS
from memgit.model.decision import Draft, Kind, Proposal, Said
from memgit.model.store import Memory

KEPT = 0.6
"""Share of a sentence's telling words that the result must hold for the sentence to count as reworded only."""

PART = 0.3
"""Share of a memory's telling words that a replacement keeps at least."""

MEANT = 0.2
"""Share of a statement that a memory must hold, and more than any other, for all of it to be replaced."""

REWORDED = 0.25
"""The same where members of a merge tell one lesson in different words."""

GROWN = 0.7
"""Words that a merge of two languages has, of all words of its members: their sentences cannot be compared."""


def loses_untouched(proposal: Proposal, case: Case) -> str | None:
    """Why a replacement rewrites more than the sentences that the user spoke of, or too little is left of the rest.

    A reason or a use gives way to another one below its label, where all of the memory is meant or it is named.
    """
    (memory,), (draft,) = case.of(proposal.memories), proposal.drafts
    own, after = telling_words([memory.body]), telling_words([draft.description, draft.body])
    whole = _plainly_meant(memory, proposal, case)
    if len(known(own, after)) < PART * len(own) and not whole:
        return f"It replaces nearly all of {memory.id}, and not only what the user spoke of."
    for sentence in _gone(memory, draft):
        given_up = whole or _is_named(sentence, proposal, after)
        in_its_place = given_up and _part(sentence, memory.body) in LABEL.findall(draft.body)
        if not (in_its_place or _is_touched(sentence, draft, _spoken(proposal, case))):
            return f'It would lose "{short(sentence)}", which its evidence does not touch.'
    return _swaps_elsewhere(memory, draft, proposal)


def _is_touched(sentence: str, draft: Draft, spoken: frozenset[str]) -> bool:
    """Whether the user spoke of a sentence: with a word of it where it is only reworded, else with two."""
    told = telling_words([sentence])
    least = 1 if _is_retold(sentence, draft, KEPT) else min(2, len(told) // 2)
    return not told or len(known(told, spoken)) >= least


def _is_named(sentence: str, proposal: Proposal, after: frozenset[str]) -> bool:
    """Whether a proposal says in the sentence's own words that it leaves it out, or what it does not keep of it."""
    told = telling_words([sentence])
    named = after | telling_words(proposal.leaves_out)
    return bool(proposal.leaves_out) and len(known(told, named)) >= KEPT * len(told)


def _swaps_elsewhere(memory: Memory, draft: Draft, proposal: Proposal) -> str | None:
    """A value changes only where one of the changed sentences shares a word with the quotes, or a measure."""
    quoted = " ".join(one.quote for one in proposal.evidence)
    new = set(map(_flat, told_in(draft.body)))
    changed = [sentence for sentence in told_in(memory.body) if _flat(sentence) not in new]
    if not changed or any(_shares(sentence, quoted, memory) for sentence in changed):
        return None
    return f'What is cited has nothing of "{short(changed[0])}", which it would change.'


def _shares(sentence: str, quoted: str, memory: Memory) -> bool:
    """Whether a sentence and a quote have a word in common beside what they both count, or a measure."""
    common = {word for word in words(sentence) & words(quoted) if not word.isdigit()} - STOP_WORDS
    common |= {root for root in known(telling_words([sentence]), telling_words([quoted])) if not root.isdigit()}
    alike = [old for old in details(sentence) for now in details(quoted) if valued_alike(old, now)]
    counted = {old.unit[:4] for old in alike if not is_measure(old) and not heads(old.unit, memory)}
    return any(word[:4] not in counted for word in common) or len(alike) > len(counted)


def _flat(sentence: str) -> str:
    return " ".join(sentence.split())


def _plainly_meant(memory: Memory, proposal: Proposal, case: Case) -> bool:
    """Whether a statement is about this memory before all others, so that all of it may be meant."""
    statements = [place.statement for place in case.places(proposal.evidence)]
    statements += [one.quote for one in proposal.evidence if isinstance(one, Said)]
    clauses = (clause for text in statements for clause in re.split(r"[,;] ", text))
    return any(
        tells_a_change(text)
        and memory.id in case.kinship.closest(text, 1)
        and case.kinship.held(text)[memory.id] >= MEANT
        for text in (*statements, *clauses)
    )


def _spoken(proposal: Proposal, case: Case) -> frozenset[str]:
    """The words of the quotes with the sentences around them."""
    statements = (place.statement for place in case.places(proposal.evidence))
    return telling_words([*(one.quote for one in proposal.evidence), *statements])


def _gone(memory: Memory, draft: Draft) -> list[str]:
    """The sentences of a memory that a draft does not hold, or in which it changes more than a value or adds to it."""
    new = {_without_values(sentence) for sentence in told_in(draft.body)}
    missing_ones = (sentence for sentence in told_in(memory.body) if _without_values(sentence) not in new)
    return [sentence for sentence in missing_ones if not _is_retold(sentence, draft, 1)]


def _without_values(sentence: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\W\d_]+", sentence.lower()))


def _is_retold(sentence: str, draft: Draft, share: float) -> bool:
    """Whether a draft says a sentence in other words, and with the same yes or no: so much of it, and no "not" of its
    own in the clause that is nearest."""
    own = frozenset(word for word in telling_words([sentence]) if not word.isdigit())
    clauses = [part for each in told_in(draft.body) for part in (each, *re.split(r"(?<=\w)[;:]\s", each))]
    nearest = max(clauses, key=lambda one: (len(known(own, telling_words([one]))), -len(one)), default="")
    after = nearest if share == 1 else f"{draft.description}\n{draft.body}"
    return denials(nearest) == denials(sentence) and len(known(own, telling_words([after]))) >= share * len(own) > 0


def _part(sentence: str, body: str) -> str:
    """The label of the part of a memory that a sentence stands in; empty for the fact itself."""
    at = body.find(sentence[:30])
    return next((label[0] for label in reversed([*LABEL.finditer(body)]) if 0 <= label.start() <= at), "")


def loses_sentences(proposal: Proposal, case: Case) -> str | None:
    """Why a merge or a split does not keep what each member says, if in other words."""
    after = "\n\n".join(f"{draft.description}\n{draft.body}" for draft in proposal.drafts)
    members = case.of(proposal.memories)
    foreign = [memory for memory in members if _is_foreign(memory, after)]
    if foreign and _size(after) < GROWN * sum(_size(memory.body) for memory in members):
        return f"It is too short to hold {foreign[0].id}, which is in another language."
    share = KEPT if proposal.kind is Kind.SPLIT else REWORDED
    for memory in members:
        named = details(memory.body if proposal.kind is Kind.SPLIT else memory.text)
        if named and len(missing(named, after)) == len(named):
            return f"Nothing that {memory.id} names would be left."
        if memory not in foreign and (lost := _lost(memory, telling_words([after]), share)):
            return f'It would lose "{short(lost)}" of {memory.id}.'
    return None


def _lost(memory: Memory, held: frozenset[str], share: float) -> str:
    """The first sentence of a memory of which less than a share is held; empty where there is none."""
    told = ((sentence, telling_words([sentence])) for sentence in told_in(memory.body))
    measured = ((sentence, words) for sentence, words in told if len(words) >= FEWEST)
    return next((sentence for sentence, words in measured if len(known(words, held)) < share * len(words)), "")


def _is_foreign(memory: Memory, text: str) -> bool:
    return bool(tongue(memory.body) and tongue(text)) and tongue(memory.body) != tongue(text)


def _size(text: str) -> int:
    return len(text.split())
