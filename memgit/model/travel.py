"""What goes from one machine's vault to another place, and what comes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Sending:
    """One ref to push: its name on the remote, and the commit that it shall point to there."""

    name: str
    target: str


@dataclass(frozen=True, slots=True)
class Arrived:
    """One ref that a fetch brought or moved: its name below the remote's, and where it was (None: new) and is.

    ``rewritten`` means that it does not go on from where it was; the former commit is kept.
    """

    name: str
    before: str | None
    now: str
    rewritten: bool = False


class Held(StrEnum):
    """What a text of a history is."""

    FILE = "file"  # of a store or a candidate
    RECORD = "record"  # of the operation log
    MESSAGE = "message"  # of a commit; a candidate's is its report
    NAME = "name"  # of files


@dataclass(frozen=True, slots=True)
class Text:
    """One text. ``where`` is a file's path, or the beginning of a commit's hash."""

    held: Held
    where: str
    data: bytes


@dataclass(frozen=True)
class Remote:
    """One remote. ``agreed`` is the scope that the user has agreed to push (empty: none yet), ``pushed`` whether
    anything ever went there."""

    name: str
    url: str
    agreed: str = ""
    pushed: bool = False
