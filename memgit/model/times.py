"""Times that others wrote down. One at the edge of the calendar, as some languages write for none, is none: nothing
could be reckoned with it.
"""

from __future__ import annotations

import shlex
from datetime import UTC, datetime, timedelta

_FIRST, _LAST = 1970, 9000
_MOST_DAYS = 300_000


def time_of_text(text: str) -> datetime | None:
    """An ISO 8601 time; one without a zone is taken as UTC. None for what is none."""
    try:
        return _usable(datetime.fromisoformat(text))
    except ValueError:
        return None


def time_of_seconds(seconds: float) -> datetime | None:
    """A time in seconds since 1970, as file systems and records have it. None for what is none."""
    try:
        return _usable(datetime.fromtimestamp(seconds, UTC))
    except (ValueError, OverflowError, OSError):
        return None


def days_before(now: datetime, days: int) -> datetime:
    """A time so many days ago; of more days than history has, one before all that is on record."""
    return now - timedelta(days=min(days, _MOST_DAYS))


def _usable(time: datetime) -> datetime | None:
    if not _FIRST <= time.year <= _LAST:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


# --- shell ---
# Words of a shell, as they are printed for people to copy.


def shell_word(text: str) -> str:
    """A text as one word of a POSIX shell. What cannot be shown, bytes that are not UTF-8 too, is spelled in octal."""
    if text.isprintable():
        return shlex.quote(text)
    data = text.encode("utf-8", "surrogateescape")
    plain = (chr(byte) if 0x20 <= byte < 0x7F and byte not in b"\\%'" else f"\\{byte:03o}" for byte in data)
    return f"\"$(printf '{''.join(plain)}')\""
