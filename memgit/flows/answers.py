"""The answers of a review that are not in the candidate yet, kept so that nothing is lost at whatever moment it ends.

Each answer is a line of a file in the vault's own folder, on disk before the next key is read. One revision of the
candidate is made of all of them when the review ends: a revision for each key would make the operation log unreadable,
and rebuild and verify the candidate each time. What a review that was cut short has left is taken along by the next
``approve``, goes on in the next review, and keeps the candidate from being adopted without it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgit import files
from memgit.core.review.state import Answer
from memgit.errors import MemgitError, VaultLocked, WrongState
from memgit.model.decision import Approval
from memgit.rulings.approval import Ruling

if TYPE_CHECKING:
    from memgit.flows.desk import Desk

FOLDER = "reviews"
"""Folder in memgit's part of the vault; a redaction cleans what is in it."""

_TAKEN_BACK = {"taken_back": True}


@dataclass(frozen=True)
class Answers:
    """The kept answers of one pass, held by this process alone."""

    notebook: files.Notebook

    def all(self) -> tuple[Answer, ...]:
        """What was answered and not taken back, oldest first."""
        return _replayed(self.notebook.lines())

    def keep(self, before: Sequence[Answer], now: Sequence[Answer]) -> None:
        """Bring to disk by what one action changed the answers: one more, or the last one taken back."""
        if len(now) > len(before):
            self.notebook.add(_line(now[-1]))
        elif len(now) < len(before):
            self.notebook.add(json.dumps(_TAKEN_BACK).encode())

    def clear(self) -> None:
        """Forget them: they are in the candidate now."""
        self.notebook.clear()


@contextmanager
def kept(desk: Desk, pass_id: str) -> Iterator[Answers]:
    """Hold the answers of a pass. Raises VaultLocked while another process does."""
    try:
        held = files.Notebook.open(_place(desk, pass_id))
    except files.Taken:
        raise VaultLocked(
            f"Another memgit is reviewing pass {pass_id} at this moment.",
            "End the review that is open elsewhere; its answers are kept.",
        ) from None
    except OSError as error:
        raise MemgitError(
            f"The rulings on pass {pass_id} cannot be kept: {error.strerror}.", "Make room, or mend the disk, say."
        ) from error
    try:
        yield Answers(held)
    finally:
        held.close()


def refuse_unsaved(desk: Desk, pass_id: str) -> None:
    """Raise WrongState where a review was cut short: its answers are not in the candidate."""
    place = _place(desk, pass_id)
    left = _replayed(place.read_bytes().split(b"\n")) if place.is_file() else ()
    if left:
        named = ", ".join(dict.fromkeys(answer.decision for answer in left))
        raise WrongState(
            f"A review of pass {pass_id} has answers that are not in its candidate yet: {named}.",
            f"`memgit review {pass_id}` goes on with it and, when it ends, puts them there.",
        )


def _place(desk: Desk, pass_id: str) -> Path:
    return desk.vault.private / FOLDER / f"{pass_id}.jsonl"


def _line(answer: Answer) -> bytes:
    ruling = answer.ruling
    facts = {"decision": answer.decision, "verdict": ruling.verdict, "edit": ruling.edit, "reason": ruling.reason}
    return json.dumps(facts).encode()


def _replayed(lines: Sequence[bytes]) -> tuple[Answer, ...]:
    """The answers that stand after all lines. One that was cut short as it was written says nothing."""
    standing: list[Answer] = []
    for line in lines:
        match _read(line):
            case Answer() as answer:
                standing.append(answer)
            case Mapping() if standing:
                standing.pop()
            case _:
                pass
    return tuple(standing)


def _read(line: bytes) -> Answer | Mapping[str, Any] | None:
    try:
        facts = json.loads(line)
        if facts == _TAKEN_BACK:
            return _TAKEN_BACK
        verdict = Approval(facts["verdict"])
        return Answer(str(facts["decision"]), Ruling(verdict, str(facts["edit"]), str(facts["reason"])))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
