"""What the working tree says of the names in memories. A verdict only annotates."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum


class SpanKind(StrEnum):
    """What a backtick span names. The last group is nothing that a tree can answer for."""

    FILE = "file"
    FILE_LINE = "file with line"
    DIRECTORY = "directory"
    GLOB = "glob"
    COMMAND = "command"
    FLAG = "flag"
    IDENTIFIER = "identifier"
    CALL = "call"
    ENVIRONMENT = "environment variable"
    PATH = "path or name"
    TEXT = "text"
    # no targets
    OUTSIDE = "path outside the repository"
    NUMBER = "number"
    HASH = "hash"
    URL = "URL"
    ROUTE = "API route"
    BRANCH = "branch"
    PAIR = "word pair"
    PLACEHOLDER = "placeholder"
    TOOL = "tool name"
    WIKILINK = "memory name"


class Missing(StrEnum):
    """Why a span was not found."""

    RENAMED = "renamed"
    DELETED = "deleted"
    ELSEWHERE = "on another branch"
    MENTIONED = "only mentioned"  # in prose, which may tell that it is gone
    AMBIGUOUS = "ambiguous"
    IGNORED = "ignored by git"
    SPARSE = "outside the sparse checkout"
    OUTSIDE = "outside the repository"
    NEVER = "never seen"


@dataclass(frozen=True, slots=True)
class Change:
    """A commit of the project: its hash, its day (ISO 8601) and its subject. ``detail`` is the line of its own record
    that shows what it did (``R old/path new/path``, ``D old/path``), ``moved_to`` where it took a path, or what it
    calls a script since; ``whole`` says that what it moved is the same thing still, and no new one that is like it."""

    commit: str
    date: str
    subject: str
    detail: str = ""
    moved_to: str | None = None
    whole: bool = True

    def __str__(self) -> str:
        return f"{self.commit[:7]} ({self.date}, {self.subject})"


@dataclass(frozen=True, slots=True)
class Absence:
    """Why a name is not in the tree: the reason, what else there is to know, and the commit that took it."""

    reason: Missing
    hint: str = ""
    change: Change | None = None


NOTHING_KNOWN = Absence(Missing.NEVER)


@dataclass(frozen=True, slots=True)
class SpanCheck:
    """One span and what became of it: ``where`` it was found, or why it is ``missing`` with a ``hint`` and the commit
    that took it, or neither for a kind that is no target."""

    span: str
    kind: SpanKind
    where: str | None = None
    missing: Missing | None = None
    hint: str = ""
    change: Change | None = None

    @property
    def is_target(self) -> bool:
        return self.where is not None or self.missing is not None


@dataclass(frozen=True, slots=True)
class Line:
    """One line of one file of the tree; ``number`` counts from 1."""

    path: str
    number: int
    text: str

    @property
    def where(self) -> str:
        return f"tree:{self.path}:{self.number}"


class Verdict(StrEnum):
    """What a working-tree check says of a memory."""

    VERIFIED = "verified"
    UNVERIFIABLE = "unverifiable"
    NO_TARGETS = "no-targets"


@dataclass(frozen=True, slots=True)
class MemoryCheck:
    """The verdict for one memory with every span that was looked at."""

    memory: str
    verdict: Verdict
    spans: tuple[SpanCheck, ...] = ()

    @property
    def missing(self) -> tuple[SpanCheck, ...]:
        return tuple(span for span in self.spans if span.missing)


class MemoryClass(StrEnum):
    """What an audit takes a memory for."""

    CURRENT = "current"  # what can be checked of it holds
    STALE = "stale"  # something checkable holds no longer
    ABSORBED = "absorbed"  # a document of the project says it now
    DUPLICATE = "duplicate"  # another memory says the same
    UNVERIFIABLE = "unverifiable"  # nothing in it that the repository could confirm


@dataclass(frozen=True, slots=True)
class Appraisal:
    """The class of one memory, with what was looked at and what came back in one line. ``by`` is empty for memgit's
    own, ``host`` for one that a host gave with evidence that was found."""

    memory: str
    kind: MemoryClass
    evidence: str
    by: str = ""


# --- finding ---
# What a check of a store and its vault finds.


class Area(StrEnum):
    """What a finding is about."""

    STORE = "store"  # the live store against what is recorded of it
    INDEX = "index"  # drift and limits
    TEXT = "text"  # secrets, and text that could steer an agent
    VAULT = "vault"  # the side repository itself
    PLACE = "place"  # which store is used, further ones, and how long transcripts stay


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to know, in a sentence, and the command or act that mends it. Damage is worse than a finding.
    ``names`` are all things that it is about, where the sentence names only the first of them."""

    area: Area
    what: str
    remedy: str = ""
    damage: bool = False
    names: tuple[str, ...] = ()


# --- in a vault ---


class Part(StrEnum):
    """Which part of a vault a problem is in."""

    LOG = "log"
    REF = "ref"
    OBJECT = "object"
    PACK = "pack"
    FILE = "file"
    WITNESS = "witness"
    FSCK = "fsck"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is not as it should be.

    ``what`` is a sentence naming the thing, ``restorable`` says what can still be brought back, ``repair`` is the
    command to run (empty where only another copy of the vault helps).
    """

    part: Part
    what: str
    restorable: str
    repair: str = ""


@dataclass(frozen=True, slots=True)
class Look:
    """One part of a check that can be made by itself. Where a ``vital`` one finds something, reading on could crash."""

    name: str
    problems: Callable[[], Iterable[Problem]]
    vital: bool = False
