"""Who speaks in a message of the user: a person's own typing, a paste, a quotation, a program.

What the client or Markdown marks as somebody else's is decided here, character by character, and counts as a fact.
What only looks so, by the shape of its lines, is a doubt: it is marked and never taken away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


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


_PASTE = re.compile(r"<pasted_content\b[^<>]*>|</pasted_content\b[^<>]*>")
_FENCE = re.compile(r"(?P<mark>`{3,}|~{3,})(?P<info>[^`\n]*)(?P<line>\n|\Z)")
_QUOTED_LINE = re.compile(r"^[ \t]{0,3}>(?![=>]).*(?:\n|\Z)", re.MULTILINE)


def stretches(text: str) -> tuple[Stretch, ...]:
    """The voices of a user's message, in order and without gaps.

    A paste is what stands between the client's tags, a fence what stands between two runs of back-ticks or tildes of
    which the first ends its line; what is opened and never closed goes on to the end. A quotation is a line that
    begins with ``>``. All else is typed.
    """
    foreign = list(_pastes(text))
    foreign += [each for each in _fences(text) if not _inside(each, foreign)]
    foreign += [each for each in _quotations(text) if not _inside(each, foreign)]
    return tuple(_filled(sorted(foreign, key=lambda each: each.start), len(text)))


def _pastes(text: str) -> Iterator[Stretch]:
    start = None
    for tag in _PASTE.finditer(text):
        if start is None and not tag[0].startswith("</"):
            start = tag.start()
        elif start is not None and tag[0].startswith("</"):
            yield Stretch(start, tag.end(), Voice.PASTED)
            start = None
    if start is not None:
        yield Stretch(start, len(text), Voice.PASTED)


def _fences(text: str) -> Iterator[Stretch]:
    at = 0
    while opening := _FENCE.search(text, at):
        closing = re.compile(rf"^[ \t]*{re.escape(opening['mark'])}", re.MULTILINE).search(text, opening.end())
        if closing is None and text[: opening.start()].rpartition("\n")[2].strip():
            at = opening.end()  # back-ticks at the end of a typed line open nothing that is never closed
            continue
        at = closing.end() if closing else len(text)
        yield Stretch(opening.start(), at, Voice.FENCED)


def _quotations(text: str) -> Iterator[Stretch]:
    return (Stretch(found.start(), found.end(), Voice.QUOTED) for found in _QUOTED_LINE.finditer(text) if found[0])


def _inside(one: Stretch, others: list[Stretch]) -> bool:
    return any(other.start < one.end and one.start < other.end for other in others)


def _filled(foreign: list[Stretch], length: int) -> Iterator[Stretch]:
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
    at = 0
    lines: list[tuple[int, int, str]] = []
    for line in text.split("\n"):
        lines.append((at, at + len(line), line))
        at += len(line) + 1
    for number, (first, last, line) in enumerate(lines):
        if last <= start or first >= end or not line.strip():
            continue
        if why := _shape(line) or _between([each[2] for each in lines], number):
            return why
    return ""


def _shape(line: str) -> str:
    return next((name for name, shape in _SHAPES if shape.match(line)), "")


def _between(lines: list[str], number: int) -> str:
    """The shape of a line's neighbours, where it has one on both sides, or stands under such a line at the end."""
    before = lines[number - 1] if number else ""
    after = lines[number + 1] if number + 1 < len(lines) else ""
    why = _shape(before) if before.strip() else ""
    return why if why and (not after.strip() or _shape(after)) else ""
