"""What goes from one machine's vault to another place, and what comes."""

from __future__ import annotations

from dataclasses import dataclass


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
