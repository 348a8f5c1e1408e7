"""A later statement of the user that gives a memory's thing another value."""

# ruff: noqa: E501 - one pattern a line reads best
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from memgit.miners.offline.anatomy import is_later, sentences
from memgit.miners.offline.corpus import Corpus, Entry
from memgit.miners.offline.distinctions import named_as_siblings
from memgit.miners.offline.facts import (
    NUMBER_WORD,
    NUMBER_WORDS,
    SIBLING_GROUPS,
    Dimension,
    Value,
    apart,
    sides,
    values,
)
from memgit.miners.offline.finding import Finding, Unclear, quoted
from memgit.miners.offline.guards import objection
from memgit.miners.offline.news import (
    HANGING,
    IS_NOW,
    STATES,
    accepts,
    changed_beside,
    corrects,
    is_offered,
    tells_an_episode,
    updates,
    words_of_change,
)
from memgit.miners.offline.prose import Statement
from memgit.miners.offline.tongues import spoken
from memgit.miners.offline.wording import plain_rule, rewritten
from memgit.miners.offline.words import content, stem
from memgit.model.decision import Intent

_MARGIN = 1.25  # how much better the meant memory must fit than the next one that could be meant


@dataclass(frozen=True, slots=True)
class Fit:
    """A memory that a statement may correct: old and new values, and how well the subject fits."""

    entry: Entry
    exchanges: tuple[tuple[Value, Value], ...]
    weight: float


def new_value(corpus: Corpus, statement: Statement, said: Sequence[Statement]) -> Finding | Unclear | None:
    """The replacement that a statement's values make, or why none is made although it gives one."""
    if tells_an_episode(statement.text):
        return None
    fits = sorted(_fits(corpus, statement), key=lambda fit: -fit.weight)
    if not fits:
        return None
    if len(fits) > 1 and fits[0].weight < _MARGIN * fits[1].weight:
        return Unclear(statement, "it gives a new value, but more than one memory could be meant")
    if _overtaken(fits[0], statement, said[said.index(statement) + 1 :]):
        return Unclear(
            statement, f"it gives a new value for {fits[0].entry.memory.id}, but another one was given later"
        )
    if _turns_a_span_round(fits[0]):
        return Unclear(statement, f"it gives one end of a span that {fits[0].entry.memory.id} gives both of")
    return _value_finding(fits[0], statement)


def _turns_a_span_round(fit: Fit) -> bool:
    """Whether a span of the clock would end before it begins: the user gave one of its two ends."""
    now = {old.amount: int(new.amount) for old, new in fit.exchanges if old.dimension is Dimension.CLOCK}
    clocks = [one for one in values(fit.entry.claim) if one.dimension is Dimension.CLOCK]
    return any(
        second.start - first.end <= _WITHIN_A_SPAN
        and (first.amount in now) != (second.amount in now)
        and int(first.amount) <= int(second.amount)
        and now.get(first.amount, int(first.amount)) > now.get(second.amount, int(second.amount))
        for first, second in pairwise(clocks)
    )


_WITHIN_A_SPAN = 9
"""Characters between its two ends: "and until" with a space on either side."""


def _overtaken(fit: Fit, statement: Statement, later: Sequence[Statement]) -> bool:
    """Whether a later statement on the memory's subject gives yet another value: this one is no news any more."""
    given = {new.measure: new.amount for _, new in fit.exchanges}
    former = {old.amount for old, _ in fit.exchanges}
    subject = content(fit.entry.memory.description) | _name(fit.entry)
    return any(
        value.amount != given.get(value.measure, value.amount)
        and bool(content(other.text) & subject)
        and updates(other.text)
        and not objection(other)
        for other in later
        for value in values(other.text)
        if other.record != statement.record or value.amount not in former
    )


def _fits(corpus: Corpus, statement: Statement) -> Iterator[Fit]:
    if not (updates(statement.text) or STATES.search(statement.text) or _is_reply(statement)):
        return
    given = _can_give(statement.text)
    for entry in corpus.entries if given else ():
        if given & _dimensions(entry.claim) and is_later(statement.time, entry.memory):
            exchanges = tuple(_exchanges(statement, entry))
            weight = _subject_fit(corpus, statement, exchanges[0], entry) if exchanges else 0.0
            if weight and not (
                _means_a_sibling(corpus, statement.text, entry) or _is_of_another(statement, exchanges, entry)
            ):
                yield Fit(entry, (*exchanges, *_that_follow(exchanges, entry)), weight)


