"""git's own formats for trees and commits, as values.

By hand, because libgit2 never returns from some damaged objects, and takes longer to load than a log is read.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

FILE, PROGRAM, LINK, FOLDER = 0o100644, 0o100755, 0o120000, 0o040000
"""The entry modes that a vault's trees use."""

AUTHOR = ("memgit", "memgit@localhost")
"""Who every commit of a vault is by; the user's git identity is neither needed nor used."""

_UNSPEAKABLE = re.compile("[\0\ud800-\udfff]")


class Entry(NamedTuple):
    """One entry of a tree. ``mode`` is git's (`FILE`, `PROGRAM`, `LINK`, `FOLDER`)."""

    mode: int
    oid: str


Tree = Mapping[str, Entry]
"""A tree by entry name; bytes that are not UTF-8 are lone surrogates."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit. ``manifest`` names the blob that holds what its tree cannot say of a store, if there is one."""

    tree: str
    parents: tuple[str, ...]
    time: datetime
    message: str
    manifest: str | None = None


def object_id(kind: str, data: bytes) -> str:
    """The name that git gives to an object: 40 hexadecimal digits."""
    digest = hashlib.sha1(b"%s %d\0" % (kind.encode(), len(data)), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


def parse_tree(data: bytes) -> dict[str, Entry]:
    """Read a tree object. Raises `ValueError` when it is none."""
    entries = {}
    at = 0
    while at < len(data):
        end = data.index(b"\0", at)
        mode, _, name = data[at:end].partition(b" ")
        at = end + 21
        if at > len(data):
            raise ValueError("the tree ends in the middle of an entry")
        entries[name.decode("utf-8", "surrogateescape")] = Entry(int(mode, 8), data[end + 1 : at].hex())
    return entries


def encode_tree(entries: Tree) -> bytes:
    """Write a tree object, in the order that git asks for (folders as if their name ended in a slash)."""
    rows = [(name.encode("utf-8", "surrogateescape"), entry) for name, entry in entries.items()]
    rows.sort(key=lambda row: row[0] + b"/" if row[1].mode == FOLDER else row[0])
    return b"".join(b"%o %s\0%s" % (entry.mode, name, bytes.fromhex(entry.oid)) for name, entry in rows)


def parse_commit(data: bytes) -> Commit:
    """Read a commit object. Raises `ValueError` when it is none."""
    head, _, message = data.partition(b"\n\n")
    headers: dict[str, list[str]] = {}
    for line in head.decode("utf-8", "replace").split("\n"):
        key, _, value = line.partition(" ")
        headers.setdefault(key, []).append(value)
    try:
        seconds = int(headers["committer"][0].split(" ")[-2])
        return Commit(
            tree=headers["tree"][0],
            parents=tuple(headers.get("parent", ())),
            time=datetime.fromtimestamp(seconds, UTC),
            message=message.decode("utf-8", "replace"),
            manifest=headers.get("memgit-manifest", [None])[0],
        )
    except (KeyError, IndexError, OverflowError, OSError) as cause:
        raise ValueError(f"not a commit: {cause!r}") from cause


def encode_commit(commit: Commit) -> bytes:
    """Write a commit object by `AUTHOR`."""
    name, address = AUTHOR
    signed = f"{name} <{address}> {int(commit.time.timestamp())} +0000"
    lines = [
        f"tree {commit.tree}",
        *(f"parent {parent}" for parent in commit.parents),
        f"author {signed}",
        f"committer {signed}",
        *([f"memgit-manifest {commit.manifest}"] if commit.manifest else []),
    ]
    return "\n".join([*lines, "", speakable(commit.message)]).encode()


def speakable(message: str) -> str:
    """A commit message that git takes whole: NUL would cut it, a lone surrogate is no text."""
    return _UNSPEAKABLE.sub("\N{REPLACEMENT CHARACTER}", message)
