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


class Standing(StrEnum):
    """What became of a decision: it is in the candidate, it is a question, or a fact stands against it."""

    TAKEN = "taken"
    HELD = "held"
    REFUSED = "refused"


class FactName(StrEnum):
    """What can be decided without understanding a sentence, and refuses a proposal. Nobody overrules a fact."""

    LIMIT = "limit"  # more changes than anybody could look through
    KIND = "kind"  # a kind of change that this pass, or this store, does not make
    SHAPE = "shape"  # names no memory, one too many, or none of its own
    TWICE = "changed-twice"  # another decision of the pass changes the same memory, or adds the same text
    NO_EVIDENCE = "no-evidence"
    NO_SESSION = "no-session"
    QUOTE = "quote-not-found"
    MASKED = "masked"
    NOT_TYPED = "not-typed"  # pasted, fenced, quoted
    PROGRAM = "program"
    AGENT = "agent-only"
    ANSWER = "answer-not-found"
    OWN_WORDS = "own-words"  # a person's own memory, on anything but that person's words
    OLDER = "older"  # said before the memory was written
    PINNED = "pinned"
    HALF_DONE = "half-done"  # somebody is in the middle of merging the memory's file
    FORM = "form"  # the form of a memory: a name, a type, a size, a text
    NO_CHANGE = "no-change"  # the result is what is there already
    SECRET = "secret"
    STEERING = "steering"
    STORE_CHANGED = "store-changed"  # the store has changed the same lines since the pass read it
    TURNED_DOWN = "turned-down"  # by the user, on the same evidence


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something about a proposal that only reads as if it were wrong: never a reason to refuse it.

    ``name`` is the doubt's own, ``says`` one sentence, ``about`` the words it is about, and ``settle`` what would
    settle it.
    """

    name: str
    says: str
    about: str = ""
    settle: str = ""


class Approval(StrEnum):
    """Where a decision stands with the user."""

    PROPOSED = "proposed"
    APPROVED = "approved"
    REJECTED = "rejected"
    DEFERRED = "deferred"


@dataclass(frozen=True, slots=True)
class Said:
    """Evidence that a session holds: a quote found word for word (white space folded) in what a person typed.

    ``answers`` is what of the agent's words just before it directly answers, where it only makes sense with them.
    ``record`` and ``time`` (ISO 8601) are filled in by the check.
    """

    session: str
    quote: str
    record: str = ""
    time: str = ""
    answers: str = ""


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
    merge and replace, several for split, none for stale. ``rank`` 1 is the best of its batch; ``chance`` is how much
    speaks for it, comparable over batches, where its miner knows.
    """

    id: str
    intent: Intent
    claim: str
    evidence: tuple[Evidence, ...]
    targets: tuple[str, ...] = ()
    drafts: tuple[Draft, ...] = ()
    rank: int = 1
    why: str = ""
    chance: float = 0.0


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
    batch was not mined, ``unread`` are sessions that were read in part or not at all, each with the reason."""

    batch: int
    candidates: tuple[Candidate, ...] = ()
    notices: tuple[Notice, ...] = ()
    failure: str | None = None
    opinions: tuple[Opinion, ...] = ()
    unread: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a decider wants settled, before any guard has looked at it.

    ``drafts`` word the memories that would result (for replace and update exactly one, with its
    ``id``; for merge one, whose ``id`` is the surviving member; for split two or more). A reject
    names the ``candidates`` it refuses. ``leaves_out`` are details of members that the survivor
    drops on purpose. ``handed_in`` is true of what a host adds to an audit or a prune: no rule of memgit's
    vouches for its words. ``confirm`` is a judge's answer to all doubts of it, one sentence. ``asks`` is what a
    person is asked, where nobody has judged the proposal: it is then a question whatever else is found.
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
    confirm: str = ""
    asks: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """One thing a pass settled.

    ``memories`` are the ids it speaks of, ``results`` the ids it leaves. ``writes`` maps paths to
    the whole new bytes of a file, ``removes`` names paths that go; nothing else of the store changes
    (the index is rebuilt from the outcome). A reject changes nothing and names the candidate it
    refuses. ``dropped_text`` keeps, whole, what no result holds any more. ``leaves_out`` are the
    details of merged memories that the survivor knowingly lacks. ``unlinked`` holds those of ``writes``
    whose links follow other decisions, as they are without these. ``reason`` is why the user turned it down.

    A *held* decision is a question: its files are worked out, and in no candidate until a person takes it. A *refused*
    one writes nothing; ``refused_by`` names the fact and ``refusal`` tells it in a sentence. ``confirmed`` is what was
    answered to its ``doubts``. ``remarks`` are sentences on what of its evidence was left out.
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
    standing: Standing = Standing.TAKEN
    doubts: tuple[Doubt, ...] = ()
    confirmed: str = ""
    refused_by: FactName | None = None
    refusal: str = ""
    asks: str = ""
    remarks: tuple[str, ...] = ()

    @property
    def changes(self) -> bool:
        """Whether there is something in it that a person could take: it is neither a reject nor refused."""
        return self.kind is not Kind.REJECT and self.standing is not Standing.REFUSED

    @property
    def stands(self) -> bool:
        """Whether it is in the candidate: taken by itself or by a person, and turned down by nobody."""
        if not self.changes or self.approval in (Approval.REJECTED, Approval.DEFERRED):
            return False
        return self.standing is Standing.TAKEN or self.approval is Approval.APPROVED
