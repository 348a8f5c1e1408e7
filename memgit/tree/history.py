"""What git's history says of paths that are gone: the commit that deleted one, or where a rename took it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

Log = Callable[[Sequence[str]], bytes]
"""Runs ``git log`` with the given arguments and returns its output; empty when there is no history."""

_OPTIONS = ("--relative", "-z", "--name-status", "--no-ext-diff", "--format=%H%x00%h%x00%cs%x00%s")
_AT_ONCE = 200  # paths in one argument list
_MOST_RENAMES = 10  # followed one after the other
_SPECIAL = re.compile(r"([\\*?\[])")
_OBJECT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Gone:
    """A path that a commit took away: its whole path then, the commit, and the path it was renamed to, if any."""

    path: str
    commit: str
    short: str
    date: str
    subject: str
    renamed_to: str | None = None


def gone(paths: Sequence[str], present: Collection[str], log: Log) -> dict[str, Gone]:
    """The last removal of each path (or of the one whole path that ends in it) that history knows.

    A rename is followed to the name the file has now; if it was deleted later, that deletion is the answer.
    """
    found: dict[str, Gone] = {}
    asked = {path: path for path in paths}
    for _ in range(_MOST_RENAMES):
        removed = _renames(_removals(tuple(dict.fromkeys(asked.values())), log), log)
        found |= {path: removed[name] for path, name in asked.items() if name in removed}
        asked = {
            path: new for path in asked if path in found and (new := found[path].renamed_to) and new not in present
        }
        if not asked:
            break
    return found


def _removals(paths: Sequence[str], log: Log) -> dict[str, Gone]:
    """By the path that was asked for. Renames look like deletions here; the newest removal counts."""
    found: dict[str, Gone] = {}
    for start in range(0, len(paths), _AT_ONCE):
        part = paths[start : start + _AT_ONCE]
        patterns = [f":(glob)**/{_literal(path)}" for path in part]
        for removal in _changes(log(["--no-renames", "--diff-filter=D", *_OPTIONS, "--", *patterns])):
            for path in part:
                if f"/{path}/" in f"/{removal.path}/":
                    found.setdefault(path, removal)
    return found


def _renames(removed: Mapping[str, Gone], log: Log) -> dict[str, Gone]:
    """The same removals; those that were renames say where to."""
    if not removed:
        return {}
    commits = dict.fromkeys(removal.commit for removal in removed.values())
    changes = _changes(log(["--no-walk=unsorted", "-M", "--diff-filter=R", *_OPTIONS, *commits, "--"]))
    targets = {(change.commit, change.path): change.renamed_to for change in changes}
    return {path: replace(gone, renamed_to=targets.get((gone.commit, gone.path))) for path, gone in removed.items()}


def _changes(output: bytes) -> Iterator[Gone]:
    """The removals in what ``git log -z --name-status`` printed: a commit's four fields, then its changes."""
    fields = iter(os.fsdecode(output).split("\0"))
    commit = ("", "", "", "")
    for field in fields:
        word = field.strip("\n")
        if _OBJECT.fullmatch(word):
            commit = (word, next(fields, ""), next(fields, ""), next(fields, ""))
        elif word.startswith("R"):
            yield Gone(next(fields, ""), *commit, renamed_to=next(fields, ""))
        elif word:
            yield Gone(next(fields, ""), *commit)


def _literal(path: str) -> str:
    """The path as a pattern of git that matches nothing else."""
    return _SPECIAL.sub(r"\\\1", path)
