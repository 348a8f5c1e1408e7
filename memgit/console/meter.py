"""Progress on a terminal's last line, silence elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from memgit.ports import Progress


class _Silent:
    def step(self, what: str, done: int = 0, total: int | None = None) -> None:
        pass


SILENT: Progress = _Silent()

_OFTEN = 0.1
"""Seconds between two drawings of one step."""
_EARLY, _LITTLE = 3.0, 0.05
"""Seconds, and share of the whole, before which nobody can tell how long it takes."""
_COUNTED = 999
"""Units up to which they are counted; of more, such as bytes, the share is told."""
_BAR = 24


class Meter:
    """Draws what is under way over the last line of a terminal. ``now`` gives seconds that only go forward."""

    def __init__(self, stream: TextIO, columns: Callable[[], int], now: Callable[[], float] = time.monotonic) -> None:
        self._stream, self._columns, self._now = stream, columns, now
        self._what, self._began, self._drawn = "", 0.0, 0.0

    def step(self, what: str, done: int = 0, total: int | None = None) -> None:
        now = self._now()
        if what != self._what:
            self._what, self._began = what, now
        elif now - self._drawn < _OFTEN:
            return
        self._drawn = now
        self._stream.write(f"\r\x1b[K{drawn(what, done, total, now - self._began, self._columns())}")
        self._stream.flush()


def drawn(what: str, done: int, total: int | None, seconds: float, columns: int) -> str:
    """One line of at most ``columns - 1`` characters: what, how much of it, and how long it will still take."""
    room = max(8, columns - 1)
    if not total:
        return _cut(f"{what} …", room)
    share = min(1.0, done / total)
    much = f"{done:,} of {total:,}" if total <= _COUNTED else f"{share:.0%}"
    facts = f"{what} {much}{_left(share, seconds)}"
    bar = min(_BAR, room - len(facts) - 3)
    return f"{facts} [{_filled(share, bar)}]" if bar >= 8 else _cut(f"{facts} …", room)


def _filled(share: float, size: int) -> str:
    full = int(share * size)
    return "#" * full + "-" * (size - full)


def _left(share: float, seconds: float) -> str:
    """How long the rest takes if it goes on as it went; nothing before that can be known."""
    if seconds < _EARLY or share < _LITTLE or share >= 1:
        return ""
    left = seconds * (1 - share) / share
    return f", about {max(1, round(left))} s left" if left < 90 else f", about {round(left / 60)} min left"


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: room - 1]}…"


@contextmanager
def progress() -> Iterator[Progress]:
    """A meter while a terminal watches, silence otherwise."""
    if sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield SILENT
        return
    stream = sys.stderr
    try:
        yield Meter(stream, lambda: _columns(stream))
    finally:
        stream.write("\r\x1b[K")
        stream.flush()


def _columns(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except OSError:
        return 80
