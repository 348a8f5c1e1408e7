"""Ways of speaking that are known by their words, each with the reason it gives to whoever looks for it."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sign:
    """A way of speaking, and how a report names it."""

    reason: str
    pattern: re.Pattern[str]


def sign(reason: str, *alternatives: str) -> Sign:
    """What any of the patterns matches, in whatever case."""
    return Sign(reason, re.compile("|".join(f"(?:{each})" for each in alternatives), re.IGNORECASE))
