"""Expressions of time that mean something else to whoever reads them later."""

from __future__ import annotations

import re

_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_UNIT = r"(?:day|week|month|quarter|year|sprint|release|hour|minute)"
_TAG = r"(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)"
_SOME = r"(?:\d+|an?|one|two|three|four|five|six|a\s+few|several)"
_SEASON = r"(?:weekend|spring|summer|autumn|fall|winter|night|morning|afternoon|evening)"
_RELATIVE = re.compile(
    rf"""\b(?:
      (?:today|yesterday|tomorrow)(?:'s)? | tonight
      | (?:this|last|next)\s+(?:{_UNIT}|{_DAY}|{_SEASON})
      | {_SOME}\s+{_UNIT}s?\s+(?:ago|from\s+now)
      | (?:on|by|until|till|since|before|after|from)\s+{_DAY}(?!\s+(?:and|to|or|through)\b)(?!s)
      | heute | gestern | vorgestern | übermorgen
      | (?:am|bis|seit|ab|nächsten|letzten|diesen|kommenden)\s+{_TAG}(?!s)
      | (?:diese|letzte|nächste|vorige|kommende)[rsn]?\s+(?:woche|monat|jahr|quartal)
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_RECURRING = re.compile(r"\b(?:every|each|any|always|jeden|jede|immer)\b[^.\n]{0,40}$", re.IGNORECASE)


def relative_dates(text: str) -> tuple[str, ...]:
    """Each such expression in a text, as written; recurring ones (``every week on Monday``) are none."""
    found = (match for match in _RELATIVE.finditer(text) if not _RECURRING.search(text, 0, match.start()))
    return tuple(dict.fromkeys(match[0] for match in found))