_PER_SECOND = spoken("exchanges: per second", r"\b(?:per|a|each|every) second\b")


def _that_follow(exchanges: Sequence[tuple[Value, Value]], entry: Entry) -> Iterator[tuple[Value, Value]]:
    """The time that each of a number of things has in a second: at 30 of them 33 ms, so at 20 of them 50 ms."""
    if not _PER_SECOND.search(entry.claim):
        return
    for old, new in exchanges:
        if old.dimension is Dimension.COUNT and new.amount.isdigit() and int(new.amount):
            milliseconds = f"{1_000 / int(new.amount):.3g}"
            for one in _held(entry):
                if one.dimension is Dimension.DURATION and abs(float(one.amount) * float(old.amount) - 1) <= _ROUNDED:
                    amount = f"{float(milliseconds) / 1_000:g}"
                    yield one, replace(one, amount=amount, text=f"{milliseconds} ms")


_ROUNDED = 0.02
"""Share by which a time that was worked out may be off."""


def _can_give(text: str) -> frozenset[Dimension]:
    """What a text may give values of: the cheap test before its values are held against each memory's."""
    found = {value.dimension for value in values(text)}
    if Dimension.DAY in found:
        found.add(Dimension.DATE)
    if _bare_matches(text):
        found |= _BARE | {Dimension.NUMBERED}
    return frozenset(found)


@lru_cache(maxsize=20_000)
def _dimensions(claim: str) -> frozenset[Dimension]:
    return frozenset(value.dimension for value in _held_in(claim))


def _means_a_sibling(corpus: Corpus, text: str, entry: Entry) -> bool:
    """Whether a statement has the one word that sets a memory named alike (``…-cpu``, ``…-gpu``) apart from this one."""
    words = content(text)
    return any(
        named_as_siblings(entry.memory.id, other.memory.id)
        and (_name(other) - _name(entry)) & words
        and not (_name(entry) - _name(other)) & words
        for other in corpus.entries
    )


_THE_SUBJECT = spoken(
    "exchanges: the subject",
    r"(?:^|\b(?:but|and|so|because)\s)\W*(?:the|our|my|his|her|their|this|that) (?P<of>(?:[\w-]+ ){1,3}?)(?:now |also |still )?"
    r"(?:is|are|was|has|have|had|runs?|uses?|takes?|gets?|needs?|goes|moved|went|switched|changed|keeps?|starts?|stays?|holds?|allows?|[a-z]{3,}s(?= (?:off|at|on|to|up|down|over|out)\b))\b",
)


def subject_of(clause: str) -> frozenset[str]:
    """The words of the thing that a clause begins with; none where that is a pronoun, or not plain."""
    match = _THE_SUBJECT.search(clause)
    return content(match["of"]) if match else frozenset()


def _is_of_another(statement: Statement, exchanges: Sequence[tuple[Value, Value]], entry: Entry) -> bool:
    """Whether the new value is of another thing than the memory's.

    Its clause begins with a thing that the memory does not know ("the docs site runs …"), one instance is spoken of
    ("level 3 …"), or what a limit is set for is only read off ("the patch is at 180 MB").
    """
    text = statement.text
    units = {one.unit for one in values(text) if one.dimension is Dimension.NUMBERED}
    if (units - {new.unit for _, new in exchanges}) & entry.claim_stems:
        return True
    for old, new in exchanges:
        named = subject_of(_clause_of(text, new.start))
        line = next((one for one in sentences(entry.claim) if old.text in one), entry.claim)
        read_off = _GAUGE.search(text[: new.start]) and _LIMIT.search(line) and not _LIMIT.search(text)
        if read_off or (named and not named & entry.stems):
            return True
    return False


_GAUGE = spoken("exchanges: gauge", r"\b(?:is|are|'s|'re|was|were) (?:already |now )?(?:at|up to|down to) $")
_LIMIT = spoken(
    "exchanges: limit",
    r"\b(?:must|may|at most|at least|below|under|above|over|up to|limit\w*|max\w*|min\w*|budget|target|gate|threshold|quota|cap|falls?|stay)\b",
)


