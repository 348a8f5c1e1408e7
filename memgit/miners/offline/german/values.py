"""Values in German prose: times, days, dates and counts as they are said; units and names are read as in English."""

# ruff: noqa: E501 - one pattern a line reads best
from __future__ import annotations

import re

from memgit.miners.offline.facts import READINGS, Dimension, Reading
from memgit.miners.offline.german.spelling import spellings
from memgit.miners.offline.german.words import FUNCTION_WORDS, folded, root

_NUMBERS = {
    word: number
    for number, word in enumerate("null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf".split())  # noqa: SIM905
} | {"zwanzig": 20, "dreißig": 30, "vierzig": 40, "fünfzig": 50, "sechzig": 60, "hundert": 100, "tausend": 1000}
_FOLDED = {folded(word): number for word, number in _NUMBERS.items()}
_WORDS = "|".join(sorted(_NUMBERS, key=len, reverse=True))
_NUMBER = rf"(?:\d{{1,3}}(?:\.\d{{3}})+(?!\d)|\d+(?:,\d+)?|\b(?:{_WORDS}))"
_SECONDS = {
    "ms": 0.001, "millisekunde": 0.001, "s": 1, "sek": 1, "sekunde": 1, "m": 60, "min": 60, "minute": 60, "h": 3600, "std": 3600, "stunde": 3600,
    "tag": 86_400, "woche": 604_800, "monat": 2_592_000, "jahr": 31_536_000,
}  # fmt: skip
_UNIT = (
    r"millisekunden?|ms|sekunden?|sek|minuten?|min|stunden?|std|tagen?|tag|wochen?|monaten?|monat|jahren?|jahr|s|m|h"
)
_MONTHS = ("jan", "feb", "mär", "apr", "mai", "jun", "jul", "aug", "sep", "okt", "nov", "dez")
_MONTH = r"(?:jan(?:uar)?|feb(?:ruar)?|märz|apr(?:il)?|mai|juni?|juli?|aug(?:ust)?|sept?(?:ember)?|okt(?:ober)?|nov(?:ember)?|dez(?:ember)?)"
_DAYS = {
    "mo": "mon", "di": "tue", "mi": "wed", "do": "thu", "fr": "fri", "sa": "sat", "so": "sun",
}  # fmt: skip
_DAY = r"(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)s?"
_AFTER_CLOCK = r"(?=\s*[,.;:!)]|\s*$|\s+(?:früh|morgens|abends|nachts|nachmittags|jeden|bis|statt|und|am|los|auf|fertig|läuft|startet|beginnt)\b)"


def _number(text: str) -> float:
    word = folded(text.lower())
    return float(_FOLDED[word]) if word in _FOLDED else float(text.replace(".", "").replace(",", "."))


def _amount(number: float) -> str:
    return f"{number:g}" if abs(number) < 1e6 else f"{number:.0f}"


def _duration(match: re.Match[str]) -> tuple[str, str]:
    unit = match["u"].lower()
    seconds = next(_SECONDS[form] for form in (unit, unit[:-1], unit[:-2]) if form in _SECONDS)
    return _amount(_number(match["n"]) * seconds), ""


def _clock(match: re.Match[str]) -> tuple[str, str] | None:
    hour, minute = _number(match["h"]), int(match.groupdict().get("m") or 0)
    return (_amount(hour * 60 + minute), "") if hour <= 24 and minute <= 59 else None


def _half(match: re.Match[str]) -> tuple[str, str] | None:
    hour = _number(match["h"])
    return (_amount(hour * 60 - 30), "") if 1 <= hour <= 24 else None


def _date(match: re.Match[str]) -> tuple[str, str] | None:
    month = match["month"].lower()
    number = (
        int(month)
        if month.isdigit()
        else 1 + next(at for at, name in enumerate(_MONTHS) if folded(month).startswith(folded(name)))
    )
    return (f"{number:02d}-{int(match['day']):02d}", "") if 1 <= number <= 12 and 1 <= int(match["day"]) <= 31 else None


