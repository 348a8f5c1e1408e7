"""What became of an installation: the same words for every shape of store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memgit.model.store import StoreContent


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
