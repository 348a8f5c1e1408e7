"""Which agent sessions are running now, from the client's own registry.

The client keeps ``sessions/<pid>.json`` while a session runs and removes it at exit. A file that a
crash left behind is told by its process: gone, or started at another time than the file says.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any

from memgit.model.session import LiveSession
from memgit.reading import read_small


def live_sessions(config: Path, project: str | None, env: Mapping[str, str]) -> tuple[LiveSession, ...]:
    """The running sessions of a project (of any, without one), but for the session that called memgit.

    ``config`` is the client's configuration folder. The caller is known by the two variables that
    the client gives to the programs it runs. Entries that cannot be read count for nothing.
    """
    running = (session for session in _registered(config) if not _is_caller(session, env))
    return tuple(sorted((each for each in running if _works_in(each.cwd, project)), key=lambda each: each.pid))


def _registered(config: Path) -> Iterator[LiveSession]:
    for path in (config / "sessions").glob("*.json"):
        try:
            entry = json.loads(read_small(path))
            session = LiveSession(str(entry["sessionId"]), int(entry["pid"]), str(entry["cwd"]), _status(entry))
            started = entry.get("procStart")
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
        if _runs(session.pid, started):
            yield session


def _status(entry: Mapping[str, Any]) -> str:
    return str(entry.get("status", ""))


def _is_caller(session: LiveSession, env: Mapping[str, str]) -> bool:
    return session.session == env.get("CLAUDE_CODE_SESSION_ID") or str(session.pid) == env.get("CLAUDE_PID")


def _works_in(cwd: str, project: str | None) -> bool:
    return project is None or PurePath(os.path.realpath(cwd)).is_relative_to(os.path.realpath(project))


def _runs(pid: int, started: object) -> bool:
    """Whether the process lives and is the one that was registered. What cannot be asked counts as running."""
    if pid <= 0:
        return False
    if sys.platform == "win32":
        return True  # there, signal 0 would end the process
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    found = _start_ticks(pid)
    return started is None or found is None or not str(started).isdigit() or str(started) == found


def _start_ticks(pid: int) -> str | None:
    """When a process started, in clock ticks since boot; None where the system does not tell."""
    try:
        facts = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    # The command's name stands in parentheses and may hold spaces and parentheses itself.
    return facts[facts.rindex(b")") + 1 :].split()[19].decode("ascii", "replace")
