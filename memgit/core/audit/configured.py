"""Values that memories give beside the file that holds them, against that file: words, lists, plainly named amounts
(the last also in code).

A name alone may mean anything. Beside the file it is looked up in that file only, and only what stands there once, in
one form, is held against the memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memgit.core.audit.figures import Agreement, Contradiction, Figure, is_of_now_and_here
from memgit.core.text.paragraphs import claim, present
from memgit.core.text.quantities import Quantity, expression, quantities
from memgit.core.text.words import content_words
from memgit.core.verification.definitions import Definition, is_trial
from memgit.core.verification.grounding import told
from memgit.model.store import Memory
from memgit.model.verification import Line

_SPAN = re.compile(r"`([^`\n]+)`")
_KEY = re.compile(r"[A-Za-z]\w*(?:[_.-]\w+)*")
_SETTING = re.compile(r"(?P<name>[A-Za-z][\w.-]*\w)\s*[:=]\s*[\"']?(?P<value>[A-Za-z][\w./-]*)[\"']?")
_ASKED_FOR = re.compile(
    r"\b(?:set|sets|setting|run|with|export|use|using|pass|add|start|put|try|when|if|unless|local\w*|temporar\w*|before"
    r"|first|need\w*|want\w*|not|never|to)\b",
    re.IGNORECASE,
)
"""What tells somebody to set something, or when: it need not stand so in the tree."""

_ASSIGNED = re.compile(
    r"^\s*(?:export\s+|const\s+|let\s+|var\s+|ENV\s+|- )?[\"']?(?P<name>[A-Za-z][\w.-]*)[\"']?\s*(?::=|[:=])\s*"
    r"(?P<value>[^#\s][^#\n]{0,120}?)\s*[,;]?\s*(?:#.*|//.*)?$"
)
_DECLARED = re.compile(
    r"^\s*(?:#\s*define\s+|(?:[\w:<>*&]{1,40}\s+){1,6})(?P<name>[A-Za-z_]\w*)(?:\s*:\s*[\w<>]+)?"
    r"(?:\s*=\s*|\s+\(?)(?P<value>\d[\w.]*)\)?\s*;?\s*(?://.*|/\*.*|#.*)?$"
)
_EXPOSED = re.compile(r"^\s*EXPOSE\s+(?P<value>\d+)")
_CONFIGURATION = re.compile(
    r"\.(?:ya?ml|toml|json|ini|env|conf|cfg|properties|hcl|tf|tfvars)$|(?:^|/)(?:\.env[\w.]*|Dockerfile[\w.]*|Makefile)$"
)
_HOLDS_VALUES = re.compile(
    rf"{_CONFIGURATION.pattern}|\.(?:py|[cm]?[jt]sx?|go|rs|java|kts?|swift|cs|rb|php|scala|hh?|hpp|cc?|cpp|ino|dart|lua)$"
)
_LARGEST = 200_000
"""Characters of a file beyond which it is no place where somebody keeps a setting."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_UNITS = content_words("ms millis milliseconds seconds secs sec minutes mins min hours days mb kb gb bytes percent")
_LISTED = re.compile(r"\d+(?:, \d+)*,? (?:and|or|und|oder) \d+|\d+(?:, \d+){2,}")
_LIST = re.compile(r"[\[({]\s*(?P<values>\d+(?:\s*,\s*\d+)+)\s*[\])}]")
_TOKEN = re.compile(r"[A-Za-z0-9][\w./-]*\w")


@dataclass(frozen=True, slots=True)
class Differs:
    """A value that a memory gives in other words than the file: both texts, and the line of the file."""

    old: str
    new: str
    line: Line


@dataclass(frozen=True, slots=True)
class Same:
    """A value that the file has as the memory says."""

    line: Line


def setting_names(memory: Memory) -> tuple[str, ...]:
    """The names of settings that a memory gives a word for (``LOG_LEVEL=debug``)."""
    return tuple(dict.fromkeys(name for name, _, _ in _worded_settings(memory)))


def settings(memory: Memory, lines: Mapping[str, Sequence[Line]]) -> Iterator[Differs | Same]:
    """What the tree says of settings whose value is a word. ``lines`` are those that hold each name."""
    for name, value, span in _worded_settings(memory):
        found = {assigned: line for line in lines.get(name, ()) if (assigned := _word_of(name, line))}
        if value.lower() in {assigned.lower() for assigned in found}:
            yield Same(next(line for assigned, line in found.items() if assigned.lower() == value.lower()))
        elif len(found) == 1:
            ((assigned, line),) = found.items()
            yield Differs(span, span.replace(value, assigned), line)


def _worded_settings(memory: Memory) -> Iterator[tuple[str, str, str]]:
    for sentence in present(memory):
        for span in _SPAN.finditer(sentence) if "`" in sentence and not _ASKED_FOR.search(sentence) else ():
            if (found := _SETTING.fullmatch(span[1])) and re.search(r"_|[a-z][A-Z]", found["name"]):
                yield found["name"], found["value"], span[1]


