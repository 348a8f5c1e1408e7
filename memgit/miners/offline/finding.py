"""What a rule finds: a change with its evidence, before it is numbered as a candidate."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memgit.core.sessions.quotes import MIN_CHARACTERS, MIN_WORDS
from memgit.miners.offline.prose import Statement
from memgit.model.decision import Draft, Evidence, Intent, Said


@dataclass(frozen=True, slots=True)
class Finding:
    """One change a rule proposes. ``said`` is the statement it rests on, None where the memories' own lines do.

    ``leaves_out`` is what of the old text the change gives up on purpose.
    """

    intent: Intent
    claim: str
    why: str
    evidence: tuple[Evidence, ...]
    targets: tuple[str, ...] = ()
    drafts: tuple[Draft, ...] = ()
    said: Statement | None = None
    leaves_out: tuple[str, ...] = ()

    @property
    def time(self) -> datetime | None:
        return self.said.time if self.said else None

    @property
    def place(self) -> tuple[int, int]:
        """The turn of the session and the sentence of the message in which it was said."""
        return (self.said.turn, self.said.order) if self.said else (0, 0)


@dataclass(frozen=True, slots=True)
class Unclear:
    """A statement that a rule saw and left alone, with the reason, for the report."""

    said: Statement
    why: str


def quoted(statement: Statement) -> Said:
    """The statement as evidence; one of a word or two with a sentence beside it, for it shows nothing by itself."""
    parts = [statement.text]
    if _is_short(statement.text):
        parts = [*statement.preceding[-1:], statement.text, *(() if statement.preceding else statement.following[:1])]
    return Said(session=statement.session, quote=" ".join(parts))


def _is_short(text: str) -> bool:
    return len(text) < MIN_CHARACTERS or len(text.split()) < MIN_WORDS
