"""One run from plan to verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from memgit.model.decision import Decision, MinerReply, Proposal
from memgit.model.history import Mode, PassKind, PassState, Paths
from memgit.model.session import Digest, Selection, Survey
from memgit.model.store import Resolution, StoreStatus
from memgit.model.verification import Appraisal, MemoryCheck


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
