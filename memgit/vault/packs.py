"""Packs, as git itself writes and reads them: in programs of its own, that can be killed and cannot take memgit along.

A pack whose index is damaged is never handed to one. What is read is checked by whoever asked for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from threading import Lock

from memgit import process
from memgit.errors import Damaged
from memgit.vault import packfile
from memgit.vault.durable import private

_OURS: Mapping[str, str] = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
"""A user's git config, broken or not, never reaches a vault."""
_SYNCED = ("-c", "core.fsync=all")
_TIME = 600.0  # seconds; a vault of a gigabyte takes a tenth of them


def pack_objects(git_dir: Path, oids: Iterable[str]) -> None:
    """Write one synced pack with these objects, which the caller has checked. Removes nothing. Raises `ToolFailed`."""
    args = [*_SYNCED, "pack-objects", "-q", str(git_dir / "objects" / "pack" / "pack")]
    _git(git_dir, args, "".join(f"{oid}\n" for oid in oids).encode(), "packing objects")


def pack_blobs(git_dir: Path, contents: Iterable[bytes]) -> None:
    """Write these contents as one synced pack: as a file each they cost twenty times as much on a disk.

    Raises `ToolFailed`.
    """
    stream = b"".join(b"blob\ndata %d\n%s\n" % (len(data), data) for data in contents)
    args = [*_SYNCED, "-c", "fastimport.unpackLimit=1", "fast-import", "--quiet"]
    _git(git_dir, args, stream, "writing a pack")


def _git(git_dir: Path, args: list[str], stdin: bytes, what: str) -> None:
    with private():
        process.require_ok(process.git(args, git_dir=git_dir, stdin=stdin, timeout=_TIME, env=_OURS), what)


class Packs:
    """The packs that a vault had when this was made: ``names`` are those of the objects in them.

    Raises `Damaged` for one whose index is.
    """

    def __init__(self, git_dir: Path) -> None:
        self._git_dir = git_dir
        self.names = frozenset(name for index in _indexes(git_dir) for name in packfile.names_in(index))
        self._turn = Lock()

    def read(self, oid: str) -> tuple[str, bytes]:
        """Kind and content of a packed object. Raises `KeyError` where there is none, `OSError` for a damaged one."""
        if oid not in self.names:
            raise KeyError(oid)
        with self._turn:
            try:
                return self._answer(oid)
            except OSError:
                self.close()
                raise

    def _answer(self, oid: str) -> tuple[str, bytes]:
        answer = self._reader.ask(f"{oid}\n".encode())
        _, kind, size = (*answer.readline().decode("ascii", "replace").split(), "", "")[:3]
        if not size.isdecimal():
            raise OSError("git cannot read it")
        return kind, answer.read(int(size) + 1)[:-1]

    def close(self) -> None:
        """End the program that reads; the next reading starts another."""
        if reader := self.__dict__.pop("_reader", None):
            reader.close()

    @cached_property
    def _reader(self) -> process.Talk:
        return process.Talk(["-c", "core.multiPackIndex=false", "cat-file", "--batch"], self._git_dir, _OURS)


def _indexes(git_dir: Path) -> Iterator[bytes]:
    for path in (git_dir / "objects" / "pack").glob("*.idx"):
        if path.with_suffix(".pack").exists():
            if problem := packfile.index_fault(path):
                raise Damaged(f"the vault's pack index {path.name} {problem}", "Run `memgit check --full`")
            yield path.read_bytes()
