"""What a check of a store and its vault finds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Area(StrEnum):
    """What a finding is about."""

    STORE = "store"  # the live store against what is recorded of it
    INDEX = "index"  # drift and limits
    TEXT = "text"  # secrets, and text that could steer an agent
    VAULT = "vault"  # the side repository itself
    PLACE = "place"  # which store is used, further ones, and how long transcripts stay


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to know, in a sentence, and the command or act that mends it. Damage is worse than a finding.
    ``names`` are all things that it is about, where the sentence names only the first of them."""

    area: Area
    what: str
    remedy: str = ""
    damage: bool = False
    names: tuple[str, ...] = ()
