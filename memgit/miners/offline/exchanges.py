"""A later statement of the user that gives a memory's thing another value."""

# ruff: noqa: E501 - one pattern a line reads best
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memgit.miners.offline.anatomy import is_later, sentences
from memgit.miners.offline.corpus import Corpus, Entry
from memgit.miners.offline.distinctions import named_as_siblings
from memgit.miners.offline.facts import SIBLING_GROUPS, Dimension, Value, apart, sides, values
from memgit.miners.offline.finding import Finding, Unclear, quoted
from memgit.miners.offline.guards import objection
from memgit.miners.offline.prose import Statement
from memgit.miners.offline.wording import plain_rule, rewritten
from memgit.miners.offline.words import content, stem
from memgit.model.decision import Intent

_EPISODE = re.compile(r"\b(?:took|ran|was|were|lasted|had|failed|did|happened|got|needed|saw|cost)\b", re.IGNORECASE)
UPDATE = re.compile(
    # Signs that something is otherwise than it was.
    r"\b(?:now|no longer|any ?more|from now on|since (?!when)|moved|switched|renamed|replaced|dropped|raised|lowered|bumped|upgraded|"
    r"increased|decreased|reduced|extended|shortened|doubled|halved|cut (?:it )?to|went|changed|got (?!an? )|gave us|moves?|switch(?:es)?|goes (?:up|down|over)|back (?:on|to|at)|used to|"
    r"as of|from (?:this|next|the next) (?:week|month|year|quarter|release|sprint|\w+day)|from (?:today|tomorrow)|from \S+ \d[\w.]* on(?:ward)?s?|"
    r"decided|(?:that's what )?we(?:'ll)? (?:stay|stick) (?:with|at|to)|is settled|these days|nowadays|by now|meanwhile|up to|down to|finally|instead|not \S+ any ?more|last night|new policy|starting|"
    r"this year|has become|became|outdated|out of date|that's old)\b",
    re.IGNORECASE,
)
_STATES = re.compile(
    r"\b(?:is|are|'s|'re|takes?|has|have|runs?|needs?|lasts?|costs?|goes?|go|gives?|gets?|allows?|stays?|starts?|ends?|means?|comes?|"
    r"lives?|uses?|listens?|keeps?)\b",
    re.IGNORECASE,
)
_MARGIN = 1.25  # how much better the meant memory must fit than the next one that could be meant


@dataclass(frozen=True, slots=True)
class Fit:
    """A memory that a statement may correct: old and new values, and how well the subject fits."""

    entry: Entry
    exchanges: tuple[tuple[Value, Value], ...]
    weight: float


def new_value(corpus: Corpus, statement: Statement, said: Sequence[Statement]) -> Finding | Unclear | None:
    """The replacement that a statement's values make, or why none is made although it gives one."""
    if _EPISODE.search(statement.text) and not UPDATE.search(statement.text):
        return None
    fits = sorted(_fits(corpus, statement), key=lambda fit: -fit.weight)
    if not fits:
        return None
    if len(fits) > 1 and fits[0].weight < _MARGIN * fits[1].weight:
        return Unclear(statement, "it gives a new value, but more than one memory could be meant")
    if _overtaken(fits[0], said[said.index(statement) + 1 :]):
        return Unclear(
            statement, f"it gives a new value for {fits[0].entry.memory.id}, but another one was given later"
        )
    return _value_finding(fits[0], statement)


def _overtaken(fit: Fit, later: Sequence[Statement]) -> bool:
    """Whether a later statement on the memory's subject gives yet another value: this one is no news any more."""
    given = {new.measure: new.amount for _, new in fit.exchanges}
    subject = content(fit.entry.memory.description) | _name(fit.entry)
    return any(
        value.amount != given.get(value.measure, value.amount)
        and bool(content(other.text) & subject)
        and bool(UPDATE.search(other.text))
        and not objection(other)
        for other in later
        for value in values(other.text)
    )


