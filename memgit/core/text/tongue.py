"""Which language a text is in, by its commonest words; only so far as texts of two languages are not to be compared."""

from __future__ import annotations

import re
from functools import lru_cache

_COMMON = {
    "en": "the and is are to of in that it not with for be this was on as when which",
    "de": "der die das und ist nicht ein eine einen dem den des zu mit auf für sich wird werden sie wer auch im nur "
    "bei noch wie wenn dann aber oder hat haben hatte sind sein schon wir ich er es aus nach von vom zum zur über um "
    "durch als dass kann muss soll",
    "fr": "le la les des et est une que pour dans pas qui sur avec sont du aux ce",
    "es": "el los las una que para con por del se está son como pero en y",
    "it": "il gli che di per con una non sono del della è nel anche",
    "nl": "het een van dat niet voor met zijn op aan wordt ook deze",
}  # fmt: skip
_WORDS = {name: frozenset(words.split()) for name, words in _COMMON.items()}


@lru_cache(maxsize=4096)
def tongue(text: str) -> str:
    """The language as two letters, or an empty string where two or more common words do not tell it."""
    found = re.findall(r"[^\W\d_]+", text.lower())
    counts = {name: sum(word in common for word in found) for name, common in _WORDS.items()}
    best, second = sorted(counts, key=lambda name: -counts[name])[:2]
    return best if counts[best] >= 2 and counts[best] > counts[second] else ""
