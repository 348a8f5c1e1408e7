"""Who said what: the class of one transcript record, and what of a session's prose counts once.

A record of type ``user`` is a person's words in hardly one of ten cases; the others are tool results,
injected skills, command echoes, summaries and prompts that a model wrote. ``classify`` tells them
apart from one record alone; ``resolve`` looks at a whole session for what its records repeat.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple, Protocol

from memgit.model.session import Origin, RecordClass, Role


class Block(Protocol):
    """One block of a message's content."""

    @property
    def type(self) -> str | None: ...
    @property
    def text(self) -> str | None: ...


Content = str | Sequence[Block | str | None] | None


class Body(Protocol):
    """The API message in a record."""

    @property
    def content(self) -> Content: ...
    @property
    def model(self) -> str | None: ...


class Source(Protocol):
    """The ``origin`` of a record."""

    @property
    def kind(self) -> str | None: ...


class Attachment(Protocol):
    """What the client put beside the conversation."""

    @property
    def type(self) -> str | None: ...
    @property
    def prompt(self) -> Content: ...
    @property
    def command_mode(self) -> str | None: ...
    @property
    def origin(self) -> Source | str | None: ...
    @property
    def is_meta(self) -> bool | None: ...


class Record(Protocol):
    """The fields of a decoded record that say who spoke; every one may be missing."""

    @property
    def type(self) -> str | None: ...
    @property
    def subtype(self) -> str | None: ...
    @property
    def message(self) -> Body | str | None: ...
    @property
    def attachment(self) -> Attachment | None: ...
    @property
    def operation(self) -> str | None: ...
    @property
    def content(self) -> Content: ...
    @property
    def reason(self) -> str | None: ...
    @property
    def origin(self) -> Source | str | None: ...
    @property
    def prompt_source(self) -> str | None: ...
    @property
    def turn_origin(self) -> str | None: ...
    @property
    def entrypoint(self) -> str | None: ...
    @property
    def row_source(self) -> str | None: ...
    @property
    def is_meta(self) -> bool | None: ...
    @property
    def is_sidechain(self) -> bool | None: ...
    @property
    def is_compact_summary(self) -> bool | None: ...
    @property
    def is_visible_in_transcript_only(self) -> bool | None: ...
    @property
    def is_api_error_message(self) -> bool | None: ...
    @property
    def source_tool_use_id(self) -> str | None: ...


class Classified(NamedTuple):
    """The class of a record; for the two prose classes also who speaks, the text, and how it came in."""

    kind: RecordClass
    role: Role | None = None
    text: str = ""
    origin: Origin = Origin.TYPED


# --- one record ------------------------------------------------------------------------------------


def classify(record: Record) -> Classified:
    """Say what a record is. Unknown types are session metadata."""
    if record.is_sidechain and record.type in ("user", "assistant", "attachment"):
        return Classified(RecordClass.SUBAGENT)
    match record.type:
        case "user":
            return _user(record)
        case "assistant":
            return _assistant(record)
        case "attachment":
            return _attachment(record.attachment)
        case "queue-operation":
            return _queue_operation(record)
        case "system":
            return Classified(_SYSTEM.get(record.subtype or "", RecordClass.METADATA))
        case _:
            return Classified(RecordClass.METADATA)


def work_of_the_agent(record: Record) -> RecordClass | None:
    """The class of a record that holds one tool result, tool call or thought and no more: four of five are such.

    The same as `classify` says, in one look; None for all others.
    """
    message = record.message
    content = None if message is None or isinstance(message, str) else message.content
    if content is None or isinstance(content, str) or len(content) != 1 or record.is_sidechain:
        return None
    block = content[0]
    if block is None or isinstance(block, str) or record.is_api_error_message:
        return None
    return _WORK.get((record.type, block.type))


_WORK: Mapping[tuple[str | None, str | None], RecordClass] = {
    ("user", "tool_result"): RecordClass.TOOL_RESULT,
    ("assistant", "tool_use"): RecordClass.TOOL_CALL,
    ("assistant", "server_tool_use"): RecordClass.TOOL_CALL,
    ("assistant", "thinking"): RecordClass.THINKING,
    ("assistant", "redacted_thinking"): RecordClass.THINKING,
}
_SYSTEM = {"local_command": RecordClass.LOCAL_COMMAND, "api_error": RecordClass.API_ERROR}


def _user(record: Record) -> Classified:
    content = _content(record.message)
    if "tool_result" in _block_types(content):
        return Classified(RecordClass.TOOL_RESULT)
    if record.is_compact_summary or record.is_visible_in_transcript_only:
        return Classified(RecordClass.SUMMARY)
    whole = text_of(content)
    text = prose(whole)
    machine = machine_class(text) or _sender_class(record)
    if machine:
        return Classified(machine)
    if not text:
        return Classified(RecordClass.SYSTEM_REMINDER if f"<{_REMINDER}>" in whole else RecordClass.METADATA)
    return Classified(RecordClass.USER_PROSE, Role.USER, text, _origin(record))


