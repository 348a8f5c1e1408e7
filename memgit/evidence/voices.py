"""Who speaks in a message of the user: a person's own typing, a paste, a quotation, a program.

What the client or Markdown marks as somebody else's is decided here, character by character, and counts as a fact.
What only looks so, by the shape of its lines, is a doubt: it is marked and never taken away.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect, bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import accumulate


class Voice(StrEnum):
    """Whose words a stretch of a user's message is."""

    TYPED = "typed"
    PASTED = "pasted"  # what the client marks as a paste
    FENCED = "fenced"  # between code fences
    QUOTED = "quoted"  # lines that begin with ">"


@dataclass(frozen=True, slots=True)
class Stretch:
    """A run of characters of one voice, ``start`` to ``end`` in the text it was found in."""

    start: int
    end: int
    voice: Voice


_PASTE = re.compile(r"<pasted_content\b(?P<about>[^<>]*)>")
_END_OF_PASTE = re.compile(r"</pasted_content\b(?P<about>[^<>]*)>")
_UNCLOSED_PASTE = re.compile(rf"^[ \t]*{_PASTE.pattern}", re.MULTILINE)
_FENCE = re.compile(r"(?P<mark>`{3,}+|~{3,}+)(?P<info>[^`\n]{0,200}+)(?:\n|\Z)")
_QUOTED_LINE = re.compile(r"^[ \t]{0,3}>(?!=).*(?:\n|\Z)", re.MULTILINE)


def stretches(text: str) -> tuple[Stretch, ...]:
    """The voices of a user's message, in order and without gaps.

    A paste is what stands between the client's tags, a fence what stands between two runs of back-ticks or tildes of
    which the first ends its line; what begins a line and is never closed goes on to the end. A quotation is a line
    that begins with ``>``. All else is typed.
    """
    foreign: list[Stretch] = []
    for find in (_pastes, _fences, _quotations):  # each is looked for outside of those before it, and may enclose them
        found = list(find(_blanked(text, foreign)))
        foreign = sorted((*_outside(foreign, found), *found), key=lambda each: each.start)
    return tuple(_filled(foreign, len(text)))


def _pastes(text: str) -> Iterator[Stretch]:
    """A paste ends at the tag that repeats what stands in the first one, which a pasted text cannot know; else at any
    closing tag. One that is never closed begins its line: a person may speak of the tag."""
    closings = list(_END_OF_PASTE.finditer(text))
    ends: dict[str, list[int]] = {"any": [each.end() for each in closings]}
    for each in closings:
        ends.setdefault(f"own{each['about']}", []).append(each.end())
    at = 0
    while opening := _PASTE.search(text, at):
        found = [_next(ends.get(name, ()), opening.end()) for name in (f"own{opening['about']}", "any")]
        if found == [None, None]:
            break
        at = next(end for end in found if end is not None)
        yield Stretch(opening.start(), at, Voice.PASTED)
    if unclosed := _UNCLOSED_PASTE.search(text, at):
        yield Stretch(unclosed.start(), len(text), Voice.PASTED)


def _next(ends: Sequence[int], start: int) -> int | None:
    at = bisect(ends, start)
    return ends[at] if at < len(ends) else None


def _fences(text: str) -> Iterator[Stretch]:
    """On a line with typed words before them, back-ticks open nothing that is never closed, and may end
    ```such a span```."""
    at = 0
    never_closed: dict[str, int] = {}
    while opening := _FENCE.search(text, at):
        mark = opening["mark"]
        before = text[text.rfind("\n", 0, opening.start()) + 1 : opening.start()]
        at = opening.end()
        if mark in before:
            continue
        closing = None
        if len(mark) < never_closed.get(mark[0], sys.maxsize):
            closing = re.compile(rf"^[ \t]*{re.escape(mark)}", re.MULTILINE).search(text, at)
        if closing is None:
            never_closed[mark[0]] = min(len(mark), never_closed.get(mark[0], sys.maxsize))
            if before.strip():
                continue
        at = closing.end() if closing else len(text)
        yield Stretch(opening.start(), at, Voice.FENCED)


def _quotations(text: str) -> Iterator[Stretch]:
    return (Stretch(found.start(), found.end(), Voice.QUOTED) for found in _QUOTED_LINE.finditer(text) if found[0])


def _blanked(text: str, foreign: Sequence[Stretch]) -> str:
    """The text with blanks for what is somebody else's already."""
    at, parts = 0, []
    for each in foreign:
        parts += [text[at : each.start], " " * (each.end - each.start)]
        at = each.end
    return "".join((*parts, text[at:]))


