"""What a check of a store and its vault finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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


# --- in a vault ---


class Part(StrEnum):
    """Which part of a vault a problem is in."""

    LOG = "log"
    REF = "ref"
    OBJECT = "object"
    PACK = "pack"
    FILE = "file"
    WITNESS = "witness"
    FSCK = "fsck"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is not as it should be.

    ``what`` is a sentence naming the thing, ``restorable`` says what can still be brought back, ``repair`` is the
    command to run (empty where only another copy of the vault helps).
    """

    part: Part
    what: str
    restorable: str
    repair: str = ""


@dataclass(frozen=True, slots=True)
class Look:
    """One part of a check that can be made by itself. Where a ``vital`` one finds something, reading on could crash."""

    name: str
    problems: Callable[[], Iterable[Problem]]
    vital: bool = False
