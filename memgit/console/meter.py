"""Progress on a terminal's last line, silence elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memgit.ports import Progress


class _Silent:
    def step(self, what: str, done: int = 0, total: int | None = None) -> None:
        pass


SILENT: Progress = _Silent()


class _Meter:
    """Progress on a terminal's last line."""

    def step(self, what: str, done: int = 0, total: int | None = None) -> None:
        share = f" {done:,} of {total:,}" if total else ""
        sys.stderr.write(f"\r\x1b[K{what}{share} …")
        sys.stderr.flush()


@contextmanager
def progress() -> Iterator[Progress]:
    """A meter while a terminal watches, silence otherwise."""
    if sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield SILENT
        return
    try:
        yield _Meter()
    finally:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
