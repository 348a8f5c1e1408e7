"""Everything that the page of a pass shows, gathered from its vault. Reading only."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memgit import files
from memgit.core.report.outline import BEGINNING, Page, in_order
from memgit.errors import MemgitError, UsageError, WrongState
from memgit.flows.dossiers import dossiers, papers
from memgit.flows.history import chronicle
from memgit.flows.look import report
from memgit.memory.apply import size_of
from memgit.model.store import ABSENT, INDEX

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


# --- page files ---
# Where pages are put, and how they are found again: in memgit's own folder, or in a file that the user names.

_NOTE = ".path"


def keep_page(pages: Path, vault: str, pass_id: str, html: str) -> Path:
    """Write a page into memgit's own folder, in place of an earlier one of the same pass; returns its path."""
    folder = pages / vault
    folder.mkdir(parents=True, exist_ok=True, mode=files.PRIVATE_FOLDER)
    path = folder / f"{pass_id}.html"
    _write(path, html)
    return path


def write_page(path: Path, html: str, pages: Path, live: Path) -> None:
    """Write a page to a file of the user's choice, readable by its owner only.

    A note in ``pages``, memgit's own folder of them, lets a redaction find the file again. Raises UsageError for a
    place in a store of memories (``live`` is the one at hand), and for a file that is no page.
    """
    _refuse_place(path, live)
    if os.path.lexists(path) and not is_page(path):
        raise UsageError(f"{path} exists and is no page of memgit's.", "Name a new file; nothing was written.")
    pages.mkdir(parents=True, exist_ok=True, mode=files.PRIVATE_FOLDER)
    name = hashlib.sha256(os.fsencode(path)).hexdigest()[:24]
    files.write_atomic(pages / f"{name}{_NOTE}", os.fsencode(path))
    _write(path, html)


def _write(path: Path, html: str) -> None:
    try:
        files.write_atomic(path, html.encode())
    except OSError as error:
        raise MemgitError(f"{path} cannot be written: {error.strerror}.", "Name another file.") from None


def written_pages(pages: Path) -> tuple[Path, ...]:
    """Every page that memgit wrote and that is still there, with memgit's own notes of them."""
    own = [path for path in pages.rglob("*") if path.is_file()]
    elsewhere = (Path(os.fsdecode(note.read_bytes())) for note in own if note.suffix == _NOTE)
    return tuple(sorted({*own, *(path for path in elsewhere if is_page(path))}))


def is_page(path: Path) -> bool:
    """Whether a file is one that memgit wrote as a page."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(BEGINNING)) == BEGINNING.encode()


def _refuse_place(path: Path, live: Path) -> None:
    folder = Path(os.path.realpath(path.parent))
    if not folder.is_dir():
        raise UsageError(f"There is no folder {path.parent}.", "Make it first, or name another file.")
    if folder.is_relative_to(live) or (folder / INDEX).is_file():
        raise UsageError(
            f"{path} would lie in a store of memories and be read as one of its files.", "Name a file outside of it."
        )
