"""What a look at the tree came to for one claim of a memory."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memgit.claims.telling import Edit
from memgit.model.decision import Seen
from memgit.model.verification import Line


class State(StrEnum):
    """What became of a claim."""

    HOLDS = "holds"
    MOVED = "moved"  # the thing is there under another name, by a commit
    GONE = "gone"
    DIFFERS = "differs"  # the tree gives another value: a question, never an answer


@dataclass(frozen=True, slots=True)
class Found:
    """One claim and what the tree shows of it: ``line`` is the evidence on one line and ``seen`` as it can be looked
    up, ``edits`` are how the memory would say it, ``day`` is when it became so, where history
    tells, ``place`` the line that gives another value, ``sentence``
    where the sentence begins that makes the claim."""

    state: State
    line: str
    seen: tuple[Seen, ...] = ()
    edits: tuple[Edit, ...] = ()
    day: str = ""
    place: Line | None = None
    sentence: int = -1
