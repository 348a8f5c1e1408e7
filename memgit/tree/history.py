"""What git's history says of paths that are not there: the commit that deleted one, where a rename took it, and which
other branch has it.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher

from memgit.claims.definitions import declares
from memgit.claims.sources import defines
from memgit.model.verification import Absence, Change, Missing
from memgit.text.words import stands_alone
from memgit.tree.scripts import reads_scripts, scripts_in

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
    for each in fields:
        word = each.strip("\n")
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


# --- name history ---
# What git's history says of names in code and of scripts that nothing defines any more: one reading of the changes for
# all of them.

_LARGEST = 1_000_000
"""Characters of one commit's patch that are read."""
MOST = 400
"""Commits with one of the names that are looked at."""

_SPECIAL = re.compile(r"([\\.\[\]{}()*+?^$|])")
_CODE = ("--", ".", *(f":(exclude)*.{end}" for end in ("md", "mdx", "rst", "adoc", "txt", "lock", "svg")))
_FORMAT = "--format=%x01%H%x00%cs%x00%s%x00%S%x00"

TextIn = Callable[[str, str], str]
"""The text of a path in a commit; empty where there was none."""


@dataclass(slots=True)
class _Changes:
    """What one commit did to files that hold a name: the lines it took and brought, by path."""

    commit: str
    date: str
    subject: str
    ref: str
    patch: str
    taken: dict[str, list[str]] = field(default_factory=dict)
    brought: dict[str, list[str]] = field(default_factory=dict)

    def takes(self, name: str) -> str | None:
        """The file that lost a name that it declared, where the commit brings the name nowhere: that somebody uses it
        no longer says nothing of it."""
        if name not in self.patch or _file_with(name, self.brought):
            return None
        lost = (path for path, lines in self.taken.items() if defines(path) and any(declares(name, x) for x in lines))
        return next(lost, None)


def taken_out(
    names: Sequence[str], scripts: Sequence[str], log: Log, text_in: TextIn, which: Sequence[str]
) -> dict[str, Change]:
    """The newest commit that took each name out of the code and each script (``make lint``) out of its build file;
    ``moved_to`` is a script's new name where the commit did nothing to it but rename it."""
    found: dict[str, Change] = {}
    for change in _changes([*names, *map(_name, scripts)], log, which):
        for name in names:
            if name not in found and (path := change.takes(name)):
                found[name] = _as_change(change, path)
        for script in scripts:
            if script not in found and (lost := _lost(script, change, text_in)):
                found[script] = lost
    return found


def names_elsewhere(
    names: Sequence[str], scripts: Sequence[str], log: Log, text_in: TextIn, heads: Sequence[str]
) -> dict[str, Absence]:
    """Which of these names another branch, a tag or a stash has, as its own commits show."""
    found: dict[str, Absence] = {}
    for change in _changes([*names, *map(_name, scripts)], log, ("--all", *heads, "--not", "HEAD")):
        here = [name for name in names if name in change.patch and _file_with(name, change.brought)]
        here += [script for script in scripts if _defines(script, change, text_in)]
        known = Absence(Missing.ELSEWHERE, f"on {ref_name(change.ref)}, not here")
        found |= {name: known for name in here if name not in found}
    return found


def _changes(names: Iterable[str], log: Log, which: Sequence[str]) -> Iterator[_Changes]:
    wanted = sorted(set(names))
    if not wanted:
        return
    pattern = "|".join(_SPECIAL.sub(r"\\\1", name) for name in wanted)
    options = ("-p", "-U0", "--no-renames", "--no-color", "--relative", f"--max-count={MOST}", f"-G{pattern}", _FORMAT)
    out = log([*options, *which, *_CODE]).decode("utf-8", "replace")
    for entry in out.split("\x01")[1:]:
        commit, date, subject, ref, patch = [*entry.split("\0", 4), "", "", "", ""][:5]
        yield _read(_Changes(commit, date, printable(subject), ref, patch))


