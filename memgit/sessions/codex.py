"""Codex's transcripts (``rollout-*.jsonl``): where they lie, and their lines as records of the kind all others are.

What a person typed is marked as such, item by item. The instructions of a project and what the client says of its
surroundings stand under the same role; clients before the mark are told apart by how such a text opens. The first
clients (of 2025) wrote an item as the line itself, without a time, and the directory only among the surroundings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from memgit.evidence.records import valid_unicode
from memgit.sessions.records import Attachment, Block, Body, Format, Record

PATTERN = "[0-9]*/[0-9]*/[0-9]*/rollout-*.jsonl"
"""A rollout below the folder of sessions: year, month, day."""

TYPED = "user.text"
"""The kind of an item that a person typed."""

_INJECTED = ("<", "# AGENTS.md instructions", "# Context from my IDE setup")
"""How a text opens that an unmarked user's turn holds without anybody having typed it."""

_SURROUNDINGS = re.compile(
    r"\s*<environment_context>\s.*?(?:<cwd>|Current working directory: )(?P<cwd>[^<\n]+)", re.DOTALL
)


def is_rollout(path: str) -> bool:
    """Whether a transcript is Codex's, by its name."""
    return Path(path).name.startswith("rollout-")


class Passthrough(msgspec.Struct, gc=False):
    content_item_kinds: list[str] | None = None


class Payload(msgspec.Struct):
    """What a line carries, as far as memgit reads it; which fields there are depends on the type."""

    type: str | None = None
    role: str | None = None
    id: str | None = None
    cwd: str | None = None
    source: str | dict[str, Any] | None = None
    content: str | list[Block | str | None] | None = None
    passthrough: Passthrough | None = msgspec.field(default=None, name="internal_chat_message_metadata_passthrough")


class Envelope(msgspec.Struct, gc=False):
    inherited_user_message: bool | None = None


class Rollout(msgspec.Struct):
    """One line of a rollout. The last fields are those of an item that is the line itself, or of a first line without
    a type."""

    type: str | None = None
    timestamp: str | int | float | None = None
    payload: Payload | None = None
    metadata: Envelope | None = None
    record_type: str | None = None
    id: Any = None
    role: str | None = None
    content: str | list[Block | str | None] | None = None


_DECODER = msgspec.json.Decoder(Rollout)


def record(line: Rollout) -> Record:
    """A line as the record that Claude Code would have written; of another envelope where it is neither an item nor
    has a payload."""
    made = _bare(line) if line.payload is None else _enveloped(line, line.payload)
    if made is None:
        return Record(type=line.type)
    made.timestamp, made.session_id = line.timestamp, "codex"
    return made


def _bare(line: Rollout) -> Record | None:
    """What the first clients wrote: a head with the session's id and time, states of no content, and items."""
    if line.type is None:
        return Record(type=line.record_type or "session_meta") if line.record_type or isinstance(line.id, str) else None
    made = _item(Payload(line.type, line.role, content=line.content), inherited=False)
    if made.type == line.type and made.message is None:  # no item that is known
        return None
    found = next((match for text in _texts_of(line.content) if (match := _SURROUNDINGS.match(_text(text)))), None)
    made.cwd = found["cwd"].strip() if found and line.role == "user" else None
    return made


def _enveloped(line: Rollout, payload: Payload) -> Record:
    match line.type:
        case "session_meta":
            return Record(
                type=line.type,
                cwd=payload.cwd,
                entrypoint="sdk-codex" if payload.source == "exec" else None,
                is_sidechain=isinstance(payload.source, dict),
            )
        case "response_item":
            return _item(payload, inherited=bool(line.metadata and line.metadata.inherited_user_message))
        case "compacted":
            return Record(type="user", is_compact_summary=True)
        case _:
            return Record(type=line.type)


def _item(payload: Payload, *, inherited: bool) -> Record:
    match payload.type:
        case "message":
            return _message(payload, inherited=inherited)
        case "reasoning":
            return _work("assistant", "thinking")
        case kind if kind and kind.endswith("_output"):
            return _work("user", "tool_result")
        case kind if kind and kind.endswith("_call"):
            return _work("assistant", "tool_use")
        case _:
            return Record(type=payload.type)


def _work(role: str, block: str) -> Record:
    return Record(type=role, message=Body([Block(block)]))


def _message(payload: Payload, *, inherited: bool) -> Record:
    match payload.role:
        case "assistant":
            return Record(type="assistant", message=Body(_texts(payload), payload.id))
        case "user" if inherited:  # a copy of what was typed in the session that this one branched off
            return Record(type="inherited-message")
        case "user" if typed := _typed(payload):
            return Record(type="user", message=Body(typed))
        case _:
            return Record(type="attachment", attachment=Attachment("instructions"))


def _typed(payload: Payload) -> list[Block | str | None]:
    """What of a user's turn a person typed."""
    texts = _texts(payload)
    kinds = payload.passthrough.content_item_kinds if payload.passthrough else None
    if kinds is None:
        return [] if any(_text(one).lstrip().startswith(_INJECTED) for one in texts) else texts
    if len(kinds) != len(texts):
        return texts if set(kinds) == {TYPED} else []
    return [text for text, kind in zip(texts, kinds, strict=True) if kind == TYPED]


def _texts(payload: Payload) -> list[Block | str | None]:
    """The items of a message, those with text as blocks of text."""
    return _texts_of(payload.content)


def _texts_of(content: str | list[Block | str | None] | None) -> list[Block | str | None]:
    items = [content] if isinstance(content, str) else content or []
    return [Block("text", text) if (text := _text(item)) else None for item in items]


def _text(item: Block | str | None) -> str:
    return item if isinstance(item, str) else (item.text if item else None) or ""


# --- the lenient way ---


def _lenient(value: Mapping[str, Any]) -> Record:
    """Take from a decoded object what has a fitting shape; lone surrogates are replaced."""
    try:
        return record(msgspec.convert(_valid(value), Rollout))
    except (msgspec.ValidationError, RecursionError):
        return Record()


def _valid(value: Any) -> Any:
    match value:
        case str():
            return valid_unicode(value)
        case dict():
            return {valid_unicode(key): _valid(each) for key, each in value.items()}
        case list():
            return [_valid(each) for each in value]
        case _:
            return value


CODEX = Format(
    decode_lines=lambda block: [record(line) for line in _DECODER.decode_lines(block)],
    decode=lambda line: record(_DECODER.decode(line)),
    lenient=_lenient,
)
