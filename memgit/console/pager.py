"""Long answers through the user's pager, on a terminal only."""

from __future__ import annotations

import io
import os
import shlex
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import IO

from memgit import process
from memgit.console.streams import ReaderGone
from memgit.errors import ToolFailed

Show = Callable[[], int]


class _ToTerminal(io.TextIOWrapper):
    """What is written here ends up on the terminal, so colours and widths are those of the terminal."""

    def isatty(self) -> bool:
        return True


def at_terminal() -> bool:
    """Whether somebody reads the answer on a screen that can be scrolled."""
    return sys.stdout is not None and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def paged(command: str, show: Show) -> int:
    """Run what prints an answer, with its lines through a pager.

    A pager that is not wanted or cannot be started is done without; one that is left early ends the answer, and that
    is no error. What would be said beside the answer waits until the pager has given the screen back.
    """
    argv = _words(command)
    if not argv:
        return show()
    beside, sys.stderr = sys.stderr, io.StringIO()
    try:
        with process.fed(argv, {"LESS": "FRX", "LV": "-c"}) as pipe:
            return _through(pipe, show)
    except ToolFailed:
        return show()
    finally:
        held, sys.stderr = sys.stderr, beside
        if isinstance(held, io.StringIO) and held.getvalue() and beside is not None:
            beside.write(held.getvalue())
            beside.flush()


def _through(pipe: IO[bytes], show: Show) -> int:
    stream, terminal = _ToTerminal(pipe, encoding="utf-8", errors="backslashreplace"), sys.stdout
    sys.stdout = stream
    try:
        return show()
    except (BrokenPipeError, ReaderGone):
        return 0
    finally:
        sys.stdout = terminal
        with suppress(BrokenPipeError):
            stream.close()


def _words(command: str) -> list[str]:
    """The words of a pager's command line; none where it is ``cat``, which pages nothing, or cannot be read."""
    try:
        words = shlex.split(command)
    except ValueError:
        return []
    return [] if words == ["cat"] else words
