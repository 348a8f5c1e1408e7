"""Which transcripts the agent still has of some sessions: when each was last written, what its deletion goes by, and
where its session ran."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime

from memgit.model.times import time_of_seconds
from memgit.reading import beginning

_HEAD = 1 << 18
_NO_TIME = datetime.fromtimestamp(0, UTC)
_CWD = re.compile(rb'"cwd"\s*:\s*("(?:[^"\\]|\\.)*")')


@dataclass(frozen=True, slots=True)
class Kept:
    """One transcript that is there."""

    path: str
    written: datetime

    @property
    def cwd(self) -> str:
        """The directory that it was recorded in; empty where it does not say."""
        found = _CWD.search(beginning(self.path, _HEAD))
        try:
            return str(json.loads(found[1])) if found else ""
        except ValueError:
            return ""


def kept(projects_dir: str, sessions: Collection[str]) -> dict[str, Kept]:
    """The transcripts that are there of these sessions, whichever folder they are in."""
    wanted = {f"{session}.jsonl": session for session in sessions}
    found: dict[str, Kept] = {}
    for folder in _entries(projects_dir) if wanted else ():
        for entry in _entries(folder.path):
            if entry.name in wanted:
                found[wanted[entry.name]] = Kept(entry.path, time_of_seconds(entry.stat().st_mtime) or _NO_TIME)
    return found


def oldest(folder: str) -> datetime | None:
    """When the oldest transcript of a folder was last written; None where it holds none."""
    ages = [age for entry in _entries(folder) if entry.name.endswith(".jsonl") and (age := _age(entry))]
    return datetime.fromtimestamp(min(ages), UTC) if ages else None


def newest_directories(folder: str, most: int = 3) -> list[str]:
    """The directories that the newest transcripts of a folder were recorded in, each once."""
    paths = sorted((entry for entry in _entries(folder) if entry.name.endswith(".jsonl")), key=_age, reverse=True)
    found = (Kept(entry.path, _NO_TIME).cwd for entry in paths[:most])
    return list(dict.fromkeys(cwd for cwd in found if cwd))


def _age(entry: os.DirEntry[str]) -> float:
    try:
        return entry.stat().st_mtime
    except OSError:
        return 0.0


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