def _word_of(name: str, line: Line) -> str:
    """The word that a line assigns to a name, where it does nothing else."""
    found = None if is_trial(line.path) or line.path.endswith(".md") else _ASSIGNED.match(line.text)
    value = found["value"].strip("\"' ") if found and found["name"] == name else ""
    return value if _TOKEN.fullmatch(value) else ""


def in_file(memory: Memory, path: str, text: str) -> Iterator[Agreement | Contradiction | Differs | Same]:
    """What a file that a memory names says of the values beside its name, where they are told as how things are."""
    if not _HOLDS_VALUES.search(path) or is_trial(path) or len(text) > _LARGEST:
        return
    rows = [Line(path, number, row) for number, row in enumerate(text.split("\n"), start=1)]
    for sentence in told(present(memory)):
        if _names(sentence, path) and is_of_now_and_here(sentence.replace(path, " ")):
            yield from _kind_of_word(sentence, rows) if _CONFIGURATION.search(path) else ()
            yield from _amount(sentence, rows)
    if _names(claim(memory), path) and _CONFIGURATION.search(path):
        yield from _list(claim(memory), rows)


def _names(text: str, path: str) -> bool:
    return path in text


def _kind_of_word(sentence: str, rows: Sequence[Line]) -> Iterator[Differs | Same]:
    """``a db.large (`db_class` in `prod.tfvars`)``: the one word of the sentence that is built like the file's."""
    for span in _SPAN.finditer(sentence):
        found = [(word, row) for row in rows if _KEY.fullmatch(span[1]) and (word := _word_of(span[1], row))]
        if len(found) != 1 or not re.search(r"\d", found[0][0]):
            continue
        value, row = found[0]
        alike = {word for word in _TOKEN.findall(_SPAN.sub(" ", sentence)) if _built(word) == _built(value)}
        if value in sentence:
            yield Same(row)
        elif len(alike) == 1:
            yield Differs(alike.pop(), value, row)


def _built(word: str) -> str:
    """How a word is built of letters, digits and signs: ``m2.large`` as ``a9.a``."""
    return re.sub(r"\d+", "9", re.sub(r"[A-Za-z]+", "a", word))


def _amount(sentence: str, rows: Sequence[Line]) -> Iterator[Agreement | Contradiction]:
    """The one amount of a sentence against the one setting of the file whose words the sentence has."""
    amounts = quantities(_SPAN.sub(" ", sentence))
    words = content_words(re.sub(r"[_`./-]", " ", sentence))
    if len(amounts) != 1:
        return
    counted = frozenset({amounts[0].unit}) if amounts[0].unit and not amounts[0].dimension else frozenset()
    found = [(one, _words(one.name)) for row in rows if (one := _definition(row))]
    named = [one for one, own in found if own and (own <= words or (counted and counted <= own))]
    fitting = [one for one in named if _may_be(amounts[0], one)]
    if not fitting or len({one.name for one in named}) != 1:
        return
    figure = Figure(fitting[0].name, amounts, sentence)
    if agreeing := next((one for one in fitting if amounts[0].equals(one.amount)), None):
        yield Agreement(figure, agreeing)
    elif len(fitting) == 1:
        yield Contradiction(figure, amounts[0], fitting[0])


def _may_be(amount: Quantity, found: Definition) -> bool:
    """Whether an amount may be that of a setting: measured alike, or counting what the setting's name says."""
    counted = bool(amount.unit) and not amount.dimension
    return amount.unit in _words(found.name) if counted else amount.could_be(found.amount)


def _definition(row: Line) -> Definition | None:
    if exposed := _EXPOSED.match(row.text):
        name, value = "port", exposed["value"]
    elif found := _ASSIGNED.match(row.text) or _DECLARED.match(row.text):
        name, value = found["name"], found["value"].strip("\"' ")
    else:
        return None
    amount = expression(value, name)
    return Definition(name, amount, row) if amount else None


def _words(name: str) -> frozenset[str]:
    return content_words(" ".join(_WORD.findall(name))) - _UNITS


def _named_in(row: Line, words: frozenset[str]) -> bool:
    found = _ASSIGNED.match(row.text)
    own = _words(found["name"]) if found else frozenset()
    return bool(own) and own <= words


def _list(said: str, rows: Sequence[Line]) -> Iterator[Differs | Same]:
    """The one list of numbers of a memory against the one of the file, where both are of one length."""
    words = content_words(_SPAN.sub(" ", said))
    mine = list(_LISTED.finditer(_SPAN.sub(lambda span: " " * len(span[0]), said)))
    theirs = [(row, found) for row in rows for found in _LIST.finditer(row.text) if _named_in(row, words)]
    if len(mine) != 1 or len(theirs) != 1:
        return
    row, values = theirs[0][0], re.findall(r"\d+", theirs[0][1]["values"])
    old = mine[0][0]
    if re.findall(r"\d+", old) == values:
        yield Same(row)
    elif len(re.findall(r"\d+", old)) == len(values):
        rest = iter(values)
        yield Differs(old, re.sub(r"\d+", lambda _: next(rest), old), row)
