"""The objects of a vault. Loose ones are checked here, in plain Python, and libgit2 never parses an unchecked one."""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memgit.errors import Damaged
from memgit.faults import point
from memgit.files import can_sync_at_once
from memgit.vault import packs
from memgit.vault.gitobjects import (
    FOLDER,
    Commit,
    Entry,
    Tree,
    encode_commit,
    encode_tree,
    object_id,
    parse_commit,
    parse_tree,
)
from memgit.vault.layout import explained

if TYPE_CHECKING:
    import pygit2

_REST = 38  # digits of an object's name after the two that are its folder
_REMEMBERED = 256  # trees
_PACKED_AT_ONCE = 200  # new blobs from which on they are written as a pack


class Objects:
    """Reads and writes objects by their name. Reading checks size and hash of what it returns."""

    def __init__(self, git_dir: Path) -> None:
        self.git_dir = git_dir
        self._folder = git_dir / "objects"
        self._trees: dict[str, Tree] = {}

    def read(self, oid: str, kind: str) -> bytes:
        """The content of an object of this kind. Raises `Damaged` when it is missing, broken or of another kind."""
        found, data = self._read_any(oid)
        if found != kind:
            raise _damaged(oid, f"is a {found} where a {kind} belongs")
        return data

    def read_any(self, oid: str) -> tuple[str, bytes]:
        """Kind and content of an object. Raises `Damaged` when it is missing or broken."""
        return self._read_any(oid)

    def tree(self, oid: str) -> Tree:
        """A tree; the ones read last are remembered."""
        if oid not in self._trees:
            try:
                tree = parse_tree(self.read(oid, "tree"))
            except ValueError as cause:
                raise _damaged(oid, f"is no readable tree ({cause})") from cause
            self._remember(oid, tree)
        return self._trees[oid]

    def commit(self, oid: str) -> Commit:
        try:
            return parse_commit(self.read(oid, "commit"))
        except ValueError as cause:
            raise _damaged(oid, f"is no readable commit ({cause})") from cause

    def has_history(self, oid: str) -> bool:
        """Whether this is a commit, and every commit before it can be read."""
        pending, seen = [oid], {oid}
        try:
            while pending:
                new = set(self.commit(pending.pop()).parents) - seen
                seen |= new
                pending += new
        except Damaged:
            return False
        return True

    def find(self, tree: str, path: str) -> Entry | None:
        """What stands at a path below a tree, or None."""
        entry: Entry | None = Entry(FOLDER, tree)
        for part in path.split("/"):
            if entry is None or entry.mode != FOLDER:
                return None
            entry = self.tree(entry.oid).get(part)
        return entry

    def fault(self, oid: str) -> str | None:
        """What is wrong with an object, as the end of a sentence; None when it can be read."""
        try:
            self._read_any(oid)
        except Damaged as problem:
            return problem.message
        return None

    def is_sound(self, oid: str) -> bool:
        """Whether a loose object can be read."""
        return _problem_of_loose(self.loose_path(oid), oid) is None

    def is_packed(self, oid: str) -> bool:
        """Whether an object can be read from a pack."""
        try:
            self._read_packed(oid, "is missing")
        except Damaged:
            return False
        return True

    def write(self, kind: str, data: bytes) -> str:
        """Store an object unless it is there and sound, and return its name. Not yet durable."""
        oid = object_id(kind, data)
        if not self._holds(oid):
            self._write(kind, data)
        return oid

    def write_blobs(self, contents: Mapping[str, bytes]) -> None:
        """Store blobs, each under its name, as ``write`` does. Many new ones go into one pack."""
        new = {oid: data for oid, data in contents.items() if oid not in self._packed}
        if len(new) < _PACKED_AT_ONCE:
            for data in new.values():
                self.write("blob", data)
        else:
            self._write_pack({oid: ("blob", data) for oid, data in new.items() if not self._holds(oid)})

    def write_tree(self, entries: Tree) -> str:
        oid = self.write("tree", encode_tree(entries))
        self._remember(oid, dict(entries))  # what was written is often read next
        return oid

    def write_commit(self, commit: Commit) -> str:
        return self.write("commit", encode_commit(commit))

    def loose_path(self, oid: str) -> Path:
        return self._folder / oid[:2] / oid[2:]

    def loose(self, fans: Iterable[int] = range(256)) -> Iterator[str]:
        """The names of all loose objects, or of those that start with one of these bytes."""
        for fan in (f"{number:02x}" for number in fans):
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                yield from (fan + rest for rest in os.listdir(self._folder / fan) if len(rest) == _REST)  # noqa: PTH208

    def packed(self) -> Iterator[str]:
        """The names of all packed objects."""
        return (str(oid) for oid in self._packed)

    def forget(self) -> None:
        """Read everything anew from the disk."""
        self._trees.clear()
        self.forget_packs()

    def forget_packs(self) -> None:
        """Look for packs anew at the next reading."""
        self.__dict__.pop("_packed", None)
        self.__dict__.pop("_writer", None)

    def _read_any(self, oid: str) -> tuple[str, bytes]:
        try:
            return read_loose(self.loose_path(oid), oid)
        except FileNotFoundError:
            return self._read_packed(oid, "is missing")
        except (OSError, ValueError) as cause:
            return self._read_packed(oid, f"is damaged ({cause})")

    def _read_packed(self, oid: str, otherwise: str) -> tuple[str, bytes]:
        try:
            return self._unpack(oid, otherwise)
        except Damaged:
            self.forget_packs()  # a writer may have replaced them meanwhile
            return self._unpack(oid, otherwise)

    def _unpack(self, oid: str, otherwise: str) -> tuple[str, bytes]:
        import pygit2

        try:
            kind, data = self._packed.read(oid)
        except (KeyError, ValueError):
            raise _damaged(oid, otherwise) from None
        except (pygit2.GitError, OSError) as cause:
            raise _damaged(oid, f"is damaged in its pack ({cause})") from cause
        name = kind.name.lower()
        if object_id(name, data) != oid:
            raise _damaged(oid, "is damaged in its pack (its hash is another)")
        return name, data

    def _holds(self, oid: str) -> bool:
        """Whether a sound object of this name is there. A damaged one is removed: what it held is at hand."""
        loose = self.loose_path(oid)
        if not loose.exists():
            return oid in self._packed
        if self.is_sound(oid):
            return True
        loose.unlink()
        point("a damaged object removed")
        return False

    def _write_pack(self, objects: Mapping[str, tuple[str, bytes]]) -> None:
        with explained(self.git_dir):
            packs.write(self._folder / "pack", objects, synced=not can_sync_at_once())
        self.forget_packs()

    def _remember(self, oid: str, tree: Tree) -> None:
        if len(self._trees) >= _REMEMBERED:
            self._trees.pop(next(iter(self._trees)))
        self._trees[oid] = tree

    def _write(self, kind: str, data: bytes) -> None:
        from memgit.vault import engine

        with explained(self.git_dir, engine.FAILURES):
            engine.write_object(self._writer, kind, data)
            point("an object written")

    @cached_property
    def _packed(self) -> pygit2.Odb:
        from memgit.vault import engine

        for index in (self._folder / "pack").glob("*.idx"):
            if index.with_suffix(".pack").exists() and (problem := packs.sum_fault(index)):
                raise Damaged(f"the vault's pack index {index.name} {problem}", "Run `memgit check --full`")
        return engine.packed_objects(self.git_dir)

    @cached_property
    def _writer(self) -> pygit2.Repository:
        from memgit.vault import engine

        return engine.object_writer(self.git_dir)


def read_loose(path: Path, oid: str) -> tuple[str, bytes]:
    """Kind and content of a loose object. Raises `OSError`, or `ValueError` with what is wrong with it."""
    unpacking = zlib.decompressobj()
    try:
        whole = unpacking.decompress(path.read_bytes())
    except zlib.error as cause:
        raise ValueError("it cannot be unpacked") from cause
    if not unpacking.eof or unpacking.unused_data:
        raise ValueError("it is cut short" if not unpacking.eof else "something follows its end")
    header, _, data = whole.partition(b"\0")
    kind, _, size = header.decode("ascii", "replace").partition(" ")
    if size != str(len(data)):
        raise ValueError("its size is another")
    if object_id(kind, data) != oid:
        raise ValueError("its hash is another")
    return kind, data


def _problem_of_loose(path: Path, oid: str) -> str | None:
    try:
        read_loose(path, oid)
    except (OSError, ValueError) as cause:
        return str(cause)
    return None


def _damaged(oid: str, what: str) -> Damaged:
    return Damaged(f"the vault's object {oid} {what}", "Run `memgit check --full` to see what it affects")
