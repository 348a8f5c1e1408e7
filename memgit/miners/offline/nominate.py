"""Which statements may be worth a memory: a few numbers each, weighed together. It knows no project and no rule.

The weights are fitted by ``python -m tests.bench fit`` on labelled projects and stand in ``weights.toml``. Words of
change and of doubt are the languages' own (``text/lexicon``); all else is likeness, place and form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log

from memgit.likeness.embedding import Vector, apart, vector
from memgit.likeness.nearness import Near, Nearness, Weights, told
from memgit.miners.offline.statements import Statement, asks_to_remember
from memgit.miners.offline.weights import fitted
from memgit.model.store import Memory
from memgit.text.amounts import amounts
from memgit.text.language import DEFAULT, Lexicon, language, lexicon
from memgit.text.words import length

_TELLING = ("change", "ending", "always", "negation")
_DOUBTFUL = ("hearsay", "passing", "jest", "wondering")
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
