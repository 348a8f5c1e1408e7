"""Work of other programs that is only half done: a merge in the middle of a file."""

from __future__ import annotations

import re
from dataclasses import dataclass

_OPENS = re.compile(rb"^(?:<{7,}(?:[ \t].*)?|>{4} ORIGINAL .*)\r?$", re.MULTILINE)
_CLOSES = re.compile(rb"^(?:>{7,}(?:[ \t].*)?|<{4})\r?$", re.MULTILINE)
_PARTS = re.compile(rb"^(?:={7,}(?:[ \t].*)?|%{7,} .*|\+{7,} .*|-{7,} .*|\|{7,}(?:[ \t].*)?|={4} .*)\r?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Marked:
    """The first and the last line, from 1, of a merge that somebody has not finished."""

    first: int
    last: int


def merge_markers(data: bytes) -> tuple[Marked, ...]:
    """The unfinished merges in a file, in whatever form a version control program marks them: an opening line, one or
    more that part the sides, a closing line."""
    found: list[Marked] = []
    at = 0
    while opening := _OPENS.search(data, at):
        closing = _CLOSES.search(data, opening.end())
        if closing is None:
            break
        at = closing.end()
        if _PARTS.search(data, opening.end(), closing.start()):
            found.append(Marked(_line(data, opening.start()), _line(data, closing.start())))
    return tuple(found)


def _line(data: bytes, at: int) -> int:
    return data.count(b"\n", 0, at) + 1
