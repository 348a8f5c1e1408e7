"""What the vault remembers: its operations, and of each pass where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class PassKind(StrEnum):
    """Which on-ramp reached the decisions."""

    CURATE = "curate"
    AUDIT = "audit"
    PRUNE = "prune"
    EXTRACT = "extract"
    SWEEP = "sweep"


class Mode(StrEnum):
    """How a pass runs, from the store's status and the pool."""

    CURATE = "curate"
    COLD_START = "cold-start"
    NOOP = "noop"


class PassState(StrEnum):
    """Where a pass stands."""

    PLANNED = "planned"
    READY = "ready"
    ADOPTED = "adopted"
    MERGED = "merged"  # its candidate went into a newer one, with the live store's own changes
    DISCARDED = "discarded"
    UNDONE = "undone"
    UNSAFE = "unsafe"
    CLOSED = "closed"  # there was nothing to take and nothing to ask, or a newer pass took its place

    @property
    def waits(self) -> bool:
        """True while nobody has decided: only then do its candidate, report and digests lie beside the store."""
        return self in (PassState.PLANNED, PassState.READY, PassState.UNSAFE)


@dataclass(frozen=True, slots=True)
class Paths:
    """Where a pass puts what a person looks at; absolute, never the name of something that existed before."""

    candidate: str
    report: str
    digests: str


class OpKind(StrEnum):
    """What an operation of the vault did."""

    INIT = "init"
    SNAPSHOT = "snapshot"
    EXTERNAL = "external"
    PLAN = "plan"
    PASS = "pass"
    REVISION = "revision"
    ADOPT = "adopt"
    DISCARD = "discard"
    APPROVE = "approve"
    REMEMBER = "remember"
    FORGET = "forget"
    RESTORE = "restore"
    UNDO = "undo"
    REDO = "redo"
    ACKNOWLEDGE = "acknowledge"
    RELINK = "relink"
    RECOVER = "recover"
    REDACT = "redact"

    @property
    def is_decision(self) -> bool:
        """True for what ``undo`` takes back; the others are observations."""
        return self in _DECISIONS


_DECISIONS = frozenset({OpKind.ADOPT, OpKind.DISCARD, OpKind.APPROVE, OpKind.REMEMBER, OpKind.FORGET, OpKind.RESTORE})


STAMP_ONLY = "stamp-only"
"""Detail of an external change in which the agent's client only rewrote frontmatter."""
ATTRIBUTED = "attributed"
"""Detail of an external change whose every file is, byte for byte, as a recorded write of a session left it."""
OVERWRITTEN = "overwritten"
"""Detail of an external change in which a session of one worktree wrote over what one of another had written."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One entry of the operation log.

    ``number`` counts from 1, ``id`` is ``op<number>``. ``store`` is the store commit after it (None
    while the store was never seen), ``fingerprint`` the live store's hash then. ``target`` names the
    operation that an undo or redo speaks of. ``details`` are free key-value facts (session, tool,
    method of installation, …).
    """

    number: int
    commit: str
    kind: OpKind
    time: datetime
    subject: str
    store: str | None = None
    fingerprint: str | None = None
    pass_id: str | None = None
    target: str | None = None
    details: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return f"op{self.number}"

    @property
    def needs_acknowledgement(self) -> bool:
        """True for a change of the store that memgit did not make and no session's writes explain, or in which two
        worktrees got into each other's way."""
        is_explained = STAMP_ONLY in self.details or ATTRIBUTED in self.details
        return self.kind is OpKind.EXTERNAL and (OVERWRITTEN in self.details or not is_explained)


@dataclass(frozen=True, slots=True)
class PassHeader:
    """What the vault knows of a pass without reading its record.

    ``snapshot`` is the store commit it started from, ``candidate`` the newest commit of its branch
    (None while planned).
    """

    id: str
    kind: PassKind
    mode: Mode
    state: PassState
    time: datetime
    snapshot: str | None
    candidate: str | None
    paths: Paths
    summary: str = ""
