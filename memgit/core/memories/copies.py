"""Copies that programs which synchronise, and people who are careful, make beside a file; told by their names."""

from __future__ import annotations

import re
from collections.abc import Collection

_MADE_BY_HAND = r"copy|kopie|copie|copia|c[oó]pia|kopia|kopio|копия|コピー|复制|副本|複製"
_SUFFIX = re.compile(
    rf"(?:[ _-]*\(\d{{1,3}}\)| \d{{1,3}}"
    rf"|[-_. ]+(?:{_MADE_BY_HAND})(?:[-_ ]*\(?\d+\)?)?|[-_. ]*\((?:{_MADE_BY_HAND})[^()]*\)"
    r"|[.~_-]sync-conflict-[\w-]+|[-_ ]*\([^()]*conflict[^()]*\)|[-_. ]+conflict(?:ed)?(?:[-_. ][\w-]*)?"
    r"|[-_. ](?:bak|backup|orig|original|old)\d*|~)$",
    re.IGNORECASE,
)
_PREFIX = re.compile(rf"^(?:{_MADE_BY_HAND})(?: \(\d+\))? (?:of|von|de|di|van|от|) ?|^[~#]+", re.IGNORECASE)
_FOLDER = re.compile(r"(?:^|/)(?:archives?|backups?|old|attic|trash)/", re.IGNORECASE)


def is_copy(memory_id: str) -> bool:
    """Whether a file is named as somebody's copy of another, whether that is there or not."""
    stem = memory_id.rpartition("/")[2]
    return bool(_SUFFIX.search(stem) or _PREFIX.search(stem) or _FOLDER.search(memory_id))


def copied_from(memory_id: str, known: Collection[str]) -> str | None:
    """Of which of the ``known`` ids another one is a copy by its name; None where it is none of theirs."""
    folder, _, stem = memory_id.rpartition("/")
    stems = [stem]
    while (plain := _SUFFIX.sub("", _PREFIX.sub("", stems[-1])).rstrip(" -_.")) not in stems and plain:
        stems.append(plain)
    inside = (f"{folder}/{each}" if folder else each for each in stems[1:])
    above = (each for each in stems if _FOLDER.search(memory_id))
    return next((name for name in (*inside, *above) if name != memory_id and name in known), None)
