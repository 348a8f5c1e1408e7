"""What every kind of tree has in common: files under a root that can be searched, and a root that is never left."""

from __future__ import annotations

import os
import stat
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path

from ahocorasick_rs import BytesAhoCorasick

from memgit.claims.sources import is_document, is_prose, reads_as_memory
from memgit.model.store import INDEX
from memgit.model.verification import NOTHING_KNOWN, Absence, Change, Line
from memgit.reading import beginning
from memgit.text.words import stands_alone
from memgit.tree.known import Known, KnownTrees, Mark, mark, search
from memgit.tree.scripts import LARGEST, reads_scripts, scripts_in

# --- occurrences ---
# Every line of some files that holds one of many words, all looked for at once.

MOST = 40
"""Lines that are given of one word; a word on more of them names nothing in particular."""

_LONGEST = 4_000
"""Bytes of a line beyond which it is generated."""

_CHAR = 4  # bytes of the longest UTF-8 character


def occurrences(files: Iterable[tuple[str, bytes]], words: Iterable[str]) -> Mapping[str, tuple[Line, ...]]:
    """The lines of each word, in the order of the files; a word that stands nowhere is left out."""
    wanted = [word for word in dict.fromkeys(words) if word and "\0" not in word]
    if not wanted:
        return {}
    machine = BytesAhoCorasick([word.encode("utf-8", "surrogatepass") for word in wanted])
    found: defaultdict[str, dict[tuple[str, int], Line]] = defaultdict(dict)
    for path, data in files:
        if b"\0" in data[:_HEAD]:
            continue
        for number, at, end in machine.find_matches_as_indexes(data, overlapping=True):
            lines, word = found[wanted[number]], wanted[number]
            if len(lines) < MOST and _is_whole(word, data, at, end) and (line := _line(path, data, at)):
                lines.setdefault((path, line.number), line)
    return {word: tuple(lines.values()) for word, lines in found.items() if lines}


def _is_whole(word: str, data: bytes, start: int, end: int) -> bool:
    before = data[max(0, start - _CHAR) : start].decode("utf-8", "ignore")
    after = data[end : end + _CHAR].decode("utf-8", "ignore")
    return stands_alone(word, before[-1:], after[:1])


def _line(path: str, data: bytes, at: int) -> Line | None:
    """The line around a place; None for one so long that nobody wrote it."""
    start, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
    text = data[start : end if end >= 0 else len(data)]
    if len(text) > _LONGEST:
        return None
    return Line(path, data.count(b"\n", 0, start) + 1, text.decode("utf-8", "replace").rstrip("\r"))


_HEAD = 8_192
"""Bytes among which a memory says what it is."""


def _folder(path: str) -> str:
    """The folder of a path, with a slash at its end; empty for the root."""
    return path[: path.rfind("/") + 1]


