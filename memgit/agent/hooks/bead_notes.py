"""How often a session has called ``bd remember``, counted in its transcript; lines that hold no call are skipped."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator

from memgit.agent.hooks.event import Event

ENOUGH = 3
"""Calls from which on a sweep at the close of the session is worth offering."""

_MOST = 64 * 1024 * 1024  # bytes of a transcript beyond which nothing is counted: a hook has little time
_CALL = re.compile(r"(?:^|[;&|\n(])\s*bd\s+remember\b")


def notes_made(event: Event) -> int:
    """The calls in the session's own transcript; 0 where the project has no beads or the transcript cannot be read."""
    if not os.path.isdir(os.path.join(event.text("cwd"), ".beads")):
        return 0
    try:
        with open(event.text("transcript_path"), "rb") as transcript:
            data = transcript.read(_MOST + 1)
    except (OSError, ValueError):
        return 0
    lines = data.split(b"\n") if len(data) <= _MOST else []
    return sum(_calls(line) for line in lines if b"remember" in line and b'"tool_use"' in line)


def offer(made: int) -> str:
    """What is said of it; nothing of a few."""
    if made < ENOUGH:
        return ""
    return (
        f" `bd remember` was called {made} times in this session: when its work is done, offer the user the skill"
        " `sweep-memory`, which brings the beads memories into order; never run it unasked."
    )


def _calls(line: bytes) -> int:
    try:
        record = json.loads(line)
        return sum(len(_CALL.findall(command)) for command in _commands(record["message"]["content"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return 0


def _commands(content: list[object]) -> Iterator[str]:
    for part in content:
        if isinstance(part, dict) and part.get("type") == "tool_use" and part.get("name") == "Bash":
            command = part["input"].get("command")
            yield command if isinstance(command, str) else ""