def _name(entry: Entry) -> frozenset[str]:
    return content(re.sub("[-_/]", " ", entry.memory.id))


def _exchanges(statement: Statement, entry: Entry) -> Iterator[tuple[Value, Value]]:
    """The values of a memory's claim with those that the statement puts in their place; none where one is not plain."""
    measures = {value.measure for value in _held(entry)}
    found = [
        (_old_value(new, statement.text, entry), new)
        for new in _given(statement, entry)
        if new.measure in measures and not _other_side(statement.text, new, entry) and not _known(new, entry)
    ]
    found = [(old or _beside_settled(new, found, entry), new) for old, new in found]
    given = {(new.measure, new.amount, _role(statement.text, new)) for _, new in found}
    if all(old is not None for old, _ in found) and len(given) == len({(one[0], one[2]) for one in given}):
        yield from ((old, new) for old, new in found if old is not None)


def _beside_settled(new: Value, found: Sequence[tuple[Value | None, Value]], entry: Entry) -> Value | None:
    """The old value right beside one whose exchange is plain, where the new ones stand side by side, too ("friday 12:00")."""
    for settled, other in found:
        if settled is not None and _adjoin(new, other):
            near = [one for one in _held(entry) if one.measure == new.measure and _adjoin(one, settled)]
            return near[0] if len({one.amount for one in near}) == 1 else None
    return None


def _adjoin(one: Value, other: Value) -> bool:
    return 0 <= max(one.start, other.start) - min(one.end, other.end) <= _ADJOINING


_ADJOINING = 4
"""Characters between two values that belong together: a space, or "at"."""


def _held(entry: Entry) -> tuple[Value, ...]:
    """The values of a memory's claim, bare figures among them."""
    return _held_in(entry.claim)


@lru_cache(maxsize=20_000)
def _held_in(claim: str) -> tuple[Value, ...]:
    figures = sorted(_bare_figures(claim))
    return (*values(claim), *(Value(_FIGURE[0], figure, _FIGURE[1], figure, 0, 0) for figure in figures))


def _known(new: Value, entry: Entry) -> bool:
    return any(old.measure == new.measure and _same_amount(old, new) for old in _held(entry))


def _given(statement: Statement, entry: Entry) -> Iterator[Value]:
    """The values that a statement gives for the memory's thing.

    Where some of its clauses speak of the memory's subject, only theirs. A bare number stands for one of the
    memory's only measure that numbers alone can give.
    """
    text = statement.text
    given = [_as_held(value, entry) for value in values(text) if not _is_spoken_of(text, value)]
    clauses = [(value, _clause_words(text, value)) for value in given]
    near = [value for value, words in clauses if words & entry.claim_stems]
    near = near and [value for value, words in clauses if not words or words & entry.claim_stems]
    yield from near or given
    measure = _bare_measure(text, entry)
    if measure is None or not (updates(text) or _is_reply(statement)) or any(one.measure == measure for one in given):
        return
    of_it = {value.measure for value in given} & {value.measure for value in values(entry.claim)}
    bare = [
        value
        for value in _bare_values(text, measure)
        if not _known(value, entry)
        and (not of_it or _is_reply(statement) or _clause_words(text, value) & entry.claim_stems)
    ]
    yield from bare if len({value.amount for value in bare}) == 1 else ()


def _bare_values(text: str, measure: tuple[Dimension, str]) -> Iterator[Value]:
    for match in _bare_matches(text):
        figure = match.group(match.lastgroup or 0)
        amount = NUMBER_WORDS.get(figure.lower(), figure)
        yield Value(measure[0], f"bare {amount}", measure[1], figure, match.end() - len(figure), match.end())


def _bare_measure(text: str, entry: Entry) -> tuple[Dimension, str] | None:
    """What a bare number in a text can give of a memory: its only such measure, or the kind that the text names."""
    held = {value.measure for value in values(entry.claim) if value.amount != "1"}  # "one" is an article, too
    kinds = {measure for measure in held if measure[0] is Dimension.NUMBERED and measure[1] in content(text)}
    found = kinds or {measure for measure in held if measure[0] in _BARE}
    if not kinds and _bare_figures(entry.claim):
        return None if found or len(_bare_figures(entry.claim)) > 1 else _FIGURE
    return found.pop() if len(found) == 1 else None


