"""Patterns of speech: looked for anywhere in a sentence, or where its clause opens, after the small words before it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from memgit.miners.offline.tongues import spoken

LEAD = "(?#lead)"
"""Begins a pattern that is looked for at the opening only."""

_LEAD_WORDS = spoken(
    "speech: lead words",
    r"(?:and|but|so|also|no|nope|nah|ok|okay|please|pls|ugh|argh|again|btw|oh|well|yes|yeah|right|hm+|hey|wait|"
    r"stop(?=\s*[,.:;!])|look|like i said|as i said|i said|i told you|told you|like last time|as always|in general|"
    r"generally|for the record)\b[\s,.:;!–—-]*",
)


@dataclass(frozen=True, slots=True)
class Speech:
    """What may be said anywhere, and what only at an opening; either may be missing."""

    anywhere: re.Pattern[str] | None
    opening: re.Pattern[str] | None

    def found(self, text: str) -> bool:
        if self.anywhere is not None and self.anywhere.search(text):
            return True
        opening = self.opening
        return opening is not None and any(opening.match(text, place) for place in _openings(text))


def speech(*alternatives: str) -> Speech:
    """The alternatives as patterns; those that begin with ``LEAD`` are for the opening."""
    leading = [part.removeprefix(LEAD) for part in alternatives if part.startswith(LEAD)]
    return Speech(_any_of([part for part in alternatives if not part.startswith(LEAD)]), _any_of(leading))


def _any_of(alternatives: list[str]) -> re.Pattern[str] | None:
    pattern = "|".join(f"(?:{part})" for part in alternatives)
    return re.compile(pattern, re.IGNORECASE) if alternatives else None


@lru_cache(maxsize=2_000)
def _openings(text: str) -> tuple[int, ...]:
    """Where a clause may begin: at its start, and after each of the small words that open it."""
    return (0, *_after_lead(text))


def _after_lead(text: str) -> Iterator[int]:
    place = 0
    while match := _LEAD_WORDS.match(text, place):
        place = match.end()
        yield place
