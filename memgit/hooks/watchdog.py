"""A time limit that ends the process: a hook that hangs would hold up the agent's user."""

from __future__ import annotations

import os
import signal
from types import FrameType

QUICK = 5.0
"""Seconds that a hook may take by itself."""
SLOW = 12.0
"""Seconds when it has to ask a child; the client is told to wait for 15."""


def limit(seconds: float) -> None:
    """End this process silently and without an error after so many seconds."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _end)
        signal.setitimer(signal.ITIMER_REAL, seconds)
    else:
        _limit_by_thread(seconds)


def extend(seconds: float) -> None:
    """Start the running limit anew with so many seconds; a process without one gets none."""
    if hasattr(signal, "setitimer") and signal.getitimer(signal.ITIMER_REAL)[0] > 0:
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the signature of a signal handler
    os._exit(0)


def _limit_by_thread(seconds: float) -> None:
    from threading import Timer

    timer = Timer(seconds, os._exit, (0,))
    timer.daemon = True
    timer.start()


def kill_after(seconds: int) -> None:
    """End this process by a signal that no library can hold up (`libgit2` can, a Python handler)."""
    if hasattr(signal, "alarm"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(seconds)
    else:
        _limit_by_thread(seconds)
