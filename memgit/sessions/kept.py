"""Which transcripts the agent still has, and when each was last written: what its deletion goes by."""

from __future__ import annotations

import os
from collections.abc import Collection
from datetime import UTC, datetime


def last_written(projects_dir: str, sessions: Collection[str]) -> dict[str, datetime]:
    """The transcripts that are there of these sessions, whichever folder they are in."""
    wanted = {f"{session}.jsonl": session for session in sessions}
    found: dict[str, datetime] = {}
    for folder in _entries(projects_dir) if wanted else ():
        for entry in _entries(folder.path):
            if entry.name in wanted:
                found[wanted[entry.name]] = datetime.fromtimestamp(entry.stat().st_mtime, UTC)
    return found


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
