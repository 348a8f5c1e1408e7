"""A whole history written anew with some bytes replaced: every commit, and every name by which records call one.

Commits of the store and of candidates name only their like, and the operation log names both; so the former are
written first, and then each record of the log can be given the new names. A fingerprint that a record holds is a
name too: it follows the content that it is of.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from memgit.errors import MemgitError
from memgit.memory.fingerprint import fingerprint, original_digest
from memgit.model.travel import Held, Text
from memgit.vault.gitobjects import FOLDER, Commit, Entry, encode_tree
from memgit.vault.objects import Objects
from memgit.vault.snapshot import read_content, store_path

# --- texts ---
# Every text that commits hold, each once, with where it stands: for looking through a whole history.

OPERATION = "operation.json"
"""The file that only the tree of an operation has at its top."""


class Texts:
    """Goes through the objects below commits. What it has seen once it does not show again."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._seen: set[str] = set()

    def pass_over(self, tips: Iterable[str]) -> None:
        """Take everything below these commits for seen."""
        for commit, _ in self._commits(tips):
            for _ in self._below(commit.tree, "", Held.FILE):
                pass

    def below(self, tips: Iterable[str]) -> Iterator[Text]:
        """Every text below these commits that was not seen yet."""
        for commit, oid in self._commits(tips):
            yield Text(Held.MESSAGE, oid[:12], self._objects.read(oid, "commit"))
            held = Held.RECORD if is_operation(self._objects, commit) else Held.FILE
            for kind, path, found in self._below(commit.tree, "", held):
                yield Text(kind, path, self._names(found) if kind is Held.NAME else self._objects.read(found, "blob"))
            if commit.manifest and commit.manifest not in self._seen and self._objects.fault(commit.manifest) is None:
                self._seen.add(commit.manifest)
                yield Text(Held.NAME, oid[:12], self._objects.read(commit.manifest, "blob"))

    def _names(self, tree: str) -> bytes:
        return "\n".join(self._objects.tree(tree)).encode("utf-8", "surrogateescape")

    def _commits(self, tips: Iterable[str]) -> Iterator[tuple[Commit, str]]:
        waiting = list(tips)
        while waiting:
            oid = waiting.pop()
            if oid not in self._seen:
                self._seen.add(oid)
                commit = self._objects.commit(oid)
                yield commit, oid
                waiting += commit.parents

    def _below(self, tree: str, folder: str, held: Held) -> Iterator[tuple[Held, str, str]]:
        """What each object is, its path and its name: files, and trees for the names in them."""
        if tree in self._seen:
            return
        self._seen.add(tree)
        yield Held.NAME, folder or ".", tree
        for name, entry in self._objects.tree(tree).items():
            path = folder + name
            if entry.mode == FOLDER:
                yield from self._below(entry.oid, f"{path}/", held)
            elif entry.mode != _FOREIGN and entry.oid not in self._seen:
                self._seen.add(entry.oid)
                yield held, store_path(path), entry.oid


def is_operation(objects: Objects, commit: Commit) -> bool:
    """Whether a commit is one of an operation log."""
    return "\nMemgit-Operation: op" in commit.message and OPERATION in objects.tree(commit.tree)


_REMEMBERED = 64 * 1024 * 1024
"""Bytes of objects that are remembered while a history is written anew."""
_FOREIGN = 0o160000  # a commit of another repository
_ABBREVIATED = 12  # digits of the shortest abbreviation of a commit that reports use
_HASH = re.compile(rb"(?<![0-9a-f])[0-9a-f]{12,40}(?![0-9a-f])")
_MARK = re.compile(rb"(?:blake3|sha256):[0-9a-f]{64}")
_SIGNATURES = (b"gpgsig", b"mergetag")  # would speak of a commit that is another now


class Remembering(Objects):
    """Objects that are read again and again: what was read last is remembered, up to a bound."""

    def __init__(self, git_dir: Path) -> None:
        super().__init__(git_dir)
        self._known: dict[str, bytes] = {}
        self._size = 0

    def read(self, oid: str, kind: str) -> bytes:
        if oid not in self._known:
            data = super().read(oid, kind)
            self._size += len(data)
            if self._size > _REMEMBERED:
                self._known.clear()
                self._size = len(data)
            self._known[oid] = data
        return self._known[oid]


@dataclass
class Names:
    """The new names of commits and of contents (their fingerprints) that are no longer what they were."""

    commits: dict[bytes, bytes] = field(default_factory=dict)
    marks: dict[bytes, bytes] = field(default_factory=dict)
    _short: dict[bytes, bytes] = field(default_factory=dict)

    def rename(self, old: str, new: str) -> None:
        self.commits[old.encode()] = new.encode()
        self._short[old[:_ABBREVIATED].encode()] = old.encode()

    def follow(self, data: bytes) -> bytes:
        """``data`` with every commit and fingerprint that it names called by its new name, at the same length."""
        return _MARK.sub(lambda found: self.marks.get(found[0], found[0]), _HASH.sub(self._renamed, data))

    def _renamed(self, found: re.Match[bytes]) -> bytes:
        old = self._short.get(found[0][:_ABBREVIATED], b"")
        return self.commits[old][: len(found[0])] if old.startswith(found[0]) else found[0]


