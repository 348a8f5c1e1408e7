"""Which statements may be worth a memory: a few numbers each, weighed together. It knows no project and no rule.

The weights are fitted by ``python -m tests.bench fit`` on labelled projects and stand in ``weights.toml``. Words of
change and of doubt are the languages' own (``text/lexicon``); all else is likeness, place and form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path

from memgit.evidence.quotes import fold, is_a_persons
from memgit.evidence.voices import Voice, looks_pasted, stretches
from memgit.likeness.embedding import Vector, apart, vector
from memgit.likeness.models import Logistic
from memgit.likeness.models import fitted as fitted_in
from memgit.likeness.nearness import Near, Nearness, Weights, told
from memgit.model.session import Message, Role
from memgit.model.store import Memory
from memgit.text.amounts import amounts
from memgit.text.language import DEFAULT, Lexicon, language, lexicon
from memgit.text.words import Sentence, length, sentences

# --- statements ---
# What people said, statement by statement, with what each answers.

_ASKED_WITHIN = 500
"""Characters at the end of the agent's message in which a question counts as put to the user."""

_AROUND = 280
"""Characters up to which a sentence is quoted with its neighbours: what fits on a few lines of a screen."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that a person typed. ``around`` is it with what stands beside it, ``place`` its number in the message,
    ``before`` what the agent had said, ``answers`` the question of it that a first sentence replies to."""

    message: Message
    text: str
    around: str
    place: int
    is_last: bool = False
    before: str = ""
    answers: str = ""
    pasted: bool = False


def statements(messages: Iterable[Message]) -> Iterator[Statement]:
    """The statements in the messages of sessions, oldest first: typed by people and not taken back."""
    said: list[str] = []
    session, asked = "", True
    for message in messages:
        if message.session != session:
            session, said = message.session, []
        if message.role is Role.ASSISTANT:
            said = [message.text] if asked else [*said, message.text]
            asked = False
            continue
        asked = True
        if is_a_persons(message):
            yield from _of(message, "\n".join(said))


def _of(message: Message, before: str) -> Iterator[Statement]:
    typed = [
        (stretch.start, message.text[stretch.start : stretch.end])
        for stretch in stretches(message.text)
        if stretch.voice is Voice.TYPED
    ]
    told = [(start, text, tuple(sentences(text))) for start, text in typed]
    count, place = sum(len(each) for _, _, each in told), 0
    for start, text, each in told:
        for number, sentence in enumerate(each):
            yield Statement(
                message,
                sentence.text,
                _around(text, each, number),
                place,
                place == count - 1,
                before,
                _question(before) if place == 0 else "",
                bool(looks_pasted(message.text, start + sentence.start, start + sentence.end)),
            )
            place += 1


def _around(text: str, told: Sequence[Sentence], number: int) -> str:
    """A sentence with its neighbours, as far as they are short together."""
    first = last = number
    for next_ in (number - 1, number + 1):
        if 0 <= next_ < len(told):
            begin, end = told[min(first, next_)].start, told[max(last, next_)].end
            if end - begin <= _AROUND:
                first, last = min(first, next_), max(last, next_)
    return fold(text[told[first].start : told[last].end])


def _question(before: str) -> str:
    """The last question in what the agent said, where it stands near the end."""
    asked = [one.text for one in sentences(before[-_ASKED_WITHIN:]) if one.text.endswith(("?", "？"))]
    return fold(asked[-1]) if asked else ""


def asks_to_remember(statement: Statement, words: Lexicon) -> str:
    """The words by which somebody asks to remember something; empty where nobody does."""
    return next(iter(words.found("remember", statement.text)), "")


def without_asking(text: str, asking: str) -> str:
    """A statement without the words of asking: they are no content of what is to be remembered."""
    at = text.lower().find(asking.lower())
    before, after = text[:at].strip(" ,;:-–—"), text[at + len(asking) :].strip(" ,;:-–—.!")
    told = after if len(after) >= len(before) else before
    return told if told.strip() else text


# --- weights ---
# The models by which offline ranks.

_PATH = Path(__file__).parent / "weights.toml"


def fitted(name: str) -> Logistic:
    """The model of this name."""
    return fitted_in(_PATH, name)


_TELLING = ("change", "ending", "always", "negation")
_DOUBTFUL = ("passing", "wondering")
_WITHIN = 400
"""Statements after and before one that are compared with it: the work grows with their number alone."""

_LOOKED_AT = 12
"""Of these, those whose vectors are compared exactly, after their signs have ranked them."""

_SHORT = 4
_COMMAS = (",", "，", "、", "；", ";")


