"""Reading one transcript file in blocks, in constant memory, and going on later where it ended."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import BinaryIO

from memgit.core.sessions.transcript import Entry, classify, prose, queue_step, work_of_the_agent
from memgit.model.session import RecordClass
from memgit.sessions.records import Body, Record, decode_block

BLOCK = 1 << 20
"""Bytes read at once: measured, 256 KiB to 1 MiB is fastest, 4 MiB falls out of the processor's cache."""

LONGEST_LINE = 64 << 20
"""Bytes of one line above which it is passed over and counted: prose is never that long."""

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a transcript held, without its prose, up to ``offset``: the end of its last whole line.

    ``records`` counts the classes of all records that added no ``Entry``. ``cwd`` is the first one
    recorded. ``worktrees`` are (original directory, worktree path) of its worktree records.
    ``transcript`` is true once a record had the client's envelope, ``foreign_lines`` counts
    objects without one.
    """

    offset: int = 0
    lines: int = 0
    broken: int = 0
    too_long: int = 0
    foreign_lines: int = 0
    transcript: bool = False
    started: datetime | None = None
    ended: datetime | None = None
    cwd: str | None = None
    worktrees: tuple[tuple[str, str], ...] = ()
    records: Mapping[RecordClass, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Part:
    """The outcome of reading a file from an offset: the new figures, the entries met on the way, and
    the bytes of a last line that no newline ends, which may still be in the middle of being written."""

    reading: Reading
    entries: tuple[Entry, ...]
    tail: bytes = b""


def read_on(file: BinaryIO, before: Reading) -> Part:
    """Read a transcript from where ``before`` ended to its last whole line."""
    file.seek(before.offset)
    scan = _Scan(before)
    tail = b""
    for block in blocks(file):
        if block.data and not block.data.endswith(b"\n"):
            tail = bytes(block.data)
        else:
            scan.add(block)
    return Part(scan.reading(), tuple(scan.entries), tail)


def read_tail(part: Part) -> Part:
    """Count the unfinished last line in, for figures of this moment that are not kept."""
    if not part.tail:
        return part
    scan = _Scan(part.reading)
    scan.add(Lines(bytearray(part.tail), len(part.tail)))
    return Part(replace(scan.reading(), offset=part.reading.offset), (*part.entries, *scan.entries))


@dataclass(frozen=True, slots=True)
class Lines:
    """Whole lines of a file (or its unfinished last one), and how many bytes of the file they took.

    ``data`` is empty for one line that was too long to hold.
    """

    data: bytearray
    size: int


def blocks(file: BinaryIO) -> Iterator[Lines]:
    """Cut a file into blocks that end at newlines; memory is bounded by one block and its longest line."""
    rest = bytearray()
    while data := file.read(BLOCK):
        cut = data.rfind(b"\n") + 1
        rest += data
        if cut:
            begun = data[cut:]
            del rest[len(rest) - len(begun) :]
            yield Lines(rest, len(rest))
            rest = bytearray(begun)
        elif len(rest) > LONGEST_LINE:
            yield Lines(bytearray(), len(rest) + _pass_over_line(file))
            rest = bytearray()
    if rest:
        yield Lines(rest, len(rest))


def _pass_over_line(file: BinaryIO) -> int:
    """Go to the start of the next line without keeping anything; return the bytes passed."""
    passed = 0
    while data := file.read(BLOCK):
        end = data.find(b"\n") + 1
        if end:
            file.seek(end - len(data), 1)
            return passed + end
        passed += len(data)
    return passed


class _Scan:
    """Collects entries and figures while the blocks of one file go by."""

    def __init__(self, before: Reading) -> None:
        self.before = before
        self.entries: list[Entry] = []
        self.records = Counter(before.records)
        self.worktrees = dict.fromkeys(before.worktrees)
        self.offset, self.lines = before.offset, before.lines
        self.broken, self.too_long = before.broken, before.too_long
        self.foreign_lines = before.foreign_lines
        self.transcript = before.transcript
        self.started, self.ended, self.cwd = before.started, before.ended, before.cwd
        self._earliest, self._latest = _ALWAYS, _NEVER

    def reading(self) -> Reading:
        self._widen(moment(self._earliest))
        self._widen(moment(self._latest))
        return Reading(
            offset=self.offset,
            lines=self.lines,
            broken=self.broken,
            too_long=self.too_long,
            foreign_lines=self.foreign_lines,
            transcript=self.transcript,
            started=self.started,
            ended=self.ended,
            cwd=self.cwd,
            worktrees=tuple(self.worktrees),
            records=dict(self.records),
        )

    def add(self, block: Lines) -> None:
        data = block.data
        if not data:
            self.lines += 1
            self.broken += 1
            self.too_long += 1
        if self.offset == 0 and data.startswith(_BOM):
            data = data[len(_BOM) :]
        count = 0
        for line in decode_block(data) if data else ():
            count += 1
            if isinstance(line, Record):
                self._record(self.lines + count, line)
                continue
            self.broken += line.broken
            for record in line.records:
                self._record(self.lines + count, record)
        self.lines += count
        self.offset += block.size

    def _record(self, line: int, record: Record) -> None:
        if not record.has_envelope:
            self.foreign_lines += 1
            return
        self.transcript = True
        work = work_of_the_agent(record)
        if work is not None:
            self.records[work] += 1
            self._note_circumstances(record)
            return
        time = moment(record.timestamp)
        self._note_circumstances(record)
        said = classify(record)
        step = queue_step(record)
        if said.role is None:
            self.records[said.kind] += 1
            if not step:
                return
        text = said.text or (prose(record.content) if step and isinstance(record.content, str) else "")
        message = record.message.id if isinstance(record.message, Body) else None
        self.entries.append(Entry(line, record.uuid, time, said.role, text, said.origin, message, step))

    def _note_circumstances(self, record: Record) -> None:
        self.cwd = self.cwd or record.cwd
        self._note_time(record.timestamp)
        worktree = record.worktree_session
        if worktree and worktree.original_cwd and worktree.worktree_path:
            self.worktrees[worktree.original_cwd, worktree.worktree_path] = None

    def _note_time(self, timestamp: str | float | None) -> None:
        """Times as the client writes them are compared as text, which is as good, and only the outermost are read."""
        if isinstance(timestamp, str) and _USUAL.fullmatch(timestamp):
            if timestamp < self._earliest:
                self._earliest = timestamp
            if timestamp > self._latest:
                self._latest = timestamp
        else:
            self._widen(moment(timestamp))

    def _widen(self, time: datetime | None) -> None:
        if time:
            self.started = min(self.started or time, time)
            self.ended = max(self.ended or time, time)


_NEVER, _ALWAYS = "", "~"  # sort before and after every time
_USUAL = re.compile(
    r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z"
)
"""Times that sort as text; the last days of a month, which not every month has, are read."""


def moment(timestamp: str | float | None) -> datetime | None:
    """A record's time: ISO 8601 or milliseconds since 1970; None for what is neither."""
    try:
        if isinstance(timestamp, str):
            time = datetime.fromisoformat(timestamp)
            return time if time.tzinfo else time.replace(tzinfo=UTC)
        if isinstance(timestamp, (int, float)):
            return datetime.fromtimestamp(timestamp / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None
