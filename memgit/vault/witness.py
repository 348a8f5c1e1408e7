"""What is remembered of a vault outside of it, so that a vault put back to an older state is noticed."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path

from memgit.model.history import Operation, OpKind
from memgit.vault import durable
from memgit.vault.log import Log


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
        durable.replace(path, (json.dumps(asdict(replace(seen, successor=successor))) + "\n").encode())


def bear_witness(path: Path, before: Witness | None, stood: Standing, operation: Operation, vault: Path) -> None:
    """Record the newest operation. What was lost stays on record until somebody acknowledges or recovers it."""
    seen = Witness(str(vault), operation.commit, operation.number)
    if before and stood is Standing.BEHIND and operation.kind not in (OpKind.ACKNOWLEDGE, OpKind.RECOVER):
        seen = replace(seen, lost=before.lost or f"op{before.number} {before.tip}")
    durable.make_folder(path.parent)
    durable.replace(path, (json.dumps(asdict(seen)) + "\n").encode())
