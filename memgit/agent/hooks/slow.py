"""What a hook cannot do fast, done by another memgit with a time limit of its own."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

from memgit.agent.hooks.place import Place

# --- watchdog ---
# A time limit that ends the process: a hook that hangs would hold up the agent's user. It may leave last words.

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


_ANSWER = 4.0
_RECOVERY = 9.0
SNAPSHOT = 60
"""Seconds after which a snapshot in the background is given up."""
QUESTIONS = 120
"""Seconds after which looking for questions in the background is given up."""


def memgit(*arguments: str) -> list[str]:
    """This memgit with other arguments; a folder ``memgit`` in the project is not taken for it."""
    return [sys.executable, "-P", "-m", "memgit", *arguments]


def publish(place: Place) -> bool:
    """Let the vault publish its head again; false where it cannot."""
    return _run(("hook", "publish", "--store", place.store), _ANSWER)


def recover(place: Place) -> bool:
    """Finish or take back what was cut short; false where that failed."""
    return _run(("recover", "--store", place.store), _RECOVERY)


def _run(arguments: tuple[str, ...], seconds: float) -> bool:
    from memgit import process
    from memgit.errors import MemgitError

    extend(SLOW)
    try:
        return process.run(memgit(*arguments), timeout=seconds).ok
    except MemgitError:
        return False


def snapshot(place: Place, session: str) -> None:
    """Record the store in a process that outlives this one: the client ends its hooks soon after the session."""
    from memgit import process

    facts = {"CLAUDE_CODE_SESSION_ID": session} if session else {}
    process.start_detached(memgit("hook", "snapshot", "--store", place.store), env=facts)


def look_for_statements(place: Place, session: str, folder: str) -> None:
    """Have a session read for what may be worth a memory, in a process that outlives this one."""
    from memgit import process

    asked = memgit("hook", "statements", "--store", place.store, "--session", session)
    process.start_detached(asked, cwd=folder or None)


def look_for_questions(place: Place, folder: str) -> None:
    """Have the new sessions read for what may be worth a memory, in a process that outlives this one."""
    from memgit import process

    process.start_detached(memgit("hook", "questions", "--store", place.store), cwd=folder)
