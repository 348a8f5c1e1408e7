"""Everything that the page of a pass shows, gathered from its vault. Reading only."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from memgit.core.report.outline import in_order
from memgit.core.report.page import Page
from memgit.errors import WrongState
from memgit.flows.look import chronicle, report
from memgit.flows.papers import dossiers, papers
from memgit.memory.apply import size_of
from memgit.model.store import ABSENT

if TYPE_CHECKING:
    from memgit.core.review.dossier import Dossier
    from memgit.flows.desk import Desk
    from memgit.model.history import PassHeader
    from memgit.ports import WorkingTree


def page_of(desk: Desk, pass_id: str | None, tree: Callable[[], WorkingTree], made: datetime) -> Page:
    """Everything that the page of a pass shows, of the newest one if none is named.

    Raises WrongState where there is none, Damaged for records that cannot be read.
    """
    told = report(desk, pass_id)
    header, vault = told.header, desk.vault
    single, untold = _single(desk, header, tree)
    return Page(
        header=header,
        record=told.record,
        report=told.text,
        dossiers=single,
        untold=untold,
        before=size_of(vault.content(header.snapshot) if header.snapshot else ABSENT),
        after=size_of(vault.content(header.candidate)) if header.candidate else None,
        chronicle=chronicle(vault),
        made=made,
    )


def _single(desk: Desk, header: PassHeader, tree: Callable[[], WorkingTree]) -> tuple[tuple[Dossier, ...], str]:
    """The decisions one by one, or why they cannot be shown so."""
    if header.candidate is None:
        return (), f"Pass {header.id} is {header.state}: nothing is decided yet."
    try:
        kept = papers(desk, header)
    except WrongState as error:
        return (), error.message
    return dossiers(kept, in_order(kept.outcome.decisions), tree), ""
