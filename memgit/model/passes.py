"""One run from plan to verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from memgit.model.decision import Decision, MinerReply, Proposal
from memgit.model.session import Digest, Selection, Survey
from memgit.model.store import Resolution, StoreStatus
from memgit.model.verification import Appraisal, MemoryCheck

# --- history ---
# What the vault remembers: its operations, and of each pass where it stands.


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


@dataclass(frozen=True, slots=True)
class SecretFinding:
    """Something that looks like a secret or steering text: its place and kind, never its value."""

    place: str
    kind: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """All that ``prepare`` fixes before anybody thinks: what the store was, what may be cited.

    ``snapshot`` is the vault's commit of the store as read, ``fingerprint`` its content hash.
    ``digests`` are the frozen, masked prose; nothing later reads a transcript again. ``input`` is one mark of all that
    the pass will look at: a pass with the same mark would ask and propose the same. ``languages`` counts
    sessions by what their users write in, two letters each, empty where that cannot be told. ``mask_personal`` asks
    that personal data be masked like secrets in all that the pass writes for miners and readers.
    """

    id: str
    kind: PassKind
    mode: Mode
    time: datetime
    store: Resolution
    status: StoreStatus
    fingerprint: str
    memories: int
    project: str | None
    survey: Survey
    selection: Selection
    paths: Paths
    snapshot: str | None = None
    digests: tuple[Digest, ...] = ()
    findings: tuple[SecretFinding, ...] = ()
    notes: tuple[str, ...] = ()
    mask_personal: bool = False
    input: str = ""
    languages: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Remark:
    """Something for the report that is no decision: a heading, and a sentence or Markdown block each."""

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a pass saw beside what it decided: the class of each memory, remarks, and (as kept) the outcome's notes."""

    appraisals: tuple[Appraisal, ...] = ()
    remarks: tuple[Remark, ...] = ()
    notes: tuple[str, ...] = ()


NOTHING_SEEN = Inspection()


@dataclass(frozen=True, slots=True)
class Look:
    """What memgit saw by itself in an audit or a prune before a host is asked. ``proposals`` are numbered M1, M2, … in
    their order; the store is read in ``parts``, more than one where it is too large for one reader."""

    proposals: tuple[Proposal, ...]
    inspection: Inspection = NOTHING_SEEN
    parts: int = 1


@dataclass(frozen=True, slots=True)
class Round:
    """What a host handed in last, decision by decision, and whether it may come back to it."""

    proposals: tuple[Proposal, ...]
    final: bool = False


@dataclass(frozen=True, slots=True)
class IndexChange:
    """The index before and after: lines and UTF-16 units, and how many lines of the new one agents would not read."""

    lines: tuple[int, int]
    units: tuple[int, int]
    lost: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """A pass that has been decided, built and verified: what the report, JSON and console show.

    ``candidate`` is the vault's commit; ``fingerprint_after`` the live store's hash at hand-off. ``index`` is None
    where the store has none, and for a pass that is read back from its record.
    """

    plan: Plan
    state: PassState
    decisions: tuple[Decision, ...]
    replies: tuple[MinerReply, ...]
    verification: Mapping[str, MemoryCheck]
    report: str
    candidate: str | None
    fingerprint_after: str
    adopt: tuple[str, ...] = ()
    discard: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    findings: tuple[SecretFinding, ...] = ()
    inspection: Inspection = NOTHING_SEEN
    index: IndexChange | None = None

    @property
    def unchanged(self) -> bool:
        return self.plan.fingerprint == self.fingerprint_after
