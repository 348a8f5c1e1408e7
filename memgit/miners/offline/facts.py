"""Checkable facts in a text, and what comparing them says: the explicit judge behind every merge and replacement."""

# ruff: noqa: E501, SIM905 - word lists and patterns read best as text
from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from functools import cache, lru_cache

from memgit.miners.offline.tongues import spoken, tongue_of
from memgit.miners.offline.words import FUNCTION_WORDS, content_stems, stem


class Dimension(StrEnum):
    """What a value measures; only values of one dimension (and unit) can contradict each other."""

    DURATION = "duration"  # seconds
    SIZE = "size"  # bytes
    PERCENT = "percent"
    MEASURED = "measured"  # another number with a unit
    MONEY = "money"
    VERSION = "version"
    DATE = "date"  # month-day, with a year where one is given
    CLOCK = "clock"  # minutes after midnight
    WEEKDAY = "weekday"  # several joined by commas where a text lists them
    DAY = "day"  # of a month
    SERIES = "series"  # several numbers of one unit, joined by commas
    NUMBERED = "numbered"  # one of a numbered kind (iOS 17, level 3); the unit is the kind's stem
    CODE = "code"  # a name of figures and letters (m2.large, eu-west-1); the unit is its shape
    CHANNEL = "channel"
    PORT = "port"
    COUNT = "count"  # a number of things; the unit is the thing's stem
    FREQUENCY = "frequency"
    NAME = "name"  # of a board, channel, project, …; the unit is which of these


@dataclass(frozen=True, slots=True)
class Value:
    """One value in a text: what it measures, its normal form, its own words and where they stand.

    ``unit`` tells counts of different things, and versions of different products, apart.
    """

    dimension: Dimension
    amount: str
    unit: str
    text: str
    start: int
    end: int

    @property
    def measure(self) -> tuple[Dimension, str]:
        return self.dimension, self.unit


_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
NUMBER_WORDS = {
    **{word: number for number, word in enumerate(_UNITS)},
    **_TENS,
    **{f"{ten}{joint}{_UNITS[n]}": value + n for ten, value in _TENS.items() for n in range(1, 10) for joint in "- "},
    "a dozen": 12,
    "hundred": 100,
    "a hundred": 100,
    "thousand": 1000,
    "a thousand": 1000,
}
"""Numbers as English words, up to ninety-nine and the round ones above."""

NUMBER_WORD = (
    rf"(?:(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_UNITS[1:10])})\b)?|{'|'.join(reversed(_UNITS))}|"
    r"a dozen|(?:a )?(?:hundred|thousand))"
)
"""One of them, as a pattern: the longer ones first."""

_NUMBER = rf"(?:\d{{1,3}}(?:,\d{{3}})+|\d+(?:\.\d+)?|{NUMBER_WORD})"

_WORDY = r"(?:(?<=\d)|(?<=\w)[ -])"
"""Between a number and its unit: nothing after a figure is needed, a space or dash after a word."""

_LONGEST_FRAME = 16

_SECONDS = {
    **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds"), 0.001),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3600),
    **dict.fromkeys(("d", "day", "days"), 86_400),
    **dict.fromkeys(("w", "week", "weeks"), 604_800),
    **dict.fromkeys(("month", "months"), 2_592_000),
    **dict.fromkeys(("year", "years"), 31_536_000),
}
_BYTES = {
    "b": 1, "bytes": 1, "kb": 1e3, "kilobytes": 1e3, "kib": 1024, "ki": 1024, "mb": 1e6, "megabytes": 1e6,
    "gig": 1e9, "gigs": 1e9, "meg": 1e6, "megs": 1e6, "mib": 2**20, "mi": 2**20, "gb": 1e9, "gigabytes": 1e9, "gib": 2**30, "gi": 2**30, "tb": 1e12, "tib": 2**40,
}  # fmt: skip
_CURRENCIES = {"eur": "€", "dol": "$", "usd": "$", "pou": "£", "gbp": "£", "fra": "chf", "chf": "chf", "yen": "¥"}
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
_ORDINAL = r"(?:st|nd|rd|th)?"
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"


def _amount(number: float) -> str:
    return f"{number:g}" if abs(number) < 1e6 else f"{number:.0f}"