def _sender_class(record: Record) -> RecordClass | None:
    """The class of a user record whose envelope says that no person sent it."""
    if record.source_tool_use_id:
        return RecordClass.SKILL_BODY
    if record.is_meta:
        return RecordClass.METADATA
    if record.prompt_source == "system" or not _from_a_person(record.origin):
        return RecordClass.NOTIFICATION
    if record.row_source in ("harness", "hook"):
        return RecordClass.METADATA
    return None


def _from_a_person(origin: Source | str | None) -> bool:
    """True unless the origin names a sender other than a person (task-notification, teammate, channel, …)."""
    kind = origin if isinstance(origin, str) or origin is None else origin.kind
    return kind in (None, "", "human")


def _origin(record: Record) -> Origin:
    """Newer clients name the source of a prompt; before, the entry point is all that tells."""
    source = record.prompt_source or record.turn_origin or record.entrypoint or ""
    return Origin.PROGRAM if source.startswith("sdk") else Origin.TYPED


def _assistant(record: Record) -> Classified:
    if record.is_api_error_message:
        return Classified(RecordClass.API_ERROR)
    content = _content(record.message)
    text = prose(text_of(content))
    if text and not _is_synthetic(record.message):
        if _API_ERROR.match(text):
            return Classified(RecordClass.API_ERROR)
        return Classified(RecordClass.ASSISTANT_PROSE, Role.ASSISTANT, text)
    types = _block_types(content)
    if types & {"tool_use", "server_tool_use"}:
        return Classified(RecordClass.TOOL_CALL)
    if types & {"thinking", "redacted_thinking"}:
        return Classified(RecordClass.THINKING)
    return Classified(RecordClass.METADATA)


def _is_synthetic(message: Body | str | None) -> bool:
    """True for what the client itself puts into the assistant's mouth ("No response requested.")."""
    return message is not None and not isinstance(message, str) and message.model == "<synthetic>"


def _attachment(attachment: Attachment | None) -> Classified:
    if attachment is None:
        return Classified(RecordClass.METADATA)
    if attachment.type in ("skill_listing", "dynamic_skill", "invoked_skills"):
        return Classified(RecordClass.SKILL_BODY)
    if attachment.type != "queued_command":
        return Classified(RecordClass.SYSTEM_REMINDER)
    if attachment.command_mode == "task-notification" or not _from_a_person(attachment.origin):
        return Classified(RecordClass.NOTIFICATION)
    if attachment.command_mode == "bash":
        return Classified(RecordClass.LOCAL_COMMAND)
    if attachment.is_meta:
        return Classified(RecordClass.METADATA)
    return _queued(attachment.prompt)


def _queue_operation(record: Record) -> Classified:
    return _queued(record.content) if record.operation == "enqueue" else Classified(RecordClass.METADATA)


def _queued(content: Content) -> Classified:
    text = prose(text_of(content))
    machine = machine_class(text)
    if machine:
        return Classified(machine)
    if _COMMAND.match(text):
        return Classified(RecordClass.SLASH_COMMAND)
    if not text:
        return Classified(RecordClass.METADATA)
    return Classified(RecordClass.USER_PROSE, Role.USER, text, Origin.QUEUED)


# --- text ------------------------------------------------------------------------------------------

_REMINDER = "system-reminder"
_EDITOR_TAGS = ("ide_opened_file", "ide_selection", "ide_diagnostics")
_OPEN_REMINDER = re.compile(rf"^[ \t]*<{_REMINDER}>", re.MULTILINE)
_SURROGATE = re.compile("[\ud800-\udfff]")
_API_ERROR = re.compile(r"API Error: \d{3}\b")
_UNKNOWN_COMMAND = re.compile(r"Unknown (slash )?(command|skill): \S+\Z")
_COMMAND = re.compile(r"/[A-Za-z][\w:-]*(\s|\Z)")
_ONE_MACHINE_TAG = re.compile(r"\s*<([a-z]+(?:[-_][a-z]+)+)(?:\s[^<>]*)?>.*?</\1>\s*", re.DOTALL)

_OPENINGS: Mapping[str, RecordClass] = {
    "<command-message>": RecordClass.SLASH_COMMAND,
    "<command-name>": RecordClass.SLASH_COMMAND,
    "<command-args>": RecordClass.SLASH_COMMAND,
    "<local-command-caveat>": RecordClass.LOCAL_COMMAND,
    "<local-command-stdout>": RecordClass.LOCAL_COMMAND,
    "<local-command-stderr>": RecordClass.LOCAL_COMMAND,
    "Caveat: The messages below were generated by the user while running local": RecordClass.LOCAL_COMMAND,
    "<bash-input>": RecordClass.LOCAL_COMMAND,
    "<bash-stdout>": RecordClass.LOCAL_COMMAND,
    "<bash-stderr>": RecordClass.LOCAL_COMMAND,
    "Base directory for this skill:": RecordClass.SKILL_BODY,
    "This session is being continued from a previous conversation": RecordClass.SUMMARY,
    "[Request interrupted by user": RecordClass.INTERRUPT,
    "<task-notification": RecordClass.NOTIFICATION,
    "<teammate-message": RecordClass.NOTIFICATION,
    "<agent-message": RecordClass.NOTIFICATION,
    "<agent-notification": RecordClass.NOTIFICATION,
    "<channel ": RecordClass.NOTIFICATION,
    "Stop hook feedback:": RecordClass.SYSTEM_REMINDER,
    "<user-prompt-submit-hook>": RecordClass.SYSTEM_REMINDER,
    "<session-start-hook>": RecordClass.SYSTEM_REMINDER,
    "<observed_from_primary_session>": RecordClass.METADATA,
}
_ANY_OPENING = tuple(_OPENINGS)


