"""What git's history says of paths that are not there: the commit that deleted one, where a rename took it, and which
other branch has it."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memgit.model.verification import Absence, Change, Missing

Log = Callable[[Sequence[str]], bytes]
"""Runs ``git log`` with the given arguments and returns its output; empty when there is no history."""

_OPTIONS = ("--relative", "-z", "--name-status", "--format=%H%x00%cs%x00%s%x00%S")
_MOST_RENAMES = 10  # followed one after the other
_NEARLY_ALL = 90
"""Of a hundred, how much of a file with another name is the same where it is the same file still."""

_OBJECT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class _Step:
    """What one commit did to one path: took it away, brought it, or gave it another (``new``, so much of it alike)."""

    path: str
    commit: str
    date: str
    subject: str
    ref: str
    new: str = ""
    alike: int = 0


def removed(paths: Collection[str], present: Collection[str], log: Log) -> dict[str, Change]:
    """The commit that took each path away, for good.

    A path may be the end of a whole one (``queue/`` of ``pipeline/queue/``), if it is that of one only, and may be a
    folder: it is gone with its last file, and moved where all that was left of it went together. A rename is followed
    to the name that the file or folder has now; if that was deleted later, that is the answer.
    """
    if not paths:
        return {}
    steps = tuple(_steps(log(["--no-renames", "--diff-filter=D", *_OPTIONS])))
    there = {*present, *(folder for path in present for folder in _folders(path))}
    found: dict[str, Change] = {}
    asked = {path: path for path in paths}
    for _ in range(_MOST_RENAMES):
        gone = _by_stretch(steps, asked.values())
        last = {path: (name, taken) for path, name in asked.items() if (taken := _taken(name, gone, there))}
        if not last:
            break
        found |= _with_targets(last, log)
        moved = {path: found[path].moved_to for path in last if found[path].whole}
        asked = {path: new for path, new in moved.items() if new and new not in there}
    return found


def elsewhere(paths: Collection[str], log: Log, heads: Sequence[str]) -> dict[str, Absence]:
    """Which of these paths another branch, a tag or a stash has, by a commit that is in none of HEAD's history.
    ``heads`` are commits that other worktrees stand on."""
    if not paths:
        return {}
    steps = _steps(log(["--no-renames", "--diff-filter=A", *_OPTIONS, "--all", *heads, "--not", "HEAD"]))
    brought = _by_stretch(steps, paths)
    return {
        path: Absence(Missing.ELSEWHERE, f"on {ref_name(found[0].ref)}, not here") for path, found in brought.items()
    }


def ref_name(ref: str) -> str:
    """A ref as people call it."""
    kinds = (
        ("refs/heads/", "branch "),
        ("refs/remotes/", "branch "),
        ("refs/tags/", "tag "),
        ("refs/stash", "a stash"),
    )
    for start, kind in kinds:
        if ref.startswith(start):
            return f"{kind}{ref.removeprefix(start)}".strip()
    return "another worktree"


def _by_stretch(steps: Iterable[_Step], paths: Iterable[str]) -> dict[str, list[_Step]]:
    """By the path that is asked for: all that was taken or brought of it, the newest first."""
    asked = frozenset(paths)
    lengths = {path.count("/") + 1 for path in asked}
    found: defaultdict[str, list[_Step]] = defaultdict(list)
    for step in steps:
        for path in asked.intersection(_stretches(step.path, lengths)):
            found[path].append(step)
    return dict(found)


def _stretches(path: str, lengths: Collection[int]) -> Iterator[str]:
    """All that a path holds of as many parts as ``lengths`` says: itself, its ends, its folders and their ends."""
    parts = path.split("/")
    return ("/".join(parts[at : at + length]) for length in lengths for at in range(len(parts) - length + 1))


def _folders(path: str) -> Iterator[str]:
    parts = path.split("/")
    return ("/".join(parts[:end]) for end in range(1, len(parts)))


def _taken(name: str, gone: Mapping[str, Sequence[_Step]], there: Collection[str]) -> list[_Step]:
    """What the last commit took of the one whole path that a name means; nothing where it may mean several, or where
    something of it is there."""
    wholes = {_whole(name, step.path): None for step in gone.get(name, ())}
    meant = name if name in wholes else next(iter(wholes), "")
    if not meant or (meant != name and len(wholes) > 1) or meant in there:
        return []
    of_it = [step for step in gone[name] if _whole(name, step.path) == meant]
    return [step for step in of_it if step.commit == of_it[0].commit]


def _whole(name: str, path: str) -> str:
    """The file or folder of a whole path that a name is the end of."""
    if f"/{path}".endswith(f"/{name}"):
        return path
    return f"{f'/{path}'.rpartition(f'/{name}/')[0]}/{name}".removeprefix("/")


def _with_targets(taken: Mapping[str, tuple[str, Sequence[_Step]]], log: Log) -> dict[str, Change]:
    """The same as changes; those that were moves say where to."""
    commits = dict.fromkeys(steps[0].commit for _, steps in taken.values())
    moves = _steps(log(["--no-walk=unsorted", "-M", "--diff-filter=R", *_OPTIONS, *commits, "--"]))
    targets = {(move.commit, move.path): move for move in moves}
    return {
        path: _change(name, [targets.get((step.commit, step.path), step) for step in steps])
        for path, (name, steps) in taken.items()
    }


def _change(name: str, steps: Sequence[_Step]) -> Change:
    first = steps[0]
    whole = _whole(name, first.path)
    detail = f"R {first.path} {first.new}" if first.new else f"D {first.path}"
    if whole == first.path:
        same = first.new.rpartition("/")[2] == whole.rpartition("/")[2] or first.alike >= _NEARLY_ALL
        return Change(first.commit, first.date, first.subject, detail, first.new or None, whole=same)
    folders = {_new_folder(whole, step) for step in steps}
    return Change(first.commit, first.date, first.subject, detail, folders.pop() if len(folders) == 1 else None)


def _new_folder(folder: str, step: _Step) -> str | None:
    """The folder in which a file of ``folder`` has its old place now."""
    rest = step.path.removeprefix(folder)
    return step.new.removesuffix(rest) if step.new.endswith(rest) else None


def _steps(output: bytes) -> Iterator[_Step]:
    """What ``git log -z --name-status`` printed: a commit's four fields, then its changes."""
    fields = iter(os.fsdecode(output).split("\0"))
    commit = ("", "", "", "")
    for field in fields:
        word = field.strip("\n")
        if _OBJECT.fullmatch(word):
            commit = (word, next(fields, ""), printable(next(fields, "")), next(fields, ""))
        elif word.startswith("R"):
            old, new = next(fields, ""), next(fields, "")
            yield _Step(old, *commit, new=new, alike=int(word[1:] or 0))
        elif word:
            yield _Step(next(fields, ""), *commit)


def printable(text: str) -> str:
    """A subject without what a terminal would act on."""
    return "".join(char if char.isprintable() else "�" for char in text)


def told(change: Change) -> Absence:
    """Why a path that a commit took is not there."""
    if change.moved_to and change.whole:
        return Absence(Missing.RENAMED, f"renamed to {change.moved_to} in {change}", change)
    like = f"; {change.moved_to} came then and is like it" if change.moved_to else ""
    return Absence(Missing.DELETED, f"deleted in {change}{like}", replace(change, moved_to=None))