def _number(text: str) -> float:
    word = re.sub(r"\s+", " ", text.lower())
    return float(NUMBER_WORDS[word]) if word in NUMBER_WORDS else float(text.replace(",", ""))


def _alternatives(words: dict[str, float]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


Reader = Callable[[re.Match[str]], tuple[str, str] | None]
"""Turns a match into (amount, unit), or None where it is no such value after all."""

Reading = tuple[Dimension, str, Reader]
"""What a pattern reads, and how."""


def _duration(match: re.Match[str]) -> tuple[str, str]:
    return _amount(_number(match["n"]) * _SECONDS[match["u"].lower()]), ""


def _clock(match: re.Match[str]) -> tuple[str, str] | None:
    hour, minute, half = int(match["h"]), int(match["m"] or 0), (match["half"] or "").lower()
    if hour > 24 or minute > 59 or not (match["m"] or half):
        return None
    return str((hour % 12 + 12 * (half == "pm") if half else hour) * 60 + minute), ""


def _date(match: re.Match[str]) -> tuple[str, str] | None:
    groups = match.groupdict()
    month = _MONTHS.index(groups["month"].lower()[:3]) + 1
    day = int(groups["day"])
    return (f"{month:02d}-{day:02d}", "") if 1 <= day <= 31 else None


def _counted(match: re.Match[str]) -> tuple[str, str] | None:
    first, second = match["thing"].lower(), (match["more"] or "").lower()
    plain = not any(letter.isdigit() for letter in first)
    thing = (
        second if plain and second.endswith("s") and not first.endswith("s") and second not in FUNCTION_WORDS else first
    )
    if (first in FUNCTION_WORDS and first != "times") or first in _SECONDS or first in _BYTES or first in NUMBER_WORDS:
        return None
    return _amount(_number(match["n"])), stem(thing)


_NAMED = (
    "board|channel|project|queue|repo|repository|list|team|group|dashboard|folder|bucket|cluster|registry|branch|profile|"
    "image|runner|server|host|database|table|topic|workspace|vault|account|service|region"
)
_NAME = r"`?(?<!\w)(?P<n>(?<=`)[\w./-]+(?=`)|[a-z]+(?:[-_/][\w-]+)+|(?-i:[A-Z][A-Z0-9_-]{2,}))`?"
_GROUPS = "team|squad|crew|guild|group|office|agency|vendor"
_PROPER = r"(?P<n>(?-i:[A-Z])[a-z]{2,})"


def _named(match: re.Match[str]) -> tuple[str, str]:
    return match["n"].lower(), stem(match["head"].lower())


_JOINT = r"(?:, ?|,? and |,? or | ?/ ?| & )"


def _listed_days(match: re.Match[str]) -> tuple[str, str]:
    return ",".join(day.lower()[:3] for day in re.findall(_DAY, match.group(), re.IGNORECASE)), ""


def _series(match: re.Match[str]) -> tuple[str, str]:
    return ",".join(re.findall(r"\d+", match["all"])), stem(match["u"].lower())


def _numbered(match: re.Match[str]) -> tuple[str, str] | None:
    head = match["head"].lower()
    if head in FUNCTION_WORDS or head in NUMBER_WORDS or head in _NO_KINDS or head[:3] in _MONTHS:
        return None
    return match["n"].lower(), stem(head)


_NO_KINDS = frozenset(
    "max min below above under over about around roughly last next first top page line step minute".split()
)
"""Words before a number that name no numbered kind of thing."""


def _shape(match: re.Match[str]) -> tuple[str, str] | None:
    text = match.group().lower()
    return text, re.sub(r"\d+", "9", re.sub(r"[a-z]+", "a", text))


_HOUR_PARTS = {"half": 1800, "quarter": 900, "three quarters": 2700, "an": 3600}

READINGS: tuple[Reading, ...] = (
    # dates first: their numbers are no counts
    (Dimension.DATE, r"\b\d{4}-(?P<mm>\d\d)-(?P<dd>\d\d)\b", lambda m: (f"{m['mm']}-{m['dd']}", "")),
    (Dimension.DATE, rf"\b(?P<month>{_MONTH})\.? (?:the )?(?P<day>\d{{1,2}}){_ORDINAL}\b(?!:|\.\d)", _date),
    (Dimension.DATE, rf"\b(?P<day>\d{{1,2}}){_ORDINAL}(?: of)? (?P<month>{_MONTH})\b", _date),
    (Dimension.DAY, r"\b(?P<n>\d{1,2})(?:st|nd|rd|th)\b", lambda m: (m["n"], "")),
    (Dimension.SERIES, rf"(?<![\w.:-])(?P<all>\d+(?:(?!,\d{{3}}\b){_JOINT}\d+)+)[ -](?P<u>[a-z]{{3,}})\b", _series),
    (Dimension.CLOCK, r"\b(?P<h>\d{1,2})(?::(?P<m>\d\d))?(?: ?(?P<half>[ap]m))?\b(?![:.]\d)", _clock),
    (Dimension.CLOCK, r"\b(?:(?P<noon>noon|midday)|midnight)\b", lambda m: ("720" if m["noon"] else "0", "")),
    (
        Dimension.DURATION,
        r"\b(?:an? )?(?P<part>half|three quarters|quarter)(?: of)? an? hour\b",
        lambda m: (_amount(_HOUR_PARTS[m["part"].lower()]), ""),
    ),
    (Dimension.DURATION, r"\ban hour and a half\b", lambda _: ("5400", "")),
    (Dimension.DURATION, r"\ban hour\b", lambda _: ("3600", "")),
    (Dimension.DURATION, r"\bhalf a minute\b", lambda _: ("30", "")),
    (Dimension.DURATION, rf"\b(?P<n>{_NUMBER}){_WORDY}(?P<u>{_alternatives(_SECONDS)})\b", _duration),
    (
        Dimension.SIZE,
        rf"\b(?P<n>{_NUMBER}){_WORDY}(?P<u>{_alternatives(_BYTES)})\b",
        lambda m: (_amount(_number(m["n"]) * _BYTES[m["u"].lower()]), ""),
    ),
    (
        Dimension.PERCENT,
        rf"\b(?P<n>{_NUMBER}) ?(?:%|percent\b|per cent\b)",
        lambda m: (_amount(_number(m["n"])), ""),
    ),
    (Dimension.MONEY, r"[$€£] ?(?P<n>\d[\d,.]*\d|\d)", lambda m: (m["n"].replace(",", ""), m.group()[0])),
    (
        Dimension.MONEY,
        r"(?<![\w.])(?P<n>\d[\d,.]*\d|\d) ?(?P<u>euros?|eur|dollars?|usd|pounds|gbp|francs?|chf|yen)\b",
        lambda m: (m["n"].replace(",", ""), _CURRENCIES[m["u"].lower()[:3]]),
    ),
    (
        Dimension.MEASURED,
        r"(?<![\w.])(?P<n>\d+(?:\.\d+)?) ?(?P<u>[kmg]?hz|[kmg]?bit/s|m/s|km/h|rpm|px|mm|cm|km|kg|dpi|fps|bar|psi|m?ah|[mk]?v|k?w|n|nm|°[cf])\b",
        lambda m: (m["n"], m["u"].lower()),
    ),
    (Dimension.PORT, r"\bport (?P<n>\d{2,5})\b", lambda m: (m["n"], "")),
    (Dimension.VERSION, r"(?<![\w.])v?(?P<n>\d+(?:\.\d+)+)(?![\w%]|\.\d)", lambda m: (m["n"], "")),
    (Dimension.VERSION, r"\bv(?P<n>\d+)\b(?!\.\d)", lambda m: (m["n"], "")),
    (Dimension.CHANNEL, r"(?<![\w&/])#(?P<n>[a-z][\w-]{2,})", lambda m: (m["n"].lower(), "")),
    (Dimension.WEEKDAY, rf"\b{_DAY}(?:{_JOINT}{_DAY})+\b", _listed_days),
    (Dimension.WEEKDAY, rf"\b(?P<n>{_DAY})\b", lambda m: (m["n"].lower().removesuffix("s")[:3], "")),
    (
        Dimension.FREQUENCY,
        r"\b(?:every|each|once an?|once per) (?P<n>hour|day|night|week|fortnight|month|quarter|year)\b",
        lambda m: (m["n"].lower(), ""),
    ),
    (
        Dimension.FREQUENCY,
        r"\b(?P<n>hour|dai|week|month|quarter|year)ly\b(?=[.,;:!]|\s*$| (?:now|on|at|by|in|since|from|instead|these|again)\b)",
        lambda m: (m["n"].lower().replace("dai", "day"), ""),
    ),
    (Dimension.NAME, rf"\b(?P<head>{_GROUPS}) {_PROPER}\b", _named),
    (Dimension.NAME, rf"(?<=the ){_PROPER} (?P<head>{_GROUPS})\b", _named),
    (Dimension.NAME, rf"{_NAME} (?P<head>{_NAMED})\b", _named),
    (Dimension.NAME, rf"\b(?P<head>{_NAMED}) {_NAME}(?!\w)", _named),
    (Dimension.CODE, r"(?<![\w./@-])(?=[a-z.-]*\d)[a-z][a-z\d]*(?:[.-][a-z\d]+)+(?![\w/@-]|\.\w)", _shape),
    (
        Dimension.COUNT,
        rf"\b(?P<n>{_NUMBER})[ -](?P<thing>[a-z]{{3,}}|[a-z]{{1,3}}\d{{2,}})\b(?: (?P<more>[a-z]{{3,}})\b)?",
        _counted,
    ),
    (
        Dimension.NUMBERED,
        r"(?<![\w./-])(?P<head>[a-z]{2,}) (?P<n>\d{1,4}|[a-z]\d{1,3})(?![\w%/-]|[.:,]\d)",
        _numbered,
    ),
)


def _with_needs(readings: Sequence[Reading]) -> tuple[tuple[Dimension, str, Reader, bool, bool], ...]:
    """The readings, each with whether it needs a digit, or a number at least."""
    return tuple(
        (dimension, pattern, read, r"\d" in pattern and _NUMBER not in pattern, _NUMBER in pattern)
        for dimension, pattern, read in readings
    )


_NEEDS = _with_needs(READINGS)
_GATES: dict[Dimension, tuple[str, ...]] = {
    Dimension.PERCENT: ("%", "cent"),
    Dimension.MONEY: ("$", "€", "£", "eur", "dollar", "usd", "pound", "gbp", "franc", "chf", "yen"),
    Dimension.PORT: ("port",),
    Dimension.CHANNEL: ("#",),
    Dimension.WEEKDAY: ("day",),
    Dimension.FREQUENCY: ("hour", "day", "dai", "night", "week", "month", "quarter", "year"),
    Dimension.NAME: tuple(f"{_NAMED}|{_GROUPS}".split("|")),
}
"""What a text must hold, in lower case, before the patterns of a dimension are tried; till then none is compiled."""


@lru_cache(maxsize=20_000)
def values(text: str) -> tuple[Value, ...]:
    """The values in a text, in order; no two share a character."""
    found: list[Value] = []
    for value in _all_readings(text):
        if all(value.end <= other.start or value.start >= other.end for other in found):
            found.append(value)
    return tuple(sorted(found, key=lambda value: value.start))


_ANY_DIGIT = re.compile(r"\d")
_ANY_NUMBER = re.compile(rf"\d|\b{_NUMBER}\b", re.IGNORECASE)


def _all_readings(text: str) -> Iterator[Value]:
    if tongue := tongue_of(text):
        yield from _of_tongue(text, tongue.readings)
        return
    digits = _ANY_DIGIT.search(text) is not None
    numbers = digits or _ANY_NUMBER.search(text) is not None
    lowered = text.lower()
    closed = {dimension for dimension, gates in _GATES.items() if not any(gate in lowered for gate in gates)}
    for dimension, pattern, read, needs_digit, needs_number in _NEEDS:
        if dimension in closed or (needs_digit and not digits) or (needs_number and not numbers):
            continue  # most sentences hold no number, and need not be looked at for each unit
        for match in _compiled(pattern).finditer(text):
            if (reading := read(match)) is not None:
                yield Value(dimension, *reading, match.group(), match.start(), match.end())


def _of_tongue(text: str, readings: Sequence[Reading]) -> Iterator[Value]:
    for dimension, pattern, read in readings:
        for match in _compiled(pattern).finditer(text):
            if (reading := read(match)) is not None:
                yield Value(dimension, *reading, match.group(), match.start(), match.end())


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_SPAN = re.compile(r"`([^`\n]+)`")


def code_spans(text: str) -> frozenset[str]:
    """What stands between backticks."""
    return frozenset(_SPAN.findall(text))


_SIDES: dict[str, dict[str, str]] = {
    # Names of things that exist side by side, each with rules of its own.
    "environment": {
        "production": r"prod|production",
        "staging": r"staging|stage|stg|pre-?prod",
        "development": r"dev (?:box|cluster|env\w*|server)|development (?:cluster|environment)|local(?:ly|host)?",
        "ci": r"ci|continuous integration",
        "qa": r"qa|uat|sandbox|test (?:cluster|environment|server)",
        "canary": r"canary",
    },
    "platform": {
        "ios": r"ios|iphone|ipad",
        "android": r"android",
        "web": r"web app|browser",
        "windows": r"windows",
        "mac": r"mac(?:os)?",
        "linux": r"linux",
    },
    "machine": {"arm64": r"arm64|aarch64", "amd64": r"amd64|x86(?:[_-]64)?"},
    "side": {"client": r"client|front-?end", "server": r"server|back-?end"},
    "order": {"before": r"before|prior to|pre", "after": r"after(?:wards)?|post"},
}
_SIDE_PATTERNS = {
    (group, side): re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)
    for group, sides in _SIDES.items()
    for side, pattern in sides.items()
}


