"""The state of a review, and what each action makes of it: one machine for every face that is put before it.

Nothing is forgotten here: an answer is added behind the others, and what counts for a decision is its last one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from memgit.errors import BadReply
from memgit.model.decision import Approval, Decision, Kind, Standing
from memgit.rulings.approval import Choice, Clause, Ruling, Span, parse, render
from memgit.rulings.standing import is_decidable


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person said to one decision."""

    decision: str
    ruling: Ruling


@dataclass(frozen=True, slots=True)
class Filter:
    """Which decisions are gone through: those that fit every word. A word is a state (``open``, ``approved``,
    ``rejected``, ``deferred``), a kind (``merge`` …), or part of a memory's id."""

    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join(self.words)


EVERYTHING = Filter()


@dataclass(frozen=True, slots=True)
class Review:
    """Where a review stands. ``decisions`` are those that can be answered, as they are recorded; ``answers`` what was
    said since, oldest first; ``at`` the id of the decision looked at, empty at the end, behind the last one."""

    decisions: tuple[Decision, ...]
    answers: tuple[Answer, ...] = ()
    at: str = ""
    filter: Filter = EVERYTHING

    @property
    def given(self) -> Mapping[str, Ruling]:
        """The last answer to each decision that has one."""
        return {answer.decision: answer.ruling for answer in self.answers}

    def ruling(self, decision: Decision) -> Ruling:
        """What counts for a decision: the last answer to it, else what is recorded."""
        return self.given.get(decision.id) or Ruling(decision.approval, "", decision.reason)

    @property
    def here(self) -> Decision | None:
        """The decision looked at; None at the end."""
        return next((each for each in self.decisions if each.id == self.at), None)

    @property
    def shown(self) -> tuple[Decision, ...]:
        """The decisions that pass the filter."""
        return tuple(each for each in self.decisions if _fits(each, self.ruling(each), self.filter))

    def having(self, state: Approval) -> tuple[Decision, ...]:
        """The decisions that stand so."""
        return tuple(each for each in self.decisions if self.ruling(each).verdict is state)

    @property
    def open(self) -> tuple[Decision, ...]:
        """The decisions that nobody has answered."""
        return self.having(Approval.PROPOSED)


# --- what can be done ---


@dataclass(frozen=True, slots=True)
class Rule:
    """Answer the decision looked at. An edit given before stays unless this one has its own."""

    ruling: Ruling


@dataclass(frozen=True, slots=True)
class Next:
    """Go on without an answer."""


@dataclass(frozen=True, slots=True)
class Previous:
    """Go back."""


@dataclass(frozen=True, slots=True)
class Jump:
    """Go to a decision by its id; ``3`` means M3."""

    to: str


@dataclass(frozen=True, slots=True)
class Narrow:
    """Go through those only that fit; no word means all."""

    filter: Filter


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Take the last answer back, and look at its decision again."""


Action = Rule | Next | Previous | Jump | Narrow | TakeBack


@dataclass(frozen=True, slots=True)
class Stepped:
    """The state after an action; ``told`` is a sentence where it could not be done, or is worth a word."""

    review: Review
    told: str = ""


def opened(decisions: Iterable[Decision], answers: Sequence[Answer] = ()) -> Review:
    """A review of a pass's decisions, questions first, that goes on behind the last of the ``answers`` there are."""
    decidable = tuple(sorted(filter(is_decidable, decisions), key=lambda each: each.standing is not Standing.HELD))
    known = {each.id for each in decidable}
    review = Review(decidable, tuple(answer for answer in answers if answer.decision in known))
    last = review.answers[-1].decision if review.answers else ""
    return replace(review, at=_next_open(review, last))


def step(review: Review, action: Action) -> Stepped:
    """What an action makes of a review."""
    match action:
        case Rule(ruling):
            return _ruled(review, ruling)
        case Next():
            return _moved(review, _beyond(review, review.shown), "This is the end.")
        case Previous():
            return _moved(review, _beyond(review, review.shown[::-1]), "This is the first one.")
        case Jump(to):
            return _jumped(review, to)
        case Narrow(wanted):
            return _narrowed(review, wanted)
        case TakeBack():
            return _taken_back(review)


