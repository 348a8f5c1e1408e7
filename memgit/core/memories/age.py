"""When a memory was written, as a day."""

from __future__ import annotations

from datetime import datetime

from memgit.model.store import Memory
from memgit.model.times import time_of_seconds


def written(memory: Memory) -> datetime | None:
    """When a memory was last written, by its own word, else by its file; None where neither tells."""
    return memory.modified or (time_of_seconds(memory.mtime_ns / 1e9) if memory.mtime_ns > 0 else None)


def written_on(memory: Memory) -> str:
    """The day, for people."""
    moment = written(memory)
    return f"{moment:%Y-%m-%d}" if moment else "day unknown"
