"""The store that would result from a review as it stands, beside the one that was read."""

from __future__ import annotations

from dataclasses import dataclass

from memgit.memory.apply import Size
from memgit.memory.index_lines import LINE_LIMIT, UNIT_LIMIT


@dataclass(frozen=True, slots=True)
class Picture:
    """A store before and after, in the few figures that matter while ruling."""

    before: Size
    after: Size

    def __str__(self) -> str:
        counted, index = f"{self.before.memories} -> {self.after.memories} memories", self.after.index
        if not self.after.indexed:
            return counted
        return f"{counted}; index {index.lines} of {LINE_LIMIT} lines, {index.units:,} of {UNIT_LIMIT:,} units"
