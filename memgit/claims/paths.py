"""Looking up paths of a tree as people write them: whole, by their end, by pattern, in another case."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate

_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_MOST_ALTERNATIVES = 64
_MOST_DEEP_STARS = 4


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of a tree and the folders they lie in, ready to be looked up.

    Paths are relative to the root with ``/`` between parts; folders carry no slash at the end.
    """

    files: Mapping[str, None]
    folders: frozenset[str]
    by_name: Mapping[str, tuple[str, ...]]
    by_folded_name: Mapping[str, tuple[str, ...]]
    folders_by_name: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, files: Iterable[str]) -> Listing:
        listed = dict.fromkeys(files)
        folders = frozenset(folder for path in listed for folder in _folders_of(path))
        folded = _grouped(listed, lambda path: _name(path).casefold())
        return cls(listed, folders, _grouped(listed, _name), folded, _grouped(sorted(folders), _name))

    def exact(self, path: str) -> str | None:
        """The file or folder of this whole path; a folder is given with a slash at its end."""
        if path in self.files:
            return path
        return f"{path}/" if path in self.folders or path == "." else None

    def ending(self, path: str) -> tuple[str, ...]:
        """Files whose last parts are this path (``retry.py`` → ``src/retry.py``), in listing order."""
        return tuple(file for file in self.by_name.get(_name(path), ()) if _ends(file, path))

    def folders_ending(self, path: str) -> tuple[str, ...]:
        return tuple(f"{folder}/" for folder in self.folders_by_name.get(_name(path), ()) if _ends(folder, path))

    def any_of(self, path: str) -> str | None:
        """The first file or folder that a path means, whole or by its last parts."""
        return self.exact(path) or next(iter((*self.ending(path), *self.folders_ending(path))), None)

    def in_another_case(self, path: str) -> tuple[str, ...]:
        """Files whose last parts are this path but for upper and lower case."""
        folded = path.casefold()
        return tuple(file for file in self.by_folded_name.get(_name(folded), ()) if _ends(file.casefold(), folded))

    def namesakes(self, path: str) -> tuple[str, ...]:
        """Files of the same name in other folders."""
        return self.by_name.get(_name(path), ())

    def matching(self, pattern: str) -> str | None:
        """The first file or folder that a pattern of stars matches, whole or by its last parts.

        ``*`` stays within one part, ``**`` spans parts; square brackets are plain characters, as in the
        routes of web frameworks.
        """
        if pattern.count("**") > _MOST_DEEP_STARS:
            return None
        fits = re.compile(rf"(?:.*/)?{_shape(pattern.rstrip('/'))}", re.DOTALL).fullmatch
        places = (self.files, sorted(self.folders))
        return next((path for place in places for path in place if fits(path)), None)


def alternatives(pattern: str) -> tuple[str, ...]:
    """What a pattern with braces stands for (``a/{b,c}.ts`` → ``a/b.ts``, ``a/c.ts``); itself when it has none."""
    done: list[str] = []
    waiting = [pattern]
    while waiting and len(done) + len(waiting) <= _MOST_ALTERNATIVES:
        current = waiting.pop(0)
        if found := _BRACES.search(current):
            waiting += [current[: found.start()] + word + current[found.end() :] for word in found[1].split(",")]
        else:
            done.append(current)
    return (*done, *waiting)


def _shape(pattern: str) -> str:
    """A pattern of stars as a regular expression."""
    *folders, last = pattern.split("/")
    deep = (r"(?:[^/]+/)*" if folder == "**" else f"{_part(folder)}/" for folder in folders)
    return "".join(deep) + (".*" if last == "**" else _part(last))


def _part(pattern: str) -> str:
    """One part of a pattern. What stands between two stars is matched where it first fits and never again
    (an atomic group), so that no pattern can take longer than its length times the path's."""
    first, *rest = (re.escape(text).replace(r"\?", "[^/]") for text in re.split(r"\*+", pattern))
    between = "".join(f"(?>[^/]*?{text})" for text in rest[:-1])
    return first + between + (f"[^/]*{rest[-1]}" if rest else "")


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _ends(path: str, end: str) -> bool:
    return path == end or path.endswith(f"/{end}")


def _folders_of(path: str) -> Iterator[str]:
    return accumulate(path.split("/")[:-1], lambda folder, part: f"{folder}/{part}")


def _grouped(paths: Iterable[str], key: Callable[[str], str]) -> dict[str, tuple[str, ...]]:
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for path in paths:
        groups[key(path)].append(path)
    return {name: tuple(group) for name, group in groups.items()}
