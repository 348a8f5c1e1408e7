"""The writes that the agent's own tools made into a store, one JSON line each, until a snapshot folds them in.

A line explains a file only while the file holds the very bytes that the write left: a line that is read twice, or
stays behind after a crash, explains nothing that it should not.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress

from blake3 import blake3

SPOOL = "spool.jsonl"
FOLDING = "spool.folding.jsonl"
"""What a snapshot is folding in; one that was cut short leaves it, and the next takes it along."""
MOST = 4 * 1024 * 1024
"""Bytes of a spool that are read; it holds the writes since the last snapshot."""

Write = Mapping[str, str]
"""``session``, ``tool``, ``tool_use_id``, ``agent_id``, ``worktree``, ``path``, ``digest``, ``time``."""
WRITTEN = "written"
"""The folder of what each write left, by digest: another session may write over it before anybody records it."""
LARGEST = 256 * 1024
"""Bytes of a file that are kept there."""


def digest(data: bytes | None) -> str:
    """What a line remembers of a file's content; None: that there is no file."""
    return "gone" if data is None else blake3(data).hexdigest()


def append(private: str, write: Write) -> None:
    """Add one line, in one write and without a lock."""
    os.makedirs(private, mode=0o700, exist_ok=True)
    line = json.dumps(dict(write)).encode("ascii") + b"\n"
    descriptor = os.open(os.path.join(private, SPOOL), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, line)
    finally:
        os.close(descriptor)


def keep(private: str, data: bytes) -> None:
    """Keep what a write left until a snapshot has folded it in."""
    if len(data) > LARGEST:
        return
    folder = os.path.join(private, WRITTEN)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    descriptor = os.open(os.path.join(folder, digest(data)), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "wb", buffering=0) as file:
        file.write(data)


def take_over(early: str, private: str) -> None:
    """Bring what was noted before there was a vault into it."""
    for write in writes(early):
        append(private, write)
    with suppress(FileNotFoundError):
        os.unlink(os.path.join(early, SPOOL))


def kept(private: str, write: Write) -> bytes | None:
    """What a write left; None where that was not kept, or is not whole."""
    try:
        with open(os.path.join(private, WRITTEN, os.path.basename(write["digest"])), "rb") as file:
            data = file.read(LARGEST + 1)
    except OSError:
        return None
    return data if digest(data) == write["digest"] else None


def writes(private: str) -> list[Write]:
    """All lines that can be read, oldest first."""
    lines = (line for name in (FOLDING, SPOOL) for line in _tail(os.path.join(private, name)).split(b"\n"))
    return [write for line in lines if (write := _write(line))]


def explained(made: Iterable[Write], files: Mapping[str, bytes | None]) -> dict[str, Write]:
    """Which of the files are as a write left them (None: it left none), each with the last such write."""
    found = {(write["path"], write["digest"]): write for write in made}
    keys = {path: (path, digest(data)) for path, data in files.items()}
    return {path: found[key] for path, key in keys.items() if key in found}


def _tail(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - MOST))
            return file.read()
    except OSError:
        return b""


def _write(line: bytes) -> Write | None:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict):
        return None
    texts = {str(name): value for name, value in fields.items() if isinstance(value, str)}
    return texts if "path" in texts and "digest" in texts else None
