"""What goes from one machine's vault to another place, and what comes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from memgit.model.store import StoreContent


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


# --- installing ---
# What became of an installation: the same words for every shape of store.


@dataclass(frozen=True)
class Installed:
    """What an installation came to.

    ``way`` says how, and is empty where the live store was left as it was. ``superseded`` is where the old one
    lies now, if it lies anywhere, ``late`` its content if something wrote into it after it had been fingerprinted.
    ``kept`` are files of the live store that something wrote meanwhile and that were left as they are.
    ``notes`` are sentences for people.
    """

    way: str
    superseded: Path | None = None
    late: StoreContent | None = None
    kept: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recovered:
    """What became of an installation that was cut short: ``installed``, or taken back (None).

    ``intent`` is what its caller had given to the journal, ``new`` the fingerprint of the store that was to be.
    """

    intent: Mapping[str, Any]
    new: str
    installed: Installed | None
    notes: tuple[str, ...] = ()
