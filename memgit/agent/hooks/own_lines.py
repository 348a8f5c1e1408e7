"""Whether the client's settings run memgit's hooks already, with a program that is there."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping

from memgit.agent.installing.settings_edit import commands, is_own


def runs(settings: Mapping[str, object], verb: str) -> bool:
    """Whether settings run one of memgit's hooks with a program that is there."""
    return any(is_own(line) and f" hook {verb} " in line and _is_there(line) for line in commands(settings))


def _is_there(line: str) -> bool:
    """Whether the first absolute path of a line can be run."""
    try:
        words = shlex.split(line)
    except ValueError:
        return False
    program = next((word for word in words if os.path.isabs(word) or word[1:3] == ":/"), "")
    return os.access(program, os.X_OK)
