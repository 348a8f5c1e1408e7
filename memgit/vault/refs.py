"""The refs of a vault, read without libgit2: which commits have a name, and what those names mean."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from memgit.errors import Damaged

LOG = "refs/memgit/ops"
"""The operation log: the one ref whose move makes an operation real."""
STORE = "refs/heads/store"
"""The live store as observed."""

BRANCHES = "refs/heads/candidate/"
KEEPS = "refs/memgit/keep/"
STRAYS = "refs/memgit/stray/"
"""Commits that somebody else made a derived ref point to: kept under this name when the ref is put right."""

HEADS = "refs/heads/"
MACHINES = "refs/memgit/machines/"
"""On a remote: each machine's own history, below its name."""
STORES = "refs/heads/store/"
"""On a remote: each machine's store, as a branch."""
TAGS = "refs/tags/"
"""Names that memgit never gives; git may have brought some along."""
REMOTES = "refs/memgit/remotes/"
"""What was fetched from elsewhere, kept beside one's own."""
INCOMING = "refs/memgit/incoming/"
"""What a fetch is bringing; gone when it is done."""

_HASH = re.compile("[0-9a-f]{40}")


def branch(pass_id: str) -> str:
    return BRANCHES + pass_id


def keep(pass_id: str) -> str:
    return KEEPS + pass_id


def is_derived(name: str) -> bool:
    """Whether the operation log says where this ref must point."""
    return name == STORE or name.startswith((BRANCHES, KEEPS))


def read_ref(git_dir: Path, name: str) -> str | None:
    """Where a ref points; None when there is none. Raises `Damaged` when its file holds no object name."""
    try:
        return _target((git_dir / name).read_bytes(), name)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return dict(packed_refs(git_dir)).get(name)


def all_refs(git_dir: Path) -> dict[str, str | None]:
    """Every ref with its target, None for one whose file is damaged."""
    refs: dict[str, str | None] = dict(packed_refs(git_dir))
    for folder, _, files in os.walk(git_dir / "refs"):
        for file in files:
            name = (Path(folder) / file).relative_to(git_dir).as_posix()
            if not name.endswith(".lock"):
                refs[name] = _readable(git_dir, name)
    return refs


def packed_refs(git_dir: Path) -> Iterator[tuple[str, str]]:
    """The refs in ``packed-refs``; lines that say nothing of the kind are passed over (`integrity` reports them)."""
    for line in packed_lines(git_dir):
        target, _, name = line.partition(" ")
        if _HASH.fullmatch(target) and name:
            yield name, target


def packed_lines(git_dir: Path) -> list[str]:
    """The lines of ``packed-refs``, none when there is no such file."""
    try:
        text = (git_dir / "packed-refs").read_bytes().decode("utf-8", "replace")
    except FileNotFoundError:
        return []
    return text.removesuffix("\n").split("\n")


def encode_refs(targets: Mapping[str, str]) -> bytes:
    """The text in which an operation's tree records refs."""
    return "".join(f"{target} {name}\n" for name, target in sorted(targets.items())).encode()


def decode_refs(data: bytes) -> dict[str, str]:
    """The refs that an operation's tree records."""
    rows = (line.partition(" ") for line in data.decode("utf-8", "replace").splitlines())
    return {name: target for target, _, name in rows}


def _readable(git_dir: Path, name: str) -> str | None:
    try:
        return _target((git_dir / name).read_bytes(), name)
    except (Damaged, OSError):
        return None


def _target(data: bytes, name: str) -> str:
    text = data.decode("utf-8", "replace").removesuffix("\n")
    if not _HASH.fullmatch(text):
        raise Damaged(f"the vault's ref {name} holds no object name", "Run `memgit recover`")
    return text
