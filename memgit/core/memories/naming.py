"""Names as file names are written, and as people read them."""

from __future__ import annotations

import re
import unicodedata


def slug(text: str, separator: str = "-") -> str:
    """Lower-case letters and digits of any script, words joined by ``separator``; may be empty."""
    plain = unicodedata.normalize("NFC", text).lower()
    kept = "".join(char if _is_word(char) else " " for char in unicodedata.normalize("NFC", plain))
    return separator.join(kept.split())


def _is_word(char: str) -> bool:
    """Marks belong to words too: without them Thai and Devanagari names would fall apart."""
    return char.isalnum() or unicodedata.category(char).startswith("M")


def titled(name: str) -> str:
    """A slug as a title, each word capitalised; a text of several words is a title already."""
    if re.search(r"\s", name.strip()):
        return " ".join(name.split())
    return " ".join(word[:1].upper() + word[1:] for word in re.split(r"[-_]+", name.strip()) if word)
