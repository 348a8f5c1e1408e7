"""The newest operation in two small files, for readers that must start fast and so cannot open the vault.

They are derived and never brought to disk: ``head.json`` names the commit that it speaks of, and whoever finds
another one in the operation log's ref, or a younger one with the witness, has it written again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgit.files import private, read_json
from memgit.model.history import OVERWRITTEN, Operation, OpKind
from memgit.vault.snapshot import listing

if TYPE_CHECKING:
    from memgit.vault.reader import VaultReader

HEAD = "head.json"
"""Which operation is the newest, the store's fingerprint then, and the changes that nobody has acknowledged."""
FILES = "files.json"
"""The git blob of every file that the store held then, by path."""


def publish(vault: VaultReader, operation: Operation) -> None:
    """Write both files for the newest operation. Raises `Damaged` or `OSError`; nothing depends on them."""
    before = read_json(vault.private / HEAD)
    facts = {
        "schema": "memgit.head/1",
        "store": vault.store,
        "witness": str(vault.witness),
        "number": operation.number,
        "commit": operation.commit,
        "content": operation.store,
        "fingerprint": operation.fingerprint,
        "unacknowledged": list(_unacknowledged(vault, operation, before)),
        "last_pass": _last_pass(operation) or before.get("last_pass"),
    }
    if before.get("content") != operation.store or not (vault.private / FILES).exists():
        _write(vault.private / FILES, {"content": operation.store, "files": _files(vault, operation)})
    _write(vault.private / HEAD, facts)


def _unacknowledged(vault: VaultReader, operation: Operation, before: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """Oldest first; from the file as it was where that is one operation old, else from the log."""
    if operation.kind is OpKind.ACKNOWLEDGE:
        return
    if before.get("number") == operation.number - 1:
        yield from before["unacknowledged"]
        newer = [operation]
    else:
        newer = list(takewhile(lambda each: each.kind is not OpKind.ACKNOWLEDGE, vault.operations()))
    yield from (_row(each) for each in reversed(newer) if each.needs_acknowledgement)


def _last_pass(operation: Operation) -> dict[str, str] | None:
    """The pass that an operation is about, and what it did; one about none leaves the one before."""
    return {"pass": operation.pass_id, "did": operation.kind.value} if operation.pass_id else None


def _row(operation: Operation) -> dict[str, str]:
    over = {OVERWRITTEN: "yes"} if OVERWRITTEN in operation.details else {}
    return {"id": operation.id, "subject": operation.subject, **over}


def _files(vault: VaultReader, operation: Operation) -> dict[str, str]:
    if operation.store is None:
        return {}
    commit = vault.objects.commit(operation.store)
    return {path: entry.oid for path, entry in listing(vault.objects, commit.tree, commit.manifest).items()}


def _write(path: Path, facts: Mapping[str, Any]) -> None:
    aside = path.with_name(f"{path.name}.{os.getpid()}.new")
    with private():
        aside.write_bytes(json.dumps(facts).encode("ascii"))
        aside.replace(path)