class Rewriting:
    """Copies what refs reach from one object store to another, cleaned. ``clean`` takes and returns bytes.

    Raises `Damaged` when something needed cannot be read, `MemgitError` when two names would become one.
    """

    def __init__(self, source: Objects, target: Objects, clean: Callable[[bytes], bytes]) -> None:
        self._source = source
        self._target = target
        self._clean = clean
        self.names = Names()
        self._files: dict[str, str] = {}
        self._records: dict[str, str] = {}

    def refs(self, refs: Mapping[str, str]) -> dict[str, str]:
        """Copy all that these refs reach; returns where each points in the copy."""
        commits = dict(self._in_order(refs.values()))
        log = {oid for oid, commit in commits.items() if is_operation(self._source, commit)}
        for oid, commit in commits.items():
            if oid not in log:
                self._mark(commit)
        for oid in (*(oid for oid in commits if oid not in log), *(oid for oid in commits if oid in log)):
            self._commit(oid, commits[oid], is_record=oid in log)
        return {name: self.names.commits[target.encode()].decode() for name, target in refs.items()}

    def _in_order(self, tips: Iterable[str]) -> Iterator[tuple[str, Commit]]:
        """Every commit that the tips reach, parents before children."""
        done: set[str] = set()
        waiting = [(oid, False) for oid in dict.fromkeys(tips)]
        while waiting:
            oid, ready = waiting.pop()
            if oid in done:
                continue
            commit = self._source.commit(oid)
            if ready:
                done.add(oid)
                yield oid, commit
            else:
                waiting += [(oid, True), *((parent, False) for parent in commit.parents)]

    def _mark(self, commit: Commit) -> None:
        """Note the fingerprints of a content that is changed by cleaning it."""
        tree, manifest = self._tree(commit.tree, self._files), self._manifest(commit)
        if (tree, manifest) == (commit.tree, commit.manifest):
            return
        old = read_content(self._source, commit.tree, manifest and commit.manifest)
        new = read_content(self._target, tree, manifest)
        for digest in (fingerprint, original_digest):
            self.names.marks[digest(old).encode()] = digest(new).encode()

    def _commit(self, oid: str, commit: Commit, *, is_record: bool) -> None:
        tree = self._tree(commit.tree, self._records if is_record else self._files)
        data = self._source.read(oid, "commit")
        new = self._target.write("commit", self._renewed(data, commit, tree, self._manifest(commit)))
        self.names.rename(oid, new)

    def _renewed(self, data: bytes, commit: Commit, tree: str, manifest: str | None) -> bytes:
        """A commit object with another tree and parents by their new names, cleaned; a signature is left out."""
        parents = [self.names.commits[parent.encode()].decode() for parent in commit.parents]
        head, _, message = data.partition(b"\n\n")
        lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
        rest = [self._clean(line) for line in _other_headers(head)]
        last = [f"memgit-manifest {manifest}"] if manifest else []
        headers = b"\n".join([*map(str.encode, lines), *rest, *map(str.encode, last)])
        return headers + b"\n\n" + self._clean(self.names.follow(message))

    def _manifest(self, commit: Commit) -> str | None:
        """A commit's manifest in the copy; None when it has none, or came without it from elsewhere."""
        if commit.manifest is None or self._source.fault(commit.manifest):
            return None
        return self._blob(commit.manifest, self._files)

    def _tree(self, oid: str, known: dict[str, str]) -> str:
        if oid not in known:
            entries: dict[str, Entry] = {}
            for name, entry in self._source.tree(oid).items():
                new = self._text(name.encode("utf-8", "surrogateescape"), known).decode("utf-8", "surrogateescape")
                if new in entries:
                    raise _two_in_one(new)
                entries[new] = self._entry(entry, known)
            known[oid] = self._target.write("tree", encode_tree(entries))
        return known[oid]

    def _entry(self, entry: Entry, known: dict[str, str]) -> Entry:
        if entry.mode == _FOREIGN:
            return entry
        copy = self._tree if entry.mode == FOLDER else self._blob
        return Entry(entry.mode, copy(entry.oid, known))

    def _blob(self, oid: str, known: dict[str, str]) -> str:
        if oid not in known:
            known[oid] = self._target.write("blob", self._text(self._source.read(oid, "blob"), known))
        return known[oid]

    def _text(self, data: bytes, known: dict[str, str]) -> bytes:
        """Records call commits by their new names; what a store says stays, whatever it looks like."""
        return self._clean(self.names.follow(data) if known is self._records else data)


def _other_headers(head: bytes) -> Iterator[bytes]:
    """The headers of a commit but for those that are written anew, with their continuation lines."""
    skipped = False
    for line in head.split(b"\n"):
        if not line.startswith(b" "):
            key = line.partition(b" ")[0]
            skipped = key in (b"tree", b"parent", b"memgit-manifest") or key.startswith(_SIGNATURES)
        if not skipped:
            yield line


def _two_in_one(name: str) -> MemgitError:
    return MemgitError(
        f"Two files would both be called {name!r} once the secret is out of their names.",
        "Rename one of them in the store first. Nothing was changed.",
    )
