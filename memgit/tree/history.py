"""What git's history says of paths that are gone: the commit that deleted one, or where a rename took it."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

Log = Callable[[Sequence[str]], bytes]
"""Runs ``git log`` with the given arguments and returns its output; empty when there is no history."""

_OPTIONS = ("--relative", "-z", "--name-status", "--format=%H%x00%h%x00%cs%x00%s")
_BY_PATTERN = 200
"""Paths that git itself is asked for. It holds each path of each commit against every pattern, so for more than these
all removals are read, once, and the paths are looked up in them."""

_MOST_RENAMES = 10  # followed one after the other
_SPECIAL = re.compile(r"([\\*?\[])")
_OBJECT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Gone:
    """A file that a commit took away: its whole path then, the commit, and the path it was renamed to, if any.

    Where a folder was asked for, this is one of its files, and ``folder_to`` is where all of them went together.
    """

    path: str
    commit: str
    short: str
    date: str
    subject: str
    renamed_to: str | None = None
    folder_to: str | None = None
    is_folder: bool = False

    @property
    def went_to(self) -> str | None:
        """Where what was asked for is now."""
        return self.folder_to if self.is_folder else self.renamed_to


def gone(paths: Sequence[str], present: Collection[str], log: Log) -> dict[str, Gone]:
    """The last removal of each path (or of the one whole path that ends in it) that history knows.

    A path may be a folder: it is gone with its last file. A rename is followed to the name that the file or folder has
    now; if it was deleted later, that deletion is the answer.
    """
    found: dict[str, Gone] = {}
    there = {*present, *(folder for path in present for folder in _folders_of(path))}
    asked = {path: path for path in paths}
    for _ in range(_MOST_RENAMES):
        removed = _renames(_removals(tuple(dict.fromkeys(asked.values())), log), log)
        found |= {path: removed[name] for path, name in asked.items() if name in removed}
        asked = {path: new for path in asked if path in found and (new := found[path].went_to) and new not in there}
        if not asked:
            break
    return found


def _folders_of(path: str) -> Iterator[str]:
    parts = path.split("/")
    return ("/".join(parts[:end]) for end in range(1, len(parts)))


def _removals(paths: Sequence[str], log: Log) -> dict[str, list[Gone]]:
    """By the path that was asked for: what the newest commit that took something of it took away. Renames look like
    deletions here."""
    patterns = [f":(glob)**/{_literal(path)}{end}" for path in paths for end in ("", "/**")]
    asked, found = frozenset(paths), defaultdict[str, list[Gone]](list)
    lengths = {path.count("/") + 1 for path in paths}
    which = patterns if len(paths) <= _BY_PATTERN else []
    for removal in _changes(log(["--no-renames", "--diff-filter=D", *_OPTIONS, "--", *which])) if paths else ():
        for path in asked.intersection(_stretches(removal.path, lengths)):
            newest = found[path]
            newest += [removal] if not newest or newest[0].commit == removal.commit else []
    return found


def _stretches(path: str, lengths: Collection[int]) -> Iterator[str]:
    """All that a path holds of as many parts as ``lengths`` says: itself, its ends, its folders and their ends."""
    parts = path.split("/")
    return ("/".join(parts[at : at + length]) for length in lengths for at in range(len(parts) - length + 1))


def _renames(removed: Mapping[str, Sequence[Gone]], log: Log) -> dict[str, Gone]:
    """The same removals; those that were renames say where to."""
    if not removed:
        return {}
    commits = dict.fromkeys(group[0].commit for group in removed.values())
    changes = _changes(log(["--no-walk=unsorted", "-M", "--diff-filter=R", *_OPTIONS, *commits, "--"]))
    targets = {(change.commit, change.path): change.renamed_to for change in changes}
    return {path: _with_target(path, group, targets) for path, group in removed.items()}


def _with_target(path: str, group: Sequence[Gone], targets: Mapping[tuple[str, str], str | None]) -> Gone:
    moved = [replace(one, renamed_to=targets.get((one.commit, one.path))) for one in group]
    if f"/{moved[0].path}".endswith(f"/{path}"):
        return moved[0]
    folders = {_folder_to(path, one) for one in moved}
    return replace(moved[0], is_folder=True, folder_to=folders.pop() if len(folders) == 1 else None)


def _folder_to(folder: str, one: Gone) -> str | None:
    """The folder in which a file of ``folder`` has its old place now."""
    rest = f"/{one.path}".partition(f"/{folder}/")[2]
    new = one.renamed_to or ""
    return new[: -len(rest) - 1] if new.endswith(f"/{rest}") else None


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