class SearchedTree:
    """The files under a root, but for what is excluded.

    ``exclude`` are absolute paths (stores, candidates, reports, digests): a memory must not be verified by a
    copy of itself, so nothing at or under one of them is part of the tree. ``known`` remembers what searches found.
    """

    def __init__(self, root: str | Path, exclude: Collection[str | Path] = (), known: KnownTrees | None = None) -> None:
        self.root = str(root)
        self.skipped: tuple[str, ...] = ()
        """Files that the last search passed over because of their size."""
        self._real_root = os.path.realpath(root)
        self._known = known
        self._excluded = frozenset(os.path.realpath(path) for path in exclude)
        self._entered: dict[str, bool] = {"": True}

    def files(self) -> Sequence[str]:
        return self._files

    def find(self, spans: Iterable[str]) -> Mapping[str, str]:
        wanted = tuple(spans)
        before = self._known.load(self._real_root) if self._known else Known()
        result, after = search(self._real_root, self._searched, wanted, before)
        if self._known and after != before:
            self._known.keep(self._real_root, after, wanted)
        self.skipped = result.skipped
        return result.found

    def scripts(self) -> Mapping[str, str]:
        defined: dict[str, str] = {}
        for path in filter(reads_scripts, self._files):
            for script in scripts_in(path, self._beginning(path)):
                defined.setdefault(script, path)
        return defined

    def lines(self, path: str) -> int | None:
        try:
            with Path(self._at(path)).open("rb") as file:
                return sum(1 for _ in file)
        except (OSError, ValueError):
            return None

    def occurrences(self, words: Iterable[str]) -> Mapping[str, tuple[Line, ...]]:
        return occurrences(((path, self._bytes(path)) for path in self._searched), words)

    def documents(self) -> Iterator[tuple[str, str]]:
        return ((path, self._beginning(path)) for path in self._searched if is_document(path))

    def text_at(self, where: str) -> str | None:
        path, _, number = where.removeprefix("tree:").rpartition(":")
        if not number.isdecimal():
            path, number = where.removeprefix("tree:"), ""
        if path not in self._files:
            return None
        lines = self._beginning(path).split("\n")
        if not number:
            return "\n".join(lines)
        return lines[int(number) - 1] if 0 < int(number) <= len(lines) else None

    def _listed(self) -> Iterable[str]:
        """Relative paths that may be files of the tree, in the order in which they are searched."""
        raise NotImplementedError

    @cached_property
    def _files(self) -> tuple[str, ...]:
        return tuple(self._marks)

    @cached_property
    def _searched(self) -> Mapping[str, Mark]:
        """What names are looked for in, code before prose: a memory must not be verified by a copy of its store."""
        own = {path: mark for path, mark in self._marks.items() if path not in self._copies}
        return dict(sorted(own.items(), key=lambda each: is_prose(each[0])))

    @cached_property
    def _copies(self) -> frozenset[str]:
        """Memories that lie in the tree, and all texts of a folder that has an index of its own texts."""
        texts = [path for path in self._marks if path.endswith(".md")]
        memories = {path for path in texts if reads_as_memory(self._bytes(path, _HEAD).decode("utf-8", "replace"))}
        folders = {_folder(path) for path in texts if path.rpartition("/")[2] == INDEX and self._lists(path, texts)}
        return frozenset(memories | {path for path in texts if any(path.startswith(each) for each in folders if each)})

    def _lists(self, index: str, texts: Sequence[str]) -> bool:
        """Whether an index names another text of its folder."""
        folder, told = _folder(index), self._beginning(index)
        return any(path != index and path.removeprefix(folder) in told for path in texts if path.startswith(folder))

    @cached_property
    def _marks(self) -> Mapping[str, Mark]:
        """The files, with what shows that one changed."""
        now = time.time_ns()
        listed = ((path, self._status(path)) for path in dict.fromkeys(self._listed()))
        return {path: mark(status, now) for path, status in listed if status}

    def _status(self, path: str) -> os.stat_result | None:
        """The status of a listed path that is a file, in a folder of the tree, and not excluded; else None.

        A link counts when it leads to a file of the tree.
        """
        full = self._at(path)
        if full in self._excluded or not self._enters(path.rpartition("/")[0]):
            return None
        try:
            status = os.lstat(full)
        except (OSError, ValueError):
            return None
        is_file = stat.S_ISREG(status.st_mode) or (stat.S_ISLNK(status.st_mode) and self._leads_inside(full))
        return status if is_file else None

    def _enters(self, folder: str) -> bool:
        """Whether a folder belongs to the tree: it is no link, is not excluded, nor is any folder above it."""
        if folder not in self._entered:
            full = Path(self._at(folder))
            above = self._enters(folder.rpartition("/")[0])
            self._entered[folder] = above and str(full) not in self._excluded and not full.is_symlink()
        return self._entered[folder]

    def _leads_inside(self, link: str) -> bool:
        target = os.path.realpath(link)
        inside = os.path.relpath(target, self._real_root)
        return not inside.startswith("..") and Path(target).is_file() and not self._is_excluded(target)

    def _is_excluded(self, real: str) -> bool:
        return any(real == path or real.startswith(f"{path}{os.sep}") for path in self._excluded)

    def _beginning(self, path: str) -> str:
        return self._bytes(path).decode("utf-8", "replace")

    def _bytes(self, path: str, most: int = LARGEST) -> bytes:
        return beginning(self._at(path), most)

    def _at(self, path: str) -> str:
        return f"{self._real_root}/{path}"


# --- plain ---
# A project without git: all its files but those of tools.

_TOOL_FOLDERS = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".jj",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".tox",
        ".venv",
        "__pycache__",
        "node_modules",
        "venv",
    }
)


class PlainTree(SearchedTree):
    """The files under a root by walking it. There is no history, so an absent path was simply never seen."""

    def absent(self, paths: Sequence[str]) -> Mapping[str, Absence]:
        return dict.fromkeys(paths, NOTHING_KNOWN)

    def names_absent(
        self, _names: Sequence[str], _scripts: Sequence[str], _since: datetime | None
    ) -> Mapping[str, Absence]:
        return {}

    def since(self, _line: Line) -> Change | None:
        return None

    def files_gone_since(self, _time: datetime) -> int:
        return 0

    def _listed(self) -> Iterator[str]:
        for folder, folders, files in os.walk(self._real_root):
            inside = os.path.relpath(folder, self._real_root).replace(os.sep, "/")
            prefix = "" if inside == "." else f"{inside}/"
            folders[:] = sorted(name for name in folders if name not in _TOOL_FOLDERS and self._enters(prefix + name))
            yield from (prefix + name for name in sorted(files))
