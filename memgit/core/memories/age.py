"""When a memory was written, as a day."""

from __future__ import annotations

from datetime import UTC, datetime

from memgit.model.store import Memory


def written(memory: Memory) -> datetime | None:
    """When a memory was last written, by its own word, else by its file; None where neither tells."""
    if memory.modified:
        return memory.modified if memory.modified.tzinfo else memory.modified.replace(tzinfo=UTC)
    return datetime.fromtimestamp(memory.mtime_ns / 1e9, UTC) if memory.mtime_ns > 0 else None


def written_on(memory: Memory) -> str:
    """The day, for people."""
    moment = written(memory)
    return f"{moment:%Y-%m-%d}" if moment else "day unknown"