def _as_held(value: Value, entry: Entry) -> Value:
    """A value in the measure that the memory has for it: a day in its month, a number of "retries" in its "times"."""
    held = {one.dimension: one for one in values(entry.claim)}
    if value.dimension is Dimension.DAY and Dimension.DAY not in held and (date := held.get(Dimension.DATE)):
        amount = f"{date.amount[:3]}{int(value.amount):02d}"
        text = re.sub(r"(?<!\d)\d{1,2}(?:st|nd|rd|th)?\b(?!\d)", value.amount, date.text)
        return replace(value, dimension=Dimension.DATE, amount=amount, text=text)
    if value.dimension is Dimension.COUNT and value.unit in _done_times(entry.claim):
        return replace(value, unit=stem("times"))
    return value


def _done_times(claim: str) -> frozenset[str]:
    """What a claim says is done so many times, where it counts nothing else."""
    counts = [one for one in values(claim) if one.dimension is Dimension.COUNT]
    if {one.unit for one in counts} != {stem("times")}:
        return frozenset()
    return frozenset(stem(word.lower()) for one in counts for word in re.findall(r"[^\W\d_]+", claim[: one.start])[-1:])


def _is_reply(statement: Statement) -> bool:
    """Whether a statement opens the user's answer, and corrects or accepts what the assistant gave."""
    opens = bool(statement.before) and statement.order <= _OPENS
    return opens and (corrects(statement) or accepts(statement) or changed_beside(statement))


_OPENS = 1  # which sentence of a message may still answer the assistant: the second, after a "no."

_FIGURE = (Dimension.COUNT, "")
"""The measure of a bare figure in a memory: a count of it does not say what."""

_BARE = frozenset(
    {Dimension.PERCENT, Dimension.DURATION, Dimension.SIZE, Dimension.COUNT, Dimension.MEASURED, Dimension.MONEY}
)
_BARE_BEFORE, _BARE_AFTER = r"(?<![\w.#:/-])", r"(?![\w%:/-]|\.\d| of (?:the|them|these|those|my|our)\b)"
_BARE_FIGURE = re.compile(rf"{_BARE_BEFORE}\d+(?:\.\d+)?{_BARE_AFTER}")
_BARE_WORD = spoken(
    "exchanges: bare word",  # a number word that is all the answer
    rf"^(?:\W*(?:no|nope|nah)\b)*\W*(?P<n>{NUMBER_WORD})(?=\s*[,.;:!]|\s*$)",
)
_SPOKEN_OF = spoken(
    "exchanges: spoken of",
    r"^,? (?:is|are|was|were|has|had|will|would|does|did|can|(?!this\b|as\b|is\b|always\b)[a-z]+(?<!s)s)\b(?! now\b)",
)


def _is_spoken_of(text: str, value: Value) -> bool:
    """Whether a clause begins with the value and goes on with a verb: "wednesday collides with …" sets nothing."""
    start = text[: value.start].rstrip()
    opens = not start or start[-1] in ",;:.(-" or start.lower().endswith((" and", " but", " so", "because", "since"))
    return opens and bool(_SPOKEN_OF.search(text[value.end :]))


def _clause_words(text: str, value: Value) -> frozenset[str]:
    return _without_values(_clause_of(text, value.start))


def _told_of(text: str, value: Value) -> frozenset[str]:
    """The words of a value's clause that say what it is of: neither who changed it, nor why or since when."""
    clause = _clause_of(text, value.start)
    number = _number_and_unit(value.text)[0] or value.text
    at, end = clause.find(number), clause.find(value.text) + len(value.text)
    told = f"{_CHANGER.sub('', clause[:at])} {_REASON.sub('', clause[max(end, at + len(number)) :])}"
    return _without_values(HANGING.sub(" ", told)) - words_of_change(clause) - _ASIDE


_CHANGER = spoken(
    "exchanges: changer",
    r"^\W*(?:(?:yes|yeah|yep|right|correct|no),? )?(?:the |our )?[\w-]+ (?:have |has )?(?=(?:raised|lowered|pushed|moved|changed|cut|bumped|extended|shortened) (?:it|that|this|the|our)\b)",
)
_REASON = spoken(
    "exchanges: reason", r"\b(?:since|after|because of|due to|thanks to|with) (?:the|our|a|an|that|last|we|they)\b.*$"
)
_ASIDE = frozenset(["everywhere", "anyway", "new", "old", "actual"])


