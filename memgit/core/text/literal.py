"""Which parts of a Markdown text are literal: fenced code, code spans, comments. Links in them link nothing."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import StrEnum

BOM = b"\xef\xbb\xbf"
"""The mark that some editors put before UTF-8; no part of the text."""


class Region(StrEnum):
    """What a whole line belongs to."""

    TEXT = "text"
    FRONTMATTER = "frontmatter"
    CODE = "code"
    COMMENT = "comment"


_FENCE = re.compile(r"\s*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}(?=[^`]*$)|~{3,})")
_COMMENT = re.compile(r" {0,3}<!--")


def regions(lines: Sequence[str]) -> tuple[Region, ...]:
    """The region of each line of a body (given without line ends), fences and comment marks included.

    A block that is never closed runs to the end, as renderers have it.
    """
    found: list[Region] = []
    fence, comment = "", False
    for line in lines:
        if fence:
            found.append(Region.CODE)
            fence = "" if _closes(line, fence) else fence
        elif comment or _opens_comment(line):
            found.append(Region.COMMENT)
            comment = "-->" not in line
        else:
            opened = _FENCE.match(line)
            fence = opened[1] if opened else ""
            found.append(Region.CODE if fence else Region.TEXT)
    return tuple(found)


def file_regions(lines: Sequence[str]) -> tuple[Region, ...]:
    """The same for a whole file, which may begin with frontmatter."""
    length = _frontmatter_length(lines)
    return (Region.FRONTMATTER,) * length + regions(lines[length:])


def _frontmatter_length(lines: Sequence[str]) -> int:
    if not lines or lines[0].rstrip() != "---":
        return 0
    return next((number + 1 for number, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), 0)


def _closes(line: str, fence: str) -> bool:
    mark = line.strip()
    return len(mark) >= len(fence) and not mark.strip(fence[0])


def _opens_comment(line: str) -> bool:
    """A line that is nothing but comment, or the start of a longer one. Text beside a comment is text."""
    if not _COMMENT.match(line):
        return False
    _, closed, after = line.partition("-->")
    return not (closed and after.strip())


_TICKS = re.compile(r"`+")


def literal_spans(line: str) -> tuple[tuple[int, int], ...]:
    """Where one line of text holds code spans and closed comments: (start, end), sorted, apart from each other."""
    found = sorted([*_code_spans(line), *_comments(line)])
    apart: list[tuple[int, int]] = []
    for span in found:
        if not apart or span[0] >= apart[-1][1]:
            apart.append(span)
    return tuple(apart)


def _comments(line: str) -> Iterator[tuple[int, int]]:
    start = line.find("<!--")
    while start >= 0 and (end := line.find("-->", start + 4)) >= 0:
        yield start, end + 3
        start = line.find("<!--", end)


def _code_spans(line: str) -> Iterator[tuple[int, int]]:
    """A run of backticks closes at the next run of the same length, as CommonMark has it."""
    runs = [match.span() for match in _TICKS.finditer(line)]
    later: dict[int, list[int]] = {}
    for position in range(len(runs) - 1, -1, -1):
        later.setdefault(runs[position][1] - runs[position][0], []).append(position)
    position = 0
    while position < len(runs):
        start, end = runs[position]
        same = later[end - start]
        while same and same[-1] <= position:
            same.pop()
        if same:
            position = same[-1]
            yield start, runs[position][1]
        position += 1


def within(position: int, spans: Sequence[tuple[int, int]]) -> bool:
    """True where a position lies inside one of the spans that ``literal_spans`` gave."""
    before = bisect_right(spans, position, key=lambda span: span[0])
    return before > 0 and position < spans[before - 1][1]
