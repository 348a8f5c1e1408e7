"""Looking up what a proposal cites: what is found counts, what is not is left out and told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memgit.evidence.quotes import Place, Prose, Void, find_said, find_seen
from memgit.model.decision import Evidence, FactName, Proposal, Said, Seen
from memgit.rulings.case import Case


@dataclass(frozen=True, slots=True)
class Cited:
    """The evidence that was found, completed, and what is void of it."""

    found: tuple[Evidence, ...]
    void: tuple[Void, ...] = ()


def cited(proposal: Proposal, case: Case) -> Cited:
    """Look up everything that a proposal cites.

    What only the agent said counts where a cited message of the user directly answers it: the two are one piece of
    evidence. Everything else that is not there, or is nobody's typing, is void.
    """
    evidence = tuple(_with_answers(proposal.evidence, case.prose))
    looked_up = [_look_up(one, case) for one in evidence]
    found = [one for one in looked_up if not isinstance(one, Void)]
    return Cited(tuple(dict.fromkeys(found)), tuple(one for one in looked_up if isinstance(one, Void)))


def _look_up(evidence: Evidence, case: Case) -> Evidence | Void:
    match evidence:
        case Said():
            return find_said(evidence, case.prose)
        case Seen():
            return find_seen(evidence, case.memories.values(), case.tree_text)


def _with_answers(evidence: Sequence[Evidence], prose: Prose) -> Iterator[Evidence]:
    """The evidence with quotes of the agent joined to those of the user that answer them."""
    places = {one: prose.locate(one) for one in evidence if isinstance(one, Said)}
    agents = [one for one, place in places.items() if isinstance(place, Void) and place.fact is FactName.AGENT]
    joined: dict[Said, Said] = {}
    used: set[Said] = set()
    for one, place in places.items():
        if isinstance(place, Place) and not one.answers:
            asked = next((each for each in agents if each not in used and _answers(one, each, prose)), None)
            if asked:
                used.add(asked)
                joined[one] = replace(one, answers=asked.quote)
    for given in evidence:
        if not isinstance(given, Said):
            yield given
        elif given not in used:
            yield joined.get(given, given)


def _answers(said: Said, asked: Said, prose: Prose) -> bool:
    """Whether the user's words directly answer the agent's, in one session."""
    place = prose.locate(replace(said, answers=asked.quote))
    return isinstance(place, Place) and place.message.session.startswith(asked.session)
