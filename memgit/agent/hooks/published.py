"""What the vault published of its newest operation, and whether that is still its newest."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator

from memgit.agent.hooks.place import Place
from memgit.memory.content_hash import NO_STORE, content_hash
from memgit.reading import beginning, read_file, read_small
from memgit.stores.linked_index import NAME, text_behind

# --- live ---
# The live store, read as `stores.directory` reads it, in as little time as it takes.

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


LOG = "refs/memgit/ops"
_MOST = 64 << 20
"""Bytes of a vault's own lists, which grow with its store and history."""


class Head:
    """The newest operation. ``unacknowledged`` are ids of changes that nobody explained or took note of,
    ``overwritten`` those in which one worktree's session wrote over another's. ``last_pass`` is the newest pass that
    anything was done with, ``did`` what was done."""

    __slots__ = ("commit", "did", "fingerprint", "last_pass", "number", "overwritten", "unacknowledged", "witness")

    def __init__(self, facts: dict[str, object]) -> None:
        self.commit = str(facts.get("commit"))
        self.number = _int(facts.get("number"))
        fingerprint = facts.get("fingerprint")
        self.fingerprint = fingerprint if isinstance(fingerprint, str) else None
        self.witness = str(facts.get("witness"))
        last = facts.get("last_pass")
        last = last if isinstance(last, dict) else {}
        self.last_pass, self.did = str(last.get("pass") or ""), str(last.get("did") or "")
        waiting = facts.get("unacknowledged")
        rows = [each for each in waiting if isinstance(each, dict)] if isinstance(waiting, list) else []
        self.unacknowledged = tuple(str(each.get("id")) for each in rows if "overwritten" not in each)
        self.overwritten = tuple(str(each.get("id")) for each in rows if "overwritten" in each)


def read_head(place: Place) -> Head | None:
    """The published head; None where it is missing or not the operation log's newest."""
    facts = read_json(os.path.join(place.private, "head.json"))
    if not facts:
        return None
    head = Head(facts)
    return head if head.commit == _tip(place.vault) else None


def _tip(vault: str) -> str:
    """Where the operation log is; empty where its ref is gone."""
    tip = beginning(os.path.join(vault, LOG), 64).decode("ascii", "replace").strip()
    return tip or _packed_tip(vault)


def _packed_tip(vault: str) -> str:
    rows = map(bytes.split, beginning(os.path.join(vault, "packed-refs"), _MOST).splitlines())
    return next((row[0].decode("ascii", "replace") for row in rows if row[1:] == [LOG.encode()]), "")


def is_rolled_back(head: Head) -> bool:
    """Whether the vault lacks an operation that its witness has seen."""
    seen = read_json(head.witness)
    if not seen:
        return False
    number = _int(seen.get("number"))
    return bool(seen.get("lost")) or head.number < number or (head.number == number and head.commit != seen.get("tip"))


def moment(place: Place) -> int:
    """When the store was last published, in nanoseconds and rather too early: a file that is older is as recorded."""
    try:
        return os.stat(os.path.join(place.private, _FILES)).st_mtime_ns - 3_600_000_000_000
    except OSError:
        return 0


_FILES = "files.json"


def differing(place: Place, live: Live) -> Iterator[tuple[str, bool]]:
    """Each path that is not as recorded, and whether it is still there."""
    recorded = read_json(os.path.join(place.private, _FILES)).get("files")
    known = recorded if isinstance(recorded, dict) else {}
    for path in sorted({*known, *live.files}):
        now = live.files.get(path)
        if now is None or known.get(path) != _blob(now[1]):
            yield path, now is not None


def _blob(data: bytes) -> str:
    """The name that git gives to a file's content."""
    import hashlib

    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def read_json(path: str) -> dict[str, object]:
    """The JSON object in a file; empty where there is none."""
    try:
        value = json.loads(read_small(path, _MOST))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _int(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
