"""Amounts that memories give to names of code, against what the working tree defines these names to be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memgit.claims.documents import defines
from memgit.claims.telling import LONGEST, Found, State, Told, telling
from memgit.model.decision import Seen
from memgit.model.store import Memory
from memgit.model.verification import Line
from memgit.text.amounts import CLOCK, COUNT, DATE, VERSION, Amount, amounts, value_in_code

# --- definitions ---
# What a line of code or configuration defines a name to be.

_COMMENT = re.compile(r"\s(?://|#|/\*|--\s).*$|;\s*$")
_IS_COMMENT = re.compile(r"\s*(?://|#(?!\s*define)|/?\*|--\s|;|<!--|\"\"\"|''')")
_DIGIT = re.compile(r"\d")
_DECLARES = (
    r"(?:def|class|func|function|fn|fun|const|let|var|val|struct|enum|interface|type|trait|mod|module|macro|record|object"
    r"|sub|proc|defmodule|defp?|protocol|extension|namespace|define|static|final|public|private|export|abstract|async"
    r"|table|view|resource|variable|service|message|rpc|void|int|bool|string|float|double)"
)
_QUOTED = r"(?P<value>\"[^\"\n]*\"|'[^'\n]*'|[^\n]*?)"


@dataclass(frozen=True, slots=True)
class Definition:
    """One amount that the tree gives to a name, and the line that does. ``is_fallback`` where it only counts when
    nobody sets another."""

    name: str
    amount: Amount
    line: Line
    is_fallback: bool = False

    @property
    def counts(self) -> bool:
        """Whether it says how things are, so that another value is another."""
        return defines(self.line.path) and not self.is_fallback


def definitions(name: str, lines: Iterable[Line]) -> Iterator[Definition]:
    """What these lines set ``name`` to: where a statement, a key of configuration or a macro begins with it, where an
    option is given (``--name 3``), or as what holds where nobody sets it (``getenv("NAME", "3")``)."""
    for line in lines:
        if _IS_COMMENT.match(line.text) or not _DIGIT.search(line.text):
            continue
        for shape, is_fallback in _shapes(name):
            found = shape.search(line.text)
            value = _COMMENT.sub("", f" {found['value']}").strip(" ,;") if found else ""
            if value and (amount := value_in_code(value, name)):
                yield Definition(name, amount, line, is_fallback)
                break


def declares(name: str, text: str) -> bool:
    """Whether a line of code declares or sets a name; of an option, whether it stands there as a string of its own."""
    if name.startswith("-"):
        return re.search(rf"[\"'|({re.escape(',')}\s]{re.escape(name)}[\"'|),]", text) is not None
    return not _IS_COMMENT.match(text) and _declared(name).search(text) is not None


def defined_in(name: str, lines: Iterable[Line]) -> Line | None:
    """The first line that declares or sets a name, in a file that may say how things are."""
    shape = _declared(name)
    return next(
        (one for one in lines if defines(one.path) and not _IS_COMMENT.match(one.text) and shape.search(one.text)), None
    )


@lru_cache(maxsize=4096)
def _declared(name: str) -> re.Pattern[str]:
    word = re.escape(name)
    return re.compile(
        rf"\b{_DECLARES}\s+(?:[\w<>\[\],*&:.()]+\s+){{0,3}}[*&(]?(?:\w+[.:)]+\s*)?{word}(?![\w-])"
        rf"|^\s*[\w@.\"'\[*& <>,:-]*?(?<![\w-])[\"']?{word}[\"']?\s*(?:=(?!=)|:=|:(?!:)|\([^()]*\)\s*[{{:])"
    )


@lru_cache(maxsize=4096)
def _shapes(name: str) -> tuple[tuple[re.Pattern[str], bool], ...]:
    word = re.escape(name)
    if name.startswith("-"):
        return (
            (
                re.compile(rf"[\"']{word}[\"'][^\n]*?\bdefault(?:_value(?:_t)?)?\s*[=:(]\s*(?P<value>[\"']?[\w.%-]+)"),
                True,
            ),
            (re.compile(rf"(?<![\w-]){word}(?:\s+|=|[\"'],\s*)(?P<value>[\"']?\d[\w.%]*)"), False),
        )
    return (
        (re.compile(rf"#\s*define\s+{word}\s+\(?{_QUOTED}\)?\s*(?://.*|/\*.*)?$"), False),
        (
            re.compile(
                rf"^\s*(?:-\s+|(?:[\w.<>*&\[\]]+\s+){{0,6}})[\"'\[]?(?:\w+\.)*{word}[\"'\]]?"
                rf"(?:\s*:\s*[\w.<>\[\]| ]+?(?=\s*=))?"
                rf"\s*(?::=|=>|\?=|=(?!=)|:(?![:/]))\s*{_QUOTED}\s*[,;]?\s*(?:(?://|#|/\*|--\s).*)?$"
            ),
            False,
        ),
        (re.compile(rf"[{{,(]\s*[\"']?{word}[\"']?\s*[:=]\s*(?P<value>\"[^\"]*\"|'[^']*'|[\w.%]+)"), False),
        (re.compile(rf"(?<![\w-])(?:set|SET)\(\s*{word}\s+(?P<value>[^\s)]+)"), False),
        (re.compile(rf"(?<!\w)-D{word}=(?P<value>[^\s\"']+)"), False),
        (re.compile(rf"<{word}>\s*(?P<value>[^<\n]+?)\s*<"), False),
        (re.compile(rf"\b{word}\s*\{{\s*(?P<value>\d[\w.]*)\s*\}}"), False),
        (re.compile(rf"^\s*{word}[ \t]+(?P<value>\d[\w.]*)\s*;?\s*$"), False),
        (re.compile(rf"[\"']{word}[\"']\s*,\s*(?P<value>\"[^\"]*\"|'[^']*'|[\w.]+)"), True),
        (re.compile(rf"\$\{{{word}:[-=]?(?P<value>[^}}\n]+)\}}"), True),
        (
            re.compile(
                rf"(?<![\w.])(?:\w+\.)*{word}[\"']?[\])]*\s*(?:\|\||\?\?)\s*(?P<value>\"[^\"]*\"|'[^']*'|[\w.]+)"
            ),
            True,
        ),
    )


_SETTING = re.compile(r"(?P<name>(?:--)?[A-Za-z_][\w.-]*\w)[\"']?(?:\s*=\s*|:\s+)(?P<value>[^=\s].*)")
_NAME = re.compile(r"(?:--)?[A-Za-z_][\w.-]*[A-Za-z0-9]")
_CODE = re.compile(r"_|[a-z][A-Z]|^[A-Z0-9]{3,}$|-")
_FILE = re.compile(r"\.[a-z]{1,5}$")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_FAR = 60
"""Characters between a name and an amount beyond which they need not belong together."""


@dataclass(frozen=True, slots=True)
class Value:
    """An amount that a sentence gives to a name: ``amounts`` are those that may be it, each with its place in the
    sentence. ``is_set`` where they stand in one code span (``NAME=3``)."""

    name: str
    told: Told
    amounts: tuple[tuple[int, Amount], ...]
    is_set: bool = False


def find(memory: Memory) -> tuple[Value, ...]:
    """Every amount that a memory gives to a name of code as how things are."""
    told = telling(memory)
    return tuple(value for before, one in zip((None, *told), told, strict=False) for value in _of(one, before))


def wanted(values: Iterable[Value]) -> tuple[str, ...]:
    """The names to look for in the tree."""
    return tuple(dict.fromkeys(value.name for value in values))


def judge(memory: Memory, values: Sequence[Value], lines: Mapping[str, Sequence[Line]]) -> Iterator[Found]:
    """What the lines that hold these names say of each; nothing where they leave it open. Where several files define a
    name, those count whose folders the memory speaks of."""
    for value in values:
        defined = _in_scope(memory, value, list(definitions(value.name, lines.get(value.name, ()))))
        agreeing = next((one for one in defined if any(amount.same(one.amount) for _, amount in value.amounts)), None)
        if agreeing:
            seen = (Seen(agreeing.line.where, agreeing.line.text),)
            yield Found(State.HOLDS, _told(agreeing.line), seen, sentence=value.told.start)
        elif other := _differing(memory, value, defined):
            yield other


def _of(told: Told, before: Told | None) -> Iterator[Value]:
    in_a_file = any(_FILE.search(span["it"]) for span in told.spans)
    for span in told.spans:
        inner = span["it"].strip()
        if setting := _SETTING.fullmatch(inner):
            if amount := value_in_code(setting["value"], setting["name"]):
                at = span.start("it") + span["it"].index(inner) + setting.start("value")
                yield Value(setting["name"], told, ((at, amount),), is_set=True)
        elif _NAME.fullmatch(inner) and not _FILE.search(inner) and (_CODE.search(inner) or in_a_file):
            yield Value(inner, told, tuple((amount.start, amount) for amount in told.amounts))
            if before is not None and not told.amounts and before.field == told.field and not before.spans:
                yield Value(inner, before, tuple((amount.start, amount) for amount in before.amounts))


def _in_scope(memory: Memory, value: Value, found: Sequence[Definition]) -> list[Definition]:
    """Those in a file that the sentence names, else those in a folder that the memory names and others are not in."""
    named = [one for one in found if any(_names(span["it"], one.line.path) for span in value.told.spans)]
    if named or len(found) < 2:
        return named or list(found)
    common = set.intersection(*(set(re.findall(r"[a-z]+", one.line.path.lower())) for one in found))
    words = set(re.findall(r"\w+", f"{memory.description} {value.told.text} {memory.id}".lower().replace("_", " ")))
    own = [one for one in found if (set(re.findall(r"[a-z]+", one.line.path.lower())) - common) & words]
    return own or list(found)


def _names(span: str, path: str) -> bool:
    return bool(re.search(r"[/.]", span)) and f"/{path}".endswith(f"/{span.strip().removeprefix('./')}")


def _differing(memory: Memory, value: Value, defined: Sequence[Definition]) -> Found | None:
    """A question, where all definitions agree, one amount could be meant and the memory nowhere tells the other."""
    counting = [one for one in defined if one.counts]
    others = [one for one in defined if not (one.counts or one.is_fallback)]
    if not counting or others or any(not one.amount.same(counting[0].amount) for one in counting):
        return None
    if value.is_set or value.told.is_reason or value.told.tells_of_change:  # "NAME=1" as often tells to set it so
        return None
    right = counting[0]
    meant = [(at, amount) for at, amount in value.amounts if _could_be(value, at, amount, right.amount)]
    if len(meant) != 1 or any(right.amount.same(other) for other in amounts(memory.text[:LONGEST])):
        return None
    at, wrong = meant[0]
    new = _written(wrong, right.amount)
    edits = (value.told.edit(at, at + len(wrong.text), new),) if new else ()
    line = f"says {value.name} is {wrong.text} where {_told(right.line)}"
    return Found(State.DIFFERS, line, (Seen(right.line.where, right.line.text),), edits, place=right.line)


def _could_be(value: Value, at: int, claimed: Amount, defined: Amount) -> bool:
    """Whether an amount of a sentence may be that of the name: of the same dimension, counted by what the name says, or
    a bare number right beside it."""
    if claimed.dimensions & {CLOCK, DATE} or (VERSION in claimed.dimensions) != (VERSION in defined.dimensions):
        return False
    between = _between(value, at, claimed)
    if len(between) > _FAR:
        return False
    if claimed.is_measure:
        return claimed.comparable(defined)
    if claimed.is_bare:
        unit = claimed.text.lstrip("+-0123456789.,_ \u00a0").lower()
        if unit and claimed.text[0].isdigit() and unit not in value.told.words.common:  # a unit that nobody knows
            return False
        return bool(_BESIDE.fullmatch(between)) and value.told.text.find(claimed.text, at + 1) < 0
    parts = {part.lower().rstrip("s")[:8] for part in _PARTS.findall(value.name)}
    return defined.is_bare and any(name.removeprefix(COUNT) in parts for name in claimed.dimensions)


_BESIDE = re.compile(r"[`)\s]*(?:=|:|\w+){0,1}(?:\s+\w+){0,2}\s*\(?`?")
"""What stands between a name and the bare number that is its value: three words at most, and no comma or stop."""


def _between(value: Value, at: int, claimed: Amount) -> str:
    """The words between the name and an amount; none where the sentence before gives the amount."""
    places = [span for span in value.told.spans if span["it"].strip() == value.name]
    texts = (
        value.told.text[span.end() : at] if span.end() <= at else value.told.text[at + len(claimed.text) : span.start()]
        for span in places
    )
    return min(texts, key=len, default="")


def _written(wrong: Amount, right: Amount) -> str:
    """The right amount in the unit of the wrong one, as the memory writes it; empty where that is no plain number."""
    number = re.match(r"[-+]?[\d.,_' \u202f]*\d|\w+", wrong.text)
    if wrong.exact or right.exact or not number:
        return right.text
    unit = wrong.text[number.end() :]
    if not wrong.is_measure:
        return f"{right.text}{unit}"
    factor = next((one.value / wrong.numerals[0] for one in wrong.readings if wrong.numerals[0]), 0.0)
    shared = next((one for one in right.readings if one.dimension in wrong.dimensions), None)
    told = shared.value / factor if shared and factor else 0.0
    return f"{told:g}{unit}" if told and abs(told - round(told, 3)) < 1e-9 else ""


def _told(line: Line) -> str:
    return f"{line.path}:{line.number} has `{' '.join(line.text.split())[:100]}`"