@lru_cache(maxsize=20_000)
def sides(text: str, group: str = "environment") -> frozenset[str]:
    """Which of the things that exist side by side a text names."""
    return frozenset(side for (of, side), pattern in _SIDE_PATTERNS.items() if of == group and pattern.search(text))


SIBLING_GROUPS = ("environment", "platform", "machine")
"""Groups in which naming different members means speaking of different things."""

NEGATION = spoken(
    "facts: negation",
    r"\b(?:no|not|never|none|nobody|nothing|without|neither|nor|cannot|avoid(?:s|ed)?|stop(?:s|ped)?|banned?|forbidden|"
    r"refuse[sd]?|instead of|rather than|skip|unlike|\w+n['’]t|dont|doesnt|isnt|cant|wont|off-limits)\b",
)
CHANGE = spoken(
    "facts: change",
    r"\b(?:now|no longer|any ?more|from now on|since (?:the|we|they|it)|moved|switched|renamed|replaced|dropped|removed|"
    r"went (?:up|down)|raised|lowered|back (?:on|to)|used to|previously|formerly|instead)\b",
)


SUPERSEDES = spoken(
    "facts: supersedes",
    r"\b(?:no longer|any ?more|from now on|moved|switched|renamed|replaced|used to|previously|formerly|before that)\b",
)
"""Words of one thing following another: a text with them and one without do not say the same."""

