"""What a candidate changes, in the user's own difftool: copies of both states, which only he can read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from memgit import files
from memgit.flows.desk import Desk
from memgit.flows.look import both_states
from memgit.model.history import PassHeader
from memgit.model.store import StoreContent

if TYPE_CHECKING:
    pass


FOLDER_TOOLS = frozenset({"meld", "kdiff3", "bcompare", "opendiff", "diff", "git", "dirdiff", "kompare", "smerge"})
"""Programs that compare two folders; any other gets two files at a time."""

Start = Callable[[Sequence[str]], int]
"""Runs a program on the user's terminal and returns its exit code."""


@dataclass(frozen=True)
class Compared:
    """How many files were shown, and the tool's last exit code (many tools end with 1 where texts differ)."""

    header: PassHeader
    shown: int
    code: int


def side_by_side(desk: Desk, pass_id: str | None, tool: Sequence[str], start: Start) -> Compared:
    """Show a candidate beside its snapshot. Raises WrongState where there is none, and ToolFailed."""
    header, before, after = both_states(desk, pass_id)
    old, new = ({path: file.data for path, file in content.files.items()} for content in (before, after))
    differing = [path for path in sorted({*old, *new}) if old.get(path) != new.get(path)]
    code = 0
    if differing:
        with _laid_out(before, after) as folders:
            for pair in _pairs(tool, differing, *folders):
                code = start([*tool, *map(str, pair)])
    return Compared(header, len(differing), code)


@contextmanager
def _laid_out(before: StoreContent, after: StoreContent) -> Iterator[tuple[Path, Path]]:
    """Both states as folders of one that is private, and gone afterwards."""
    folder = Path(mkdtemp(prefix="memgit-diff-"))  # made with mode 0700
    try:
        old, new = folder / "before", folder / "after"
        for place, content in ((old, before), (new, after)):
            files.build_tree(place, content)
        yield old, new
    finally:
        files.remove_tree(folder)


def _pairs(tool: Sequence[str], differing: Sequence[str], old: Path, new: Path) -> Iterator[tuple[Path, Path]]:
    """What the tool is called with: both folders, or each pair of files. A file that is not there is an empty one."""
    if Path(tool[0]).name in FOLDER_TOOLS:
        yield old, new
        return
    for path in differing:
        for place in (old / path, new / path):
            if not place.exists():
                place.parent.mkdir(parents=True, exist_ok=True)
                files.write_atomic(place, b"")
        yield old / path, new / path
