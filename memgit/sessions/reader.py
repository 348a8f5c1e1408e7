"""Reading one transcript file in blocks, in constant memory, and going on later where it ended."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from itertools import repeat
from pathlib import Path
from typing import Any, BinaryIO

from memgit.core.prune.recalls import Recalls
from memgit.evidence.records import Classified, classify, prose, work_of_the_agent
from memgit.evidence.turns import Entry, queue_step
from memgit.model.session import Origin, RecordClass, Role, Session
from memgit.model.times import time_of_seconds, time_of_text
from memgit.sessions.records import CLAUDE, Body, Format, Line, Record, decode_block

BLOCK = 1 << 20
"""Bytes read at once: measured, 256 KiB to 1 MiB is fastest, 4 MiB falls out of the processor's cache."""

LONGEST_LINE = 64 << 20
"""Bytes of one line above which it is passed over and counted: prose is never that long."""
_A_HOLE = 1 << 31

_BOM = b"\xef\xbb\xbf"


class Sender(StrEnum):
    """Who speaks as the user in a whole session."""

    PERSON = "person"  # or each record says it by itself
    PROGRAM = "program"
    AGENT = "agent"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a transcript held, without its prose, up to ``offset``: the end of its last whole line.

    ``records`` counts the classes of all records that added no ``Entry``. ``cwd`` is the first one
    recorded. ``worktrees`` are (original directory, worktree path) of its worktree records.
    ``sender`` is who speaks for the user where the session's first record says that no person does. ``wrappers`` are
    the elements, met around whole messages, that no client we know writes. ``forks`` and ``ends`` give, for the records
    that prompts hang on and for those that the next one may hang on, the prompt above them (see ``Entry.under``).
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
    sender: Sender = Sender.PERSON
    worktrees: tuple[tuple[str, str], ...] = ()
    records: Mapping[RecordClass, int] = field(default_factory=dict)
    wrappers: tuple[str, ...] = ()
    forks: Mapping[str, int] = field(default_factory=dict)
    ends: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Part:
    """The outcome of reading a file from an offset: the new figures, the entries met on the way, and
    the bytes of a last line that no newline ends, which may still be in the middle of being written."""

    reading: Reading
    entries: tuple[Entry, ...]
    tail: bytes = b""
    how: Format = CLAUDE


def read_on(file: BinaryIO, before: Reading, how: Format = CLAUDE) -> Part:
    """Read a transcript from where ``before`` ended to its last whole line."""
    file.seek(before.offset)
    scan = _Scan(before, how)
    tail = b""
    for block in blocks(file):
        if block.data and not block.data.endswith(b"\n"):
            tail = block.data
        else:
            scan.add(block)
    return Part(scan.reading(), tuple(scan.entries), tail, how)


def read_tail(part: Part) -> Part:
    """Count the unfinished last line in, for figures of this moment that are not kept."""
    if not part.tail:
        return part
    scan = _Scan(part.reading, part.how)
    scan.add(Lines(part.tail, len(part.tail)))
    return Part(replace(scan.reading(), offset=part.reading.offset), (*part.entries, *scan.entries), how=part.how)


@dataclass(frozen=True, slots=True)
class Lines:
    """Whole lines of a file (or its unfinished last one), and how many bytes of the file they took.

    ``data`` is empty for one line that was too long to hold.
    """

    data: bytes
    size: int


def blocks(file: BinaryIO) -> Iterator[Lines]:
    """Cut a file into blocks that end at newlines; memory is bounded by one block and its longest line."""
    buffer, filled = bytearray(2 * BLOCK), 0
    while got := _read_into(file, buffer, filled):
        filled += got
        if cut := buffer.rfind(b"\n", filled - got, filled) + 1:
            with memoryview(buffer)[:cut] as whole:
                yield Lines(bytes(whole), cut)
            buffer[: filled - cut] = buffer[cut:filled]
            filled -= cut
        elif filled > LONGEST_LINE:
            yield Lines(b"", filled + _pass_over_line(file))
            buffer, filled = bytearray(2 * BLOCK), 0
    if filled:
        yield Lines(bytes(buffer[:filled]), filled)


def _read_into(file: BinaryIO, buffer: bytearray, filled: int) -> int:
    """Read at most a block to where ``buffer`` is filled, which grows where that is too near its end."""
    if len(buffer) - filled < BLOCK:
        buffer.extend(bytes(len(buffer)))
    with memoryview(buffer)[filled : filled + BLOCK] as free:
        return file.readinto(free)  # type: ignore[attr-defined, no-any-return]


def _pass_over_line(file: BinaryIO) -> int:
    """Go to the start of the next line without keeping anything; return the bytes passed.

    A line of more bytes than anybody wrote, such as a hole in a file, is the file's last.
    """
    passed = 0
    while data := file.read(BLOCK):
        end = data.find(b"\n") + 1
        if end:
            file.seek(end - len(data), 1)
            return passed + end
        passed += len(data)
        if passed > _A_HOLE:
            return passed + _to_the_end(file)
    return passed


