"""Sentence by sentence: what a change keeps of the old texts, and what it says that nobody said.

Details (numbers, names, spans) are looked at in ``fidelity``; here it is the plain words around them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from memgit.core.decisions.case import Case, words
from memgit.core.decisions.contradictions import changes, denials
from memgit.core.decisions.telling import roots
from memgit.core.sessions.quotes import Place, locate
from memgit.core.text.details import DetailKind, details, missing, valued_alike
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
"""Share of a new sentence's telling words that the user, or the old texts, must have used."""

RESTATED = 0.4
"""Share of a quote's telling words that a memory added on it must hold."""

_LABEL = re.compile(r"\*\*[A-Z][\w ]{0,30}:\*\*")
_VALUES = (DetailKind.NUMBER, DetailKind.VERSION)
_FEWEST = 3  # telling words below which a sentence is too short to be measured


def ungrounded(proposal: Proposal, case: Case) -> str | None:
    """Why a change loses sentences that its evidence does not touch, or says what nobody said."""
    if case.kind is not PassKind.CURATE:
        return None
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
    """A sentence of a draft of which neither the user nor the old texts gave the words."""
    told = _words([*(memory.text for memory in case.of(proposal.memories)), *_heard(proposal, case)])
    for draft in proposal.drafts:
        for sentence in _sentences(draft.body):
            words = _words([sentence])
            if len(words) >= _FEWEST and len(_known(words, told)) < TOLD * len(words):
                return f'Nobody said "{_short(sentence)}".'
    return None


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
    spoken, around = _spoken(proposal, case)
    own = _words([memory.body])
    kept = len(_known(own, _words([draft.description, draft.body])))
    if kept < PART * len(own) and not _plainly_meant(memory, proposal, case):
        return f"It replaces nearly all of {memory.id}, and not only what the user spoke of."
    whole = _plainly_meant(memory, proposal, case)
    turned = denials(draft.body) != denials(memory.body)
    for sentence in _gone(memory, draft):
        told = _words([sentence])
        reworded = not turned and len(_known(told, _words([draft.description, draft.body]))) >= KEPT * len(told)
        excused = _in_labelled_part(sentence, memory) and (whole or _known(told, _words(proposal.leaves_out) & around))
        if told and len(_known(told, spoken)) < (1 if reworded else min(2, len(told) // 2)) and not excused:
            return f'It would lose "{_short(sentence)}", which its evidence does not touch.'
    return _swaps_elsewhere(memory, draft, proposal)


def _swaps_elsewhere(memory: Memory, draft: Draft, proposal: Proposal) -> str | None:
    """A value changes only where one of the changed sentences shares a word with the quotes, or a measure."""
    quoted = " ".join(one.quote for one in proposal.evidence)
    new = set(map(_flat, _sentences(draft.body)))
    changed = [sentence for sentence in _sentences(memory.body) if _flat(sentence) not in new]
    if not changed or any(_shares(sentence, quoted) for sentence in changed):
        return None
    return f'What is cited has nothing of "{_short(changed[0])}", which it would change.'


def _shares(sentence: str, quoted: str) -> bool:
    common = {word for word in words(sentence) & words(quoted) if not word.isdigit()} - STOP_WORDS
    common |= {root for root in _known(_words([sentence]), _words([quoted])) if not root.isdigit()}
    return bool(common) or any(valued_alike(old, now) for old in details(sentence) for now in details(quoted))


def _flat(sentence: str) -> str:
    return " ".join(sentence.split())


def _plainly_meant(memory: Memory, proposal: Proposal, case: Case) -> bool:
    """Whether a statement is about this memory before all others, so that all of it may be meant."""
    places = [locate(one, case.digests) for one in proposal.evidence if isinstance(one, Said)]
    statements = [place.statement for place in places if isinstance(place, Place)]
    statements += [one.quote for one in proposal.evidence if isinstance(one, Said)]
    return any(
        changes(text, memory.body)
        and memory.id in case.kinship.closest(text, 1)
        and case.kinship.held(text)[memory.id] >= MEANT
        for text in statements
    )


def _not_cited(proposal: Proposal, case: Case) -> str | None:
    """What differs from the old text is what the statement says: its values, its yes or no, and not only less."""
    (memory,), (draft,) = case.of(proposal.memories), proposal.drafts
    places = [locate(one, case.digests) for one in proposal.evidence if isinstance(one, Said)]
    found = [place for place in places if isinstance(place, Place)]
    heard = "\n".join([*(one.quote for one in proposal.evidence), *(place.message.text for place in found)])
    values = [new for new in missing(details(draft.body), memory.text) if new.kind in _VALUES]
    if strange := missing(values, heard):
        return f'"{strange[0].text}" does not stand in what is cited.'
    turns = any(changes(place.statement, memory.body) for place in found)
    if not words(draft.body) - words(memory.text) and not turns:
        return "It only takes something away, and what is cited does not say that it is over."
    more = denials(draft.body) - denials(memory.body)
    denied = any(denials(place.statement) or changes(place.statement, "") for place in found)
    if (more > 0 and not denied) or (more < 0 and not turns):
        return "It turns a yes into a no, or a no into a yes, which is not what is cited."
    return None


def _loses_sentences(proposal: Proposal, case: Case) -> str | None:
    """A merge or a split keeps what each member says, if in other words."""
    after = "\n\n".join(f"{draft.description}\n{draft.body}" for draft in proposal.drafts)
    held = _words([after])
    for memory in case.of(proposal.memories):
        named = details(memory.text)
        if named and len(missing(named, after)) == len(named):
            return f"Nothing that {memory.id} names would be left."
        for sentence in _sentences(memory.body):
            told = _words([sentence])
            if len(told) >= _FEWEST and len(_known(told, held)) < REWORDED * len(told):
                return f'It would lose "{_short(sentence)}" of {memory.id}.'
    return None


def _gone(memory: Memory, draft: Draft) -> list[str]:
    """The sentences of a memory that a draft does not hold, or in which it changes more than a value."""
    new = {_without_values(sentence) for sentence in _sentences(draft.body)}
    return [sentence for sentence in _sentences(memory.body) if _without_values(sentence) not in new]


def _without_values(sentence: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\W\d_]+", sentence.lower()))


def _in_labelled_part(sentence: str, memory: Memory) -> bool:
    first = _LABEL.search(memory.body)
    return first is not None and memory.body.find(sentence[:30]) >= first.start()


def _spoken(proposal: Proposal, case: Case) -> tuple[frozenset[str], frozenset[str]]:
    """The words of the quotes with the sentences around them, and those of the messages that they stand in."""
    places = [locate(one, case.digests) for one in proposal.evidence if isinstance(one, Said)]
    found = [place for place in places if isinstance(place, Place)]
    quotes = [one.quote for one in proposal.evidence]
    return _words([*quotes, *(place.statement for place in found)]), _words(place.message.text for place in found)


def _sentences(text: str) -> Sequence[str]:
    return sentences(_LABEL.sub("", text))


def _words(texts: Iterable[str]) -> frozenset[str]:
    return frozenset().union(*map(_roots, texts))


@lru_cache(maxsize=8192)
def _roots(text: str) -> frozenset[str]:
    return frozenset(roots(text))


def _known(words: frozenset[str], told: frozenset[str]) -> frozenset[str]:
    """Those of ``words`` that were told, whole or as the beginning of a compound on either side."""
    starts = {root[:4] for root in told if len(root) >= 4}
    return frozenset(word for word in words if word in told or word[:4] in starts)


def _short(sentence: str) -> str:
    flat = " ".join(sentence.split())
    return flat if len(flat) <= 60 else f"{flat[:59]}…"