def _bare_figures(claim: str) -> frozenset[str]:
    """The distinct figures of a claim that are part of no value."""
    return frozenset(match.group() for match in _bare_matches(claim))


@lru_cache(maxsize=20_000)
def _bare_matches(text: str) -> tuple[re.Match[str], ...]:
    taken = values(text)
    return tuple(
        match
        for match in (*_BARE_FIGURE.finditer(text), *_BARE_WORD.finditer(text))
        if all(not (one.start < match.end() <= one.end) for one in taken)
    )


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
    return old.amount == bare or (bare != new.amount and _number_and_unit(old.text)[0] == bare)


_ROLES = {
    # Which end of a span a value marks, by the word before it.
    "start": spoken(
        "exchanges: start of a span",
        r"\b(?:from|starts?|starting|begins?|beginning|since|opens?|between|after)\b[\w ]{0,20}$",
    ),
    "end": spoken(
        "exchanges: end of a span", r"\b(?:to|until|till|ends?|ending|through|closes?|and|before|by)\b[\w ]{0,20}$"
    ),
}


def _role(text: str, value: Value) -> str:
    before = text[: value.start].rstrip()
    found = [(match.start(), role) for role, pattern in _ROLES.items() if (match := pattern.search(before))]
    return max(found)[1] if found else ""


