"""The one reader of files that anybody may have put where memgit looks: settings, heads, lists, an index behind a link.

Only an ordinary file is read, never waited for, and never more of it than was asked for. Hooks read through it too, so
nothing is imported but what a process has anyway.
"""

from __future__ import annotations

import os
import stat

MOST = 1 << 20
"""Bytes of a file of settings, far beyond what any tool writes there."""

_FLAGS = os.O_RDONLY
for _flag in ("O_NONBLOCK", "O_CLOEXEC", "O_BINARY", "O_NOCTTY"):
    _FLAGS |= getattr(os, _flag, 0)
_AS_IT_LIES = getattr(os, "O_NOFOLLOW", 0)
_QUIETLY = getattr(os, "O_NOATIME", 0)


class NotOrdinary(OSError):
    """A folder, a pipe, a device, a socket, or more bytes than such a file ever has."""


class Read:
    """A file's first bytes, and its status before and after they were read."""

    __slots__ = ("after", "data", "status")

    def __init__(self, data: bytes, status: os.stat_result, after: os.stat_result) -> None:
        self.data = data
        self.status = status
        self.after = after


def read_file(path: str | os.PathLike[str], most: int, *, through_links: bool = True) -> Read:
    """At most ``most`` bytes of an ordinary file. Its access time is left alone where that is permitted.

    Raises NotOrdinary for what is none, another OSError for what cannot be read, ValueError for what is no path.
    """
    _refuse_odd(os.stat(path) if through_links else os.lstat(path), path)  # opening alone may do something to a device
    flags = _FLAGS if through_links else _FLAGS | _AS_IT_LIES
    try:
        descriptor = os.open(path, flags | _QUIETLY)
    except PermissionError:  # only the owner of a file may read it without touching its access time
        descriptor = os.open(path, flags)
    with open(descriptor, "rb", buffering=0) as file:
        status = os.fstat(descriptor)
        _refuse_odd(status, path)
        parts: list[bytes] = []
        left = min(most, status.st_size + 1) if status.st_size else most  # the kernel's own files have no size
        while left > 0 and (part := file.read(left)):
            parts.append(part)
            left -= len(part)
        return Read(b"".join(parts), status, os.fstat(descriptor))


def read_small(path: str | os.PathLike[str], most: int = MOST) -> bytes:
    """The whole of a small file. Raises as ``read_file``, and NotOrdinary for a larger one."""
    data = read_file(path, most + 1).data
    if len(data) > most:
        raise NotOrdinary(0, f"it is larger than {most:,} bytes", str(path))
    return data


def beginning(path: str | os.PathLike[str], most: int = MOST) -> bytes:
    """The first bytes of a file; nothing where it cannot be read or is no ordinary file."""
    try:
        return read_file(path, most).data
    except (OSError, ValueError):
        return b""


def small_text(path: str | os.PathLike[str]) -> str:
    """A small file's text; empty where it cannot be read, is no ordinary file or is too large for settings."""
    try:
        return read_small(path).decode("utf-8-sig", "replace")
    except (OSError, ValueError):
        return ""


def _refuse_odd(status: os.stat_result, path: str | os.PathLike[str]) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise NotOrdinary(0, "it is no ordinary file", str(path))