def _outside(inner: Sequence[Stretch], outer: Sequence[Stretch]) -> Iterator[Stretch]:
    """Those of ``inner`` that none of ``outer`` encloses."""
    starts = [each.start for each in outer]
    for one in inner:
        at = bisect(starts, one.start)
        if not at or outer[at - 1].end <= one.start:
            yield one


def _filled(foreign: Iterable[Stretch], length: int) -> Iterator[Stretch]:
    at = 0
    for each in foreign:
        if at < each.start:
            yield Stretch(at, each.start, Voice.TYPED)
        yield each
        at = each.end
    if at < length:
        yield Stretch(at, length, Voice.TYPED)


def typed(text: str) -> str:
    """What of a user's message a person typed, a line each stretch."""
    return "\n".join(text[each.start : each.end].strip("\n") for each in stretches(text) if each.voice is Voice.TYPED)


# --- what only looks like a paste ---

_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?"
_SHAPES = (
    ("indented", re.compile(r"(?:\t| {4,})\S")),
    ("begins with a time", re.compile(rf"\W{{0,3}}(?:\d{{4}}-\d\d-\d\d[T ]?|[A-Z][a-z]{{2}} [ \d]\d ){_CLOCK}\b")),
    ("begins with a time", re.compile(rf"(?:[\[(]{_CLOCK}[\])]|\d\d:\d\d:\d\d[.,\d]*)\s")),
    ("is a line of a log", re.compile(r"\W{0,2}(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b\W")),
    ("names a program and its process", re.compile(r"[\w.@-]{2,}\[\d+\]: ")),
    (
        "begins with a prompt",
        re.compile(r"(?:[\w.-]+@[\w.-]+[:~][^\s$#%]*|PS [A-Z]:\\\S*|\([\w.-]+\) )?\s?[$#%>❯] ?\S"),
    ),
    ("is a line of a diff", re.compile(r"(?:[+-]{3} [ab/]|@@ -\d|diff --git |index [0-9a-f]{7,}\.\.)")),
    ("is a line of a trace", re.compile(r"(?:Traceback \(|File \"|at [\w.$<>]+\(|Caused by: |thread '|goroutine \d)")),
    ("is the head of a mail", re.compile(r"(?:From|To|Cc|Subject|Date|Sent|Von|An|Betreff|De|Para|Objet|Asunto): \S")),
    ("begins with a tag in brackets", re.compile(r"\[[\w .:/-]{2,30}\]\s*\S")),
    ("is a row of a table", re.compile(r"\|.*\|\s*$|\S+(?:\t\S+){2,}$")),
    ("names a line of a file", re.compile(r"\S+\.\w{1,6}(?::\d+){1,2}[:\s]|\S+\.\w{1,6}\(\d+(?:,\d+)?\): ")),
    ("is mark-up", re.compile(r"</?[A-Za-z][\w:-]*(?:\s[^<>]*)?>")),
)
"""Shapes that a line has which came out of a program rather than from somebody's fingers. No word of a language is
among them but the names that programs print."""


def looks_pasted(text: str, start: int, end: int) -> str:
    """Why the characters from ``start`` to ``end`` of a user's message look like a paste; empty where they do not.

    A line counts by its own shape, or because the lines on both sides of it in its paragraph do.
    """
    starts, reasons = _lines(text)
    first, last = bisect(starts, start) - 1, bisect_left(starts, end)
    return next(filter(None, reasons[first:last]), "")


@lru_cache(maxsize=16)
def _lines(text: str) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Where each line of a message begins, and why it looks pasted."""
    lines = text.split("\n")
    shapes = [_shape(line) for line in lines]
    around = zip(["", *shapes], [*shapes[1:], ""], [*map(str.strip, lines[1:]), ""], strict=False)
    reasons = (shape or _between(*beside) for shape, beside in zip(shapes, around, strict=True))
    starts = (0, *accumulate(len(line) + 1 for line in lines[:-1]))
    return starts, tuple(why if line.strip() else "" for line, why in zip(lines, reasons, strict=True))


def _shape(line: str) -> str:
    return next((name for name, shape in _SHAPES if shape.match(line)), "")


def _between(before: str, after: str, next_line: str) -> str:
    """The shape of a line's neighbours, where it has one on both sides, or stands under such a line at the end."""
    return before if before and (after or not next_line) else ""