def _fits(corpus: Corpus, statement: Statement) -> Iterator[Fit]:
    if not (UPDATE.search(statement.text) or _STATES.search(statement.text)):
        return
    for entry in corpus.entries:
        if is_later(statement.time, entry.memory):
            exchanges = tuple(_exchanges(statement, entry))
            weight = _subject_fit(corpus, statement, exchanges[0], entry) if exchanges else 0.0
            if weight and not _means_a_sibling(corpus, statement.text, entry):
                yield Fit(entry, exchanges, weight)


def _means_a_sibling(corpus: Corpus, text: str, entry: Entry) -> bool:
    """Whether a statement has the one word that sets a memory named alike (``…-cpu``, ``…-gpu``) apart from this one."""
    words = content(text)
    return any(
        named_as_siblings(entry.memory.id, other.memory.id)
        and (_name(other) - _name(entry)) & words
        and not (_name(entry) - _name(other)) & words
        for other in corpus.entries
    )


def _name(entry: Entry) -> frozenset[str]:
    return content(re.sub("[-_/]", " ", entry.memory.id))


def _exchanges(statement: Statement, entry: Entry) -> Iterator[tuple[Value, Value]]:
    """The values of a memory's claim with those that the statement puts in their place; none where one is not plain."""
    measures = {value.measure for value in _held(entry)}
    found = [
        (_old_value(new, statement.text, entry), new)
        for new in _given(statement.text, entry)
        if new.measure in measures and not _other_side(statement.text, new, entry) and not _known(new, entry)
    ]
    given = {(new.measure, new.amount, _role(statement.text, new)) for _, new in found}
    if all(old is not None for old, _ in found) and len(given) == len({(one[0], one[2]) for one in given}):
        yield from ((old, new) for old, new in found if old is not None)


def _held(entry: Entry) -> tuple[Value, ...]:
    """The values of a memory's claim, bare figures among them."""
    figures = sorted(_bare_figures(entry.claim))
    return (*values(entry.claim), *(Value(_FIGURE[0], figure, _FIGURE[1], figure, 0, 0) for figure in figures))


def _known(new: Value, entry: Entry) -> bool:
    return any(old.measure == new.measure and _same_amount(old, new) for old in _held(entry))


def _given(text: str, entry: Entry) -> Iterator[Value]:
    """The values that a statement gives for the memory's thing.

    Where some of its clauses speak of the memory's subject, only theirs. A bare number stands for one of the
    memory's only measure that numbers alone can give.
    """
    given = [value for value in values(text) if not _is_spoken_of(text, value)]
    clauses = [(value, _clause_words(text, value)) for value in given]
    near = [value for value, words in clauses if words & entry.claim_stems]
    near = near and [value for value, words in clauses if not words or words & entry.claim_stems]
    yield from near or given
    measures = {value.measure for value in values(entry.claim) if value.dimension in _BARE}
    figures = _bare_figures(entry.claim)
    if not UPDATE.search(text) or len(measures) + len(figures) != 1:
        return
    (dimension, unit) = measures.pop() if measures else _FIGURE
    if any(value.dimension in _BARE and value.measure == (dimension, unit) for value in given):
        return
    for match in _bare_matches(text):
        value = Value(dimension, f"bare {match.group()}", unit, match.group(), *match.span())
        if not given or _clause_words(text, value) & entry.claim_stems:
            yield value


_FIGURE = (Dimension.COUNT, "")
"""The measure of a bare figure in a memory: a count of it does not say what."""

_BARE = frozenset({Dimension.PERCENT, Dimension.DURATION, Dimension.SIZE, Dimension.COUNT})
_BARE_BEFORE, _BARE_AFTER = r"(?<![\w.#:/-])", r"(?![\w%:/-]|\.\d)"
_BARE_FIGURE = re.compile(rf"{_BARE_BEFORE}\d+(?:\.\d+)?{_BARE_AFTER}")
_SPOKEN_OF = re.compile(
    r"^,? (?:is|are|was|were|has|had|will|would|does|did|can|(?!this\b|as\b|is\b|always\b)[a-z]+(?<!s)s)\b(?! now\b)",
    re.IGNORECASE,
)


