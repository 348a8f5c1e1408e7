"""Named points in code that changes state, at which the crash tests cut a process short.

In everyday use a point does nothing. ``MEMGIT_FAULT`` arms it for one process:

``kill:7``
    the process dies, as by ``kill -9``, when it reaches its seventh point;
``ENOSPC:7``, ``EIO:7``, ``EINTR:7`` (any name that ``errno`` has)
    that point raises that ``OSError`` instead; ``error:7`` is short for ``ENOSPC:7``;
``list:<file>``
    every point adds its name to the file, one a line.
"""

from __future__ import annotations

import errno
import os
import signal
from itertools import count

_ACTION, _, _ARGUMENT = os.environ.get("MEMGIT_FAULT", "").partition(":")
_reached = count(1)


def arm(fault: str) -> None:
    """Arm a fault in this process, in place of the one that the environment names; "" disarms."""
    global _ACTION, _ARGUMENT, _reached  # noqa: PLW0603 - a point must cost nothing when it is not armed
    _ACTION, _, _ARGUMENT = fault.partition(":")
    _reached = count(1)


def point(name: str) -> None:
    """Mark a place between two steps of a change; ``name`` says what has just been done."""
    if _ACTION:
        _strike(name)


def _strike(name: str) -> None:
    if _ACTION == "list":
        with open(_ARGUMENT, "a", encoding="utf-8") as listing:  # noqa: PTH123 - pathlib is not needed to start fast
            listing.write(f"{name}\n")
    elif next(_reached) == int(_ARGUMENT):
        if _ACTION == "kill":
            os.kill(os.getpid(), signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
        code = errno.ENOSPC if _ACTION == "error" else getattr(errno, _ACTION)
        raise OSError(code, f"{os.strerror(code)} (asked for at the point {name!r})")
