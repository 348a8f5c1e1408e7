"""The operation log: one commit per operation, whose tree holds everything that was so after it.

::

    operation.json                    what was done
    refs                              where refs/heads/store points
    manifest.json                     what a git tree cannot say of the live store
    manifests/<commit>.json           the same of other contents that this operation brought
    passes/<yyyy-mm>/<pass>/
        header.json, refs, manifest.json, records/<name>

Trees are shared from operation to operation, so that one costs the same after the thousandth pass as after the first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from memgit import files
from memgit.errors import Damaged, WrongState
from memgit.faults import point
from memgit.model.history import Mode, Operation, OpKind, PassHeader, PassKind, PassState, Paths
from memgit.vault.objects import Objects
from memgit.vault.refs import LOG, decode_refs, read_ref
from memgit.vault.snapshot import store_path, walk

# --- entries ---
# Operations and pass headers as the JSON that the operation log keeps.


def encode_operation(operation: Operation, passes: int, who: Mapping[str, str]) -> bytes:
    """``passes`` is how many pass ids the vault has given out, ``who`` the process that did it."""
    return _json(
        {
            "schema": "memgit.operation/1",
            "number": operation.number,
            "kind": operation.kind,
            "time": operation.time.astimezone(UTC).isoformat(),
            "subject": operation.subject,
            "store": operation.store,
            "fingerprint": operation.fingerprint,
            "pass": operation.pass_id,
            "target": operation.target,
            "details": dict(operation.details),
            "passes": passes,
            "who": dict(who),
        }
    )


def decode_operation(data: bytes, commit: str) -> tuple[Operation, int]:
    """An operation and the number of pass ids given out. Raises `ValueError` when that is not what it is."""
    facts = _object(data)
    try:
        operation = Operation(
            number=facts["number"],
            commit=commit,
            kind=OpKind(facts["kind"]),
            time=datetime.fromisoformat(facts["time"]),
            subject=facts["subject"],
            store=facts["store"],
            fingerprint=facts["fingerprint"],
            pass_id=facts["pass"],
            target=facts["target"],
            details=facts["details"],
        )
        return operation, facts["passes"]
    except (KeyError, TypeError) as cause:
        raise ValueError(f"no operation: {cause!r}") from cause


def encode_header(header: PassHeader) -> bytes:
    moment = header.time.astimezone(UTC).isoformat()
    return _json({"schema": "memgit.pass-header/1", **asdict(header), "time": moment})


def decode_header(data: bytes) -> PassHeader:
    """A pass header. Raises `ValueError` when it is none."""
    facts = _object(data)
    try:
        return PassHeader(
            id=facts["id"],
            kind=PassKind(facts["kind"]),
            mode=Mode(facts["mode"]),
            state=PassState(facts["state"]),
            time=datetime.fromisoformat(facts["time"]),
            snapshot=facts["snapshot"],
            candidate=facts["candidate"],
            paths=Paths(**facts["paths"]),
            summary=facts["summary"],
        )
    except (KeyError, TypeError) as cause:
        raise ValueError(f"no pass header: {cause!r}") from cause


def _object(data: bytes) -> dict[str, Any]:
    facts = json.loads(data)
    if not isinstance(facts, dict):
        raise ValueError("no JSON object")
    return facts


def _json(facts: Mapping[str, object]) -> bytes:
    return (json.dumps(facts, indent=1) + "\n").encode()


_SHORTEST_HASH = 4


class Log:
    """Reads operations and the passes they record. Every method reads what is on disk now."""

    def __init__(self, git_dir: Path, objects: Objects) -> None:
        self._git_dir = git_dir
        self._objects = objects

    def tip(self) -> str | None:
        """The commit of the newest operation."""
        return read_ref(self._git_dir, LOG)

    def head(self) -> Operation | None:
        tip = self.tip()
        return self.read(tip) if tip else None

    def read(self, commit: str) -> Operation:
        return self.read_with_count(commit)[0]

    def read_with_count(self, commit: str) -> tuple[Operation, int]:
        """An operation, and how many pass ids had been given out then."""
        data = self.file(commit, "operation.json")
        if data is None:
            raise Damaged(f"the commit {commit} of the operation log is no operation", "Run `memgit check --full`")
        try:
            return decode_operation(data, commit)
        except ValueError as cause:
            raise Damaged(f"the operation {commit} cannot be read ({cause})", "Run `memgit check --full`") from cause

    def commits(self, tip: str | None = None) -> Iterator[str]:
        """The commits of the log, newest first."""
        commit = tip or self.tip()
        while commit:
            yield commit
            commit = next(iter(self._objects.commit(commit).parents), None)

    def operations(self) -> Iterator[Operation]:
        return map(self.read, self.commits())

    def find(self, wanted: str) -> Operation:
        """An operation by id (``op12``, ``12``) or by the start of its commit hash (4 digits or more)."""
        number = wanted.removeprefix("op")
        head = self.head()
        if head and number.isdecimal() and 0 < int(number) <= head.number:
            return self.read(self.at(head, int(number)))
        found = [commit for commit in self.commits() if commit.startswith(wanted)] if self._is_hash(wanted) else []
        if len(found) == 1:
            return self.read(found[0])
        what = "is ambiguous" if found else "does not exist"
        last = f"The newest is {head.id}; `memgit log --ops` lists all" if head else "There is none yet"
        raise WrongState(f"the operation {wanted!r} {what}", last)

    def at(self, head: Operation, number: int) -> str:
        """The commit of operation ``number``, counted back from ``head``."""
        commits = self.commits(head.commit)
        return next(commit for back, commit in enumerate(commits) if back == head.number - number)

    def file(self, commit: str, path: str) -> bytes | None:
        """A file of an operation's tree."""
        oid = self.file_oid(commit, path)
        return self._objects.read(oid, "blob") if oid else None

    def file_oid(self, commit: str, path: str) -> str | None:
        entry = self._objects.find(self._objects.commit(commit).tree, path)
        return entry.oid if entry else None

    def pass_ids(self, commit: str) -> tuple[str, ...]:
        """The ids of all passes that an operation knows, newest first."""
        objects = self._objects
        folder = objects.find(objects.commit(commit).tree, "passes")
        months = objects.tree(folder.oid).values() if folder else ()
        ids = (pass_id for month in months for pass_id in objects.tree(month.oid))
        return tuple(sorted(ids, key=_age, reverse=True))

    def header(self, commit: str, pass_id: str) -> PassHeader | None:
        """Where a pass stood after an operation; None when it was not recorded yet."""
        data = self.file(commit, f"{pass_folder(pass_id)}/header.json")
        if data is None:
            return None
        try:
            return decode_header(data)
        except ValueError as cause:
            raise Damaged(f"the header of pass {pass_id} cannot be read ({cause})", "Run `memgit check`") from cause

    def match(self, commit: str, wanted: str) -> str:
        """The id of the one pass whose id starts so. Raises `WrongState`, naming near ones."""
        ids = self.pass_ids(commit)
        found = [pass_id for pass_id in ids if pass_id.startswith(wanted)]
        if wanted in found:
            return wanted
        if len(found) == 1:
            return found[0]
        if found:
            raise WrongState(f"{wanted!r} could be {_listed(found)}", "Write more of the id")
        near = [pass_id for pass_id in ids if wanted and wanted in pass_id] or list(ids)
        known = f"There is {_listed(near)}" if near else "This store has had no pass yet"
        raise WrongState(f"there is no pass {wanted!r}", known)

    def records(self, commit: str, pass_id: str) -> tuple[str, ...]:
        folder = self._objects.find(self._objects.commit(commit).tree, f"{pass_folder(pass_id)}/records")
        return tuple(store_path(path) for path, _ in walk(self._objects, folder.oid)) if folder else ()

    def refs(self, commit: str) -> dict[str, str]:
        """Where every derived ref must point after an operation."""
        targets = self.refs_in(commit, "refs")
        for pass_id in self.pass_ids(commit):
            targets |= self.refs_in(commit, f"{pass_folder(pass_id)}/refs")
        return targets

    def refs_in(self, commit: str, path: str) -> dict[str, str]:
        return decode_refs(self.file(commit, path) or b"")

    def store_manifest(self, commit: str) -> str | None:
        """The manifest of the live store after an operation."""
        return self.file_oid(commit, "manifest.json")

    @staticmethod
    def _is_hash(text: str) -> bool:
        return len(text) >= _SHORTEST_HASH and all(char in "0123456789abcdef" for char in text)


