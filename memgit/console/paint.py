"""Rows of styled text on a terminal: colours where they are wanted, marks where not."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgit.console.streams import NARROWEST, as_called, called, put

if TYPE_CHECKING:
    from memgit.text.layout import Row, Run

_CODES = {
    "title": "1",
    "faint": "2",
    "removed": "31",
    "added": "32",
    "quoted": "36",
    "warning": "33",
    "good": "32",
    "bad": "31",
}
_UNWRAPPED = 1_000_000


@dataclass(frozen=True)
class Canvas:
    """How much fits, and whether in colours. ``rows`` is None where nobody looks at a screen: then nothing is cut."""

    columns: int
    rows: int | None
    colours: bool

    @classmethod
    def now(cls) -> Canvas:
        """The terminal as it is at this moment; it may be resized between two screens."""
        size, watched = shutil.get_terminal_size(), sys.stdout is not None and sys.stdout.isatty()
        colours = watched and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return cls(max(NARROWEST, size.columns), size.lines if watched else None, colours)

    @property
    def reading_columns(self) -> int:
        """Where long sentences are wrapped: at the screen's edge; what a program reads is not wrapped."""
        return _UNWRAPPED if self.rows is None else self.columns

    def paint(self, rows: Iterable[Row]) -> None:
        """Print rows."""
        for row in rows:
            put("".join(map(self._run, row)))

    def _run(self, run: Run) -> str:
        from memgit.evidence.findings import printable_name

        text, code = printable_name(run.text), _CODES.get(run.style.value)
        return f"\x1b[{code}m{text}\x1b[0m" if code and self.colours else text


def tell(*runs: Run | str, left: str = "") -> None:
    """Print a line of an answer of which some runs are styled, folded at words on a screen; ``left`` stands before."""
    from memgit.text.layout import Run, wrapped

    canvas = Canvas.now()
    styled = [Run(each.replace("`memgit ", f"`{called()} ")) if isinstance(each, str) else each for each in runs]
    canvas.paint(wrapped(styled, canvas.reading_columns, left, f"{left}  ", whole=True))


def steps(commands: Iterable[tuple[str, str]]) -> None:
    """Print what to run next: what it is for, and the command last on its line, whole, to be copied."""
    from memgit.text.layout import Run, Style, width

    canvas = Canvas.now()
    listed = [(what, as_called(command)) for what, command in commands]
    if not listed:
        return
    room = max(width(what) for what, _ in listed) + 2
    beside = room + 2 + max(width(command) for _, command in listed) <= canvas.columns
    for what, command in listed:
        if beside:
            canvas.paint([(Run(f"  {what:<{room}}", Style.FAINT), Run(command, Style.TITLE))])
        else:
            canvas.paint([(Run(f"  {what}:", Style.FAINT),), (Run(f"    {command}", Style.TITLE),)])
