"""The checkable details of a text: numbers, versions, dates, names, code spans, links."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from memgit.core.text.tongue import tongue
from memgit.text.words import STOP_WORDS, stem


class DetailKind(StrEnum):
    """What kind of thing a detail is; details of one kind can contradict each other."""

    SPAN = "code"
    LINK = "link"
    DATE = "date"
    VERSION = "version"
    NUMBER = "number"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Detail:
    """One thing that must not get lost: ``value`` is normalised for comparing, ``text`` is as written.

    ``unit`` is what a number counts (``minute``, ``retry``), empty where nothing tells.
    """

    kind: DetailKind
    value: str
    text: str
    unit: str = ""

    @property
    def is_named(self) -> bool:
        """True for what is recognised by its letters, wherever in a text they stand."""
        return self.kind in (DetailKind.SPAN, DetailKind.LINK, DetailKind.NAME)


@lru_cache(maxsize=2_000)
def details(text: str) -> tuple[Detail, ...]:
    """Every checkable detail of ``text``, each once, in the order of the kinds."""
    rest = _LABEL.sub(" ", text)
    found: dict[Detail, None] = {}
    for pattern, read in _READERS:
        found.update(dict.fromkeys(detail for match in pattern.finditer(rest) for detail in read(match)))
        rest = pattern.sub(" ¦ ", rest)
    names = () if _capitalises_nouns(rest) else _names(rest)
    return tuple({**found, **dict.fromkeys(names)})


def missing(wanted: Iterable[Detail], text: str) -> tuple[Detail, ...]:
    """Those of ``wanted`` that ``text`` does not hold. Numbers compare by value and unit, words by letters."""
    held = details(text)
    folded = f" {' '.join(text.lower().split())} "
    return tuple(detail for detail in wanted if not _holds(detail, held, folded))


def lost(before: Iterable[str], after: str, leaves_out: Iterable[str] = ()) -> tuple[Detail, ...]:
    """Details of the texts ``before`` that ``after`` lacks and that ``leaves_out`` does not name."""
    named = [" ".join(entry.lower().split()) for entry in leaves_out]
    gone = dict.fromkeys(detail for text in before for detail in missing(details(text), after))
    return tuple(detail for detail in gone if not any(_names_it(entry, detail) for entry in named))


def comparable(one: Detail, other: Detail) -> bool:
    """True when two details could be two values of one thing."""
    if one.kind is not other.kind:
        return {one.kind, other.kind} == {DetailKind.SPAN, DetailKind.NAME}
    if one.kind is not DetailKind.NUMBER:
        return True
    return one.unit == other.unit or not (one.unit and other.unit)


_LABEL = re.compile(r"\*\*[A-Z][\w ]{0,30}:\*\*")
_UNITS = {
    spelling: unit
    for unit, spellings in {
        "ms": "ms millisecond milliseconds msec",
        "second": "s sec secs second seconds",
        "minute": "m min mins minute minutes",
        "hour": "h hr hrs hour hours",
        "day": "d day days",
        "week": "w week weeks",
        "month": "month months",
        "year": "year years",
        "kB": "kb kib k",
        "MB": "mb mib",
        "GB": "gb gib",
        "percent": "% percent",
    }.items()
    for spelling in spellings.split()
}
_COUNTED = (
    ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    ("zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"),
)
_NUMBER_WORDS = {word: str(value) for words in _COUNTED for value, word in enumerate(words, start=2)} | {
    "fifteen": "15", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "hundred": "100",
}  # fmt: skip
_NO_UNIT = STOP_WORDS | {"times", "time", "x", "lines", "line", "st", "nd", "rd", "th"}
_Reader = Callable[[re.Match[str]], tuple[Detail, ...]]


def _as(kind: DetailKind) -> _Reader:
    def read(match: re.Match[str]) -> tuple[Detail, ...]:
        text = match["it"].strip().rstrip(".,;:)")
        return (Detail(kind, text.lower(), text),) if text else ()

    return read


def _version(match: re.Match[str]) -> tuple[Detail, ...]:
    return (Detail(DetailKind.VERSION, match["it"].lower().removeprefix("v"), match["it"]),)


def _number(match: re.Match[str]) -> tuple[Detail, ...]:
    raw = match["it"].lower()
    value = _NUMBER_WORDS.get(raw, re.sub(r"[,_](?=\d{3}(?!\d))", "", raw))
    measured = (match["unit"] or "").lower() in _UNITS
    text = match[0] if measured else match["it"]  # the word behind a count is mostly just the next word
    return (Detail(DetailKind.NUMBER, value, text, _unit(match["unit"] or "")),)


def _unit(word: str) -> str:
    lowered = word.lower()
    if lowered in _UNITS:
        return _UNITS[lowered]
    return "" if lowered in _NO_UNIT else stem(lowered)


_WORDS_FOR_NUMBERS = "|".join(sorted(_NUMBER_WORDS, key=len, reverse=True))
_PATTERNS = {
    "memory": r"\[\[(?P<it>[^\[\]\n]+)\]\]",
    "span": r"(?<!`)(?P<tick>`{1,2})(?!`)(?P<it>[^\n]{1,300}?)(?<!`)(?P=tick)(?!`)",
    "link": r"(?P<it>https?://[^\s<>\"')\]]+)",
    "date": r"(?<!\d)(?P<it>\d{4}-\d\d(?:-\d\d)?|\d{1,2}\.\d{1,2}\.\d{4}|\d{1,2}/\d{1,2}/\d{4})(?!\d)",
    "version": r"(?<![\w.])(?P<it>[vV]\d+(?:\.\d+)*|\d+\.\d+(?:\.\d+)+)(?:[-+][\w.]+)?(?![\w])",
    "name": r"(?<![\w-])(?P<it>--?[A-Za-z][\w-]+|[\w.-]{1,200}/[\w./-]{1,200}|\w+_\w+|[a-z]+[A-Z]\w*|[A-Z]{2,}[A-Z0-9]*"
    r"|[A-Za-z]+\d\w*)(?![\w-])",
    "number": rf"(?<![\w.])(?P<it>\d+(?:[.,_:]\d+)*|(?:(?i:{_WORDS_FOR_NUMBERS}))\b)"
    r"(?:[ -]?(?P<unit>%|[A-Za-zµäöü]+))?",
}
_READERS: tuple[tuple[re.Pattern[str], _Reader], ...] = (
    (re.compile(_PATTERNS["memory"]), lambda _: ()),  # links to memories are no facts
    (re.compile(_PATTERNS["span"]), _as(DetailKind.SPAN)),
    (re.compile(_PATTERNS["link"]), _as(DetailKind.LINK)),
    (re.compile(_PATTERNS["date"]), _as(DetailKind.DATE)),
    (re.compile(_PATTERNS["version"]), _version),
    (re.compile(_PATTERNS["name"]), _as(DetailKind.NAME)),
    (re.compile(_PATTERNS["number"]), _number),
)


def _names(text: str) -> Iterator[Detail]:
    for match in re.finditer(r"(?<=[a-zäöüß,;)] )[A-Z][\w-]{2,}", text):
        yield Detail(DetailKind.NAME, match[0].lower(), match[0])


def _capitalises_nouns(text: str) -> bool:
    """True for a language such as German, where a capital letter does not make a name."""
    if tongue(text) == "de":
        return True
    inner = re.findall(r"(?<=[a-zäöüß,] )[A-Za-zÄÖÜäöüß][a-zäöüß]+", text)
    return len(inner) >= 8 and sum(word[0].isupper() for word in inner) > 0.22 * len(inner)


def _holds(detail: Detail, held: Iterable[Detail], folded: str) -> bool:
    if detail.is_named:
        return _stands_in(detail.value, folded)
    return any(
        detail.kind is other.kind and detail.value == other.value and _same_unit(detail.unit, other.unit)
        for other in held
    )


def _stands_in(value: str, folded: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(' '.join(value.split()))}(?!\w)", folded) is not None


def _same_unit(one: str, other: str) -> bool:
    """Units of measure must agree; a counted noun may be left away or worded differently."""
    measures = set(_UNITS.values())
    return one == other or not (one in measures and other in measures)


def _names_it(entry: str, detail: Detail) -> bool:
    return any(_stands_in(name, f" {entry} ") for name in (detail.value, detail.text.lower()))
