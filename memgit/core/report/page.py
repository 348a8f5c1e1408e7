"""What the page of a pass shows, as values: gathered by a flow, drawn by whatever renders them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memgit.core.passes.history import Life
from memgit.core.review.dossier import Dossier
from memgit.memory.apply import Size
from memgit.model.passes import Operation, PassHeader

BEGINNING = "<!doctype html>\n<!-- memgit page"
"""How every page starts, by which memgit knows its own: a page is never written over anything else."""


@dataclass(frozen=True, slots=True)
class Stand:
    """The size of the live store after an operation that changed it."""

    operation: Operation
    memories: int
    index_lines: int
    index_units: int


@dataclass(frozen=True, slots=True)
class Chronicle:
    """What happened to a store: its ``stands``, oldest first, all ``passes``, newest first, and the stories of its
    memories. ``passed_over`` changes are told of in neither stands nor stories, because a page could not show so many.
    """

    stands: tuple[Stand, ...]
    passes: tuple[PassHeader, ...]
    lives: tuple[Life, ...]
    passed_over: int = 0


@dataclass(frozen=True, slots=True)
class Page:
    """A pass to look at in a browser.

    ``record`` is the pass as ``--json`` prints it, masked. ``dossiers`` are its decisions in their order; where they
    cannot be shown one by one, ``untold`` is a sentence that says why, and ``report`` still holds the whole. ``after``
    is None while there is no candidate. ``made`` is when the page was made.
    """

    header: PassHeader
    record: Mapping[str, Any]
    report: str
    dossiers: tuple[Dossier, ...]
    untold: str
    before: Size
    after: Size | None
    chronicle: Chronicle
    made: datetime
