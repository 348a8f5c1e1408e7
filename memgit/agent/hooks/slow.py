"""What a hook cannot do fast, done by another memgit with a time limit of its own."""

from __future__ import annotations

import sys

from memgit.agent.hooks.place import Place
from memgit.agent.hooks.watchdog import SLOW, extend

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
