"""What was said: recorded sessions, the messages kept from them, and how a pass selects and batches them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class Role(StrEnum):
    """Who speaks in a kept message."""

    USER = "user"
    ASSISTANT = "assistant"


class Origin(StrEnum):
    """How a kept message came into the session."""

    TYPED = "typed"  # a person's turn, or the assistant's prose
    QUEUED = "queued"  # typed while the agent was working
    PROGRAM = "program"  # sent by a program (`-p`, an SDK): kept as prose, and no evidence of anything


class Agent(StrEnum):
    """Whose client recorded a session."""

    CLAUDE = "Claude Code"
    CODEX = "Codex"


class RecordClass(StrEnum):
    """What a transcript record is. Only the two prose classes are kept."""

    USER_PROSE = "user-prose"
    PROGRAM_PROSE = "program-prose"  # what a program sent in the user's place
    ASSISTANT_PROSE = "assistant-prose"
    TAKEN_BACK = "taken-back"  # on a branch of the session that the user left
    UNKNOWN_WRAPPER = "unknown-wrapper"  # all of it inside elements that no client we know writes
    CONTRADICTORY = "contradictory"  # its fields disagree on who speaks
    TOOL_RESULT = "tool-result"
    TOOL_CALL = "tool-call"
    THINKING = "thinking"
    SKILL_BODY = "skill-body"
    SLASH_COMMAND = "slash-command"
    LOCAL_COMMAND = "local-command-output"
    SYSTEM_REMINDER = "system-reminder"
    SUMMARY = "compaction-summary"
    NOTIFICATION = "notification"
    INTERRUPT = "interrupt"
    SUBAGENT = "subagent"
    API_ERROR = "api-error"
    COPY = "copied-record"  # a record that another line or session already gave
    METADATA = "session-metadata"


class Provenance(StrEnum):
    """Which source led to a session."""

    PROJECT = "current-project"
    LIVE = "live-worktree"  # `git worktree list`
    RECORDED = "recorded-worktree"  # a worktree-state record of this project's own transcripts
    MATCHED = "matched-worktree"  # a session elsewhere whose original directory is this project


@dataclass(frozen=True, slots=True)
class Message:
    """One kept message: what a person typed or the assistant said in prose.

    ``record`` is the transcript's own id of the record (its ``uuid``, or ``line-N`` without one).
    ``text`` is valid Unicode, without system reminders, stripped. ``taken_back`` is true of what stands on a branch
    of the session that the user left (/rewind, Esc, an edited prompt).
    """

    session: str
    record: str
    time: datetime | None
    role: Role
    text: str
    origin: Origin = Origin.TYPED
    taken_back: bool = False


@dataclass(frozen=True, slots=True)
class Session:
    """One recorded session of the pool, without its prose.

    ``tokens`` is the estimate for the kept prose (UTF-8 bytes / 4, rounded up), ``typed`` for what of it a person
    typed, ``whole`` for all prose in its file, copies of other sessions included. ``started`` and
    ``ended`` are record times, never a file's mtime, which ``ended`` falls back on only when no
    record carries a time. ``broken_lines`` counts lines that could not be read.
    """

    id: str
    path: str
    provenance: Provenance
    started: datetime | None
    ended: datetime | None
    tokens: int
    messages: int
    records: Mapping[RecordClass, int] = field(default_factory=dict)
    broken_lines: int = 0
    cwd: str | None = None
    agent: Agent = Agent.CLAUDE
    typed: int = 0
    whole: int = 0


@dataclass(frozen=True, slots=True)
class Worktree:
    """A git worktree whose sessions belong to the project, and which source knew of it."""

    path: str
    provenance: Provenance


@dataclass(frozen=True, slots=True)
class OrphanStore:
    """A non-empty memory store that belongs to a worktree or a twin key: reported, never merged."""

    path: str
    memories: int
    why: str


@dataclass(frozen=True, slots=True)
class Survey:
    """What the agent has recorded for a project.

    ``known`` is false when the agent has no folder at all for it (exit 10 without a store).
    ``sessions`` is the pool, newest first by record time. ``foreign`` are sessions met in the same
    folders that belong to other projects, as (path, their cwd). ``notes`` are sentences about what
    was skipped and why, for the report.
    """

    known: bool
    sessions: tuple[Session, ...] = ()
    worktrees: tuple[Worktree, ...] = ()
    orphans: tuple[OrphanStore, ...] = ()
    foreign: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Limits:
    """The figures that bound what one pass reads; tokens are estimates (UTF-8 bytes / 4)."""

    token_budget: int = 150_000
    session_cap: int = 100
    near_empty: int = 500
    typed_enough: int = 60
    batch_window: int = 60_000
    reduce_threshold: int = 8
    candidates_per_batch: int = 15


@dataclass(frozen=True, slots=True)
class Batch:
    """A run of selected sessions that one miner reads; a session larger than the window is alone."""

    number: int
    sessions: tuple[Session, ...]

    @property
    def tokens(self) -> int:
        return sum(session.tokens for session in self.sessions)


@dataclass(frozen=True, slots=True)
class Selection:
    """Which sessions a pass reads, why the others are left out, and how the chosen are batched."""

    limits: Limits
    pool: int
    selected: tuple[Session, ...]
    near_empty: tuple[Session, ...]
    beyond_budget: tuple[Session, ...]
    beyond_cap: tuple[Session, ...]
    batches: tuple[Batch, ...]

    @property
    def tokens(self) -> int:
        return sum(session.tokens for session in self.selected)

    @property
    def overshoot(self) -> int:
        """Tokens by which the last session taken went over the budget (0 when none did)."""
        return max(0, self.tokens - self.limits.token_budget)

    @property
    def reduce_engaged(self) -> bool:
        return len(self.batches) > self.limits.reduce_threshold


@dataclass(frozen=True, slots=True)
class Digest:
    """The frozen, masked prose of one batch: all that a miner, and later a quote check, may read."""

    number: int
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class LiveSession:
    """One running session. ``status`` is ``idle``, ``busy`` or what else the client calls it."""

    session: str
    pid: int
    cwd: str
    status: str = ""
