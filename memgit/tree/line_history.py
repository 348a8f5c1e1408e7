"""Which line of a file's older text a line of its present text is."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

_MOST_COMPARED = 2000
"""Lines of the part that differs; comparing more of them takes longer than what comes of it is worth."""


def number_before(number: int, now: Sequence[str], before: Sequence[str]) -> int | None:
    """The number that a line had in the older text, counted from 1; None for a line that is new, or not there."""
    if not 0 < number <= len(now):
        return None
    head = _alike(now, before)
    if number <= head:
        return number
    tail = _alike(now[head:][::-1], before[head:][::-1])
    from_end = len(now) - number
    if from_end < tail:
        return len(before) - from_end
    found = _between(number - head, now[head : len(now) - tail], before[head : len(before) - tail])
    return None if found is None else head + found


def text_lines(text: str) -> list[str]:
    """The lines of a text, whatever ends them."""
    return [line.removesuffix("\r") for line in text.split("\n")]


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """With how many equal lines two texts begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def _between(number: int, now: Sequence[str], before: Sequence[str]) -> int | None:
    """The same for texts that begin and end differently."""
    if max(len(now), len(before)) > _MOST_COMPARED:
        return None
    for old, new, length in SequenceMatcher(None, before, now, autojunk=False).get_matching_blocks():
        if new < number <= new + length:
            return old + number - new
    return None
