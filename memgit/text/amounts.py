"""Amounts, dates, clock times and versions, in prose and in code, compared in one unit or not at all.

``15 minutes``, ``900 s``, ``15 * 60`` beside a name that ends in seconds, ``PT15M`` and ``Duration.ofMinutes(15)`` are
one amount; ``15 minutes`` and ``15 retries`` are not to be compared. What can be read in two ways (``15m``, ``1.000``,
``2 GB``) keeps both readings, and agrees with whatever agrees with one of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from math import inf, isclose

from memgit.text.language import DEFAULT, Lexicon, language, lexicon

COUNT = "count of "
"""What the dimension of a counted thing begins with; its root follows."""

_MEASURES: Mapping[str, tuple[str, tuple[float, ...]]] = {
    "millisecond": ("time", (0.001,)),
    "second": ("time", (1.0,)),
    "minute": ("time", (60.0,)),
    "hour": ("time", (3_600.0,)),
    "day": ("time", (86_400.0,)),
    "week": ("time", (604_800.0,)),
    "month": ("months", (1.0,)),
    "year": ("months", (12.0,)),
    "percent": ("share", (0.01,)),
    "byte": ("size", (1.0,)),
    "kilobyte": ("size", (1e3, 2.0**10)),  # people write MB for both
    "megabyte": ("size", (1e6, 2.0**20)),
    "gigabyte": ("size", (1e9, 2.0**30)),
    "terabyte": ("size", (1e12, 2.0**40)),
    "kibibyte": ("size", (2.0**10,)),
    "mebibyte": ("size", (2.0**20,)),
    "gibibyte": ("size", (2.0**30,)),
    "tebibyte": ("size", (2.0**40,)),
    "millimetre": ("length", (0.001,)),
    "centimetre": ("length", (0.01,)),
    "metre": ("length", (1.0,)),
    "kilometre": ("length", (1_000.0,)),
    "gram": ("mass", (0.001,)),
    "kilogram": ("mass", (1.0,)),
    "hertz": ("frequency", (1.0,)),
    "kilohertz": ("frequency", (1_000.0,)),
    "degree": ("degrees", (1.0,)),
    "pixel": ("pixels", (1.0,)),
    "volt": ("voltage", (1.0,)),
    "watt": ("power", (1.0,)),
    "bar": ("pressure", (1.0,)),
    "times": (f"{COUNT}times", (1.0,)),
    "pieces": ("", (1.0,)),
}
"""What each unit measures, and how much of it: of two ways to read it both."""

VERSION, DATE, CLOCK = "version", "date", "clock"


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read an amount: so much of a dimension. ``""`` is a bare number."""

    dimension: str
    value: float


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount as it stands in a text: ``text`` with its unit, from ``start`` to ``end``. ``numerals`` are its number
    without the unit, ``readings`` what it may mean."""

    text: str
    start: int
    end: int
    numerals: tuple[float, ...]
    readings: tuple[Reading, ...]
    exact: str = ""

    @property
    def dimensions(self) -> frozenset[str]:
        return frozenset(reading.dimension for reading in self.readings)

    @property
    def is_bare(self) -> bool:
        """Whether nothing tells what it counts or measures."""
        return bool(self.readings) and not any(reading.dimension for reading in self.readings)

    @property
    def is_measure(self) -> bool:
        """Whether it has a unit of measure, and does not count things."""
        return not self.is_bare and not any(name.startswith(COUNT) for name in self.dimensions)

    def comparable(self, other: Amount) -> bool:
        """Whether both can be amounts of one thing: of one dimension."""
        return bool(self.dimensions & other.dimensions)

    def same(self, other: Amount) -> bool:
        """Whether both may be one amount: in one dimension, or as numbers where one of them is bare."""
        if self.exact or other.exact:
            return _same_exact(self, other)
        if self.is_bare or other.is_bare:
            mine = chain(self.numerals, (reading.value for reading in self.readings))
            theirs = (*other.numerals, *(reading.value for reading in other.readings))
            return any(_close(one, two) for one in mine for two in theirs)
        return any(
            one.dimension == two.dimension and _close(one.value, two.value)
            for one in self.readings
            for two in other.readings
        )


def _close(one: float, two: float) -> bool:
    return isclose(one, two, rel_tol=1e-9, abs_tol=1e-12)


def _same_exact(one: Amount, other: Amount) -> bool:
    """Versions agree as far as both are given; dates agree where they are one day."""
    here, there = one.exact or one.text, other.exact or other.text
    if VERSION in one.dimensions | other.dimensions:
        mine, theirs = re.findall(r"\d+", here), re.findall(r"\d+", there)
        common = min(len(mine), len(theirs))
        return bool(common) and mine[:common] == theirs[:common]
    return one.dimensions == other.dimensions and here == there


# --- in prose ---

_DATES = (
    re.compile(r"(?<![\d.])(?P<year>\d{4})[-/](?P<month>\d\d?)(?:[-/](?P<day>\d\d?))?(?![\d-])"),
    re.compile(r"(?<![\d.])(?P<day>\d\d?)\.\s?(?P<month>\d\d?)\.\s?(?P<year>\d{4})(?!\d)"),
    re.compile(r"(?<![\d/])(?P<day>\d\d?)/(?P<month>\d\d?)/(?P<year>\d{4})(?!\d)"),
    re.compile(r"(?P<year>\d{4})年(?P<month>\d\d?)月(?:(?P<day>\d\d?)日)?"),
)
_CLOCK = re.compile(
    r"(?<![\d:.])(?:(?P<hour>[01]?\d|2[0-3])[:hH](?P<minute>[0-5]\d)(?::[0-5]\d)?(?P<half>\s?[ap]m)?|(?P<only>1[0-2]|0?\d)(?P<pm>\s?[ap]m))(?![\w:])",
    re.IGNORECASE,
)
_VERSION = re.compile(r"(?<![\w.])(?:[vV]\d+(?:\.\d+)*|\d+\.\d+\.\d+(?:\.\d+)*)(?:[-+][\w.]+)?(?!\w)")
_NUMBER = r"(?<![\w.])[-+]?(?:\d{1,3}(?:[,_' \u202f](?=\d{3}(?!\d))\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)(?:[eE][-+]?\d+)?"
_UNIT = r"(?:[ \u00a0-]?(?P<unit>%|％|°[CF]?|[^\W\d_]+))?"
_AMOUNT = re.compile(rf"(?P<number>{_NUMBER}){_UNIT}")
_LINE = re.compile(r"(?<=[A-Za-z_]):\d+(?![\w:])")  # file.py:12 names a place


def amounts(text: str, known: Lexicon | None = None) -> tuple[Amount, ...]:
    """The amounts, clock times, dates and versions in a text, in order, without overlaps.

    Number words and units are those of the text's language (``known``, else as far as it can be told) and those that
    every language shares. A number word for one counts before a unit of measure only: mostly it is an article.
    """
    return _amounts(text, (known or lexicon(language(text) or DEFAULT)).name)


@lru_cache(maxsize=8_192)
def _amounts(text: str, name: str) -> tuple[Amount, ...]:
    words = lexicon(name)
    taken = [(found.start(), found.end()) for found in _LINE.finditer(text)]
    kept: list[Amount] = []
    for amount in (*_dates(text), *_clocks(text), *_versions(text), *_numbers(text, words), *_in_words(text, words)):
        if all(amount.end <= start or end <= amount.start for start, end in taken):
            kept.append(amount)
            taken.append((amount.start, amount.end))
    return tuple(sorted(kept, key=lambda amount: amount.start))


def _dates(text: str) -> Iterator[Amount]:
    for shape in _DATES:
        for found in shape.finditer(text):
            year, month, day = (int(found[part] or 0) for part in ("year", "month", "day"))
            if 1 <= month <= 12 and day <= 31:
                told = f"{year:04}-{month:02}" + (f"-{day:02}" if day else "")
                yield _exact(found, DATE, told)


def _clocks(text: str) -> Iterator[Amount]:
    for found in _CLOCK.finditer(text):
        hour, minute = int(found["hour"] or found["only"]), int(found["minute"] or 0)
        half = (found["half"] or found["pm"] or "").strip().lower()
        hour = hour % 12 + (12 if half == "pm" else 0) if half else hour
        yield _exact(found, CLOCK, f"{hour:02}:{minute:02}")


def _versions(text: str) -> Iterator[Amount]:
    return (_exact(found, VERSION, found[0].lower().removeprefix("v")) for found in _VERSION.finditer(text))


def _exact(found: re.Match[str], dimension: str, told: str) -> Amount:
    return Amount(found[0], found.start(), found.end(), (), (Reading(dimension, 0.0),), told)


def _numbers(text: str, words: Lexicon) -> Iterator[Amount]:
    for found in _AMOUNT.finditer(text):
        unit = found["unit"] or ""
        measured = _unit(unit, words)
        end = found.end() if measured is not None and not measured.startswith(COUNT) else found.end("number")
        yield _amount(text[found.start() : end], found.start(), _numerals(found["number"]), measured or "", unit)


def _amount(text: str, start: int, numerals: tuple[float, ...], measured: str, unit: str) -> Amount:
    readings = [reading for number in numerals for reading in _readings(number, measured, unit)]
    return Amount(text, start, start + len(text), numerals, tuple(dict.fromkeys(readings)))


def _readings(number: float, measured: str, unit: str) -> Iterator[Reading]:
    if measured.startswith(COUNT) or not measured:
        yield Reading(measured, number)
        return
    for name in ("minute", "metre") if unit == "m" else (measured,):
        dimension, factors = _MEASURES[name]
        yield from (Reading(dimension, number * factor) for factor in factors)


def _unit(word: str, words: Lexicon) -> str | None:
    """The unit that a word is; a counted thing by its root; None for no word."""
    if not word:
        return None
    for spelling in (word, word.lower()):
        if (unit := words.units.get(spelling)) is not None:
            return unit
    if not words.spaced:
        cut = next((word[:end] for end in range(min(3, len(word)), 0, -1) if word[:end] in words.units), "")
        if cut:
            return words.units[cut]
    if word.lower() in words.common or len(word) < 3:
        return ""
    return f"{COUNT}{_root(word)}"


def _root(word: str) -> str:
    """What a counted thing is called, without its commonest plural ending."""
    plain = word.lower()
    return plain[:-3] + "y" if plain.endswith("ies") else plain.rstrip("s")[:8]


def _numerals(told: str) -> tuple[float, ...]:
    """What a number may be: a comma or stop before three digits parts thousands or begins decimals."""
    plain = re.sub(r"[_' \u202f]", "", told)
    if re.fullmatch(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?", plain):
        grouped = float(plain.replace(",", ""))
        return (grouped, float(plain.replace(",", "."))) if plain.count(",") == 1 and "." not in plain else (grouped,)
    if re.fullmatch(r"[-+]?[1-9]\d{0,2}\.\d{3}", plain):
        return float(plain), float(plain.replace(".", ""))
    return (float(plain.replace(",", ".")),)


# --- numbers told in words ---


def _in_words(text: str, words: Lexicon) -> Iterator[Amount]:
    yield from _spelled(text, words) if words.spaced else _glyphs(text, words)


def _spelled(text: str, words: Lexicon) -> Iterator[Amount]:
    if not words.numbers:
        return
    for found in _number_words(words.name).finditer(text):
        value, unit = _composed(found["number"].lower(), words), found["unit"] or ""
        measured = _unit(unit, words) or ""
        is_measure = bool(measured) and not measured.startswith(COUNT)
        if value <= 1 and not is_measure:
            continue
        end = found.end() if is_measure else found.end("number")
        yield _amount(text[found.start() : end], found.start(), (value,), measured, unit)


@lru_cache(maxsize=32)
def _number_words(name: str) -> re.Pattern[str]:
    """Number words one after another. A short word between two adds what is smaller by its place: "twenty and five" and
    "hundred and twenty" are one number each, "two and five" and "twenty to thirty" are two."""
    numbers = lexicon(name).numbers

    def between(least: float, below: float) -> str:
        found = sorted((word for word in numbers if least <= numbers[word] < below), key=len, reverse=True)
        return "|".join(map(re.escape, found)) or r"(?!)"

    one = between(0, inf)
    adding = "|".join(
        rf"(?:{between(*larger)}) \w{{1,3}} (?=(?:{between(1, smaller)})(?!\w))"
        for larger, smaller in (((20, 100), 10), ((100, inf), 100))
    )
    joined = rf"(?:{adding}|(?:{one})[ -](?:an? )?)*(?:{one})"
    return re.compile(rf"(?<![\w-])(?P<number>{joined})(?!\w)(?:[ -](?:an? )?(?P<unit>[^\W\d_]+))?", re.IGNORECASE)


def _composed(told: str, words: Lexicon) -> float:
    """``three hundred twenty five``: what is larger multiplies what stands before it, what is smaller is added."""
    total, part = 0.0, 0.0
    pieces = [told] if told in words.numbers else re.split(r"[ -]", told)
    for value in (words.numbers[piece] for piece in pieces if piece in words.numbers):
        if (value >= 100 and part) or (value == 12 and part and part <= 1):
            part *= value
        else:
            part += value
        if value >= 1_000:
            total, part = total + part, 0.0
    return total + part


def _glyphs(text: str, words: Lexicon) -> Iterator[Amount]:
    letters = "".join(word for word in words.numbers if len(word) == 1)
    if not letters:
        return
    units = "|".join(map(re.escape, sorted(words.units, key=len, reverse=True)))
    for found in re.finditer(rf"(?P<number>[{letters}]+) ?(?P<unit>{units})", text):
        value = _glyph_value([words.numbers[letter] for letter in found["number"]])
        if value > 1 or (
            words.units[found["unit"]] in _MEASURES and _MEASURES[words.units[found["unit"]]][0] == "time"
        ):
            yield _amount(found[0], found.start(), (value,), words.units[found["unit"]], found["unit"])


def _glyph_value(values: list[float]) -> float:
    total, part, last = 0.0, 0.0, 0.0
    for value in values:
        if value >= 10_000:
            total, part, last = (total + part + last) * value, 0.0, 0.0
        elif value >= 10:
            part, last = part + (last or 1) * value, 0.0
        else:
            last = last * 10 + value if last else value
    return total + part + last


# --- in code and configuration ---

_TIME = r"(?P<unit>milli(?:second)?s?|ms|seconds?|secs?|minutes?|mins?|hours?|days?|weeks?)"
_PLAIN = r"(?P<number>\d[\d_]*(?:\.\d+)?)"
_CALLS = tuple(
    re.compile(shape, re.IGNORECASE)
    for shape in (
        rf"[\w.:]*?(?:of|from_|in_|_|::|\.|\(|\b){_TIME}\s*[=({{]\s*{_PLAIN}\s*[)}}]*",  # Duration.ofMinutes(5)
        rf"{_PLAIN}\s*\*\s*time\.{_TIME}",  # 30 * time.Second
        rf"time\.{_TIME}\s*\*\s*{_PLAIN}",
        rf"{_PLAIN}\.{_TIME}(?:\(\))?",  # 2.hours
    )
)
_ISO = re.compile(r"P(?:(?P<day>\d+)D)?(?:T(?:(?P<hour>\d+)H)?(?:(?P<minute>\d+)M)?(?:(?P<second>\d+(?:\.\d+)?)S)?)?")
_FACTORS = re.compile(r"\(?\s*\d[\d_.]*(?:\s*(?:\*\*|\*|<<)\s*\d[\d_.]*)+\s*\)?")
_LITERAL = re.compile(rf"(?P<number>{_NUMBER})\s*(?P<unit>%|[A-Za-z]{{1,12}})?")
_NAME_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def value_in_code(value: str, name: str = "") -> Amount | None:
    """The amount that a value in code or configuration is, where it is nothing but one.

    Its unit is written behind it, is that of the call that makes it, or the last word of the setting's ``name``
    (``DEPLOY_WINDOW_MINUTES``); else it is a bare number, of which nobody knows what it measures.
    """
    text = value.strip().rstrip(";,").strip().strip("\"'`").strip()
    words = lexicon("en")
    if not text:
        return None
    if found := next((match for shape in _CALLS if (match := shape.fullmatch(text))), None):
        unit = found["unit"].lower()
        unit = "millisecond" if unit.startswith(("mil", "ms")) else words.units.get(unit, unit.rstrip("s"))
        return _amount(text, 0, (float(found["number"].replace("_", "")),), unit, unit)
    if (found := _ISO.fullmatch(text)) and len(text) > 2:
        seconds = sum(float(found[unit] or 0) * _MEASURES[unit][1][0] for unit in ("day", "hour", "minute", "second"))
        return Amount(text, 0, len(text), (seconds,), (Reading("time", seconds),))
    if _VERSION.fullmatch(text):
        return Amount(text, 0, len(text), (), (Reading(VERSION, 0.0),), text.lower().removeprefix("v"))
    if _FACTORS.fullmatch(text):
        return _amount(text, 0, (_product(text),), _unit_of(name, words), "")
    if literal := _LITERAL.fullmatch(text):
        measured = _unit(literal["unit"], words) if literal["unit"] else _unit_of(name, words)
        measured = "" if measured is None or measured.startswith(COUNT) else measured
        number = literal["number"].replace("_", "")
        numerals = (float(number.replace(",", "")),) if re.fullmatch(r"[-+\d.,eE]+", number) else _numerals(number)
        return _amount(text, 0, numerals, measured, literal["unit"] or "")
    return None


def _product(text: str) -> float:
    parts = re.split(r"(\*\*|\*|<<)", text.strip("() "))
    value = float(parts[0].replace("_", ""))
    for sign, operand in zip(parts[1::2], parts[2::2], strict=True):
        number = float(operand.replace("_", ""))
        if number > 64 and sign != "*":
            return float("nan")  # nobody writes such a power, but a hostile file may
        value = value * number if sign == "*" else value**number if sign == "**" else value * 2**number
    return value


def _unit_of(name: str, words: Lexicon) -> str:
    parts = [part.lower() for part in _NAME_PARTS.findall(name)]
    unit = words.units.get(parts[-1], "") if len(parts) > 1 else ""
    return unit if unit in _MEASURES and len(parts[-1]) > 1 else ""