def _is_spoken_of(text: str, value: Value) -> bool:
    """Whether a clause begins with the value and goes on with a verb: "wednesday collides with …" sets nothing."""
    start = text[: value.start].rstrip()
    opens = not start or start[-1] in ",;:.(-" or start.lower().endswith((" and", " but", " so", "because", "since"))
    return opens and bool(_SPOKEN_OF.search(text[value.end :]))


def _clause_words(text: str, value: Value) -> frozenset[str]:
    return _without_values(_clause_of(text, value.start))


def _bare_figures(claim: str) -> frozenset[str]:
    """The distinct figures of a claim that are part of no value."""
    return frozenset(match.group() for match in _bare_matches(claim))


def _bare_matches(text: str) -> Iterator[re.Match[str]]:
    taken = values(text)
    for match in _BARE_FIGURE.finditer(text):
        if all(not (one.start <= match.start() < one.end) for one in taken):
            yield match


def _old_value(new: Value, text: str, entry: Entry) -> Value | None:
    """The value of the memory that a new one of its measure takes the place of; None when that is not plain."""
    olds = [value for value in _held(entry) if value.measure == new.measure]
    role = _role(text, new)
    mentioned = {value.amount for value in values(text)}
    for choice in (
        olds,
        [old for old in olds if old.amount in mentioned],
        [old for old in olds if role and _role(entry.claim, old) == role],
        [old for old in olds if old.text in entry.memory.description],
    ):
        if len({old.amount for old in choice}) == 1:
            return choice[0]
    return None


def _same_amount(old: Value, new: Value) -> bool:
    bare = new.amount.removeprefix("bare ")
    return old.amount == new.amount or (bare != new.amount and _number_and_unit(old.text)[0] == bare)


_ROLES = {
    # Which end of a span a value marks, by the word before it.
    "start": re.compile(
        r"\b(?:from|starts?|starting|begins?|beginning|since|opens?|between|after)\b[\w ]{0,20}$", re.IGNORECASE
    ),
    "end": re.compile(r"\b(?:to|until|till|ends?|ending|through|closes?|and|before|by)\b[\w ]{0,20}$", re.IGNORECASE),
}


def _role(text: str, value: Value) -> str:
    before = text[: value.start].rstrip()
    found = [(match.start(), role) for role, pattern in _ROLES.items() if (match := pattern.search(before))]
    return max(found)[1] if found else ""


_CLAUSES = re.compile(
    r"[,;:]\s|\s[-–—]\s|\.\s|\b(?:while|but|whereas)\b|\band (?=\w+ (?:is|stays|keeps|has|runs|goes)\b)"
)


def _clause_of(text: str, at: int) -> str:
    """The clause of a sentence in which a position lies."""
    start = max((match.end() for match in _CLAUSES.finditer(text) if match.end() <= at), default=0)
    end = min((match.start() for match in _CLAUSES.finditer(text) if match.start() > at), default=len(text))
    return text[start:end]


def _other_side(text: str, value: Value, entry: Entry) -> bool:
    """Whether a value is said of a sibling (staging, Android) that the memory does not speak of."""
    clause = _clause_of(text, value.start)
    for group in SIBLING_GROUPS:
        named = sides(clause, group) or sides(text, group)
        if named and not named <= (sides(entry.memory.description, group) or sides(entry.claim, group)):
            return True
    return False


