"""Times of the day and days of the week that a memory gives, against the configuration file that it names for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memgit.core.text.paragraphs import claim
from memgit.model.decision import Draft
from memgit.model.store import Memory
from memgit.model.verification import Line

_CLOCK = re.compile(r"(?<![\d:.])(?:[01]?\d|2[0-3]):[0-5]\d(?!:?\d)")
_CONFIGURATION = re.compile(r"\.(?:ya?ml|toml|json|ini|env|conf|cfg|properties|hcl|tf)$")
_DAYS = (
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    ("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag"),
)
_DAY = re.compile(rf"\b({'|'.join(day for days in _DAYS for day in days)})(s?)\b", re.IGNORECASE)
_CRON = re.compile(
    r"(?<![\w*/])(?P<minute>[0-5]?\d) (?P<hour>[01]?\d|2[0-3]) (?P<day>\*|[12]?\d|3[01]) (?:\*|\d+) "
    r"(?:[\d*,?A-Z-]+)(?![\w/])"
)
_ORDINAL = re.compile(r"\b(?P<day>[12]?\d|3[01])(?:st|nd|rd|th)\b")
_MONTHLY = re.compile(r"\bmonth|\bmonat", re.IGNORECASE)
_SCHEDULED = re.compile(
    r"\b(?:starts?|runs?|begins?|scheduled|every|nightly|daily|weekly|kicks? off|opens?|closes?|fires?|um|täglich)\b",
    re.I,
)
_MOST = 6
"""Times in a file beyond which nobody can tell which is meant."""


@dataclass(frozen=True, slots=True)
class Rescheduled:
    """Times that a memory gives and the file has otherwise: old and new text, in order, and the lines of the new."""

    changes: tuple[tuple[str, str], ...]
    lines: tuple[Line, ...]


def rescheduled(memory: Memory, path: str, text: str) -> Rescheduled | Line | None:
    """What a schedule that a memory names says otherwise, or the line of it that says the same; None where nothing
    clear is said."""
    if path not in claim(memory) or not (_CONFIGURATION.search(path) or _CRON.search(text)):
        return None
    said = claim(memory).replace(path, " ")
    rows = [Line(path, number, line.strip()) for number, line in enumerate(text.split("\n"), start=1)]
    if (monthly := _on_another_day(claim(memory), rows)) is not None:
        return monthly
    found = [replace(row, text=_in_clock_times(row.text)) for row in rows] if _SCHEDULED.search(said) else rows
    told, held = (
        {_normal(match) for match in _CLOCK.finditer(each)}
        for each in (claim(memory), "\n".join(r.text for r in found))
    )
    if told and told <= held:
        return next(row for row, own in zip(rows, found, strict=True) if _CLOCK.search(own.text))
    times = list(_paired(_CLOCK, claim(memory), found))
    if not times or any(old == new for old, new, _ in times):
        return None
    days = [pair for pair in _paired(_DAY, claim(memory), found) if pair[0] != pair[1]]
    changed = [*days, *times] if len(days) <= 1 else times
    lines = dict.fromkeys(rows[line.number - 1] for *_, line in changed)
    return Rescheduled(tuple((old, new) for old, new, _ in changed), tuple(lines))


def _in_clock_times(row: str) -> str:
    """A row with the time of day that its cron expression means."""
    return _CRON.sub(lambda cron: f"{int(cron['hour']):02}:{int(cron['minute']):02}", row)


def _on_another_day(said: str, rows: Sequence[Line]) -> Rescheduled | Line | None:
    """The day of the month that a memory gives against the one cron expression that has such a day."""
    told = {match["day"]: match[0] for match in _ORDINAL.finditer(said)} if _MONTHLY.search(said) else {}
    found = [(row, cron["day"]) for row in rows for cron in _CRON.finditer(row.text) if cron["day"] != "*"]
    if len(told) != 1 or len(found) != 1:
        return None
    ((day, written),), (row, new) = told.items(), found[0]
    return row if day == new else Rescheduled(((written, new + _ending(int(new))),), (row,))


def _ending(day: int) -> str:
    return "th" if 10 < day < 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _paired(shape: re.Pattern[str], said: str, lines: Sequence[Line]) -> Iterator[tuple[str, str, Line]]:
    """What the memory gives beside what the file has, where both have equally many."""
    mine = tuple(dict.fromkeys(_normal(match) for match in shape.finditer(said)))
    theirs = [(_normal(match), line) for line in lines for match in shape.finditer(line.text)]
    if len(mine) != len(theirs) or len(theirs) > _MOST or {value for value, _ in theirs} & set(mine):
        return
    yield from ((old, new, line) for old, (new, line) in zip(mine, theirs, strict=True))


def _normal(match: re.Match[str]) -> str:
    return match[1].lower() if match.re is _DAY else match[0].rjust(5, "0")


def at_new_times(draft: Draft, moved: Rescheduled) -> Draft:
    """The draft with the new times, full hours in words of the hour and days in their own form included."""
    body, description = draft.body, draft.description
    for old, new in moved.changes:
        body, description = _retimed(body, old, new), _retimed(description, old, new)
    return replace(draft, body=body, description=description)


def _retimed(text: str, old: str, new: str) -> str:
    if ":" not in old:
        return re.sub(rf"\b{old}(s?)\b", lambda match: _like(match[0], new) + match[1], text, flags=re.IGNORECASE)
    text = re.sub(rf"(?<![\d:.])0?{re.escape(old.lstrip('0') or '0')}(?!:?\d)", new, text)
    hour, _, minutes = old.partition(":")
    if minutes != "00":
        return text
    return re.sub(rf"(?<![\d:.])0?{int(hour)}(?=\s?(?:Uhr|o'clock|h\b))", new, text)


def _like(written: str, word: str) -> str:
    return word.capitalize() if written[:1].isupper() else word