def _to_the_end(file: BinaryIO) -> int:
    here = file.tell()
    return file.seek(0, os.SEEK_END) - here


class _Scan:
    """Collects entries and figures while the blocks of one file go by."""

    def __init__(self, before: Reading, how: Format) -> None:
        self.before = before
        self.how = how
        self.entries: list[Entry] = []
        self.records = Counter(before.records)
        self.worktrees = dict.fromkeys(before.worktrees)
        self.offset, self.lines = before.offset, before.lines
        self.broken, self.too_long = before.broken, before.too_long
        self.foreign_lines = before.foreign_lines
        self.transcript = before.transcript
        self.started, self.ended, self.cwd = before.started, before.ended, before.cwd
        self.sender = before.sender
        self.wrappers = dict.fromkeys(before.wrappers)
        self.branches = _Branches(before.forks, before.ends)

    def reading(self) -> Reading:
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
            sender=self.sender,
            worktrees=tuple(self.worktrees),
            records=dict(self.records),
            wrappers=tuple(self.wrappers),
            forks=self.branches.forks,
            ends=self.branches.ends(),
        )

    def add(self, block: Lines) -> None:
        data = block.data
        if not data:
            self.lines += 1
            self.broken += 1
            self.too_long += 1
        if self.offset == 0:
            data = data.removeprefix(_BOM)
        found = decode_block(data, self.how) if data else []
        if isinstance(found, list):
            self._take(range(self.lines + 1, self.lines + 1 + len(found)), found)
            self.lines += len(found)
        else:
            self._take_apart(found)
        self.offset += block.size

    def _take_apart(self, lines: Iterable[Line]) -> None:
        """A block with something in it that could not be decoded: line by line."""
        for line in lines:
            self.lines += 1
            self.broken += line.broken
            self._take(repeat(self.lines), line.records)

    def _take(self, lines: Iterable[int], records: Sequence[Record]) -> None:
        """Records and the lines they stand on. Times are looked at together; work of the agent is only counted."""
        known = [(line, record) for line, record in zip(lines, records, strict=False) if record.has_envelope]
        self.foreign_lines += len(records) - len(known)
        self.transcript = self.transcript or bool(known)
        self.cwd = self.cwd or next((record.cwd for _, record in known if record.cwd), None)
        self._note_times([record.timestamp for _, record in known])
        for line, record in known:
            under = self.branches.above(record, line)
            work = work_of_the_agent(record)
            if work is None:
                self._look_at(line, record, under)
            else:
                self.records[work] += 1

    def _look_at(self, line: int, record: Record, under: int | None) -> None:
        worktree = record.worktree_session
        if worktree and worktree.original_cwd and worktree.worktree_path:
            self.worktrees[worktree.original_cwd, worktree.worktree_path] = None
        if record.type == "session_meta":
            self.sender = _sender(record)
        said = _spoken_by(self.sender, classify(record))
        step = queue_step(record)
        if said.role is None:
            self.records[said.kind] += 1
            if said.text:
                self.wrappers[said.text] = None
            if not step:
                return
        text = said.text or (prose(record.content) if step and isinstance(record.content, str) else "")
        message = record.message.id if isinstance(record.message, Body) else None
        time = moment(record.timestamp) or self.started  # said without a time: not before the session began
        entry = Entry(line, record.uuid, time, said.role, text, said.origin, message, step, under)
        self.branches.note(entry, record)
        self.entries.append(entry)

    def _note_times(self, timestamps: Iterable[str | float | None]) -> None:
        """Times as the client writes them are compared as text, which is as good, and only the outermost are read."""
        times = [time for time in timestamps if time is not None]
        texts = [time for time in times if isinstance(time, str)]
        ends = [moment(min(texts)), moment(max(texts))] if texts else []
        if len(texts) < len(times) or None in ends or not _USUAL.fullmatch("".join(texts)):
            ends = list(map(moment, times))
        for time in ends:
            self._widen(time)

    def _widen(self, time: datetime | None) -> None:
        if time:
            self.started = min(self.started or time, time)
            self.ended = max(self.ended or time, time)


