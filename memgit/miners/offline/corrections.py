"""A later statement of the user that gives a memory's thing another value, or takes its rule back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from memgit.miners.offline.anatomy import anatomy, is_later, sentences
from memgit.miners.offline.corpus import Corpus, Entry
from memgit.miners.offline.facts import (
    CHANGE,
    NEGATION,
    SIBLING_GROUPS,
    Dimension,
    Value,
    sides,
    values,
)
from memgit.miners.offline.finding import Finding, Unclear, quoted
from memgit.miners.offline.guards import objection, taken_back
from memgit.miners.offline.prose import Statement
from memgit.miners.offline.reasons import reasons
from memgit.miners.offline.wording import body_of, describe, plain_rule
from memgit.miners.offline.words import content, content_stems
from memgit.model.decision import Draft, Intent
from memgit.model.store import Memory

_EPISODE = re.compile(r"\b(?:took|ran|was|were|lasted|had|failed|did|happened|got|needed|saw|cost)\b", re.IGNORECASE)
_ASSERTS = re.compile(
    r"\b(?:is|are|'s|'re|takes?|has|have|runs?|needs?|lasts?|costs?|goes?|go|gives?|gave|gets?|allows?|stays?|starts?|ends?|"
    r"moved|means?|=|set to|comes?|lives?|uses?|use|listens?)\b",
    re.IGNORECASE,
)
_MARGIN = 1.25  # how much better the meant memory must fit than the next one that could be meant


@dataclass(frozen=True, slots=True)
class Fit:
    """A memory that a statement may correct: the old and new value, and how well the subject fits."""

    entry: Entry
    old: Value
    new: Value
    weight: float


def corrections(corpus: Corpus, said: Sequence[Statement]) -> Iterator[Finding | Unclear]:
    """What the statements correct in the memories, oldest statement first."""
    for statement in said:
        if objection(statement) or taken_back(statement, said):
            continue
        found = (
            _new_value(corpus, statement) or _exchanged_name(corpus, statement) or _rule_taken_back(corpus, statement)
        )
        if found is not None:
            yield found


# -- another value ---------------------------------------------------------------------------------------------------


def _new_value(corpus: Corpus, statement: Statement) -> Finding | Unclear | None:
    fits = sorted(_fits(corpus, statement), key=lambda fit: -fit.weight)
    if not fits or (_EPISODE.search(statement.text) and not CHANGE.search(statement.text)):
        return None
    best = fits[0]
    rivals = [fit for fit in fits[1:] if fit.entry is not best.entry]
    if rivals and best.weight < _MARGIN * rivals[0].weight:
        return Unclear(statement, "it gives a new value, but more than one memory could be meant")
    return _value_finding(best, statement)


def _fits(corpus: Corpus, statement: Statement) -> Iterator[Fit]:
    if not (CHANGE.search(statement.text) or _ASSERTS.search(statement.text)):
        return
    given = values(statement.text)
    for entry in corpus.entries:
        if is_later(statement.time, entry.memory) and not _other_side(statement, entry):
            yield from _fits_of(corpus, statement, given, entry)


def _fits_of(corpus: Corpus, statement: Statement, given: Sequence[Value], entry: Entry) -> Iterator[Fit]:
    known = {value.amount for value in values(entry.claim)}
    for new in given:
        olds = [value for value in values(entry.claim) if value.measure == new.measure]
        if new.amount in known or len({value.amount for value in olds}) != 1:
            continue
        weight = _subject_fit(corpus, statement, olds[0], entry)
        if weight:
            yield Fit(entry, olds[0], new, weight)


def _other_side(statement: Statement, entry: Entry) -> bool:
    """Whether the statement is about a sibling (staging, Android) that the memory does not speak of."""
    return any(
        sides(statement.text, group) and not sides(statement.text, group) <= sides(entry.memory.text, group)
        for group in SIBLING_GROUPS
    )


def _subject_fit(corpus: Corpus, statement: Statement, old: Value, entry: Entry) -> float:
    """How much the statement and the sentence that holds the old value are about one thing; 0 when not enough.

    Two telling words in common are enough, or one when the assistant has just named the old value or the memory's
    subject, so that the user is answering to that.
    """
    line = next((one for one in sentences(entry.claim) if old.text in one), entry.claim)
    subject = _without(line, old) | content(entry.memory.description)
    shared = _without_values(statement.text) & subject
    context = content(statement.before) & subject
    answered = any(value.amount == old.amount and value.measure == old.measure for value in values(statement.before))
    enough = len(shared) >= 2 or (shared and (answered or len(context) >= 3))
    if not enough or (len(shared) < 3 and not answered and not CHANGE.search(statement.text)):
        return 0.0
    return corpus.weights.mass(shared) + 0.5 * corpus.weights.mass(context - shared)


def _without(line: str, value: Value) -> frozenset[str]:
    return content(line) - content(value.text)


def _without_values(text: str) -> frozenset[str]:
    return content(text) - frozenset(word for value in values(text) for word in content(value.text))


def _value_finding(fit: Fit, statement: Statement) -> Finding:
    memory = fit.entry.memory
    exchange = lambda text: _with_value(text, fit.old, fit.new)  # noqa: E731
    return Finding(
        intent=Intent.REPLACE,
        claim=plain_rule(statement.text, statement.time),
        why=f"The user later gave {fit.new.text} where the memory says {fit.old.text}.",
        evidence=(quoted(statement),),
        targets=(memory.id,),
        drafts=(rewritten(memory, exchange),),
        said=statement,
    )


def rewritten(memory: Memory, exchange: Callable[[str], str]) -> Draft:
    """The memory with its description and body exchanged, but for what its Why tells of the past."""
    body = "\n\n".join(block if block.startswith("**Why") else exchange(block) for block in memory.body.split("\n\n"))
    return Draft(memory.name, exchange(memory.description), memory.type, body, memory.id)


def _with_value(text: str, old: Value, new: Value) -> str:
    for value in reversed(values(text)):
        if value.measure == old.measure and value.amount == old.amount:
            text = text[: value.start] + _in_style(value.text, new) + text[value.end :]
    return text


_FIGURE = re.compile(r"\d[\d.,:]*\d|\d|[a-z]+", re.IGNORECASE)


def _in_style(old: str, new: Value) -> str:
    """The new value in the form of the old: the same unit keeps its spelling, names keep their marks and capitals."""
    if new.dimension in (Dimension.CHANNEL, Dimension.PORT, Dimension.VERSION, Dimension.NAME):
        return _named_in_style(old, new)
    old_number, old_unit = _number_and_unit(old)
    new_number, new_unit = _number_and_unit(new.text)
    if old_unit and new_unit and old_unit[0].lower() == new_unit[0].lower() and new_number:
        return old.replace(old_number, new_number, 1)
    return new.text[0].upper() + new.text[1:] if old[:1].isupper() else new.text


def _number_and_unit(text: str) -> tuple[str, str]:
    match = re.match(r"(?P<n>[\d.,]*\d|[a-z]+)[ -]?(?P<u>[a-z%]*)", text, re.IGNORECASE)
    return (match["n"], match["u"]) if match else ("", "")


def _named_in_style(old: str, new: Value) -> str:
    bare_old = re.sub(r"^(?:v|#|port )", "", old)
    bare_new = re.sub(r"^(?:v|#|port )", "", new.text)
    return old.replace(bare_old, bare_new, 1)


# -- another name ----------------------------------------------------------------------------------------------------

_TERM = r"`?[\w@./:+#-]+`?(?: [\w@./:+#-]+)?"
_EXCHANGES = (
    # Each names what was (a) and what is (b).
    re.compile(rf"\b(?:moved|switched|migrated|changed|went|renamed|goes|go|move) (?:\w+ ){{0,4}}?from (?P<a>{_TERM}) to (?:the )?(?P<b>{_TERM})", re.I),
    re.compile(rf"\b(?P<a>{_TERM}) (?:was|is|got|has been|gets) (?:renamed to|replaced (?:by|with)|now called) (?:the )?(?P<b>{_TERM})", re.I),
    re.compile(rf"\b(?:it's|use|on|in|to|with|via|through) (?:the )?(?P<b>{_TERM}) (?:now|these days)?,? ?(?:instead of|and not|not|no longer|rather than) (?:on |in |to |with |via |through )?(?:the )?(?P<a>{_TERM})", re.I),
    re.compile(rf"\b(?:not|no longer) (?:in |on |to |with |via )?(?:the )?(?P<a>{_TERM})(?: any ?more)?,? (?:but|it's|use|it goes to|they go to) (?:in |on |to |with |via )?(?:the )?(?P<b>{_TERM})", re.I),
)  # fmt: skip


def _exchanged_name(corpus: Corpus, statement: Statement) -> Finding | None:
    for pattern in _EXCHANGES:
        for match in pattern.finditer(statement.text):
            pairs = [(old, new) for old in _shorter(match["a"]) for new in _shorter(match["b"])[:1]]
            for old, new in pairs:
                if found := _renamed(corpus, statement, old, new):
                    return found
    return None


def _shorter(term: str) -> list[str]:
    """The term, and its first word alone: the pattern cannot know where a name ends."""
    words = term.strip("`.,").split(" ")
    return [words[0].strip("`.,")] if len(words) == 1 else [term.strip("`.,"), words[0].strip("`.,")]


def _renamed(corpus: Corpus, statement: Statement, old: str, new: str) -> Finding | None:
    holders = [
        entry
        for entry in corpus.entries
        if is_later(statement.time, entry.memory) and _names_old(entry, statement, old, new)
    ]
    if len(holders) != 1 or len(old) < 3 or not content(old):
        return None
    memory = holders[0].memory
    word = re.compile(rf"(?<![\w-]){re.escape(old)}(?![\w-])", re.IGNORECASE)
    return Finding(
        intent=Intent.REPLACE,
        claim=plain_rule(statement.text, statement.time),
        why=f"The user later said {new} where the memory says {old}.",
        evidence=(quoted(statement),),
        targets=(memory.id,),
        drafts=(rewritten(memory, lambda text: word.sub(new, text)),),
        said=statement,
    )


def _names_old(entry: Entry, statement: Statement, old: str, new: str) -> bool:
    """Whether a memory plainly asserts the old name, does not know the new one, and is about the statement's subject."""
    word = re.compile(rf"(?<![\w-]){re.escape(old)}(?![\w-])", re.IGNORECASE)
    lines = [line for line in sentences(entry.claim) if word.search(line)]
    if not lines or any(NEGATION.search(line) for line in lines) or new.lower() in entry.memory.text.lower():
        return False
    subject = content(statement.text) - content(old) - content(new)
    return len(subject & entry.claim_stems) >= 2


