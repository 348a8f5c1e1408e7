"""How a proposal's evidence reads: a dozen numbers about where a quote stands and which words it has, weighed together.

No sign is enough to say anything; together they tell wrong proposals from right ones well enough to be worth a
person's look. Weights and border are fitted by ``python -m tests.bench fit`` on labelled proposals and stand in
``weights.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path

from memgit.evidence.quotes import Passage, Place
from memgit.evidence.voices import looks_pasted, typed
from memgit.likeness.models import Logistic
from memgit.likeness.models import fitted as fitted_in
from memgit.likeness.nearness import Weights, told
from memgit.model.decision import Doubt, Kind, Proposal
from memgit.model.session import Role
from memgit.model.store import Memory
from memgit.rulings.case import Case
from memgit.text.amounts import Amount, amounts
from memgit.text.language import Lexicon, common_terms
from memgit.text.words import length, sentences, terms

_QUESTION = ("?", "？")
_WEIGHTS = Path(__file__).parent / "weights.toml"


@dataclass(frozen=True, slots=True)
class Sign:
    """One number about a proposal, by its name, and the words that it is about."""

    name: str
    value: float
    about: str = ""


TOLD: Mapping[str, tuple[str, str]] = {
    "pasted": ("It looks pasted: the line {about}.", "confirm that the user typed it and means it"),
    "question": ("It is asked or left open rather than said.", "cite where it is said"),
    "wondering": ("It reads like thinking aloud.", "cite where it is settled"),
    "passing": ("It reads like something for the moment.", "confirm that it holds in later sessions"),
    "retracted": ("The user's next message may take it back.", "cite what holds now"),
    "other": ("Little of what is cited speaks of {about}.", "cite what names it"),
    "unused": ("Much of what is cited is in neither the memory nor the result.", "cite what it rests on"),
    "aside": ("It is one remark among many in its message.", "confirm that it is meant to last"),
    "clash": ("They give different amounts.", "keep them apart, or confirm that they say the same"),
    "frame": ("They are built alike and differ in a word.", "keep them apart, or confirm that they say the same"),
}
"""The sentence for each sign that can be told, and what would settle it."""

_MOST_TOLD = 2


def suspicious(proposal: Proposal, case: Case) -> Iterator[Doubt]:
    """The doubts of a proposal whose signs, taken together, speak for a mistake."""
    name, found = signs(proposal, case)
    if not name or (model := fitted(name)).chance({sign.name: sign.value for sign in found}) < model.border:
        return
    usual = {} if proposal.kind is Kind.MERGE else model.usual  # of a merge whatever sets its members apart is told
    tellers = _tellers(found, model, usual)[:_MOST_TOLD]
    for sign in tellers:  # what nothing can be said of is not marked
        sentence, settle = TOLD[sign.name]
        yield Doubt(sign.name, sentence.format(about=sign.about), sign.about, settle)


def fitted(name: str) -> Logistic:
    """The model of this name."""
    return fitted_in(_WEIGHTS, name)


def _tellers(signs: Sequence[Sign], model: Logistic, usual: Mapping[str, float]) -> list[Sign]:
    """The signs that a person can be told of and that speak for a mistake more than usual, the strongest first."""
    speaks = {
        sign: model.weights[sign.name] * (sign.value - usual.get(sign.name, 0.0))
        for sign in signs
        if sign.name in TOLD and sign.value > 0 and model.weights.get(sign.name, 0.0) > 0
    }
    return sorted((sign for sign in speaks if speaks[sign] > 0), key=lambda sign: -speaks[sign])


def signs(proposal: Proposal, case: Case) -> tuple[str, tuple[Sign, ...]]:
    """The model that a proposal is weighed by, and its signs: of what was said, or of memories that shall be one."""
    if proposal.kind is Kind.MERGE:
        return "merge", tuple(of_a_pair(*_least_alike(case.of(proposal.memories), case), case.texts.weights))
    places = tuple(case.places(proposal.evidence))
    return ("said", tuple(_of_what_was_said(proposal, places, case))) if places else ("", ())


# --- what was said ---


def _of_what_was_said(proposal: Proposal, places: Sequence[Place], case: Case) -> Iterator[Sign]:
    last = case.prose.latest(places)
    words = case.texts.lexicon(last.message.session)
    quote = " ".join(place.text[place.start : place.end] for place in places)
    yield from _of_the_wording(places, words)
    yield from _of_the_result(proposal, places, case)
    yield from _of_the_message(last, quote)
    yield from _of_its_place(last, words, case)


_DOUBTFUL = ("wondering", "passing")
_TELLING = ("ending", "negation")
_ASKING = (*_QUESTION, "…", "...")


def _of_the_wording(places: Sequence[Place], known: Lexicon) -> Iterator[Sign]:
    told_in = [place.sentence for place in places]
    for name in _DOUBTFUL:
        words = [word for sentence in told_in for word in known.found(name, sentence)]
        beside = [word for place in places for word in known.found(name, place.text)] if not words else []
        about = ", ".join(dict.fromkeys(words or beside))
        yield Sign(name, min(len(words), 2) / 2 or min(len(beside), 2) / 4, about)
    for name in _TELLING:
        words = [word for sentence in told_in for word in known.found(name, sentence)]
        yield Sign(name, min(len(words), 2) / 2)
    asked = next((sentence for sentence in told_in if any(mark in sentence for mark in _ASKING)), "")
    yield Sign("question", float(bool(asked)), asked)
    pasted = next((found for place in places if (found := _pasted(place))), "")
    yield Sign("pasted", float(bool(pasted)), pasted)
    yield Sign("quotes", min(len(places), 3) / 3)
    yield Sign("length", log(1 + length(" ".join(place.text[place.start : place.end] for place in places))) / 4)


def _of_the_result(proposal: Proposal, places: Sequence[Place], case: Case) -> Iterator[Sign]:
    """How the words of what is cited, of what it would change and of what would come of it hang together."""
    weights, common = case.texts.weights, common_terms()
    before = set(terms("\n".join(told(memory) for memory in case.of(proposal.memories)))) - common
    after = set(terms("\n".join(f"{draft.description}\n{draft.body}" for draft in proposal.drafts))) - common
    cited = set(terms(" ".join(place.sentence for place in places))) - common
    answered = (passage.text for place in places for passage in case.prose.answered(place)[-1:])
    heard = set(terms("\n".join((*(place.text for place in places), *answered))))

    def share(some: set[str], of: set[str], otherwise: float) -> float:
        return weights.sum(some & of) / total if (total := weights.sum(of)) > 0 else otherwise

    new = after - before
    yield Sign("beside", share(heard, new, 1.0) - share(cited, new, 1.0))
    yield Sign("unused", 1 - share(before | after, cited, 0.0))
    if before:
        yield Sign("other", 1 - share(heard, before, 1.0), ", ".join(proposal.memories))


def _pasted(place: Place) -> str:
    """Why a quote looks pasted: its words are found again in the message as it was written."""
    words = place.text[place.start : place.end].split()
    found = re.search(r"\s+".join(map(re.escape, words)), place.message.text)
    return looks_pasted(place.message.text, *found.span()) if found else ""


def _of_the_message(place: Place, quote: str) -> Iterator[Sign]:
    text = place.message.text
    beside = [one.text for one in sentences(typed(text)) if " ".join(one.text.split()) not in quote]
    yield Sign("aside", min(len(beside), 8) / 8, " ".join(beside)[:120])
    yield Sign("crowd", min(sum(1 for _ in sentences(text)), 12) / 12)


def _of_its_place(place: Place, known: Lexicon, case: Case) -> Iterator[Sign]:
    after = case.prose.later(place)
    following = next((each for each in after if each.message.session == place.message.session), None)
    words = known.found("retract", following.text) if following else ()
    yield Sign("retracted", min(len(words), 2) / 2, following.text[:120] if following and words else "")
    yield Sign("answering", float(_asked(case.prose.answered(place))))


def _asked(before: Sequence[Passage]) -> bool:
    return any(
        mark in passage.text[-400:]
        for passage in before[-1:]
        for mark in _QUESTION
        if passage.message.role is Role.ASSISTANT
    )


# --- memories that shall be one ---


def _least_alike(members: Sequence[Memory], case: Case) -> tuple[Memory, Memory]:
    weights = case.texts.weights
    pairs = [(one, other) for at, one in enumerate(members) for other in members[at + 1 :]]
    return min(pairs, key=lambda pair: weights.shared(told(pair[0]), told(pair[1])))


def of_a_pair(one: Memory, other: Memory, weights: Weights) -> Iterator[Sign]:
    """What tells two memories apart, and how alike they are built."""
    here, there = _claim(one), _claim(other)
    yield Sign("frame", weights.shared(here, there), f"{one.id}, {other.id}")
    left, right = _told_apart(amounts(here), amounts(there)), _told_apart(amounts(there), amounts(here))
    clash = next(((a, b) for a in left for b in right if a.comparable(b)), None)
    yield Sign("clash", float(clash is not None), f"{clash[0].text} against {clash[1].text}" if clash else "")
    yield Sign("lengths", abs(log(1 + len(terms(here))) - log(1 + len(terms(there)))))


def _told_apart(mine: Iterable[Amount], theirs: Iterable[Amount]) -> list[Amount]:
    """Those of ``mine`` that are none of ``theirs``, each once: equal ones are left out before any is compared."""
    others = {amount.text: amount for amount in theirs}
    own = {amount.text: amount for amount in mine}
    return [
        own[text] for text in own if text not in others and not any(own[text].same(each) for each in others.values())
    ]


def _claim(memory: Memory) -> str:
    """What a memory asserts: its description, and its text before the first label."""
    return (
        f"{memory.description}\n{re.split(r'^[*]{2}[^*]{2,40}:[*]{2}', memory.body, maxsplit=1, flags=re.MULTILINE)[0]}"
    )
