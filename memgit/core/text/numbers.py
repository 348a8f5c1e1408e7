"""Counts with their nouns: ``1 memory``, ``2 memories``."""

from __future__ import annotations

import re


def counted(count: int, noun: str, rest: str = "") -> str:
    """A count with its regular English noun in the right form, and what follows it."""
    told = f"{count:,} {noun if count == 1 else _plural(noun)}"
    return f"{told} {rest}" if rest else told


def _plural(noun: str) -> str:
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if re.search(r"(?:s|x|ch|sh)$", noun) else f"{noun}s"