# -- a rule taken back -----------------------------------------------------------------------------------------------

_TAKEN_BACK = (
    # Each says that what was done so far is not done from here on; x is what.
    re.compile(r"\bno (?P<x>(?!need)[\w -]{3,60}?),? any ?more\b", re.IGNORECASE),
    re.compile(r"\bno more (?P<x>[\w -]{3,60})", re.IGNORECASE),
    re.compile(r"\b(?:is|are) no longer (?P<x>[\w -]{3,60})", re.IGNORECASE),
    re.compile(r"\b(?:we|you|i|they) no longer (?P<x>[\w -]{3,60})", re.IGNORECASE),
    re.compile(
        r"\b(?:don't|do not|doesn't|does not|isn't|aren't|not) (?P<x>[\w' -]{3,60}?),? any ?more\b", re.IGNORECASE
    ),
    re.compile(r"\b(?:stop|quit) (?P<x>\w+ing\b[\w -]{3,60})", re.IGNORECASE),
)


def _rule_taken_back(corpus: Corpus, statement: Statement) -> Finding | Unclear | None:
    matches = [match for pattern in _TAKEN_BACK if (match := pattern.search(statement.text))]
    if not matches:
        return None
    clause = _clause_around(statement.text, matches[0].start())
    denied = content(clause)
    holders = [entry for entry in corpus.entries if _affirms(corpus, entry, denied, statement)]
    if len(holders) > 1:
        return Unclear(statement, "it takes a rule back, but more than one memory could be meant")
    return _taken_back_finding(holders[0].memory, statement) if holders else None


