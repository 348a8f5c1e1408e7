"""How a finding names things: a few of them, safe to print."""

from __future__ import annotations

from collections.abc import Iterable

from memgit.core.screening.findings import masked_name

NAMED = 5
"""Names that one sentence lists before it counts the rest."""


def named(names: Iterable[str]) -> str:
    """The first names of a list, safe to print, and how many more there are."""
    every = list(names)
    more = f" and {len(every) - NAMED} more" if len(every) > NAMED else ""
    return ", ".join(map(masked_name, every[:NAMED])) + more
