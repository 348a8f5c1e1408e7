"""The live store, read as `stores.directory` reads it, in as little time as it takes."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from memgit.memory.content_hash import NO_STORE, content_hash
from memgit.reading import read_file
from memgit.stores.linked_index import NAME, text_behind

MOST_FILES = 20_000
MOST_BYTES = 50_000_000

Files = dict[str, tuple[int, bytes]]
"""Path → whole mode, and bytes (of a link: its target, of an index that is one: the text behind it)."""


class TooMuch(Exception):
    """More than any store of memories holds."""


class Live:
    """What the store at ``root`` holds now; ``exists`` is false where there is no such folder."""

    __slots__ = ("exists", "files", "root")

    def __init__(self, files: Files, exists: bool = True, root: str = "") -> None:
        self.files = files
        self.exists = exists
        self.root = root

    @property
    def fingerprint(self) -> str:
        entries = ((os.fsencode(path), mode, data) for path, (mode, data) in self.files.items())
        return content_hash(entries) if self.exists else NO_STORE


def read_live(root: str) -> Live:
    """Everything in the store but the folders of other tools. Raises OSError or `TooMuch`."""
    if not os.path.isdir(root):
        return Live({}, exists=False)
    files: Files = {}
    size = 0
    for path, entry in _walk(root):
        status = entry.stat(follow_symlinks=False)
        if stat.S_ISLNK(status.st_mode):
            found = text_behind(entry.path) if path == NAME else None
            if found is None:
                files[path] = status.st_mode, os.fsencode(os.readlink(entry.path))
            else:
                data, status = found
                files[path] = status.st_mode, data
        elif stat.S_ISREG(status.st_mode):
            files[path] = status.st_mode, read_bytes(entry.path)
        size += status.st_size
        if len(files) > MOST_FILES or size > MOST_BYTES:
            raise TooMuch
    return Live(files, root=root)


def statuses(root: str) -> Iterator[tuple[str, os.stat_result]]:
    """Each file of a store with what the system says of it. Raises OSError or `TooMuch`."""
    for number, (path, entry) in enumerate(_walk(root)):
        if number >= MOST_FILES:
            raise TooMuch
        yield path, entry.stat(follow_symlinks=False)


def _walk(root: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    pending = [""]
    while pending:
        below = pending.pop()
        with os.scandir(os.path.join(root, below)) as entries:
            for entry in entries:
                if not entry.is_dir(follow_symlinks=False):
                    yield below + entry.name, entry
                elif not entry.name.startswith("."):
                    pending.append(f"{below}{entry.name}/")


def read_written(root: str, path: str) -> bytes:
    """The bytes of a file of a store as `read_live` gives them."""
    whole = os.path.join(root, path)
    if found := text_behind(whole) if path == NAME else None:
        return found[0]
    return os.fsencode(os.readlink(whole)) if os.path.islink(whole) else read_bytes(whole)


def read_bytes(path: str) -> bytes:
    """A file's bytes; a link is not followed."""
    data = read_file(path, MOST_BYTES + 1, through_links=False).data
    if len(data) > MOST_BYTES:
        raise TooMuch
    return data
