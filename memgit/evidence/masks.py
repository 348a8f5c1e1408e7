"""What stands where a secret stood, and the few things that every search of a text shares. Apart from the searches,
because most who print need no more than this."""

from __future__ import annotations

import re

MASK = re.compile(r"\[masked: (?P<kind>[A-Za-z0-9 .-]+)\]")
"""The marker that stands where a secret stood."""

Span = tuple[int, int, str]
"""Where something stands in a text, and its kind."""


def lowered(text: str) -> str:
    """``text`` in lower case, with each character where it was."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
