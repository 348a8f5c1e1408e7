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
_MOST = 6
"""Times in a file beyond which nobody can tell which is meant."""


@dataclass(frozen=True, slots=True)
class Rescheduled:
    """Times that a memory gives and the file has otherwise: old and new text, in order, and the lines of the new."""

    changes: tuple[tuple[str, str], ...]
    lines: tuple[Line, ...]


def rescheduled(memory: Memory, path: str, text: str) -> Rescheduled | None:
    """What a configuration file that a memory names says otherwise; None where nothing, or nothing clear, is."""
    if not _CONFIGURATION.search(path) or path not in claim(memory):
        return None
    found = [Line(path, number, line.strip()) for number, line in enumerate(text.split("\n"), start=1)]
    times = list(_paired(_CLOCK, claim(memory), found))
    if not times or any(old == new for old, new, _ in times):
        return None
    days = [pair for pair in _paired(_DAY, claim(memory), found) if pair[0] != pair[1]]
    changed = [*days, *times] if len(days) <= 1 else times
    return Rescheduled(tuple((old, new) for old, new, _ in changed), tuple(dict.fromkeys(line for *_, line in changed)))


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
