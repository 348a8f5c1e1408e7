"""What git's history says of a script that no build file defines any more."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from memgit.core.verification.named import word
from memgit.errors import ToolFailed
from memgit.model.verification import Change
from memgit.tree.history import Log
from memgit.tree.scripts import BUILD_FILES, reads_scripts, scripts_in

_MOST_COMMITS = 20
"""Commits that touched the script's name and are looked at for one script."""

TextIn = Callable[[str, str], str]
"""The text of a path in a commit; empty where there was none."""


def script_removal(script: str, log: Log, text_in: TextIn) -> Change | None:
    """The newest commit whose build file defines a script (``make lint``) no more, though its parent's did.

    ``moved_to`` is the new name where the commit did nothing to the script but rename it.
    """
    name = script.partition(" ")[2]
    for commit, date, subject, paths in _touching(name, log):
        for path in filter(reads_scripts, paths):
            before, after = text_in(f"{commit}^", path), text_in(commit, path)
            if script in scripts_in(path, before) and script not in scripts_in(path, after):
                return Change(
                    commit, date, subject, f"{'M' if after else 'D'} {path}", _new_name(path, name, before, after)
                )
    return None


def _touching(name: str, log: Log) -> Iterator[tuple[str, str, str, Sequence[str]]]:
    """The commits that changed how often a name stands in build files, newest first."""
    files = [f":(glob)**/{file}" for file in BUILD_FILES]
    options = (f"--max-count={_MOST_COMMITS}", "--no-renames", "--relative", "--name-only", "-z")
    try:
        out = log([*options, "--format=%x01%H%x00%cs%x00%s%x00", "-S", name, "--", *files])
    except ToolFailed:  # a history too long to be searched in time
        return
    for entry in os.fsdecode(out).split("\x01")[1:]:
        commit, date, subject, *paths = (field.strip("\n") for field in entry.split("\0"))
        printable = "".join(char if char.isprintable() else "�" for char in subject)
        yield commit, date, printable, [path for path in paths if path]


def _new_name(path: str, old: str, before: str, after: str) -> str | None:
    new = sorted(set(_names(path, after)) - set(_names(path, before)))
    return next((name for name in new if word(old).sub(name.replace("\\", "\\\\"), before) == after), None)


def _names(path: str, text: str) -> list[str]:
    return [script.partition(" ")[2] for script in scripts_in(path, text)]
