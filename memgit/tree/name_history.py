"""What git's history says of names in code and of scripts that nothing defines any more: one reading of the changes for
all of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from memgit.claims.documents import defines
from memgit.claims.values import declares
from memgit.model.verification import Absence, Change, Missing
from memgit.text.words import stands_alone
from memgit.tree.history import Log, printable, ref_name
from memgit.tree.scripts import reads_scripts, scripts_in

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
                found[name] = _change(change, path)
        for script in scripts:
            if script not in found and (lost := _lost(script, change, text_in)):
                found[script] = lost
    return found


def elsewhere(
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


def _change(change: _Changes, path: str, moved_to: str | None = None) -> Change:
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
            return _change(change, path, _new_name(path, name, before, after))
    return None


def _defines(script: str, change: _Changes, text_in: TextIn) -> bool:
    name = _name(script)
    files = (path for path, lines in change.brought.items() if reads_scripts(path) and any(name in x for x in lines))
    return any(script in scripts_in(path, text_in(change.commit, path)) for path in files)


def _new_name(path: str, old: str, before: str, after: str) -> str | None:
    new = sorted({*map(_name, scripts_in(path, after))} - {*map(_name, scripts_in(path, before))})
    return next((name for name in new if word(old).sub(name.replace("\\", "\\\\"), before) == after), None)
