"""Amounts that memories give to names of code, against what the working tree defines these names to be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memgit.claims.definitions import Definition, definitions
from memgit.claims.telling import LONGEST, Found, State, Told, telling
from memgit.model.decision import Seen
from memgit.model.store import Memory
from memgit.model.verification import Line
from memgit.text.amounts import CLOCK, COUNT, DATE, VERSION, Amount, amounts, value_in_code

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
