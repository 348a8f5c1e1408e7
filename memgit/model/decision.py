"""What a pass proposes and settles: candidates, evidence, decisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from memgit.model.verification import MemoryClass


class Intent(StrEnum):
    """What a candidate proposes."""

    NEW = "new"
    MERGE = "merge"
    REPLACE = "replace"
    STALE = "stale"
    SPLIT = "split"


class Kind(StrEnum):
    """What a decision does."""

    MERGE = "merge"
    REPLACE = "replace"
    UPDATE = "update"
    ADD = "add"
    DROP = "drop"
    SPLIT = "split"
    REJECT = "reject"
    REPAIR = "repair"


class Approval(StrEnum):
    """Where a decision stands with the user."""

    PROPOSED = "proposed"
    APPROVED = "approved"
    REJECTED = "rejected"
    DEFERRED = "deferred"


@dataclass(frozen=True, slots=True)
class Said:
    """Evidence that a session holds: a quote found word for word (white space folded) in one kept message.

    ``record`` and ``time`` (ISO 8601) are filled in by the check, as is ``by`` (``user``, or
    ``assistant, accepted`` where the user's next message accepted what the assistant said).
    """

    session: str
    quote: str
    record: str = ""
    time: str = ""
    by: str = "user"


@dataclass(frozen=True, slots=True)
class Seen:
    """Evidence that can be looked at: lines of a memory (``memory:<id>``), of a file of the working
    tree (``tree:<path>:<line>``) or of its history (``commit:<hash>``). ``quote`` is the text there."""

    where: str
    quote: str


Evidence = Said | Seen


@dataclass(frozen=True, slots=True)
class Draft:
    """The wording of one memory that a candidate or decision would leave.

    ``id`` is empty for a memory that does not exist yet; its file name is then derived from ``name``.
    ``body`` has LF line ends and no frontmatter.
    """

    name: str
    description: str
    type: str
    body: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One proposed change, as a miner returns it. ``id`` is ``B<batch>.<n>``, given by memgit.

    ``targets`` are memory ids (none for ``new``). ``drafts`` hold the proposed text: one for new,
    merge and replace, several for split, none for stale. ``rank`` 1 is the best of its batch.
    """

    id: str
    intent: Intent
    claim: str
    evidence: tuple[Evidence, ...]
    targets: tuple[str, ...] = ()
    drafts: tuple[Draft, ...] = ()
    rank: int = 1
    why: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a miner saw and did not make a candidate of, in its own words, for the report."""

    session: str
    quote: str
    why: str


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a host takes a memory for in an audit or a prune, with the lines that show it; nothing of it is believed
    before it is looked up."""

    memory: str
    kind: MemoryClass
    evidence: tuple[Seen, ...]
    why: str = ""


@dataclass(frozen=True, slots=True)
class MinerReply:
    """What mining one batch of sessions, or reading one part of a store, came to. ``failure`` is a sentence when the
    batch was not mined."""

    batch: int
    candidates: tuple[Candidate, ...] = ()
    notices: tuple[Notice, ...] = ()
    failure: str | None = None
    opinions: tuple[Opinion, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a decider wants settled, before any guard has looked at it.

    ``drafts`` word the memories that would result (for replace and update exactly one, with its
    ``id``; for merge one, whose ``id`` is the surviving member; for split two or more). A reject
    names the ``candidates`` it refuses. ``leaves_out`` are details of members that the survivor
    drops on purpose. ``handed_in`` is true of what a host adds to an audit or a prune: no rule of memgit's
    vouches for its words.
    """

    kind: Kind
    justification: str
    evidence: tuple[Evidence, ...] = ()
    memories: tuple[str, ...] = ()
    drafts: tuple[Draft, ...] = ()
    candidates: tuple[str, ...] = ()
    claim: str = ""
    leaves_out: tuple[str, ...] = ()
    handed_in: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """One thing a pass settled.

    ``memories`` are the ids it speaks of, ``results`` the ids it leaves. ``writes`` maps paths to
    the whole new bytes of a file, ``removes`` names paths that go; nothing else of the store changes
    (the index is rebuilt from the outcome). A reject changes nothing and names the candidate it
    refuses. ``dropped_text`` keeps, whole, what no result holds any more. ``leaves_out`` are the
    details of merged memories that the survivor knowingly lacks. ``unlinked`` holds those of ``writes``
    whose links follow other decisions, as they are without these. ``reason`` is why the user turned it down.
    """

    id: str
    kind: Kind
    justification: str
    evidence: tuple[Evidence, ...] = ()
    memories: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    writes: Mapping[str, bytes] = field(default_factory=dict)
    removes: frozenset[str] = frozenset()
    candidates: tuple[str, ...] = ()
    claim: str = ""
    dropped_text: Mapping[str, str] = field(default_factory=dict)
    leaves_out: tuple[str, ...] = ()
    approval: Approval = Approval.PROPOSED
    unlinked: Mapping[str, bytes] = field(default_factory=dict)
    reason: str = ""

    @property
    def changes(self) -> bool:
        return self.kind is not Kind.REJECT