def _read(change: _Changes) -> _Changes:
    """The change with the lines of its patch, by the files that they were and are in."""
    old = new = ""
    inside = False
    for line in change.patch[:_LARGEST].split("\n"):
        if line.startswith("diff --git "):
            inside = False
        elif line.startswith("@@"):
            inside = True
        elif not inside and line.startswith("--- "):
            old = line[4:].removeprefix("a/")
        elif not inside and line.startswith("+++ "):
            new = line[4:].removeprefix("b/")
        elif inside and line.startswith("-"):
            change.taken.setdefault(old, []).append(line[1:])
        elif inside and line.startswith("+"):
            change.brought.setdefault(new, []).append(line[1:])
    return change


def _file_with(name: str, files: Mapping[str, Sequence[str]]) -> str | None:
    return next((path for path, lines in files.items() if any(_holds(line, name) for line in lines)), None)


def _holds(line: str, name: str) -> bool:
    at = line.find(name)
    while at >= 0:
        end = at + len(name)
        if stands_alone(name, line[max(0, at - 1) : at], line[end : end + 1]):
            return True
        at = line.find(name, at + 1)
    return False


def _as_change(change: _Changes, path: str, moved_to: str | None = None) -> Change:
    detail = f"M {path}" if path in change.brought else f"D {path}"
    return Change(change.commit, change.date, change.subject, detail, moved_to)


# --- scripts ---


def word(name: str) -> re.Pattern[str]:
    """The name of a script where it stands whole: ``lint`` is not in ``lint:fix``."""
    return re.compile(rf"(?<![\w-])(?<!\w:){re.escape(name)}(?![\w-]|:\w)")


def _name(script: str) -> str:
    return script.partition(" ")[2]


def _lost(script: str, change: _Changes, text_in: TextIn) -> Change | None:
    name = _name(script)
    for path in (path for path, lines in change.taken.items() if reads_scripts(path) and any(name in x for x in lines)):
        before, after = text_in(f"{change.commit}^", path), text_in(change.commit, path)
        if script in scripts_in(path, before) and script not in scripts_in(path, after):
            return _as_change(change, path, _new_name(path, name, before, after))
    return None


def _defines(script: str, change: _Changes, text_in: TextIn) -> bool:
    name = _name(script)
    files = (path for path, lines in change.brought.items() if reads_scripts(path) and any(name in x for x in lines))
    return any(script in scripts_in(path, text_in(change.commit, path)) for path in files)


def _new_name(path: str, old: str, before: str, after: str) -> str | None:
    new = sorted({*map(_name, scripts_in(path, after))} - {*map(_name, scripts_in(path, before))})
    return next((name for name in new if word(old).sub(name.replace("\\", "\\\\"), before) == after), None)


# --- line history ---
# Which line of a file's older text a line of its present text is.

_MOST_COMPARED = 2000
"""Lines of the part that differs; comparing more of them takes longer than what comes of it is worth."""


def number_before(number: int, now: Sequence[str], before: Sequence[str]) -> int | None:
    """The number that a line had in the older text, counted from 1; None for a line that is new, or not there."""
    if not 0 < number <= len(now):
        return None
    head = _alike(now, before)
    if number <= head:
        return number
    tail = _alike(now[head:][::-1], before[head:][::-1])
    from_end = len(now) - number
    if from_end < tail:
        return len(before) - from_end
    found = _between(number - head, now[head : len(now) - tail], before[head : len(before) - tail])
    return None if found is None else head + found


def text_lines(text: str) -> list[str]:
    """The lines of a text, whatever ends them."""
    return [line.removesuffix("\r") for line in text.split("\n")]


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """With how many equal lines two texts begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def _between(number: int, now: Sequence[str], before: Sequence[str]) -> int | None:
    """The same for texts that begin and end differently."""
    if max(len(now), len(before)) > _MOST_COMPARED:
        return None
    for old, new, length in SequenceMatcher(None, before, now, autojunk=False).get_matching_blocks():
        if new < number <= new + length:
            return old + number - new
    return None
