"""Times of the day as people say them: ``06:30`` is also "half past 6", "6:30", "halb 7", and ``04:00`` is "at 4"."""

from __future__ import annotations

import re

_CLOCK = re.compile(r"(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)")


def is_told(time: str, text: str) -> bool:
    """Whether ``text`` says a time of the day, written ``HH:MM``; false for what is no such time."""
    clock = _CLOCK.fullmatch(time)
    if clock is None:
        return False
    hour, minute = int(clock["hour"]), clock["minute"]
    ways = [rf"0?{hour}[:.h]{minute}", *_SPOKEN.get(minute, lambda _: [])(hour)]
    return re.search(rf"(?<![\w:.])(?:{'|'.join(ways)})(?![\d:%]|\.\d)", text, re.IGNORECASE) is not None


def _half(hour: int) -> list[str]:
    named = {12: "twelve|zwölf"} | dict(enumerate(_NAMES, start=1))
    later = (hour % 12) + 1
    return [rf"half past (?:{hour}|{named[hour % 12 or 12]})", rf"halb (?:{later}|{named[later]})"]


def _full(hour: int) -> list[str]:
    afternoon = [rf"{hour - 12} ?pm"] if hour > 12 else []
    return [rf"0?{hour}(?: ?[ap]m| uhr| o'clock|h)?(?![\w])", *afternoon]


_NAMES = (
    "one|eins", "two|zwei", "three|drei", "four|vier", "five|fünf", "six|sechs", "seven|sieben", "eight|acht",
    "nine|neun", "ten|zehn", "eleven|elf",
)  # fmt: skip
_SPOKEN = {"00": _full, "30": _half}
