"""A JSON text with a value put in or taken out at one place; every other character stays as somebody wrote it.

Texts are whole and valid JSON, with a byte order mark or without. A path leads from the outermost value to one in it,
by names and positions. What is put in looks like what stands beside it: indentation, line ends, spaces.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

BOM = "\ufeff"
Path = Sequence[str | int]

_DECODER = json.JSONDecoder()
_BLANK = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True, slots=True)
class _Entry:
    """A member or element: its name or position, where it starts (a member: its name), and where its value is."""

    at: str | int
    start: int
    value: int
    end: int


def inserted(text: str, path: Path, value: Any, name: str | None = None) -> str:
    """The text with a value added at the end of the container at a path: under a name in an object, else to a list."""
    opening = _value_at(text, path)
    entries = list(_entries(text, opening))
    style = _style(text, opening, entries)
    after = entries[-1].end if entries else opening + 1
    written = style.entry(value, name)
    if entries:
        return f"{text[:after]},{style.before}{written}{text[after:]}"
    closing = _skip(text, after)
    return f"{text[:after]}{style.before}{written}{style.end}{text[closing:]}"


def removed(text: str, path: Path) -> str:
    """The text without the member or element at a path, and without the comma that it needs no longer."""
    opening = _value_at(text, path[:-1])
    entries = list(_entries(text, opening))
    place = next(number for number, entry in enumerate(entries) if entry.at == path[-1])
    if place:
        return text[: entries[place - 1].end] + text[entries[place].end :]
    if len(entries) > 1:
        return text[: entries[0].start] + text[entries[1].start :]
    return text[: opening + 1] + text[_skip(text, entries[0].end) :]


# --- where things are ---


def _value_at(text: str, path: Path) -> int:
    start = _skip(text, len(BOM) if text.startswith(BOM) else 0)
    for step in path:
        start = next(entry.value for entry in _entries(text, start) if entry.at == step)
    return start


def _entries(text: str, opening: int) -> Iterator[_Entry]:
    """The members of the object, or elements of the list, that opens there."""
    is_object, at, number = text[opening] == "{", _skip(text, opening + 1), 0
    while text[at] not in "}]":
        start, name = at, number
        if is_object:
            name, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        _, end = _DECODER.raw_decode(text, at)
        yield _Entry(name, start, at, end)
        number += 1
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


# --- what it looks like ---


@dataclass(frozen=True, slots=True)
class _Style:
    """How a container's entries stand: the blanks before each and before its end, and how values are written there.
    ``unit`` is one step of indentation; None writes all in one line."""

    before: str
    end: str
    unit: str | None
    newline: str
    colon: str
    comma: str

    def entry(self, value: Any, name: str | None) -> str:
        separators = (self.comma if self.unit is None else ",", self.colon)
        written = json.dumps(value, ensure_ascii=False, indent=self.unit, separators=separators)
        if self.unit is not None:
            written = written.replace("\n", self.newline + self.before.rpartition("\n")[2])
        return written if name is None else f"{json.dumps(name, ensure_ascii=False)}{self.colon}{written}"


def _style(text: str, opening: int, entries: Sequence[_Entry]) -> _Style:
    newline = "\r\n" if "\r\n" in text else "\n"
    colon = ": " if '": ' in text or ":" not in text else ":"
    gaps = [text[_skip(text, one.end) + 1 : two.start] for one, two in pairwise(entries)]
    comma = ", " if colon == ": " else ","
    if entries and "\n" not in text[opening : entries[0].start]:
        return _Style(gaps[-1] if gaps and "\n" not in gaps[-1] else comma[1:], "", None, newline, colon, comma)
    if entries:
        before = newline + text[opening + 1 : entries[0].start].rpartition("\n")[2]
        return _Style(before, "", _unit(text), newline, colon, comma)
    if "\n" not in text.strip() and text.strip(BOM + " \t\r\n") != "{}":
        return _Style("", "", None, newline, colon, comma)
    line, unit = text[text.rfind("\n", 0, opening) + 1 : opening], _unit(text)
    indent = line[: _skip(line, 0)].removeprefix(BOM)
    return _Style(f"{newline}{indent}{unit}", f"{newline}{indent}", unit, newline, colon, comma)


def _unit(text: str) -> str:
    """One step of indentation: what the first indented line has."""
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else "  "