def _subject_fit(corpus: Corpus, statement: Statement, exchange: tuple[Value, Value], entry: Entry) -> float:
    """How much the statement and the sentence that holds the old value are about one thing; 0 when not enough.

    Two telling words in common are enough when a change is spoken of, or one when the talk just before was of the
    memory's subject, or named the old value, so that the user is answering to that. Where no other memory measures
    anything like it, one is enough if the clause says nothing else, and none if the sentence before names the subject.
    """
    old, new = exchange
    line = next((one for one in sentences(entry.claim) if old.text in one), entry.claim)
    subject = _without_values(line) | content(entry.memory.description) | _name(entry)
    shared = _without_values(statement.text) & subject
    if old.dimension in (Dimension.NAME, Dimension.COUNT):
        shared |= {old.unit} - {""}  # both say whose name it is, or of what it is a number
    around = " ".join((*statement.preceding, *statement.following[:1]))
    beside = f"{statement.before} {around}"
    context = (content(beside) & subject) - shared
    answered = any(value.amount == old.amount and value.measure == old.measure for value in values(beside)) or bool(
        re.search(rf"\bfrom {re.escape(_number_and_unit(old.text)[0])}\b", statement.text)
    )
    changed = bool(UPDATE.search(statement.text)) or (len(shared) >= 2 and _told_of_change(statement))
    hanging = bool(_HANGING.search(statement.text)) and answered and (changed or _corrects(statement)) and bool(context)
    alone = (old.dimension in _TELLING or old.measure == _FIGURE) and changed and _measures_alone(corpus, old, entry)
    clause = _clause_words(statement.text, new)
    fragment = not _without_values(statement.text) and answered and len(context) >= 2
    enough = (
        hanging
        or (fragment and (changed or _corrects(statement)))
        or (len(shared) >= 2 and (changed or answered or len(shared) >= 3 or bool(_IS_NOW.search(statement.text))))
        or (len(shared) == 1 and changed and (answered or len(context) >= 2))
        or (alone and bool(clause & subject) and clause <= subject)
        or (alone and not clause and bool(content(" ".join(statement.preceding[-1:])) & subject))
    )
    return corpus.weights.mass(shared) + 0.5 * corpus.weights.mass(context) if enough else 0.0


_WAS_CHANGED = re.compile(
    r"\b(?:changed|raised|lowered|moved|extended|shortened|agreed|decided|is history|are history|is gone|too (?:\w+)|new \w+|"
    r"not any ?more|no longer|is old|are old|outdated)\b",
    re.IGNORECASE,
)


def _told_of_change(statement: Statement) -> bool:
    """Whether the sentence beside tells that things have changed, and this one states how they are."""
    beside = (*statement.preceding[-1:], *statement.following[:1])
    states = _STATES.search(statement.text) and not _EPISODE.search(statement.text)
    return bool(states) and any(_WAS_CHANGED.search(text) for text in beside)


_TELLING = frozenset(
    {
        Dimension.SERIES,
        Dimension.WEEKDAY,
        Dimension.DAY,
        Dimension.CODE,
        Dimension.NUMBERED,
        Dimension.NAME,
        Dimension.CHANNEL,
    }
)
"""What few things are measured in, so that the measure itself tells which memory is meant."""


def _measures_alone(corpus: Corpus, old: Value, entry: Entry) -> bool:
    """Whether no other memory of the same side holds a value of this measure."""
    return not any(
        other is not entry
        and any(value.measure == old.measure for value in values(other.claim))
        and not any(apart(other.claim, entry.claim, group) for group in SIBLING_GROUPS)
        for other in corpus.entries
    )


_HANGING = re.compile(
    r"(?:^|[,;] |\b(?:no|yes|not any ?more),? )(?:it|that|they|we)(?:'s|'re| is| are| went| got)\b", re.IGNORECASE
)
_IS_NOW = re.compile(r"\b(?:is|are|'s|'re|runs?) (?:on|at|up to|down to|set to|currently|already)\b", re.IGNORECASE)


def _without_values(text: str) -> frozenset[str]:
    """The content words of a text but for those of its values."""
    return content(_without_values_text(text))


def _without_values_text(text: str) -> str:
    for value in reversed(values(text)):
        text = f"{text[: value.start]} {text[value.end :]}"
    return text


_CORRECTION = re.compile(
    r"^\W*(?:no|nope|nah|wrong|not any ?more|that's (?:old|outdated|wrong|not right)|careful|hm+ no)\b", re.IGNORECASE
)


