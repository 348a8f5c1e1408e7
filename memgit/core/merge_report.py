"""The report of a candidate that merges a pass with what the live store has become."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memgit.core.changes import Changes
from memgit.core.merge3 import Conflict
from memgit.core.screening import mask, printable, printable_name


def merge_report(merged: str, live: Changes, conflicts: Sequence[Conflict], report: str) -> str:
    """Markdown: what the live store changed, each conflict with both texts, and the report of pass ``merged``."""
    return "\n".join(_parts(merged, live, conflicts, report)).rstrip() + "\n"


def _parts(merged: str, live: Changes, conflicts: Sequence[Conflict], report: str) -> Iterator[str]:
    yield f"# Pass {merged} merged with the store as it is now\n"
    yield f"Since pass {merged} read the store it has changed: {live.sentence(names=50)}. Those changes are kept.\n"
    if conflicts:
        yield "## Conflicts\n"
        yield "The pass and the store changed each of these differently. The candidate holds the store's text.\n"
    for conflict in conflicts:
        yield f"### `{printable_name(conflict.path)}`\n"
        yield f"In the store:\n\n{_block(conflict.ours)}\n"
        yield f"As pass {merged} would have it:\n\n{_block(conflict.theirs)}\n"
    yield f"## The report of pass {merged}\n"
    yield report


def _block(data: bytes | None) -> str:
    """A text as an indented block, which no fence inside it can end."""
    if data is None:
        return "    (removed)"
    text = mask(data.decode("utf-8", "replace")).text
    return "\n".join(f"    {printable(line)}" for line in text.splitlines()) or "    (empty)"
