"""How a finding names things: a few of them, safe to print."""

from __future__ import annotations

from collections.abc import Iterable

from memgit.core.screening.findings import printable_name

NAMED = 5
"""Names that one sentence lists before it counts the rest."""


def named(names: Iterable[str]) -> str:
    """The first names of a list, safe to print, and how many more there are."""
    shown = [printable_name(name) for name in names]
    more = f" and {len(shown) - NAMED} more" if len(shown) > NAMED else ""
    return ", ".join(shown[:NAMED]) + more