def _ruled(review: Review, ruling: Ruling) -> Stepped:
    here = review.here
    if here is None:
        return Stepped(review, "There is no decision here to answer; `p` goes back.")
    full = replace(ruling, edit=ruling.edit or review.ruling(here).edit)
    answered = replace(review, answers=(*review.answers, Answer(here.id, full)))
    return Stepped(replace(answered, at=_next_open(answered, here.id)))


def _taken_back(review: Review) -> Stepped:
    if not review.answers:
        return Stepped(review, "There is no answer to take back.")
    *before, last = review.answers
    return Stepped(
        replace(review, answers=tuple(before), at=last.decision), f"Took back the answer to {last.decision}."
    )


def _moved(review: Review, to: str | None, otherwise: str) -> Stepped:
    return Stepped(review, otherwise) if to is None else Stepped(replace(review, at=to))


def _beyond(review: Review, order: Sequence[Decision]) -> str | None:
    """The id of the next decision in an order of those shown; empty for the end, None where there is no going on."""
    ids, backwards = [each.id for each in order], order != review.shown
    if not review.at:
        return next(iter(ids), None) if backwards else None
    places = {each.id: at for at, each in enumerate(review.decisions)}
    here = places[review.at]
    onward = (name for name in ids if (places[name] < here if backwards else places[name] > here))
    return next(onward, None if backwards else "")


def _jumped(review: Review, to: str) -> Stepped:
    name = f"M{to}" if to.isdecimal() else to.upper()
    if any(each.id == name for each in review.decisions):
        return Stepped(replace(review, at=name))
    known = f"{review.decisions[0].id} to {review.decisions[-1].id}" if review.decisions else "none"
    return Stepped(review, f"There is no {to or 'such decision'} to answer in this pass; there are {known}.")


def _narrowed(review: Review, wanted: Filter) -> Stepped:
    narrowed = replace(review, filter=wanted)
    ids = [each.id for each in narrowed.shown]
    if not ids:
        return Stepped(review, f"No decision fits “{wanted}”.")
    return Stepped(narrowed if review.at in ids else replace(narrowed, at=ids[0]))


def _next_open(review: Review, after: str) -> str:
    """The next of those shown that nobody has answered, from the beginning again behind the last; else the end."""
    open_ = [each.id for each in review.shown if review.ruling(each).verdict is Approval.PROPOSED]
    ids = [each.id for each in review.decisions]
    behind = set(ids[ids.index(after) + 1 :]) if after in ids else set(ids)
    return next((name for name in (*(name for name in open_ if name in behind), *open_)), "")


# --- the filter ---

_STATES = {"open": Approval.PROPOSED} | {each.value: each for each in Approval}
_KINDS = {each.value: each for each in Kind}


def _fits(decision: Decision, ruling: Ruling, wanted: Filter) -> bool:
    return all(any(_fits_word(decision, ruling, word.lower())) for word in wanted.words)


def _fits_word(decision: Decision, ruling: Ruling, word: str) -> Iterator[bool]:
    yield _STATES.get(word) is ruling.verdict
    yield _KINDS.get(word) is decision.kind
    if word not in _STATES and word not in _KINDS:
        yield any(word in name.lower() for name in (*decision.memories, *decision.results))


# --- keys ---
# The keys of a review: what each does, and the plain command that does the same.


class Wish(Enum):
    """What a face does itself: it asks for something first, shows something, or ends."""

    REJECT = "reject"  # and ask for the reason
    EDIT = "edit"
    JUMP = "jump"  # and ask where to
    NARROW = "narrow"  # and ask for what
    MORE = "more"
    HELP = "help"
    ADOPT = "adopt"
    LEAVE = "leave"


@dataclass(frozen=True, slots=True)
class Key:
    """One key. ``command`` is what to type instead, without ``memgit``; ID and M1 stand for pass and decision."""

    letter: str
    does: str
    command: str = ""

    @property
    def brief(self) -> str:
        """What it does, without what is said further of it."""
        return re.split(r"[,;:]| \(", self.does)[0]