def text_of(content: Content) -> str:
    """The text of a message: the string itself, or its text blocks, a line each."""
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(filter(None, map(_block_text, content)))


def _block_text(block: Block | str | None) -> str:
    if block is None or isinstance(block, str):
        return block or ""
    return (block.text or "") if block.type == "text" else ""


def prose(text: str) -> str:
    """Take out what the client put into a message: reminders and editor tags; make the rest valid Unicode.

    A reminder that is never closed is cut to the end only where it opens a line, as the client writes
    it: a person may speak of the tag.
    """
    if "<" in text:
        for tag in (_REMINDER, *_EDITOR_TAGS):
            text = _without(text, tag)
        if unclosed := _OPEN_REMINDER.search(text):
            text = text[: unclosed.start()]
    return valid_unicode(text).strip()


def valid_unicode(text: str) -> str:
    """Replace lone surrogates, which JSON may spell and nothing can encode."""
    return text if text.isascii() else _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def _without(text: str, tag: str) -> str:
    """Cut out every closed element of this name, in one walk (a hostile text may open it a million times)."""
    opening, closing = f"<{tag}>", f"</{tag}>"
    kept: list[str] = []
    at = 0
    while (start := text.find(opening, at)) >= 0 and (end := text.find(closing, start)) >= 0:
        kept.append(text[at:start])
        at = end + len(closing)
    return "".join(kept) + text[at:]


def machine_class(text: str) -> RecordClass | None:
    """The class of a text that the client or another tool wrote into a person's turn, by its opening."""
    if text.startswith(_ANY_OPENING):
        return next(kind for opening, kind in _OPENINGS.items() if text.startswith(opening))
    if _UNKNOWN_COMMAND.match(text):
        return RecordClass.LOCAL_COMMAND
    return RecordClass.METADATA if _is_wrapped(text) else None


def _is_wrapped(text: str) -> bool:
    """True when machine tags (``<two_words>`` or ``<two-words>``) hold all of the text."""
    at = 0
    while at < len(text) and (element := _ONE_MACHINE_TAG.match(text, at)):
        at = element.end()
    return 0 < at == len(text)


def _content(message: Body | str | None) -> Content:
    return message if message is None or isinstance(message, str) else message.content


def _block_types(content: Content) -> frozenset[str]:
    if content is None or isinstance(content, str):
        return _NO_TYPES
    return frozenset(block.type or "" for block in content if block is not None and not isinstance(block, str))


_NO_TYPES: frozenset[str] = frozenset()


# --- one session -----------------------------------------------------------------------------------


class Entry(NamedTuple):
    """What one record adds to a session's prose, or to the queue of messages typed while the agent works.

    ``line`` counts from 1. ``uuid`` is None for records without one; ``message`` is the API message's
    id, which the split records of one reply share. ``step`` is the queue operation (``enqueue``,
    ``dequeue``, ``remove``, ``withdraw``); ``role`` is None for steps that say nothing.
    """

    line: int
    uuid: str | None
    time: datetime | None
    role: Role | None
    text: str
    origin: Origin = Origin.TYPED
    message: str | None = None
    step: str = ""

    @property
    def record(self) -> str:
        return self.uuid or f"line-{self.line}"


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

    ``elsewhere`` holds the uuids of records that another session of the pool already gave. Parents
    are not followed: real chains break and even loop.
    """
    withdrawn = _withdrawn(entries)
    copies = _repeated(entries, elsewhere) | _superseded(entries) | (_sent_later(entries) - withdrawn)
    said = [index for index, entry in enumerate(entries) if entry.role is not None]
    kept = [index for index in said if index not in withdrawn and index not in copies]
    classes = Counter(_PROSE[entries[index].role] for index in kept)
    classes[RecordClass.COPY] = len(copies)
    classes[RecordClass.METADATA] = len(withdrawn - copies)
    return Resolved(_in_order([entries[index] for index in kept]), +classes)


_PROSE: Mapping[Role | None, RecordClass] = {
    Role.USER: RecordClass.USER_PROSE,
    Role.ASSISTANT: RecordClass.ASSISTANT_PROSE,
}


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
    """Records whose uuid an earlier line or another session gave."""
    seen: set[str] = set()
    repeated: set[int] = set()
    for index, entry in enumerate(entries):
        if entry.uuid is None or entry.role is None:
            continue
        if entry.uuid in seen or entry.uuid in elsewhere:
            repeated.add(index)
        seen.add(entry.uuid)
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
