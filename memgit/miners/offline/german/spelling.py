"""German patterns, written once and matched with umlauts as well as without."""

from __future__ import annotations

from memgit.miners.offline.speech import Speech, speech

_SPELLINGS = {"ä": "(?:ä|ae)", "ö": "(?:ö|oe)", "ü": "(?:ü|ue)", "ß": "(?:ß|ss)"}
"""No class of letters may hold one of these."""


def spellings(pattern: str) -> str:
    """The pattern with both ways of typing what an English keyboard has no key for."""
    for letter, both in _SPELLINGS.items():
        pattern = pattern.replace(letter, both)
    return pattern


def any_of(*alternatives: str) -> tuple[str, ...]:
    """The alternatives as one pattern of a table."""
    return (spellings("|".join(f"(?:{each})" for each in alternatives)),)


def german_speech(*alternatives: str) -> Speech:
    return speech(*map(spellings, alternatives))
