"""What is left of a text when form is taken away: by it two texts are equal or not."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_LINE_MARKS = re.compile(r"^[ \t]*(?:[>#|+*-]+[ \t]+|>+|[=|*_~`#>:+ \t-]+$)", re.MULTILINE)
"""What Markdown puts at the beginning of a line, and lines of nothing else."""

_TELLING = re.compile(r"(?<!\w)[-+](?=\d)|\w+(?:(?<=\d)[.,:/-](?=\d)\w+)*[+#]*|!=|[<>=]=?|[$%]|[^\x00-\x7f\w\s]")
"""Words, whole numbers with what stands in them, comparisons, and signs beyond punctuation."""


@lru_cache(maxsize=65_536)
def letters(text: str) -> str:
    """A text without what does not tell two texts apart: case, white space, punctuation and mark-up. What stands in a
    number (``1.5``), compares (``<``) or is a picture does tell."""
    plain = _LINE_MARKS.sub("", text.replace("_", " ")).lower()
    return "".join(found for found in _TELLING.findall(plain) if not _is_punctuation(found))


def _is_punctuation(found: str) -> bool:
    return not found.isascii() and len(found) == 1 and unicodedata.category(found)[0] in "PCZ"