def _clause_around(text: str, at: int) -> str:
    start = max((match.end() for match in re.finditer(r"[,;:] | - ", text[:at])), default=0)
    end = re.search(r"[,;:] | - ", text[at:])
    return text[start : at + end.start()] if end else text[start:]


def _affirms(corpus: Corpus, entry: Entry, denied: frozenset[str], statement: Statement) -> bool:
    """Whether one memory's claim plainly says what the statement denies."""
    if len(denied) < 2 or not is_later(statement.time, entry.memory) or _other_side(statement, entry):
        return False
    covered = corpus.weights.mass(denied & entry.claim_stems) / (corpus.weights.mass(denied) or 1.0)
    first = (sentences(anatomy(entry.memory.body).claim) or ("",))[0]
    lines = (entry.memory.description, first)
    plain = any(len(denied & content(line)) >= 2 and not NEGATION.search(line) for line in lines)
    return covered >= 0.8 and plain and _leads(entry.memory.description, denied)


def _leads(description: str, denied: frozenset[str]) -> bool:
    """Whether the description is mostly about what is denied, and does not merely mention it."""
    words = content_stems(description)
    return bool(words) and sum(word in denied for word in words) >= len(words) / 2


def _taken_back_finding(memory: Memory, statement: Statement) -> Finding:
    rule = plain_rule(statement.text, statement.time)
    draft = Draft(memory.name, describe(rule), memory.type, body_of(rule, reasons(statement).why), memory.id)
    return Finding(
        intent=Intent.REPLACE,
        claim=rule,
        why="The user later took back what the memory asks for.",
        evidence=(quoted(statement),),
        targets=(memory.id,),
        drafts=(draft,),
        said=statement,
    )
