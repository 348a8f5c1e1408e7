"""What of a Markdown text is prose and what is literal: fences, comments, code spans, paragraphs."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from memgit.model.store import Memory

# --- literal ---
# Which parts of a Markdown text are literal: fenced code, code spans, comments. Links in them link nothing.

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


# --- paragraphs ---
# The parts of a memory's body, and what of it claims something about the present.

_LABEL = re.compile(r"^\*\*(?P<label>[^*\n]{2,40}?):?\*\*:?[ \t]*", re.MULTILINE)
_HISTORY = re.compile(r"why|reason|background|history|context|because", re.IGNORECASE)
_END = re.compile(
    r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!vs\.)\s+(?=[^a-z\s])|\n\s*\n|\n(?=\s*[-*+•] |\s*\d+[.)] )"
)

LONGEST = 20_000
"""Characters of a body that are looked at for claims: a memory is one fact, and a dumped log is none."""

LONGEST_SENTENCE = 800

LONGEST_CLAIM = 4_000
"""Characters of what a memory asserts that are compared."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a body under one bold label (empty before the first), and where it starts in the body."""

    label: str
    text: str
    start: int

    @property
    def is_history(self) -> bool:
        """Whether it tells why things are so: what was the case then may no longer be, and need not."""
        return bool(_HISTORY.search(self.label))


def parts(body: str) -> tuple[Part, ...]:
    """A body cut at its bold labels (``**Why:**``, ``**How to apply:**``, …)."""
    marks = list(_LABEL.finditer(body))
    first = Part("", body[: marks[0].start()] if marks else body, 0)
    ends = [*(mark.start() for mark in marks[1:]), len(body)]
    labelled = (Part(m["label"], body[m.end() : end], m.end()) for m, end in zip(marks, ends, strict=False))
    return tuple(part for part in (first, *labelled) if part.text.strip())


def claim(memory: Memory) -> str:
    """What a memory asserts: its description, and what its body says before any label."""
    first = next((part.text.strip() for part in parts(memory.body[:LONGEST]) if not part.label), "")
    return f"{memory.description}\n\n{first}"[:LONGEST_CLAIM] if first else memory.description[:LONGEST_CLAIM]


def present(memory: Memory) -> tuple[str, ...]:
    """The sentences that speak of how things are: all but those under a label of history and in fenced code."""
    return _present(memory.description, memory.body)


@lru_cache(maxsize=200_000)
def _present(description: str, body: str) -> tuple[str, ...]:
    """Kept for each memory of a store: a dozen rules go over all of them, one after the other."""
    told = (
        sentence for part in parts(body[:LONGEST]) if not part.is_history for sentence in sentences(prose(part.text))
    )
    return tuple(dict.fromkeys((*sentences(description[:LONGEST_CLAIM]), *told)))


def prose(text: str) -> str:
    """A text without its fenced code and comments."""
    if not any(mark in text for mark in _MARKS):
        return text
    lines = text.split("\n")
    return "\n".join(line for line, region in zip(lines, regions(lines), strict=True) if region is Region.TEXT)


_MARKS = ("```", "~~~", "<!--")
"""What begins fenced code and comments."""


def sentences(text: str) -> tuple[str, ...]:
    """The sentences and list items of a text, each on one line and cut where it is no sentence any more. A lower-case
    letter begins none."""
    return tuple(flat for piece in _END.split(text) if (flat := " ".join(piece.split())[:LONGEST_SENTENCE]))


# --- file lines ---
# A place inside a file, as people write it: ``src/retry.py:10``, ``#L10``, ``tests/test_x.py::test_cap``.

_SHAPE = re.compile(r"(?P<path>.+?)(?:#L(?P<anchor>\d+).*|:(?P<line>\d+)[\d:,\-–]*|::?(?P<member>[A-Za-z_].*))")
_MOST_DIGITS = 12


@dataclass(frozen=True, slots=True)
class FileLine:
    """A file's path with the line or the name of the member that is meant."""

    path: str
    line: int | None = None
    member: str | None = None


def file_line(span: str) -> FileLine:
    """The parts of a place inside a file (``TestRetry::test_cap[3]`` is the member ``test_cap``)."""
    parts = _SHAPE.fullmatch(span)
    if parts is None:
        return FileLine(span)
    if digits := parts["anchor"] or parts["line"]:
        return FileLine(parts["path"], line=int(digits[:_MOST_DIGITS]))
    names = re.split(r"[.:]+", re.split(r"[\[(]", parts["member"])[0])
    return FileLine(parts["path"], member=names[-1] or None)
