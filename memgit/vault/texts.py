"""Every text that commits hold, each once, with where it stands: for looking through a whole history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memgit.model.travel import Held, Text
from memgit.vault.gitobjects import FOLDER, Commit
from memgit.vault.objects import Objects
from memgit.vault.snapshot import store_path

OPERATION = "operation.json"
"""The file that only the tree of an operation has at its top."""
_FOREIGN = 0o160000  # a commit of another repository


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