_COPULA = spoken("facts: copula", r"\b(?:is|are|was|were|am|be) not\b|\b(?:is|are|was|were)n['’]t\b")


@dataclass(frozen=True, slots=True)
class Same:
    """Nothing checkable tells the two apart."""


@dataclass(frozen=True, slots=True)
class Contradicts:
    """They give different values for one thing, in the order of the texts compared."""

    values: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Different:
    """They speak of different things, or may: ``reason`` says what tells them apart."""

    reason: str


Verdict = Same | Contradicts | Different


def compare(a: str, b: str) -> Verdict:
    """What the checkable facts of two related statements say of them; never tells that they mean the same."""
    for group in SIBLING_GROUPS:
        if siblings(a, b, group):
            return Different(f"they speak of different {group}s")
    if conflicts := value_conflicts(a, b) or _figure_conflict(a, b):
        return Contradicts(conflicts)
    if bool(CHANGE.search(a)) != bool(CHANGE.search(b)):
        return Different("one of them tells of a change")
    if swapped := swapped_words(a, b):
        return Contradicts((swapped,))
    if polarity_flips(a, b):
        return Different("one of them says no where the other says yes")
    return Same()


def siblings(a: str, b: str, group: str) -> bool:
    """Whether two texts name different members of a group; naming several beside naming none is no difference."""
    of_a, of_b = sides(a, group), sides(b, group)
    if of_a and of_b:
        return of_a != of_b
    return len(of_a | of_b) == 1


