"""What hooks remember between events: small JSON files in memgit's state folder, each readable by its owner only."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Mapping

from memgit.hooks.published import read_json

KEPT = 200
"""Sessions whose counters are kept; the oldest go."""
_AN_HOUR = 3600.0


def read(folder: str, name: str) -> dict[str, object]:
    """A remembered object, empty where there is none."""
    return read_json(os.path.join(folder, f"{name}.json"))


def write(folder: str, name: str, facts: Mapping[str, object]) -> None:
    """Remember an object; a reader sees the old one or the new one."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, f"{name}.json")
    aside = f"{path}.{os.getpid()}.new"
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "wb") as file:
        file.write(json.dumps(dict(facts)).encode("ascii"))
    os.replace(aside, path)


def session_name(session: str) -> str:
    """The file name for a session: nothing in its id can lead out of the folder."""
    return "session-" + (re.sub(r"[^A-Za-z0-9_-]", "_", session)[:80] or "unknown")


def prune(folder: str) -> None:
    """Remove the counters of all but the newest sessions, and what hooks that were killed long ago were writing."""
    with os.scandir(folder) as entries:
        found = [(entry.stat().st_mtime, entry.path) for entry in entries]
    sessions = sorted(pair for pair in found if os.path.basename(pair[1]).startswith("session-"))
    half = [path for written, path in found if path.endswith(".new") and written < time.time() - _AN_HOUR]
    for path in {*half, *(path for _, path in sessions[:-KEPT])}:
        os.unlink(path)
