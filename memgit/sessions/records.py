"""Decoding transcript lines into records: strictly and fast where they are sound, leniently where not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from memgit.evidence.records import valid_unicode


class Block(msgspec.Struct, gc=False):
    type: str | None = None
    text: str | None = None


class Body(msgspec.Struct):
    content: str | list[Block | str | None] | None = None
    id: str | None = None
    model: str | None = None
    role: str | None = None


class Source(msgspec.Struct, gc=False):
    kind: str | None = None


class Attachment(msgspec.Struct, rename="camel"):
    type: str | None = None
    prompt: str | list[Block | str | None] | None = None
    command_mode: str | None = None
    origin: Source | str | None = None
    is_meta: bool | None = None


class WorktreeSession(msgspec.Struct, rename="camel", gc=False):
    original_cwd: str | None = None
    worktree_path: str | None = None


class Record(msgspec.Struct, rename="camel"):
    """One line of a transcript, as far as memgit reads it. All else (tool results, images, requests) is skipped."""

    type: str | None = None
    subtype: str | None = None
    uuid: str | None = None
    parent_uuid: str | None = None
    session_id: str | None = None
    leaf_uuid: str | None = None
    message_id: str | None = None
    timestamp: str | int | float | None = None
    cwd: str | None = None
    message: Body | str | None = None
    attachment: Attachment | None = None
    operation: str | None = None
    content: str | list[Block | str | None] | None = None
    reason: str | None = None
    origin: Source | str | None = None
    prompt_source: str | None = None
    turn_origin: str | None = None
    entrypoint: str | None = None
    row_source: str | None = None
    is_meta: bool | None = None
    is_sidechain: bool | None = None
    is_compact_summary: bool | None = None
    is_visible_in_transcript_only: bool | None = None
    is_api_error_message: bool | None = None
    source_tool_use_id: str | None = msgspec.field(default=None, name="sourceToolUseID")
    worktree_session: WorktreeSession | None = None

    @property
    def has_envelope(self) -> bool:
        """True for what the client writes: a type, and an id of the session or the record."""
        return bool(self.type and (self.session_id or self.uuid or self.leaf_uuid or self.message_id))


# --- the lenient way -------------------------------------------------------------------------------


def lenient(value: Mapping[str, Any]) -> Record:
    """Take from a decoded object the fields that have a fitting shape, and leave the others out."""
    fields = {name: _scalar(value.get(key), kind) for name, key, kind in _SCALARS}
    return Record(
        **fields,
        timestamp=_timestamp(value.get("timestamp")),
        message=_body(value.get("message")),
        attachment=_attachment(value.get("attachment")),
        content=_content(value.get("content")),
        origin=_origin(value.get("origin")),
        worktree_session=_worktree(value.get("worktreeSession")),
    )


_NESTED = {"timestamp", "message", "attachment", "content", "origin", "worktree_session"}
_SCALARS: tuple[tuple[str, str, type], ...] = tuple(
    (field.name, field.encode_name, bool if field.name.startswith("is_") else str)
    for field in msgspec.structs.fields(Record)
    if field.name not in _NESTED
)


def _scalar(value: object, kind: type) -> Any:
    if kind is str:
        return _text(value)
    return value if isinstance(value, kind) else None


def _text(value: object) -> str | None:
    return valid_unicode(value) if isinstance(value, str) else None


def _timestamp(value: object) -> str | int | float | None:
    return value if isinstance(value, (str, int, float)) else None


def _body(value: object) -> Body | str | None:
    if not isinstance(value, dict):
        return _text(value)
    return Body(_content(value.get("content")), *(_scalar(value.get(name), str) for name in ("id", "model", "role")))


def _content(value: object) -> str | list[Block | str | None] | None:
    return [_block(item) for item in value] if isinstance(value, list) else _scalar(value, str)


def _block(value: object) -> Block | str | None:
    if not isinstance(value, dict):
        return _text(value)
    return Block(_scalar(value.get("type"), str), _scalar(value.get("text"), str))


def _attachment(value: object) -> Attachment | None:
    if not isinstance(value, dict):
        return None
    return Attachment(
        type=_scalar(value.get("type"), str),
        prompt=_content(value.get("prompt")),
        command_mode=_scalar(value.get("commandMode"), str),
        origin=_origin(value.get("origin")),
        is_meta=_scalar(value.get("isMeta"), bool),
    )


def _origin(value: object) -> Source | str | None:
    return Source(_scalar(value.get("kind"), str)) if isinstance(value, dict) else _scalar(value, str)


def _worktree(value: object) -> WorktreeSession | None:
    if not isinstance(value, dict):
        return None
    return WorktreeSession(_scalar(value.get("originalCwd"), str), _scalar(value.get("worktreePath"), str))


# --- lines ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a block, numbered from 0: its records, and whether something in it could not be read."""

    number: int
    records: tuple[Record, ...]
    broken: bool = False


