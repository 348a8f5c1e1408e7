"""What a person runs to adopt a candidate, or to put it away."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from memgit import files
from memgit.core.passes.message import shell_lines
from memgit.model.store import INDEX

if TYPE_CHECKING:
    from memgit.model.history import Paths
    from memgit.model.store import Resolution


def commands(
    pass_id: str, store: Resolution, paths: Paths, *, safe: bool = True
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What to run to adopt and to discard: memgit's own command first, then the same for a plain shell.

    A pass that is not ``safe`` has nothing to adopt; a store that is no folder is adopted into by memgit alone.
    """
    adopt_, discard_ = (store.said(f"memgit {verb} {pass_id}") for verb in ("adopt", "discard"))
    if not store.is_folder:
        return (adopt_,) if safe else (), (discard_,)
    live = Path(os.path.realpath(store.path))
    aside = Path(paths.candidate).with_name(f"{live.name}-superseded")
    superseded = str(files.free_name(aside)) if live.is_dir() else None
    lines = shell_lines(str(live), paths, superseded, tuple(_dot_folders(live)))
    by_hand = () if (live / INDEX).is_symlink() else lines.adopt  # moving folders would put a file in its place
    return (adopt_, *by_hand) if safe else (), (discard_, *lines.discard)


def _dot_folders(live: Path) -> Iterator[str]:
    """The folders that other tools keep in a store; a hand-made swap has to take them along."""
    if live.is_dir():
        yield from sorted(each.name for each in live.iterdir() if each.name.startswith(".") and each.is_dir())
