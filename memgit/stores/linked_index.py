"""An index that is a symbolic link: agents read through it, and so does memgit. Nothing is ever written there.

Imports nothing that is slow to start: the check at a session's start looks here too.
"""

from __future__ import annotations

import os
import stat

NAME = "MEMORY.md"
"""As `model.store` has it, which is slow to start."""

MOST = 4 << 20
"""Bytes of an index behind a link that are read; agents load the first few tens of thousands of it."""

_ATTEMPTS = 3
_FLAGS = os.O_RDONLY
for _flag in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"):
    _FLAGS |= getattr(os, _flag, 0)
_QUIETLY = getattr(os, "O_NOATIME", 0)


def text_behind(link: str) -> tuple[bytes, os.stat_result] | None:
    """The bytes and the status of the file that a link leads to, in one step or more.

    None for what no index is: nothing there, a folder, a pipe, a device, a file that cannot be read or is too large,
    one that never stands still.
    """
    for _ in range(_ATTEMPTS):
        try:
            if not _is_readable(os.stat(link)):  # before it is opened: opening alone may do something to a device
                return None
            data, status, after = _read(link)
        except OSError:
            return None
        if not _is_readable(status):
            return None
        if len(data) == status.st_size and _moment(status) == _moment(after):
            return data, status
    return None


def _is_readable(status: os.stat_result) -> bool:
    return stat.S_ISREG(status.st_mode) and status.st_size <= MOST


def _read(link: str) -> tuple[bytes, os.stat_result, os.stat_result]:
    try:
        descriptor = os.open(link, _FLAGS | _QUIETLY)
    except PermissionError:  # only the owner of a file may read it without touching its access time
        descriptor = os.open(link, _FLAGS)
    try:
        status = os.fstat(descriptor)
        data = os.read(descriptor, min(status.st_size, MOST) + 1)
        return data, status, os.fstat(descriptor)
    finally:
        os.close(descriptor)


def _moment(status: os.stat_result) -> tuple[int, int]:
    return status.st_size, status.st_mtime_ns
