"""Text in columns: how wide it is on a terminal, and how it is wrapped there. A run of text may carry a style."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain

from memgit.evidence.findings import mask, printable, steering


class Style(StrEnum):
    """What a run of text is; a face chooses how that looks."""

    PLAIN = "plain"
    TITLE = "title"
    FAINT = "faint"
    REMOVED = "removed"
    ADDED = "added"
    QUOTED = "quoted"
    WARNING = "warning"
    GOOD = "good"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Run:
    """Text of one style."""

    text: str
    style: Style = Style.PLAIN


Row = tuple[Run, ...]
"""What stands on one line of a screen."""

_TOKEN = re.compile(r"\n| +|[^ \n]+")
_WHOLE = re.compile(r"\n| +|(?:[^ \n`]*`[^`\n]+`)+[^ \n]*|[^ \n]+")
_TAB = "    "


def width(text: str) -> int:
    """Columns that a text takes: two for wide characters, none for marks that sit on the one before."""
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def _columns(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Me", "Mn", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def wrapped(
    runs: Iterable[Run], columns: int, first: str = "", left: str | None = None, *, whole: bool = False
) -> Iterator[Row]:
    """Runs as rows of at most so many columns, broken at blanks, inside a word only where it fits no row.

    ``first`` stands before the first row, ``left`` (else blanks) before the others; a line feed begins a new row. With
    ``whole`` nothing is broken that somebody may want to copy: a command between backticks, a path, however long.
    """
    left = " " * width(first) if left is None else left
    room = max(8, columns - max(width(first), width(left)))
    before = first
    for row in _rows(_tokens(runs, _WHOLE if whole else _TOKEN), room, whole=whole):
        yield _joined((Run(before), *row)) if row else _joined((Run(before.rstrip()),))
        before = left


def folded(text: str, columns: int) -> Iterator[str]:
    """The lines of a text as rows that fit, each under its own indentation."""
    for row in text.split("\n"):
        body = row.lstrip(" ")
        before = row[: len(row) - len(body)]
        yield from map(plain, wrapped([Run(body)], columns, before, f"{before}  ", whole=True))


def _tokens(runs: Iterable[Run], token: re.Pattern[str]) -> Iterator[Run]:
    for run in runs:
        yield from (replace(run, text=part) for part in token.findall(run.text.replace("\t", _TAB)))


def _rows(tokens: Iterable[Run], room: int, *, whole: bool) -> Iterator[list[Run]]:
    row: list[Run] = []
    used = 0
    for token in tokens:
        if token.text == "\n":
            yield row
            row, used = [], 0
            continue
        for part in [token] if whole and token.text.isascii() else _parts(token, room):
            size = width(part.text)
            if used + size > room and row:
                yield _without_end(row)
                row, used = [], 0
                if part.text.isspace():
                    continue
            row.append(part)
            used += size
    yield row


def _parts(token: Run, room: int) -> Iterator[Run]:
    """A word in pieces that fit a row."""
    start = used = 0
    for at, char in enumerate(token.text):
        used += _columns(char)
        if used > room and at > start:
            yield replace(token, text=token.text[start:at])
            start, used = at, _columns(char)
    yield replace(token, text=token.text[start:])


def _fitting(text: str, room: int) -> int:
    used = 0
    for at, char in enumerate(text):
        used += _columns(char)
        if used > room:
            return max(1, at)
    return len(text)


def _without_end(row: Sequence[Run]) -> list[Run]:
    """A row without the blanks at its end."""
    kept = list(row)
    while kept and kept[-1].text.isspace():
        kept.pop()
    return kept


def _joined(runs: Iterable[Run]) -> Row:
    """Neighbours of one style as one run; empty ones left out."""
    row: list[Run] = []
    for run in runs:
        if row and row[-1].style is run.style:
            row[-1] = replace(run, text=row[-1].text + run.text)
        elif run.text:
            row.append(run)
    return tuple(row)


def plain(row: Row) -> str:
    """The text of a row."""
    return "".join(run.text for run in row)


def cut(text: str, columns: int) -> str:
    """A text on one row, with an ellipsis where it does not fit."""
    if width(text) <= columns:
        return text
    return text[: _fitting(text, max(1, columns - 1))] + "…"


# --- markdown ---
# Text from outside put safely into Markdown: no fence ends early, no control character or secret gets through.


def fenced(text: str, info: str = "") -> str:
    """``text``, masked and printable, in a fence longer than any run of backticks in it."""
    safe = printable(mask(text).text).rstrip("\n")
    fence = "`" * max(3, 1 + _longest(safe))
    return f"{fence}{info}\n{safe}\n{fence}"


def code(text: str) -> str:
    """``text`` as one code span on one line."""
    safe = _flat(text)
    ticks = "`" * (1 + _longest(safe))
    pad = " " if safe.startswith("`") or safe.endswith("`") else ""
    return f"{ticks}{pad}{safe}{pad}{ticks}"


def line(text: str) -> str:
    """``text`` as prose on one line; tags that could pass for the agent's own lose their brackets."""
    safe = _flat(text)
    return safe.replace("<", "&lt;") if steering(safe) else safe


def quoted(text: str) -> str:
    """``text`` in typographic quotes, on one line."""
    return f"“{line(text)}”"


def _flat(text: str) -> str:
    return " ".join(printable(mask(text).text).split())


def _longest(text: str) -> int:
    return max(chain((0,), (len(run) for run in re.findall(r"`+", text))))


# --- numbers ---
# Counts with their nouns: ``1 memory``, ``2 memories``.


def counted(count: int, noun: str, rest: str = "") -> str:
    """A count with its regular English noun in the right form, and what follows it."""
    told = f"{count:,} {noun if count == 1 else _plural(noun)}"
    return f"{told} {rest}" if rest else told


def _plural(noun: str) -> str:
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if re.search(r"(?:s|x|ch|sh)$", noun) else f"{noun}s"
