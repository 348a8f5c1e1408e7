"""The kinds of stores that are no folder of memories: the package of each has its line here, and no other name."""

from __future__ import annotations

from pathlib import Path

from memgit.memory.shapes import SHAPES
from memgit.model.store import Resolution
from memgit.stores.beads import Beads
from memgit.stores.kinds import Kind
from memgit.stores.sqlite import Summaries

KINDS: dict[str, Kind] = {}
"""By the name that begins their addresses."""


def register(kind: Kind) -> None:
    """Let a kind of store be known."""
    KINDS[kind.shape.name] = kind
    SHAPES[kind.shape.name] = kind.shape


for _kind in (Beads(), Summaries()):
    register(_kind)


def kind_of(path: Path) -> Kind | None:
    """The kind that a path looks like; None for a folder of memories, or anything else."""
    return next((kind for kind in KINDS.values() if kind.holds(path)), None)


def named(root: str, address: str, cwd: str, home: str) -> Resolution | None:
    """The store that ``KIND`` (of the project at ``root``) or ``KIND:PLACE`` names; None for any other address.

    Raises UsageError where there is none.
    """
    name, colon, where = address.partition(":")
    kind = KINDS.get(name)
    if kind is None or (not colon and Path(cwd, address).is_dir()):
        return None
    return kind.at(root, where, cwd, home)