def apart(a: str, b: str, group: str) -> bool:
    """True when both texts name members of a group, and neither's are among the other's."""
    of_a, of_b = sides(a, group), sides(b, group)
    return bool(of_a and of_b) and not (of_a <= of_b or of_b <= of_a)


def value_conflicts(a: str, b: str) -> tuple[tuple[str, str], ...]:
    """Pairs of words that measure one thing differently: nothing that the two texts measure there is equal."""
    of_a, of_b = values(a), values(b)
    amounts_b = {value.amount for value in of_b}
    amounts_a = {value.amount for value in of_a}
    return tuple(
        (left.text, right.text)
        for left in of_a
        if left.amount not in amounts_b
        for right in of_b
        if right.measure == left.measure and right.amount not in amounts_a
    )


_FIGURE = re.compile(r"(?<![\w.#-])(\d+(?:[.,]\d+)*)(k|m)?(?![\w-])", re.IGNORECASE)


def _figure_conflict(a: str, b: str) -> tuple[tuple[str, str], ...]:
    """Bare figures (10k, 600) where each text has one that the other lacks, and none is in both."""
    figures = [{match.group().lower() for match in _FIGURE.finditer(text)} for text in (a, b)]
    read = [{value.amount for value in values(text)} for text in (a, b)]
    if not figures[0] or not figures[1] or figures[0] & figures[1] or read[0] & read[1]:
        return ()
    return ((min(figures[0]), min(figures[1])),)


