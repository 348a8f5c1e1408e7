"""Sentence by sentence: what a change keeps of the old texts, and what it says that nobody said.

Details (numbers, names, spans) are looked at in ``fidelity``; here it is the plain words around them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from memgit.core.decisions.case import Case
from memgit.core.decisions.contradictions import opposed
from memgit.core.decisions.telling import roots
from memgit.core.sessions.quotes import Place, locate
from memgit.core.text.words import sentences
from memgit.model.decision import Draft, Kind, Proposal, Said
from memgit.model.passes import PassKind
from memgit.model.session import Role
from memgit.model.store import Memory

KEPT = 0.6
"""Share of a sentence's telling words that the result must hold for the sentence to count as kept as it was."""

PART = 0.3
"""Share of a memory's telling words that a replacement keeps at least."""

REWORDED = 0.25
"""The same where members of a merge tell one lesson in different words."""

TOLD = 0.5
"""Share of a new sentence's telling words that the user, or the old texts, must have used."""

RESTATED = 0.4
"""Share of a quote's telling words that a memory added on it must hold."""

_LABEL = re.compile(r"\*\*[A-Z][\w ]{0,30}:\*\*")
_FEWEST = 3  # telling words below which a sentence is too short to be measured


def ungrounded(proposal: Proposal, case: Case) -> str | None:
    """Why a change loses sentences that its evidence does not touch, or says what nobody said."""
    if case.kind is not PassKind.CURATE:
        return None
    match proposal.kind:
        case Kind.ADD:
            return _beside_the_quote(proposal) or _untold(proposal, case)
        case Kind.REPLACE | Kind.UPDATE:
            return _replaces_nothing(proposal, case) or _loses_untouched(proposal, case) or _untold(proposal, case)
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
    for sentence in _gone(memory, draft):
        words = _words([sentence])
        named = _known(words, _words(proposal.leaves_out)) and _known(words, around)
        if words and not _touched(words, spoken) and not named:
            return f'It would lose "{_short(sentence)}", which its evidence does not touch.'
    return None


def _plainly_meant(memory: Memory, proposal: Proposal, case: Case) -> bool:
    """Whether a statement is about this memory before all others, so that all of it may be meant."""
    places = [locate(one, case.digests) for one in proposal.evidence if isinstance(one, Said)]
    statements = [place.statement for place in places if isinstance(place, Place)]
    return any(
        memory.id in case.kinship.closest(text, 1) and case.kinship.held(text)[memory.id] >= PART for text in statements
    )


def _touched(words: frozenset[str], spoken: frozenset[str]) -> bool:
    return len(_known(words, spoken)) >= min(2, len(words) // 2) or not words


def _loses_sentences(proposal: Proposal, case: Case) -> str | None:
    """A merge or a split keeps what each member says, if in other words."""
    held = _words(f"{draft.description}\n{draft.body}" for draft in proposal.drafts)
    left_out = _words(proposal.leaves_out)
    for memory in case.of(proposal.memories):
        for sentence in _sentences(memory.body):
            words = _words([sentence])
            if len(words) >= _FEWEST and len(_known(words, held | left_out)) < REWORDED * len(words):
                return f'It would lose "{_short(sentence)}" of {memory.id}.'
    return None


def _gone(memory: Memory, draft: Draft) -> list[str]:
    """The sentences of a memory that a draft does not hold, or turns round."""
    held = _words([draft.description, draft.body])
    return [
        sentence
        for sentence in _sentences(memory.body)
        if len(_words([sentence]) & held) < KEPT * len(_words([sentence])) or any(opposed(sentence, draft.body))
    ]


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