def pass_folder(pass_id: str) -> str:
    """Where an operation's tree keeps a pass: by month, so that no folder grows without end."""
    return f"passes/{pass_id[:7]}/{pass_id}"


def _age(pass_id: str) -> tuple[int, str]:
    counter = pass_id.rpartition(".")[2]
    return (int(counter) if counter.isdecimal() else 0, pass_id)


def _listed(ids: list[str]) -> str:
    shown = ", ".join(ids[:5])
    return f"{shown} and {len(ids) - 5} more" if len(ids) > 5 else shown


# --- witness ---
# What is remembered of a vault outside of it, so that a vault put back to an older state is noticed.


class Standing(StrEnum):
    """How a vault's head stands to its witness."""

    OK = "ok"
    BEHIND = "behind"  # the vault lacks operations that the witness has seen: it was rolled back
    UNKNOWN = "unknown"  # there is no witness to ask


@dataclass(frozen=True, slots=True)
class Witness:
    """The newest operation that was seen. ``lost`` is one that the vault turned out to lack, until acknowledged.

    ``successor`` is the same operation in a history that is about to be, or was just, written anew.
    """

    vault: str
    tip: str
    number: int
    lost: str | None = None
    successor: str | None = None


def read_witness(path: Path) -> Witness | None:
    """The witness in a file; None when there is none that can be read."""
    try:
        return Witness(**json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def standing(log: Log, witness: Witness | None) -> Standing:
    """Whether the log still holds what was seen. A witness that lags behind the log is fine: a crash can do that."""
    head = log.head()
    if witness is None:
        return Standing.UNKNOWN
    if witness.lost or head is None or head.number < witness.number:
        return Standing.BEHIND
    seen = head.commit if head.number == witness.number else log.at(head, witness.number)
    return Standing.OK if seen in (witness.tip, witness.successor) else Standing.BEHIND


def expect(path: Path, successor: str) -> None:
    """Record that a history written anew may replace the one that was seen; nothing where there is no witness."""
    seen = read_witness(path)
    if seen:
        files.replace_json(path, asdict(replace(seen, successor=successor)))


def carry_witness(source: Path, target: Path) -> None:
    """What one file witnesses is witnessed by another as well, unless that witnesses something already."""
    with suppress(FileNotFoundError):
        data = source.read_bytes()
        if not target.exists():
            files.ensure_private_folder(target.parent)
            files.replace_file(target, data)
            point("witness carried")


def bear_witness(path: Path, before: Witness | None, stood: Standing, operation: Operation, vault: Path) -> None:
    """Record the newest operation. What was lost stays on record until somebody acknowledges or recovers it."""
    seen = Witness(str(vault), operation.commit, operation.number)
    if before and stood is Standing.BEHIND and operation.kind not in (OpKind.ACKNOWLEDGE, OpKind.RECOVER):
        seen = replace(seen, lost=before.lost or f"op{before.number} {before.tip}")
    files.ensure_private_folder(path.parent)
    files.replace_json(path, asdict(seen))