KEYS = (
    Key("a", "take it: approve it", 'approve ID "approve M1"'),
    Key("r", "reject it, with a reason; it is not asked again", 'approve ID "reject M1 - REASON"'),
    Key("e", "edit the text, which approves it", 'approve ID "approve M1 with edit: TEXT"'),
    Key("d", "later: defer it", 'approve ID "defer M1"'),
    Key("n", "next, without an answer"),
    Key("p", "previous"),
    Key("g", "go to a decision: g M3"),
    Key("f", "filter by state, kind or memory: f open merge"),
    Key("u", "undo the last answer"),
    Key("m", "more: the whole text, page by page", "show ID"),
    Key("y", "adopt what stands (at the end)", "adopt ID, or adopt ID --only M1"),
    Key("q", "quit; the answers are kept", "approve ID REPLY"),
    Key("?", "this help"),
)

_BARE: dict[str, Action | Wish] = {
    "a": Rule(Ruling(Approval.APPROVED)),
    "d": Rule(Ruling(Approval.DEFERRED)),
    "n": Next(),
    "": Next(),
    "p": Previous(),
    "u": TakeBack(),
    "r": Wish.REJECT,
    "e": Wish.EDIT,
    "g": Wish.JUMP,
    "f": Wish.NARROW,
    "m": Wish.MORE,
    "y": Wish.ADOPT,
    "q": Wish.LEAVE,
    "?": Wish.HELP,
    "h": Wish.HELP,
}


def understood(typed: str) -> Action | Wish | None:
    """What a line means: a key, and behind ``r``, ``g`` and ``f`` what they ask for. None where it means nothing."""
    letter, _, rest = " ".join(typed.split()).partition(" ")
    if not rest:
        return _BARE.get(letter.lower())
    match letter.lower():
        case "r":
            return rejected(rest)
        case "g":
            return Jump(rest)
        case "f":
            return narrowed(rest)
        case _:
            return None


def rejected(reason: str) -> Rule:
    """Turning a decision down for a reason, on one line."""
    return Rule(Ruling(Approval.REJECTED, reason=" ".join(reason.split())))


def narrowed(words: str) -> Narrow:
    """Going through those only that fit all the words; ``all`` or nothing means everything."""
    wanted = tuple(word for word in words.split() if word.lower() != "all")
    return Narrow(Filter(wanted))


# --- reply ---
# The answers of a review as the reply that says the same to ``memgit approve``.


def reply(given: Mapping[str, Ruling]) -> str:
    """A reply that gives these rulings; empty where there is nothing to say. A reason that would itself be read as a
    clause is left out."""
    clauses = tuple(_clauses(given))
    told = "; ".join(render([clause]) if _is_read_back(clause) else render([_bare(clause)]) for clause in clauses)
    edits = [render([_one(name, ruling)]) for name, ruling in given.items() if _is_edit(ruling)]
    return "\n".join(filter(None, (told, *edits)))


def _clauses(given: Mapping[str, Ruling]) -> Iterator[Clause]:
    for verdict in (Approval.APPROVED, Approval.DEFERRED):
        plain = [name for name, ruling in given.items() if ruling.verdict is verdict and not _is_edit(ruling)]
        if plain:
            yield Clause(verdict, Choice(tuple(map(_span, sorted(plain, key=_number)))))
    yield from (_one(name, ruling) for name, ruling in given.items() if ruling.verdict is Approval.REJECTED)


def _is_edit(ruling: Ruling) -> bool:
    return ruling.verdict is Approval.APPROVED and bool(ruling.edit)


def _one(name: str, ruling: Ruling) -> Clause:
    edit = ruling.edit if _is_edit(ruling) else ""
    return Clause(ruling.verdict, Choice((_span(name),)), edit=edit, reason=ruling.reason)


def _span(name: str) -> Span:
    return Span(_number(name), _number(name))


def _number(name: str) -> int:
    return int(name[1:])


def _bare(clause: Clause) -> Clause:
    return Clause(clause.verdict, clause.choice)


def _is_read_back(clause: Clause) -> bool:
    try:
        return parse(render([clause])) == (clause,)
    except BadReply:
        return False
