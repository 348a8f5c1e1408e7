"""Builds transcripts: records as the client writes them, files of them, and what a reader is wired with."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memgit.sessions.claude import ClaudeTranscripts

START = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)


def at(minute: float) -> str:
    return (START + timedelta(minutes=minute)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def record(kind: str, minute: float = 0, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "timestamp": at(minute), "sessionId": "s1", "cwd": "/p/app", **fields}


def user(text: Any, minute: float = 0, **fields: Any) -> dict[str, Any]:
    return record("user", minute, message={"role": "user", "content": text}, **fields)


def assistant(
    text: str | list[Any], minute: float = 0, *, message_id: str | None = None, **fields: Any
) -> dict[str, Any]:
    content = [{"type": "text", "text": text}] if isinstance(text, str) else text
    return record("assistant", minute, message={"role": "assistant", "id": message_id, "content": content}, **fields)


def enqueue(text: Any, minute: float = 0) -> dict[str, Any]:
    return record("queue-operation", minute, operation="enqueue", content=text)


def queue(operation: str, minute: float = 0, **fields: Any) -> dict[str, Any]:
    return record("queue-operation", minute, operation=operation, **fields)


def queued_command(prompt: Any, minute: float = 0, **fields: Any) -> dict[str, Any]:
    return record("attachment", minute, attachment={"type": "queued_command", "prompt": prompt, **fields})


def worktree_state(original: str, worktree: str) -> dict[str, Any]:
    session = {"originalCwd": original, "worktreePath": worktree}
    return {"type": "worktree-state", "worktreeSession": session, "sessionId": "s1"}


def lines(records: Sequence[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(one, ensure_ascii=False).encode() + b"\n" for one in records)


def write(path: Path, *records: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lines(records))
    return path


def key(path: str) -> str:
    return re.sub("[^A-Za-z0-9]", "-", path)


@dataclass(frozen=True)
class Finished:
    code: int
    out: bytes
    err: bytes = b""


def run_git(args: Sequence[str], *, cwd: str | None = None, timeout: float = 30) -> Finished:
    try:
        done = subprocess.run(["git", *args], cwd=cwd, capture_output=True, timeout=timeout)
    except FileNotFoundError:
        return Finished(128, b"")
    return Finished(done.returncode, done.stdout, done.stderr)


class Silence:
    def step(self, what: str, done: int = 0, total: int | None = None) -> None:
        """Hear nothing."""


SILENCE = Silence()


def transcripts(projects: Path, cache: Path | None = None, **more: Any) -> ClaudeTranscripts:
    return ClaudeTranscripts(str(projects), key=key, git=run_git, cache_dir=str(cache) if cache else None, **more)
