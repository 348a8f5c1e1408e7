"""A place inside a file, as people write it: ``src/retry.py:10``, ``#L10``, ``tests/test_x.py::test_cap``."""

from __future__ import annotations

import re
from dataclasses import dataclass

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