def swapped_words(a: str, b: str) -> tuple[str, str] | None:
    """The telling words that two otherwise like-worded sentences have in each other's place, if that is all."""
    left, right = content_stems(a), content_stems(b)
    if len(left) > _LONGEST_FRAME or len(right) > _LONGEST_FRAME:
        return None
    steps = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    swaps = [(left[i], right[m]) for kind, i, j, m, n in steps if kind == "replace" and j - i == n - m <= 2]
    equal = sum(j - i for kind, i, j, _, _ in steps if kind == "equal")
    other = [step for step in steps if step[0] in ("insert", "delete") and step[2] - step[1] + step[4] - step[3] > 1]
    return swaps[0] if len(swaps) == 1 and equal >= 2 and not other else None


CLAUSE_END = spoken("facts: clause end", r"[,;:.\n]|\b(?:but|because|since|so)\b", flags=0)
"""Where one clause of a sentence ends and what is denied in it."""

_BOUNDED = spoken("facts: bounded", r"\b(?:before|until|till|unless|without|except|more than|again)\b")


def polarity_flips(a: str, b: str) -> bool:
    """True when many of the words that two texts share are denied in one and plain in the other."""
    against, alike = _polarity(a, b)
    return against > alike or (against >= 2 and 2 * against > alike)


def polarity_opposes(a: str, b: str) -> bool:
    """True when most of the words that two texts share are denied in one and plain in the other."""
    against, alike = _polarity(a, b)
    return against > alike


def _polarity(a: str, b: str) -> tuple[int, int]:
    """How many shared words stand in denied clauses of one text only, and how many the same way in both."""
    denied_a, plain_a = _polar_stems(a)
    denied_b, plain_b = _polar_stems(b)
    against = (denied_a - plain_a) & (plain_b - denied_b) | (denied_b - plain_b) & (plain_a - denied_a)
    alike = (denied_a & denied_b) | (plain_a & plain_b)
    return len(against), len(alike)


@lru_cache(maxsize=20_000)
def _polar_stems(text: str) -> tuple[frozenset[str], frozenset[str]]:
    denied: set[str] = set()
    plain: set[str] = set()
    for clause in CLAUSE_END.split(text):
        if NEGATION.search(_COPULA.sub("", clause)) is None and NEGATION.search(clause):
            continue  # "a coded secret is not a sealed one" describes; it forbids nothing
        if NEGATION.search(clause) and _BOUNDED.search(clause):
            continue  # "not before the copy is final" denies nothing: it says when
        (denied if NEGATION.search(clause) else plain).update(content_stems(clause))
    return frozenset(denied), frozenset(plain)