class _Branches:
    """Which prompt each record hangs below, as far back as a later prompt may reach: a person who goes back sends the
    next prompt from where an earlier one was sent, and one who works in two terminals from the end of either branch. So
    these places are kept; of all others the newest are enough."""

    def __init__(self, forks: Mapping[str, int], ends: Mapping[str, int]) -> None:
        self.forks = dict(forks)
        self._recent = dict(ends)
        self._ends = {under: uuid for uuid, under in ends.items()}
        self._under, self._last = next(reversed(self._ends.items()), (0, ""))

    def above(self, record: Record, line: int) -> int | None:
        """The line of the nearest prompt above a record; minus its own line for a root, None where that is unknown."""
        if record.uuid is None:
            return None
        parent = record.parent_uuid
        under = -line if parent is None else self._recent.get(parent, self.forks.get(parent))
        if under is not None:
            if len(self._recent) >= _RECENT:
                self._recent = dict(list(self._recent.items())[_RECENT // 2 :])
            self._recent[record.uuid] = under
            self._end_at(under, record.uuid)
        return None if parent is None else under

    def note(self, entry: Entry, record: Record) -> None:
        """Take in that a record is a prompt: what follows hangs below it, and a later prompt may hang where it does."""
        if not entry.is_prompt or entry.uuid is None:
            return
        if record.parent_uuid and entry.under is not None:
            self.forks[record.parent_uuid] = entry.under
        self._recent[entry.uuid] = entry.line
        self._end_at(entry.line, entry.uuid)
        self._ends.pop(-entry.line if entry.under is None else entry.under, None)  # it went on from there

    def ends(self) -> dict[str, int]:
        """The newest record below each prompt that nothing was sent below, the newest last."""
        self._keep_end()
        return {uuid: under for under, uuid in self._ends.items()}

    def _end_at(self, under: int, uuid: str) -> None:
        """Most records hang below the prompt that the one before hangs below; only where that changes is it kept."""
        if under != self._under:
            self._keep_end()
        self._under, self._last = under, uuid

    def _keep_end(self) -> None:
        if self._last:
            self._ends.pop(self._under, None)
            self._ends[self._under] = self._last
        if len(self._ends) > _ENDS:
            del self._ends[next(iter(self._ends))]


_ENDS = 32
"""Branches that somebody may still be at work on."""

_RECENT = 20_000
"""Records whose place in the tree is remembered while a file is read."""


def _sender(record: Record) -> Sender:
    """Who a session's first record says starts its turns."""
    if record.is_sidechain:
        return Sender.AGENT
    return Sender.PROGRAM if record.entrypoint else Sender.PERSON


def _spoken_by(sender: Sender, said: Classified) -> Classified:
    """What a record says, given who speaks in the whole session."""
    if sender is Sender.AGENT and said.role is not None:
        return Classified(RecordClass.SUBAGENT)
    if sender is Sender.PROGRAM and said.role is Role.USER:
        return said._replace(origin=Origin.PROGRAM)
    return said


_USUAL = re.compile(
    r"(?:[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z)*"
)
"""Times that sort as text, any number of them one after the other."""


def moment(timestamp: str | float | None) -> datetime | None:
    """A record's time: ISO 8601 or milliseconds since 1970; None for what is neither."""
    if isinstance(timestamp, str):
        return time_of_text(timestamp)
    return time_of_seconds(timestamp / 1000) if isinstance(timestamp, (int, float)) else None


# --- recalls ---
# When agents read or wrote a store's memories: tool calls in transcripts that name a file of the store.
#
# The client records no recall of its own; a call of a tool with the memory's path is the only trace there is.

_CALLS = (b'"tool_use"', b'"function_call"', b'"custom_tool_call"')


def recalls(sessions: Iterable[Session], store: str) -> Recalls:
    """The last call for each memory of the store at an absolute path. What cannot be read shows nothing."""
    looked = [session for session in sessions if Path(session.path).is_file()]
    last: dict[str, datetime] = {}
    for session in looked:
        for memory, when in _calls(session, store):
            last[memory] = max(when, last.get(memory, when))
    started = [session.started for session in looked if session.started]
    return Recalls(last, len(looked), min(started, default=None))


def _calls(session: Session, store: str) -> Iterator[tuple[str, datetime]]:
    needle = json.dumps(f"{store.rstrip('/')}/")[1:-1].encode()
    named = re.compile(re.escape(f"{store.rstrip('/')}/") + r"([^\s\"'`;|&<>]+?)\.md\b")
    for line in _lines(session.path):
        if needle not in line or not any(call in line for call in _CALLS):
            continue
        for time, text in _inputs(line):
            yield from ((match[1], time) for match in named.finditer(text))


def _lines(path: str) -> Iterator[bytes]:
    try:
        with Path(path).open("rb") as file:
            yield from file
    except OSError:
        return


def _inputs(line: bytes) -> Iterator[tuple[datetime, str]]:
    """What the tools were called with in one record, and when."""
    try:
        record = json.loads(line)
        when = moment(record.get("timestamp"))
        given = list(_given(record))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return
    if when is not None:
        yield from ((when, json.dumps(each, ensure_ascii=False).replace("\\\\", "\\")) for each in given)


def _given(record: Mapping[str, Any]) -> Iterator[object]:
    """What each call in a record was given: Claude Code's stand in a message, Codex's are a record each."""
    match record:
        case {"payload": {"type": "function_call", "arguments": given}}:
            yield given
        case {"payload": {"type": "custom_tool_call", "input": given}}:
            yield given
        case {"message": {"content": [*blocks]}}:
            yield from (
                each.get("input") for each in blocks if isinstance(each, dict) and each.get("type") == "tool_use"
            )
