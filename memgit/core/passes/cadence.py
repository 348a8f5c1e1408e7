"""When an audit or a prune is worth a run: never by the clock alone, and never to save space."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from memgit.model.decision import Decision, Kind
from memgit.model.history import PassHeader, PassKind, PassState

LONG_INDEX = 30
"""Lines of an index from which each must earn its place: all of them are read at the start of every session."""

BIG_REFACTOR = 25
"""Files moved or deleted since the last audit from which many memories may name what is no longer there."""

_CAUGHT = 2
_WEEK = timedelta(days=7)
_CORRECTING = frozenset({Kind.REPLACE, Kind.UPDATE, Kind.DROP})
_TAKEN_OVER = frozenset({PassState.ADOPTED, PassState.MERGED})

_MONTH = timedelta(days=30)
_QUIET = timedelta(days=90)
_FEW = 20
"""Memories below which a prune finds next to nothing."""


@dataclass(frozen=True, slots=True)
class Use:
    """How a store is used: lines of its index, its memories, when one was last written, and the passes over it.

    ``files_gone`` are files of the project that were moved or deleted since `asked_since`, ``corrected`` the memories
    that passes of the last week found wrong more than once.
    """

    index_lines: int
    memories: int
    newest_write: datetime | None
    passes: tuple[PassHeader, ...] = ()
    files_gone: int = 0
    corrected: tuple[str, ...] = ()

    def last(self, kind: PassKind) -> datetime | None:
        """When a pass of this kind was last run."""
        return max((header.time for header in self.passes if header.kind is kind), default=None)


def hints(use: Use, now: datetime) -> Iterator[str]:
    """What is worth a run, and why. A store that nobody has written to for months is left alone."""
    if use.newest_write is None or use.newest_write < now - _QUIET:
        return
    if use.index_lines > LONG_INDEX and _is_due(use.last(PassKind.AUDIT), now):
        yield f"The index has {use.index_lines} lines, all read in every session: `memgit audit` is worth a run."
    if use.files_gone >= BIG_REFACTOR:
        yield f"{use.files_gone} files were moved or deleted lately: `memgit audit` finds the memories that name them."
    if use.corrected:
        named = ", ".join(use.corrected)
        yield f"Found wrong twice within a week: {named}. `memgit audit` looks at the others as well."
    if use.memories >= _FEW and _is_due(use.last(PassKind.PRUNE), now):
        yield f"{use.memories} memories, and no prune for a month: `memgit prune` shows what could go."


def asked_since(passes: Iterable[PassHeader], now: datetime) -> datetime:
    """The moment after which a refactoring of the project matters: the last audit, at most a month ago."""
    audits = (header.time for header in passes if header.kind is PassKind.AUDIT)
    return max((*audits, now - _MONTH))


def of_this_week(passes: Iterable[PassHeader], now: datetime) -> tuple[PassHeader, ...]:
    """The passes of the last week whose decisions are in the store."""
    return tuple(each for each in passes if each.time >= now - _WEEK and each.state in _TAKEN_OVER)


def caught_twice(settled: Iterable[Iterable[Decision]]) -> tuple[str, ...]:
    """The memories that the decisions of more than one pass found wrong."""
    wrong = (
        {name for decision in decisions if decision.kind in _CORRECTING for name in decision.memories}
        for decisions in settled
    )
    times = Counter(name for names in wrong for name in names)
    return tuple(sorted(name for name, count in times.items() if count >= _CAUGHT))


def _is_due(last: datetime | None, now: datetime) -> bool:
    return last is None or last < now - _MONTH
