"""How a finding names things: a few of them in its sentence, safe to print, and all of them beside it."""

from __future__ import annotations

from collections.abc import Iterable

from memgit.evidence.findings import masked_name
from memgit.model.finding import Area, Finding

NAMED = 5
"""Names that one sentence lists before it counts the rest."""


def named(names: Iterable[str]) -> str:
    """The first names of a list, safe to print, and how many more there are."""
    every = list(names)
    more = f" and {len(every) - NAMED} more" if len(every) > NAMED else ""
    return ", ".join(map(masked_name, every[:NAMED])) + more


def finding_of(area: Area, what: str, names: Iterable[str], remedy: str) -> Finding:
    """The finding that ``what`` is so of these names."""
    every = [*names]
    return Finding(area, f"{what}: {named(every)}.", remedy, names=tuple(map(masked_name, every)))
