"""Which process keeps a database from being written, as far as the system tells."""

from __future__ import annotations

import os
import struct
from contextlib import suppress
from pathlib import Path

_RESERVED, _WAL_WRITE = 0x40000001, 120
"""Where SQLite locks: in the database itself, and in the file of a log's index."""


def holder(path: str) -> str:
    """``node, process 4711``, or nothing. No connection of this process may be open: closing a file ends its locks."""
    for name, at in ((path, _RESERVED), (f"{path}-shm", _WAL_WRITE)):
        with suppress(OSError, ImportError, struct.error):
            if pid := _locked_by(name, at):
                return _named(pid)
    return ""


def _locked_by(path: str, at: int) -> int:
    import fcntl

    layout = "hhqqi4x"  # of Linux on 64 bits; any other system gives an error or no process
    asked = struct.pack(layout, fcntl.F_WRLCK, os.SEEK_SET, at, 1, 0)
    descriptor = os.open(path, os.O_RDWR)
    try:
        kind, *_, pid = struct.unpack(layout, fcntl.fcntl(descriptor, fcntl.F_GETLK, asked))
    finally:
        os.close(descriptor)
    return int(pid) if kind != fcntl.F_UNLCK and pid > 0 else 0


def _named(pid: int) -> str:
    with suppress(OSError):
        return f"{Path(f'/proc/{pid}/comm').read_text().strip()}, process {pid}"
    return f"process {pid}"