@dataclass(frozen=True, slots=True)
class Nominee:
    """A statement with how much speaks for it (0 to 1), and the memories near it, nearest first. ``asked`` are the
    words by which somebody asked to remember it."""

    statement: Statement
    chance: float
    near: tuple[Near, ...] = ()
    asked: str = ""

    @property
    def rank(self) -> float:
        """What was asked for in so many words comes before all else."""
        return self.chance + (1.0 if self.asked else 0.0)


def nominate(said: Sequence[Statement], memories: Sequence[Memory]) -> tuple[Nominee, ...]:
    """Every statement with its chance, the best first."""
    model = fitted("statement")
    found = [
        Nominee(statement, model.chance(numbers), near, asked)
        for statement, numbers, near, asked in measured(said, memories)
    ]
    return tuple(sorted(found, key=lambda each: -each.rank))


Measured = tuple[Statement, Mapping[str, float], tuple[Near, ...], str]


def measured(said: Sequence[Statement], memories: Sequence[Memory]) -> Iterator[Measured]:
    """The numbers of each statement, with the memories near it and the words of asking."""
    weights = Weights((*map(told, memories), *dict.fromkeys(each.message.text for each in said)))
    nearness, by_id = Nearness(memories, weights), {memory.id: memory for memory in memories}
    vectors = [vector(each.text) for each in said]
    words = _lexicons(said)
    for at, statement in enumerate(said):
        near = nearness.of(statement.text)
        known = words[statement.message.session]
        asked = asks_to_remember(statement, known)
        numbers = {
            **_of_the_wording(statement, known),
            **_of_the_memories(statement, near, by_id, known),
            **_of_the_others(at, said, vectors),
        }
        yield statement, numbers, near, asked


def _lexicons(said: Sequence[Statement]) -> Mapping[str, Lexicon]:
    """The words of the language that each session's user writes in."""
    texts: dict[str, list[str]] = {}
    for each in said:
        texts.setdefault(each.message.session, []).append(each.text)
    return {session: lexicon(language(" ".join(found)) or DEFAULT) for session, found in texts.items()}


def _of_the_wording(statement: Statement, words: Lexicon) -> dict[str, float]:
    text, count = statement.text, length(statement.text)
    answers = bool(statement.answers) or _asked(statement.before)
    return {
        "length": log(1 + count),
        "parts": min(sum(map(text.count, _COMMAS)), 3) / 3,
        "question": float(text.endswith(("?", "？"))),
        "answering": float(answers),
        "short_answer": float(count < _SHORT and answers),
        "opening": float(not statement.before),
        "place": min(statement.place, 5) / 5,
        "last": float(statement.is_last),
        "pasted": float(statement.pasted),
        "telling": sum(min(2, len(words.found(name, text))) / 2 for name in _TELLING),
        "doubtful": sum(min(2, len(words.found(name, text))) / 2 for name in _DOUBTFUL),
    }


def _asked(before: str) -> bool:
    return any(mark in before[-500:] for mark in ("?", "？"))


def _of_the_memories(
    statement: Statement, near: Sequence[Near], by_id: Mapping[str, Memory], words: Lexicon
) -> dict[str, float]:
    cosines = sorted((each.cosine for each in near), reverse=True)
    best = max(near, key=lambda each: each.held, default=None)
    mine = amounts(statement.text, words)
    held = amounts(told(by_id[best.memory])) if best else ()
    found = {
        "new_amount": float(bool(best) and any(not any(one.same(other) for other in held) for one in mine)),
    }
    if best:
        found["held"] = best.held
    if len(cosines) > 1:
        found["lead"] = cosines[0] - cosines[1]
    if statement.before:
        found["agent"] = _cosine(vector(statement.text), vector(statement.before[-400:]))
    return found


def _of_the_others(at: int, said: Sequence[Statement], vectors: Sequence[Vector | None]) -> dict[str, float]:
    """How near the nearest later statement is, and the nearest of an earlier session; nothing where there is none."""
    mine, here = vectors[at], said[at].message
    if mine is None:
        return {}
    behind, ahead = range(max(0, at - _WITHIN), at), range(at + 1, min(len(said), at + 1 + _WITHIN))
    others = {
        "later": [each for number in ahead if said[number].message is not here and (each := vectors[number])],
        "earlier": [
            each for number in behind if said[number].message.session != here.session and (each := vectors[number])
        ],
    }
    return {name: _nearest(mine, each) for name, each in others.items() if each}


def _nearest(mine: Vector, others: Sequence[Vector]) -> float:
    looked_at = sorted(others, key=lambda other: apart(mine, other))[:_LOOKED_AT]
    return max(mine.cosine(other) for other in looked_at)


def _cosine(one: Vector | None, other: Vector | None) -> float:
    return one.cosine(other) if one and other else 0.0
