"""Who calls memgit: a person at a terminal, or somebody who may not have it start programs or change the client.

An agent's client lets its model run some of memgit's commands without a question. A program that such a command names
would be one that the model runs unasked, so programs of the caller's choice (difftool, pager, editor, browser) are
started for a person at a terminal only.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from memgit.agent.clients import marks
from memgit.errors import UsageError


def client_mark(env: Mapping[str, str]) -> str:
    """The variable by which an agent's client shows that it called; empty outside of any."""
    return next((name for name in marks() if env.get(name)), "")


def at_terminal() -> bool:
    """Whether somebody can type here, and sees what is shown."""
    return _watched(sys.stdin) and (_watched(sys.stdout) or _watched(sys.stderr))


def _watched(stream: object) -> bool:
    isatty = getattr(stream, "isatty", None)
    return isatty is not None and bool(isatty())


def is_person(env: Mapping[str, str]) -> bool:
    """Whether a person called, and not an agent's client or a script."""
    return not client_mark(env) and at_terminal()


def refuse_programs(named: str, env: Mapping[str, str] | None = None) -> None:
    """Raise UsageError unless a person called. ``named`` is what would be started, as it begins a sentence."""
    mark = client_mark(os.environ if env is None else env)
    if mark or not at_terminal():
        why = f"an agent's client called memgit ({mark} is set)" if mark else "memgit was not called at a terminal"
        raise UsageError(
            f"{named} was not started, because {why}.", "Run the command yourself, at a terminal of yours."
        )


def refuse_writing(named: str, env: Mapping[str, str]) -> None:
    """Raise UsageError where an agent's client called: its settings, and files of any name, are not its model's to
    write by way of memgit. ``named`` is what would be written, as it begins a sentence."""
    if mark := client_mark(env):
        raise UsageError(
            f"{named} was not written, because an agent's client called memgit ({mark} is set).",
            "Run the command yourself, at a terminal of yours.",
        )
