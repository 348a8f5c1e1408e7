"""What is left of a text when form is taken away: by it two texts are equal or not."""

from __future__ import annotations

import re


def letters(text: str) -> str:
    """A text without what does not tell two texts apart: case, white space, punctuation and mark-up."""
    return "".join(re.findall(r"\w+", text.replace("_", " ").lower()))
