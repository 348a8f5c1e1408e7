"""Which statements may be worth a memory: a few numbers each, weighed together. It knows no project and no rule.

The weights are fitted by ``python -m tests.bench fit`` on labelled projects and stand in ``weights.toml``. Words of
change and of doubt are the languages' own (``text/lexicon``); all else is likeness, place and form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
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
from memgit.text.language import DEFAULT, Lexicon, common_terms, language, lexicon
from memgit.text.words import Sentence, length, sentences, terms

# --- statements ---
# What people said, statement by statement, with what each answers.

_ASKED_WITHIN = 500
"""Characters at the end of the agent's message in which a question counts as put to the user."""

_AROUND = 280
"""Characters up to which a sentence is quoted with its neighbours: what fits on a few lines of a screen."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that a person typed. ``around`` is it with what stands beside it, ``place`` its number in the message,
    ``before`` what the agent had said, ``answers`` the question of it that a first sentence replies to, ``reply`` what
    the agent says to it; ``late`` is how far on in its session it stands, from 0 to 1."""

    message: Message
    text: str
    around: str
    place: int
    before: str = ""
    answers: str = ""
    reply: str = ""
    late: float = 0.0
    pasted: bool = False


def statements(messages: Iterable[Message]) -> Iterator[Statement]:
    """The statements in the messages of sessions, oldest first: typed by people and not taken back."""
    for _, session in groupby(messages, key=lambda message: message.session):
        turns = list(session)
        said: list[str] = []
        asked = True
        for at, message in enumerate(turns):
            if message.role is Role.ASSISTANT:
                said = [message.text] if asked else [*said, message.text]
                asked = False
                continue
            asked = True
            if is_a_persons(message):
                reply = turns[at + 1] if at + 1 < len(turns) else message
                told = reply.text if reply.role is Role.ASSISTANT else ""
                yield from _of(message, "\n".join(said), told, at / len(turns))


def _of(message: Message, before: str, reply: str, late: float) -> Iterator[Statement]:
    typed = [
        (stretch.start, message.text[stretch.start : stretch.end])
        for stretch in stretches(message.text)
        if stretch.voice is Voice.TYPED
    ]
    told = [(start, text, tuple(sentences(text))) for start, text in typed]
    place = 0
    for start, text, each in told:
        for number, sentence in enumerate(each):
            yield Statement(
                message,
                sentence.text,
                _around(text, each, number),
                place,
                before,
                _question(before) if place == 0 else "",
                reply,
                late,
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
"""Statements before one that are compared with it: the work grows with their number alone."""

_LOOKED_AT = 12
"""Of these, those whose vectors are compared exactly, after their signs have ranked them."""

_SHORT = 4
_QUESTION = ("?", "？")
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
            **_of_the_session(statement, weights),
            **_of_the_memories(statement, near, by_id, known),
            **_of_earlier_ones(at, said, vectors),
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
        "answering": float(answers),
        "short_answer": float(count < _SHORT and answers),
        "opening": float(not statement.before),
        "place": min(statement.place, 5) / 5,
        "pasted": float(statement.pasted),
        "telling": sum(min(2, len(words.found(name, text))) / 2 for name in _TELLING),
        "doubtful": sum(min(2, len(words.found(name, text))) / 2 for name in _DOUBTFUL),
    }


def _asked(before: str) -> bool:
    return any(mark in before[-500:] for mark in _QUESTION)


def _of_the_session(statement: Statement, weights: Weights) -> dict[str, float]:
    """How the statement stands in its message and session: what lasts is told early, in a message that asks nothing and
    lists nothing, and the agent takes it up."""
    told_in, telling = statement.message.text, set(terms(statement.text)) - common_terms()
    total = weights.sum(telling)
    return {
        "asking": float(any(mark in told_in for mark in _QUESTION)),
        "lines": min(told_in.count("\n"), 6) / 6,
        "late": statement.late,
        "rare": total / max(1, len(telling)) / 5,
        "taken_up": weights.sum(telling & set(terms(statement.reply))) / total if total > 0 else 0.0,
    }


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
    if len(cosines) > 1:
        found["lead"] = cosines[0] - cosines[1]
    return found


def _of_earlier_ones(at: int, said: Sequence[Statement], vectors: Sequence[Vector | None]) -> dict[str, float]:
    """How near the nearest statement of an earlier session is; nothing where there is none."""
    mine, here = vectors[at], said[at].message
    others = [
        each
        for number in range(max(0, at - _WITHIN), at)
        if said[number].message.session != here.session and (each := vectors[number])
    ]
    return {"earlier": _nearest(mine, others)} if mine and others else {}


def _nearest(mine: Vector, others: Sequence[Vector]) -> float:
    looked_at = sorted(others, key=lambda other: apart(mine, other))[:_LOOKED_AT]
    return max(mine.cosine(other) for other in looked_at)