_CLAUSES = spoken(
    "exchanges: clauses",
    r"[,;:]\s|\s[-–—]\s|\.\s|\b(?:while|but|whereas|because|so(?! that))\b|\band (?=\w+ (?:is|stays|keeps|has|runs|goes)\b)",
    flags=0,
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
    """How much the statement and the sentence that holds the old value are about one thing; 0 when not enough."""
    old, new = exchange
    line = next((one for one in sentences(entry.claim) if old.text in one), entry.claim)
    subject = _without_values(line) | content(entry.memory.description) | _name(entry)
    shared = _without_values(statement.text) & subject
    if old.dimension in _OF_A_KIND:
        shared |= {old.unit} - {""}  # both say whose name it is, or of what it is a number
    around = " ".join((*statement.preceding, *statement.following[:1]))
    context = (content(f"{statement.before} {around}") & subject) - shared
    clause = _told_of(statement.text, new)
    updated = updates(statement.text)
    changed = updated or (len(shared) >= 2 and changed_beside(statement) and _states(statement))
    answered = _is_named_before(old, statement, around)
    enough = (
        _names_it(
            statement,
            shared,
            changed or _lays_down(statement, old, clause <= subject | shared),
            answered or len(context) >= 2,
        )
        or (answered and bool(context) and _answers(statement, exchange, subject))
        or (_measures_alone(corpus, old, entry, shared) and updated and _can_mean_only(statement, clause, subject, old))
    )
    if not enough or _could_be_another(exchange, statement, entry):
        return 0.0
    return corpus.weights.mass(shared) + 0.5 * corpus.weights.mass(context)


_OF_A_KIND = (Dimension.NAME, Dimension.COUNT, Dimension.NUMBERED)


def _states(statement: Statement) -> bool:
    return bool(STATES.search(statement.text)) and not tells_an_episode(statement.text)


def _is_named_before(old: Value, statement: Statement, around: str) -> bool:
    """Whether the assistant, or the user beside it, had just given the old value."""
    beside, number = f"{statement.before} {around}", re.escape(_number_and_unit(old.text)[0])
    return (
        any(value.amount == old.amount and value.measure == old.measure for value in values(beside))
        or bool(re.search(rf"\bfrom {number}\b", statement.text))
        or (old.unit in content(beside) and bool(re.search(rf"{_BARE_BEFORE}{number}{_BARE_AFTER}", beside)))
    )


def _names_it(statement: Statement, shared: frozenset[str], changed: bool, spoken_of: bool) -> bool:
    """Whether a statement's own words tell the subject, and that it is news.

    Two telling words are enough when a change is spoken of, or one when the talk just before was of the subject.
    """
    if len(shared) >= 2:
        return changed or corrects(statement) or len(shared) >= 3 or bool(IS_NOW.search(statement.text))
    return len(shared) == 1 and changed and spoken_of


def _lays_down(statement: Statement, old: Value, of_it: bool) -> bool:
    """Whether a clause about nothing else states what somebody sets: it is news by being said otherwise."""
    return of_it and old.dimension in _LAID_DOWN and bool(_PLAIN.search(statement.text))


_PLAIN = spoken(
    "exchanges: plain",
    r"^(?!.*\b(?:this|that|my|i|i'm|you|your)\b).*\b(?:is|are|'s|its|runs?|goes|go|lives?|uses?|needs?|listens?|starts?|belongs?)\b",
)


def _answers(statement: Statement, exchange: tuple[Value, Value], subject: frozenset[str]) -> bool:
    """Whether a statement corrects the old value that was just given, and its clause is about nothing else."""
    old, new = exchange
    news = updates(statement.text) or changed_beside(statement)
    clause = _told_of(statement.text, new)
    plain = clause <= subject or _opens_with(new, statement.text)
    if accepts(statement):
        return plain and _is_asked(new, old, statement.before)
    return plain and (news or (corrects(statement) and not is_offered(statement.before)))


_OPENING_IT = spoken("exchanges: opening it", r"\W*(?:it'?s|it is|they'?re|they are)\b")
_NUMBER = re.compile(r"(?<![\w.#/-])\d+(?:[.,]\d+)*(?![\w/-])")


def _could_be_another(exchange: tuple[Value, Value], statement: Statement, entry: Entry) -> bool:
    """Whether the assistant gave a second number of the kind just before, and nothing said tells that "it" is not that."""
    old, new = exchange
    plain = corrects(statement) or accepts(statement) or bool(_without_values(statement.text) & entry.stems)
    if plain or not _OPENING_IT.match(statement.text):
        return False
    before = statement.before
    given = {value.amount for value in values(before) if value.measure == old.measure}
    others = set(_NUMBER.findall(before)) - {_number_and_unit(one.text)[0] for one in (old, new)}
    return bool(given - {old.amount, new.amount} or (others and new.amount.startswith("bare ")))


def _opens_with(new: Value, text: str) -> bool:
    return not re.search(r"\w", text[: new.start])


def _is_asked(new: Value, old: Value, before: str) -> bool:
    """Whether the assistant's question, no offer, gave the new value, so that a yes says that it holds."""
    questions = [part for part in re.split(r"(?<=[.?!])\s+", before) if part.endswith("?")]
    asked = {value.amount for part in questions for value in values(part)}
    amounts = {value.amount for value in values(before) if value.measure == old.measure and value.amount in asked}
    figures = {_number_and_unit(value.text)[0] for value in values(before) if value.amount in amounts}
    return not is_offered(before) and (new.amount in amounts or new.amount.removeprefix("bare ") in figures)


def _can_mean_only(statement: Statement, clause: frozenset[str], subject: frozenset[str], old: Value) -> bool:
    """Whether a clause says nothing but the subject, or nothing at all right after a sentence that names it."""
    if clause:
        return clause - words_of_change(statement.text) <= subject and bool(clause & subject | ({old.unit} & clause))
    if old.dimension in _TELLING and content(" ".join(statement.preceding[-1:])) & subject:
        return True
    if _SETTLED.search(statement.text) and old.unit in subject:
        return True
    return bool(_without_values(statement.text) & subject)


_SETTLED = spoken("exchanges: settled", r"\b(?:and (?:that|it) stays (?:so|that way|like that)|for good|permanently)\b")
"""Words with which a number of the very thing that a memory counts in its title is no passing one."""


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


_LAID_DOWN = _TELLING | {Dimension.VERSION, Dimension.PORT, Dimension.DATE, Dimension.CLOCK}
"""What is set by somebody and does not differ from one time to the next."""


def _measures_alone(corpus: Corpus, old: Value, entry: Entry, shared: frozenset[str]) -> bool:
    """Whether no other memory of the same side, on what the statement names, holds a value of this measure."""
    return not any(
        other is not entry
        and (not shared or shared & other.stems)
        and any(value.measure == old.measure for value in values(other.claim))
        and not any(apart(other.claim, entry.claim, group) for group in SIBLING_GROUPS)
        for other in corpus.entries
    )


def _without_values(text: str) -> frozenset[str]:
    """The content words of a text but for those of its values."""
    return content(_without_values_text(text))


def _without_values_text(text: str) -> str:
    for value in reversed(values(text)):
        text = f"{text[: value.start]} {text[value.end :]}"
    return text


def _value_finding(fit: Fit, statement: Statement) -> Finding:
    memory = fit.entry.memory
    given = ", ".join(new.text for _, new in fit.exchanges)
    held = ", ".join(old.text for old, _ in fit.exchanges)
    return Finding(
        intent=Intent.REPLACE,
        claim=plain_rule(statement.text, statement.time),
        why=f"The user later gave “{given}” where the memory says “{held}”.",
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
    for old, new in (pair for exchange in exchanges for pair in (exchange, *_in_short(*exchange))):
        if old.measure == _FIGURE:  # a bare figure
            text = re.sub(rf"{_BARE_BEFORE}{re.escape(old.amount)}{_BARE_AFTER}", new.text, text)
        else:  # the same words may read as another kind of value elsewhere
            text = re.sub(rf"(?<![\w.#-]){re.escape(old.text)}(?![\w%-]|\.\d)", _in_style(old.text, new), text)
    return text


def _in_short(old: Value, new: Value) -> Iterator[tuple[Value, Value]]:
    """The bare name of a named thing, and the first part of host names that end alike ("rpt-2" for `rpt-2.example`)."""
    if old.dimension is Dimension.NAME:
        yield replace(old, text=_bare_name(old.text, old)), replace(new, text=_bare_name(new.text, new))
    (old_head, _, old_tail), (new_head, _, new_tail) = old.text.partition("."), new.text.partition(".")
    if old.dimension is Dimension.CODE and old_tail == new_tail != "":
        yield replace(old, text=old_head), replace(new, text=new_head)


def _is_old(value: Value, old: Value) -> bool:
    """Whether a value is the old one; a bare figure is it in any count."""
    bare = old.measure == _FIGURE and value.dimension is Dimension.COUNT
    return value.amount == old.amount and (bare or value.measure == old.measure)


def _in_style(old: str, new: Value) -> str:
    """The new value in the form of the old: the same unit keeps its spelling, names keep their marks and capitals."""
    if new.dimension is Dimension.CODE:
        return new.text
    if new.dimension in (Dimension.CHANNEL, Dimension.PORT, Dimension.VERSION, Dimension.NAME, Dimension.NUMBERED):
        return _named_in_style(old, new)
    if new.dimension is Dimension.CLOCK:
        return _clock_in_style(old, new)
    if new.dimension is Dimension.WEEKDAY and "," not in new.amount:
        return _weekday_in_style(old, new)
    old_number, old_unit = _number_and_unit(old)
    new_number, new_unit = _number_and_unit(new.text)
    if new.dimension is Dimension.COUNT:
        if _same_amount_as_one(old_number) and not new.amount.startswith("bare "):
            return new.text  # "one review" becomes "two reviews"
        return old.replace(old_number, new_number, 1)
    if new.amount.startswith("bare "):
        return old.replace(old_number, new.text, 1)
    if old_unit and new_unit and old_unit[0].lower() == new_unit[0].lower() and new_number:
        return old.replace(old_number, new_number, 1)
    return new.text[0].upper() + new.text[1:] if old[:1].isupper() else new.text


def _clock_in_style(old: str, new: Value) -> str:
    """A time as ``04:30`` or with "Uhr" where the old one stands so, else as it was said."""
    hour, minute = divmod(int(new.amount), 60)
    if re.fullmatch(r"\d\d:\d\d", old):
        return f"{hour:02d}:{minute:02d}"
    if old.endswith("Uhr"):
        return f"{hour}:{minute:02d} Uhr" if minute else f"{hour} Uhr"
    return new.text


def _weekday_in_style(old: str, new: Value) -> str:
    """A day with the capital and the plural of the old one ("Mondays", "dienstags")."""
    day = f"{new.text.removesuffix('s')}s" if old.endswith("s") else new.text.removesuffix("s")
    return day.capitalize() if old[:1].isupper() else day


def _same_amount_as_one(number: str) -> bool:
    return number.lower() in ("1", "one")


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