def _weekday(match: re.Match[str]) -> tuple[str, str]:
    return _DAYS[match["n"].lower()[:2]], ""


def _counted(match: re.Match[str]) -> tuple[str, str] | None:
    thing = match["thing"].lower()
    if thing in FUNCTION_WORDS or folded(thing) in _FOLDED or any(thing in (unit, f"{unit}n") for unit in _SECONDS):
        return None
    amount = _amount(_number(match["n"]))
    return None if amount == "1" else (amount, root(thing))  # one is "ein" elsewhere, which is an article, too


def _numbered(match: re.Match[str]) -> tuple[str, str] | None:
    head = match["head"].lower()
    return None if head in FUNCTION_WORDS or folded(head) in _FOLDED else (match["n"].lower(), root(head))


_OF_ENGLISH = frozenset(
    {
        Dimension.SIZE, Dimension.PERCENT, Dimension.MONEY, Dimension.MEASURED, Dimension.PORT, Dimension.VERSION,
        Dimension.CHANNEL, Dimension.CODE,
    }
)  # fmt: skip
"""What is written alike in both languages."""

VALUES: tuple[Reading, ...] = tuple(
    (dimension, spellings(pattern), read)
    for dimension, pattern, read in (
        (Dimension.DATE, r"\b\d{4}-(?P<month>\d\d)-(?P<day>\d\d)\b", _date),
        (Dimension.DATE, r"(?<![\d.])(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?:\d{4}|\d\d)?(?![\d.])", _date),
        (Dimension.DATE, rf"\b(?P<day>\d{{1,2}})\. ?(?P<month>{_MONTH})\b", _date),
        (Dimension.CLOCK, r"\b(?P<h>\d{1,2}):(?P<m>\d\d)(?: ?uhr)?\b(?!:)", _clock),
        (Dimension.CLOCK, rf"\bhalb (?P<h>\d{{1,2}}|{_WORDS})\b(?: uhr\b)?", _half),
        (Dimension.CLOCK, rf"\b(?P<h>\d{{1,2}}|{_WORDS}) uhr(?: (?P<m>\d\d))?\b", _clock),
        (Dimension.CLOCK, rf"(?<=\bum )(?P<h>\d{{1,2}}|{_WORDS}){_AFTER_CLOCK}", _clock),
        (Dimension.DURATION, r"\b(?:eine(?:r)? )?halbe(?:n|r)? stunde\b", lambda _: ("1800", "")),
        (Dimension.DURATION, r"\b(?:eine(?:r)? )?viertelstunde\b", lambda _: ("900", "")),
        (Dimension.DURATION, r"\beine(?:r)? stunde\b", lambda _: ("3600", "")),
        (Dimension.DURATION, rf"(?<![\w.])(?P<n>{_NUMBER})(?:(?<=\d)|(?<=\w)[ -])[ -]?(?P<u>{_UNIT})\b", _duration),
        (Dimension.PERCENT, rf"(?<![\w.])(?P<n>{_NUMBER}) prozent\b", lambda m: (_amount(_number(m["n"])), "")),
        *(reading for reading in READINGS if reading[0] in _OF_ENGLISH),
        (Dimension.WEEKDAY, rf"\b(?P<n>{_DAY})\b", _weekday),
        (Dimension.FREQUENCY, r"\b(?P<n>stünd|täg|wöchent|monat|quartals|jähr)lich\b", lambda m: (folded(m["n"].lower()), "")),
        (Dimension.COUNT, rf"(?<![\w.:,/#-])(?P<n>{_NUMBER}) (?P<thing>[^\W\d_]{{3,}})\b", _counted),
        (Dimension.NUMBERED, r"(?<![\w./-])(?P<head>[^\W\d_]{3,}) (?P<n>\d{1,4})(?![\w%/-]|[.:,]\d| ?(?:uhr|prozent|%))", _numbered),
    )
)  # fmt: skip
"""The readings of German, dates first: their numbers are no counts."""
