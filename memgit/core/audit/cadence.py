"""When an audit or a prune is worth a run: never by the clock alone, and never to save space."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from memgit.model.passes import PassHeader, PassKind

LONG_INDEX = 30
"""Lines of an index from which each must earn its place: all of them are read at the start of every session."""

_MONTH = timedelta(days=30)
_QUIET = timedelta(days=90)
_FEW = 20
"""Memories below which a prune finds next to nothing."""


@dataclass(frozen=True, slots=True)
class Use:
    """How a store is used: lines of its index, its memories, when one was last written, and the passes over it."""

    index_lines: int
    memories: int
    newest_write: datetime | None
    passes: tuple[PassHeader, ...] = ()

    def last(self, kind: PassKind) -> datetime | None:
        """When a pass of this kind was last run."""
        return max((header.time for header in self.passes if header.kind is kind), default=None)


def hints(use: Use, now: datetime) -> Iterator[str]:
    """What is worth a run, and why. A store that nobody has written to for months is left alone."""
    if use.newest_write is None or use.newest_write < now - _QUIET:
        return
    if use.index_lines > LONG_INDEX and _is_due(use.last(PassKind.AUDIT), now):
        yield f"The index has {use.index_lines} lines, all read in every session: `memgit audit` is worth a run."
    if use.memories >= _FEW and _is_due(use.last(PassKind.PRUNE), now):
        yield f"{use.memories} memories, and no prune for a month: `memgit prune` shows what could go."


def _is_due(last: datetime | None, now: datetime) -> bool:
    return last is None or last < now - _MONTH