@dataclass(frozen=True, slots=True)
class Format:
    """How one agent's lines become records: a block of sound lines at once, one line, and an object of one that is
    not sound. The first two raise what `msgspec` raises."""

    decode_lines: Callable[[bytes], list[Record]]
    decode: Callable[[bytes], Record]
    lenient: Callable[[Mapping[str, Any]], Record]


_DECODER = msgspec.json.Decoder(Record)
_REFUSALS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


CLAUDE = Format(_DECODER.decode_lines, _DECODER.decode, lenient)


def decode_block(block: bytes, how: Format = CLAUDE) -> list[Record] | Iterator[Line]:
    """Decode a block of whole lines: all at once, and line by line only where that fails.

    A list holds one sound record for each line. One bad line fails the fast way for its whole block, and so do
    lone surrogates, which the client does write. Lines end at ``\\n`` alone: U+2028 is legal inside JSON.
    """
    try:
        records = how.decode_lines(block)
    except _REFUSALS:
        records = []
    if _has_lines(block, len(records)):
        return records
    lines = block.split(b"\n")
    return (decode_line(line, number, how) for number, line in enumerate(lines if lines[-1] else lines[:-1]))


def records_in(block: bytes, how: Format = CLAUDE) -> Iterator[Record]:
    """All records that can be read in a block of whole lines."""
    found = decode_block(block, how)
    return iter(found) if isinstance(found, list) else (record for line in found for record in line.records)


def _has_lines(block: bytes, count: int) -> bool:
    """Whether a block is just so many lines. Lines are long, so finding their ends is faster than counting bytes."""
    at = 0
    for _ in range(count):
        if at == len(block):
            return False
        at = block.find(b"\n", at) + 1 or len(block)
    return 0 < at == len(block)


def decode_line(line: bytes, number: int = 0, how: Format = CLAUDE) -> Line:
    """The records of one line: none for a blank one, more where a newline is missing.

    Runs of NUL, which a crash of the machine leaves behind, are taken out first.
    """
    line = line.replace(b"\0", b"").strip(b" \t\r\n")
    if not line:
        return Line(number, ())
    try:
        return Line(number, (how.decode(line),))
    except _REFUSALS:
        text = line.decode("utf-8", "replace")
    values = _values(text)
    if values and all(isinstance(value, dict) for value in values):
        return Line(number, tuple(map(how.lenient, values)))
    return Line(number, salvage(text, how), broken=True)


def salvage(text: str, how: Format = CLAUDE) -> tuple[Record, ...]:
    """Whole records that follow a cut one on the same line: a crash in mid-write, then the next write."""
    for opening in list(_OPENING.finditer(text, 1))[:_TRIES]:
        values = _values(text[opening.start() :])
        records = tuple(how.lenient(value) for value in values if isinstance(value, dict))
        if values and all(record.has_envelope for record in records):
            return records
    return ()


_OPENING = re.compile(r'\{"(?:parentUuid|isSidechain|type|uuid|sessionId|timestamp)"')
_TRIES = 32  # openings looked at in one broken line
_JSON = json.JSONDecoder()


def _values(text: str) -> list[Any]:
    """The JSON values that stand one after the other in a text; none when any of it is not JSON."""
    values: list[Any] = []
    at = 0
    text = text.strip()
    while at < len(text):
        try:
            value, at = _JSON.raw_decode(text, at)
        except (ValueError, RecursionError):
            return []
        values.append(value)
        while at < len(text) and text[at] in " \t\r":
            at += 1
    return values
