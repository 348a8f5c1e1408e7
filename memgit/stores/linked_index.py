"""An index that is a symbolic link: agents read through it, and so does memgit. Nothing is ever written there.

Imports nothing that is slow to start: the check at a session's start looks here too.
"""

from __future__ import annotations

import os

from memgit.reading import read_file

NAME = "MEMORY.md"
"""As `model.store` has it, which is slow to start."""

MOST = 4 << 20
"""Bytes of an index behind a link that are read; agents load the first few tens of thousands of it."""

_ATTEMPTS = 3


def text_behind(link: str) -> tuple[bytes, os.stat_result] | None:
    """The bytes and the status of the file that a link leads to, in one step or more.

    None for what no index is: nothing there, a folder, a pipe, a device, a file that cannot be read or is too large,
    one that never stands still.
    """
    for _ in range(_ATTEMPTS):
        try:
            found = read_file(link, MOST + 1)
        except OSError:
            return None
        if len(found.data) > MOST:
            return None
        if len(found.data) == found.status.st_size and _moment(found.status) == _moment(found.after):
            return found.data, found.status
    return None


def _moment(status: os.stat_result) -> tuple[int, int]:
    return status.st_size, status.st_mtime_ns
