"""A time limit that ends the process: a hook that hangs would hold up the agent's user. It may leave last words."""

from __future__ import annotations

import os
import signal
from types import FrameType

QUICK = 4.0
"""Seconds that a hook may take by itself."""
SLOW = 12.0
"""Seconds when it has to ask a child; the client is told to wait for 15."""
_words = b""


def last_words(words: bytes) -> None:
    """What to print if the limit ends this process; nothing once an answer is on its way."""
    global _words  # noqa: PLW0603 - a signal handler is given nothing
    _words = words


def limit(seconds: float) -> None:
    """End this process without an error after so many seconds, with no more than its last words."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _end)
        signal.setitimer(signal.ITIMER_REAL, seconds)
    else:
        _limit_by_thread(seconds)


def extend(seconds: float) -> None:
    """Start the running limit anew with so many seconds; a process without one gets none."""
    if hasattr(signal, "setitimer") and signal.getitimer(signal.ITIMER_REAL)[0] > 0:
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _end(number: int = 0, frame: FrameType | None = None) -> None:  # noqa: ARG001 - the signature of a signal handler
    if _words:
        os.write(1, _words)
    os._exit(0)


def _limit_by_thread(seconds: float) -> None:
    from threading import Timer

    timer = Timer(seconds, _end)
    timer.daemon = True
    timer.start()


def kill_after(seconds: int) -> None:
    """End this process by a signal that no library can hold up (`libgit2` can, a Python handler)."""
    if hasattr(signal, "alarm"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(seconds)
    else:
        _limit_by_thread(seconds)
