"""What the vault published of its newest operation, and whether that is still its newest."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

from memgit.hooks.live import Live
from memgit.hooks.place import Place
from memgit.reading import beginning, read_small

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


def differing(place: Place, live: Live) -> Iterator[tuple[str, bool]]:
    """Each path that is not as recorded, and whether it is still there."""
    recorded = read_json(os.path.join(place.private, "files.json")).get("files")
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
