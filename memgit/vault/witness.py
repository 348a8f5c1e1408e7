"""What is remembered of a vault outside of it, so that a vault put back to an older state is noticed."""

from __future__ import annotations

from enum import StrEnum


class Standing(StrEnum):
    """How a vault's head stands to its witness."""

    OK = "ok"
    BEHIND = "behind"  # the vault lacks operations that the witness has seen: it was rolled back
    UNKNOWN = "unknown"  # there is no witness to ask