def _corrects(statement: Statement) -> bool:
    """Whether the user's message contradicts what the assistant had just said."""
    return bool(statement.before) and any(
        _CORRECTION.search(text) for text in statement.paragraph[: statement.position + 1]
    )


def _value_finding(fit: Fit, statement: Statement) -> Finding:
    memory = fit.entry.memory
    given = ", ".join(new.text for _, new in fit.exchanges)
    held = ", ".join(old.text for old, _ in fit.exchanges)
    return Finding(
        intent=Intent.REPLACE,
        claim=plain_rule(statement.text, statement.time),
        why=f"The user later gave {given} where the memory says {held}.",
        evidence=(quoted(statement),),
        targets=(memory.id,),
        drafts=(rewritten(memory, lambda text: _with_values(text, fit.exchanges)),),
        said=statement,
        leaves_out=tuple(dict.fromkeys(part for old, _ in fit.exchanges for part in _told(old))),
    )


def _told(old: Value) -> tuple[str, ...]:
    """The ways in which an old value may be called what is given up: in its words, and by its figures alone."""
    return (
        (old.text, *re.findall(r"\d+", old.text)) if old.dimension in (Dimension.DAY, Dimension.SERIES) else (old.text,)
    )


def _with_values(text: str, exchanges: Sequence[tuple[Value, Value]]) -> str:
    for value in reversed(values(text)):
        for old, new in exchanges:
            if _is_old(value, old):
                text = text[: value.start] + _in_style(value.text, new) + text[value.end :]
    for old, new in exchanges:
        if old.measure == _FIGURE:
            text = re.sub(rf"{_BARE_BEFORE}{re.escape(old.amount)}{_BARE_AFTER}", new.text, text)
        elif old.dimension is Dimension.NUMBERED:  # "iOS 16 sits" reads as a count of things, too
            text = re.sub(rf"\b{re.escape(old.text)}\b", _in_style(old.text, new), text)
    return text


def _is_old(value: Value, old: Value) -> bool:
    """Whether a value is the old one; a bare figure is it in any count."""
    bare = old.measure == _FIGURE and value.dimension is Dimension.COUNT
    return value.amount == old.amount and (bare or value.measure == old.measure)


def _in_style(old: str, new: Value) -> str:
    """The new value in the form of the old: the same unit keeps its spelling, names keep their marks and capitals."""
    if new.dimension in (Dimension.CHANNEL, Dimension.PORT, Dimension.VERSION, Dimension.NAME, Dimension.NUMBERED):
        return _named_in_style(old, new)
    old_number, old_unit = _number_and_unit(old)
    new_number, new_unit = _number_and_unit(new.text)
    if new.dimension is Dimension.COUNT:
        return old.replace(old_number, new_number, 1)
    if new.amount.startswith("bare "):
        return old.replace(old_number, new.text, 1)
    if old_unit and new_unit and old_unit[0].lower() == new_unit[0].lower() and new_number:
        return old.replace(old_number, new_number, 1)
    return new.text[0].upper() + new.text[1:] if old[:1].isupper() else new.text


def _number_and_unit(text: str) -> tuple[str, str]:
    match = re.match(r"(?P<n>[\d.,]*\d|[a-z]+)[ -]?(?P<u>[a-z%]*)", text, re.IGNORECASE)
    return (match["n"], match["u"]) if match else ("", "")


def _named_in_style(old: str, new: Value) -> str:
    return old.replace(_bare_name(old, new), _bare_name(new.text, new), 1)


def _bare_name(text: str, value: Value) -> str:
    """The name or number itself, without what it is the name of."""
    if value.dimension is Dimension.NUMBERED:
        return text.rsplit(" ", 1)[-1]
    if value.dimension is Dimension.NAME:
        words = re.findall(r"[\w/-]+", text)
        return next((word for word in words if stem(word.lower()) != value.unit), text)
    return re.sub(r"^(?:v|#|port )", "", text)
