"""A memory that one worktree's session wrote and another's wrote over: notes on a state of which there is only one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from memgit.core.memories.memory import read_memory
from memgit.model.store import StoreContent, StoreFile

Write = Mapping[str, str]
"""What a hook noted of a write: ``session``, ``worktree``, ``path``, the ``digest`` of what it left, and more."""


@dataclass(frozen=True, slots=True)
class Overwritten:
    """A file, who wrote what is gone of it, and who wrote what stands there now: sessions' worktrees."""

    path: str
    was: str
    now: str

    def __str__(self) -> str:
        return f"{self.path} (a session in {self.now} over one in {self.was})"


def with_file(content: StoreContent, path: str, data: bytes) -> StoreContent:
    """A store in which a file holds something else."""
    file = content.files.get(path) or StoreFile(path, b"")
    files = {**content.files, path: file.holding(data)}
    return replace(content, files=dict(sorted(files.items())), exists=True)


def overwritten(
    before: StoreContent, after: StoreContent, known: Mapping[str, Write], worktree_of: Callable[[str], str]
) -> Iterator[Overwritten]:
    """The files whose text was written in one worktree and lost to a session of another.

    ``known`` are the writes that left files as they are now, ``worktree_of`` tells where a session ran (empty where
    that is not on record). Who wrote the former text is what its own frontmatter says.
    """
    for path, write in known.items():
        file = before.files.get(path)
        former = read_memory(file).origin_session if file else None
        if file is None or former is None or former == write.get("session"):
            continue
        was, now = worktree_of(former), write.get("worktree", "")
        if was and now and was != now and _lost(file.data, after.files[path].data):
            yield Overwritten(path, was, now)


def _lost(before: bytes, after: bytes) -> bool:
    """Whether a line of the body is gone."""
    kept = {line.strip() for line in after.splitlines()}
    body = before.rpartition(b"\n---")[2]
    return any(line.strip() and line.strip() not in kept for line in body.splitlines()[1:])
