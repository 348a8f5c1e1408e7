"""What of a session's prose counts, once and in order: copies, messages taken back, branches that were left."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import NamedTuple

from memgit.evidence.records import Record
from memgit.model.session import Origin, RecordClass, Role


class Entry(NamedTuple):
    """What one record adds to a session's prose, or to the queue of messages typed while the agent works.

    ``line`` counts from 1. ``uuid`` is None for records without one; ``message`` is the API message's
    id, which the split records of one reply share. ``step`` is the queue operation (``enqueue``,
    ``dequeue``, ``remove``, ``withdraw``); ``role`` is None for steps that say nothing. ``under`` is the line of the
    prompt that it hangs below in the tree of records, negative for the line of a root without one, None where the
    chain is broken. ``taken_back`` is found by `resolve`.
    """

    line: int
    uuid: str | None
    time: datetime | None
    role: Role | None
    text: str
    origin: Origin = Origin.TYPED
    message: str | None = None
    step: str = ""
    under: int | None = None
    taken_back: bool = False

    @property
    def record(self) -> str:
        return self.uuid or f"line-{self.line}"

    @property
    def is_prompt(self) -> bool:
        """Whether it began a turn: what the user sent, not what was queued while the agent worked."""
        return self.role is Role.USER and not self.step and self.origin is not Origin.QUEUED

    @property
    def marks(self) -> tuple[str, ...]:
        """By what a copy of it is known: its id, and its time, role and text, which copies made by other tools keep."""
        own = (self.uuid,) if self.uuid else ()
        if not own or self.time is None or self.role is None:
            return own
        told = blake2b(self.text.encode("utf-8", "replace"), digest_size=12).hexdigest()
        return (*own, f"{self.time.isoformat()} {self.role} {told}")


@dataclass(frozen=True, slots=True)
class Resolved:
    """The prose of a session that counts, oldest first, and the classes of all its entries."""

    kept: tuple[Entry, ...]
    records: Mapping[RecordClass, int]


def queue_step(record: Record) -> str:
    """What a queue operation does; empty for other records.

    ``withdraw`` is a message taken back before it was sent: ``popAll`` returns the whole queue to the
    editor, and a ``remove`` is one when it gives a reason other than delivery. A ``remove`` without a
    reason is delivery in the middle of a turn (measured: the model answered it, and in 2.0 the
    ``enqueue`` stays the only trace of what was said).
    """
    if record.type != "queue-operation":
        return ""
    if record.operation == "popAll":
        return "withdraw-all"
    if record.operation == "remove" and record.reason and not _DELIVERED.search(record.reason):
        return "withdraw"
    return record.operation or ""


_DELIVERED = re.compile(r"absorb|deliver|sent|consum|dequeue", re.IGNORECASE)


def resolve(entries: Sequence[Entry], elsewhere: Container[str] = frozenset()) -> Resolved:
    """Keep each thing said once, in the order of record times, ties and missing times in file order.

    ``elsewhere`` holds the marks of records that another session of the pool already gave. What stands on a branch
    that was left is kept, and marked as taken back.
    """
    withdrawn = _withdrawn(entries)
    copies = _repeated(entries, elsewhere) | _superseded(entries) | (_sent_later(entries) - withdrawn)
    said = [index for index, entry in enumerate(entries) if entry.role is not None]
    left = _left([entries[index] for index in said])
    kept = [
        entries[index]._replace(taken_back=entries[index].line in left)
        for index in said
        if index not in withdrawn and index not in copies
    ]
    classes = Counter(map(_class, kept))
    classes[RecordClass.COPY] = len(copies)
    classes[RecordClass.METADATA] = len(withdrawn - copies)
    return Resolved(_in_order(kept), +classes)


def _class(entry: Entry) -> RecordClass:
    if entry.taken_back:
        return RecordClass.TAKEN_BACK
    if entry.role is Role.ASSISTANT:
        return RecordClass.ASSISTANT_PROSE
    return RecordClass.PROGRAM_PROSE if entry.origin is Origin.PROGRAM else RecordClass.USER_PROSE


def _left(entries: Sequence[Entry]) -> set[int]:
    """The lines of prompts that the user went back behind, with all that hangs below them: a later prompt hangs on what
    they hang on, and nothing was sent below them since. Whoever works on two branches at once has left neither."""
    original = _first_lines(entries)
    above = {entry.line: original.get(entry.under or 0, entry.under) for entry in entries}
    prompts = sorted(entry.line for entry in entries if entry.is_prompt and entry.line not in original)
    newest = {line: line for line in prompts}
    for line in reversed(prompts):
        if (over := above[line]) in newest:
            newest[over] = max(newest[over], newest[line])
    siblings: dict[int, list[int]] = {}
    for line in prompts:
        if (over := above[line]) is not None:
            siblings.setdefault(over, []).append(line)
    left = {line for lines in siblings.values() for line in lines[:-1] if newest[line] < lines[-1]}
    for line in sorted(above):  # whatever hangs below a line stands after it
        if above[line] in left:
            left.add(line)
    return left


def _first_lines(entries: Iterable[Entry]) -> dict[int, int]:
    """For each record that repeats an earlier one the line of that: what hangs below the copy hangs below it."""
    first: dict[str, int] = {}
    repeats: dict[int, int] = {}
    for entry in entries:
        line = next((first[mark] for mark in entry.marks if mark in first), entry.line)
        if line != entry.line:
            repeats[entry.line] = line
        first |= dict.fromkeys(entry.marks, line)
    return repeats


def _withdrawn(entries: Sequence[Entry]) -> set[int]:
    """Replay the queue and name what was taken back out of it unsent."""
    pending: list[int] = []
    withdrawn: set[int] = set()
    for index, entry in enumerate(entries):
        match entry.step:
            case "enqueue":
                pending.append(index)
            case "dequeue" | "remove":
                _take(pending, entries, entry.text)
            case "withdraw":
                withdrawn |= _take(pending, entries, entry.text)
            case "withdraw-all":
                withdrawn.update(pending)
                pending.clear()
    return {index for index in withdrawn if entries[index].role is not None}


def _take(pending: list[int], entries: Sequence[Entry], text: str) -> set[int]:
    """Take from the queue the message with this text, or the oldest when the step names none."""
    for at, index in enumerate(pending):
        if not text or entries[index].text == text:
            return {pending.pop(at)}
    return set()


def _repeated(entries: Sequence[Entry], elsewhere: Container[str]) -> set[int]:
    """Records that an earlier line or another session gave."""
    seen: set[str] = set()
    repeated: set[int] = set()
    for index, entry in enumerate(entries):
        if entry.role is None or entry.step:
            continue
        marks = entry.marks
        if any(mark in seen or mark in elsewhere for mark in marks):
            repeated.add(index)
        seen.update(marks)
    return repeated


def _superseded(entries: Sequence[Entry]) -> set[int]:
    """Split and streamed records of one reply: text that a record with the same message id repeats or completes.

    The id alone is no proof, since some gateways give every reply the same one.
    """
    last: dict[str, int] = {}
    seen: set[tuple[str, str]] = set()
    superseded: set[int] = set()
    for index, entry in enumerate(entries):
        if entry.message is None or entry.role is not Role.ASSISTANT:
            continue
        before = last.get(entry.message)
        if (entry.message, entry.text) in seen:
            superseded.add(index)
            continue
        if before is not None and entry.text.startswith(entries[before].text):
            superseded.add(before)
        seen.add((entry.message, entry.text))
        last[entry.message] = index
    return superseded


def _sent_later(entries: Sequence[Entry]) -> set[int]:
    """Queued messages that a later record, by line or by time, holds again; one that counts as a copy does not."""
    latest: dict[str, tuple[int, datetime]] = {}
    copies = _repeated(entries, ())
    for index, entry in enumerate(entries):
        if entry.role is Role.USER and entry.step != "enqueue" and index not in copies:
            _, time = latest.get(entry.text, (0, _LONG_AGO))
            latest[entry.text] = (index, max(time, entry.time or _LONG_AGO))
    return {
        index
        for index, entry in enumerate(entries)
        if entry.origin is Origin.QUEUED and entry.text in latest and _is_before(index, entry, *latest[entry.text])
    }


def _is_before(index: int, entry: Entry, line: int, time: datetime) -> bool:
    return index < line or (index != line and entry.time is not None and entry.time < time)


_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def _in_order(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """By record time; an entry without one keeps its place after the line before it."""
    timed: list[tuple[datetime, Entry]] = []
    clock = _LONG_AGO
    for entry in entries:
        clock = entry.time or clock
        timed.append((clock, entry))
    return tuple(entry for _, entry in sorted(timed, key=lambda pair: pair[0]))
