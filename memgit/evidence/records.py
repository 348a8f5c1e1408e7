"""Who said what: the class of one record of a transcript.

A record of type ``user`` is a person's words in hardly one of ten cases; the others are tool results,
injected skills, command echoes, summaries and prompts that a model wrote. Where the fields of a record
disagree on who speaks, nobody does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from memgit.evidence.entrypoints import is_program
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
    def role(self) -> str | None: ...
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
    """The class of a record; for the two prose classes also who speaks, the text, and how it came in. Of a record that
    is all wrapper, ``text`` names the element."""

    kind: RecordClass
    role: Role | None = None
    text: str = ""
    origin: Origin = Origin.TYPED


# --- one record ------------------------------------------------------------------------------------


def classify(record: Record) -> Classified:
    """Say what a record is. Unknown types are session metadata."""
    if record.is_sidechain and record.type in ("user", "assistant", "attachment"):
        return Classified(RecordClass.SUBAGENT)
    if _contradicts_itself(record):
        return Classified(RecordClass.CONTRADICTORY)
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


def _contradicts_itself(record: Record) -> bool:
    """True where the envelope names one speaker and the message in it another."""
    role = None if record.message is None or isinstance(record.message, str) else record.message.role
    return record.type in ("user", "assistant") and role not in (None, "", record.type)


def work_of_the_agent(record: Record) -> RecordClass | None:
    """The class of a record that holds one tool result, tool call or thought and no more: four of five are such.

    The same as `classify` says, in one look; None for all others.
    """
    message = record.message
    content = None if message is None or isinstance(message, str) else message.content
    if content is None or isinstance(content, str) or len(content) != 1 or record.is_sidechain:
        return None
    block = content[0]
    if block is None or isinstance(block, str) or record.is_api_error_message or _contradicts_itself(record):
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
    sender = _sender_class(record)
    machine = machine_class(text)
    if machine is RecordClass.SLASH_COMMAND and sender is None and (typed := _after_a_command(text)):
        return Classified(RecordClass.USER_PROSE, Role.USER, typed, _origin(record))
    if machine or sender:
        named = wrapper(text) if machine is RecordClass.UNKNOWN_WRAPPER and not sender else ""
        return Classified(machine or sender or RecordClass.METADATA, text=named)
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
    """Whether a person typed a prompt.

    ``origin`` settles it where it names a person. Else the entry point does: editors and desktop applications drive
    the client as programs do, so that ``promptSource`` says "sdk" for what people type there too; it only counts
    where no entry point is known.
    """
    kind = record.origin if isinstance(record.origin, str) or record.origin is None else record.origin.kind
    if kind == "human":
        return Origin.TYPED
    if record.entrypoint:
        return Origin.PROGRAM if is_program(record.entrypoint) else Origin.TYPED
    return Origin.PROGRAM if "sdk" in (record.prompt_source, record.turn_origin) else Origin.TYPED


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
        return Classified(machine, text=wrapper(text) if machine is RecordClass.UNKNOWN_WRAPPER else "")
    if command := _COMMAND.match(text):
        text = text[command.end() :].strip()
        if not text:
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
    return RecordClass.UNKNOWN_WRAPPER if wrapper(text) else None


def wrapper(text: str) -> str:
    """The first of the machine's elements (``<two_words>`` or ``<two-words>``) that hold all of a text; else empty."""
    first = _ONE_MACHINE_TAG.match(text)
    at = 0
    while at < len(text) and (element := _ONE_MACHINE_TAG.match(text, at)):
        at = element.end()
    return first[1] if first and at == len(text) else ""


def _after_a_command(text: str) -> str:
    """What a person typed after the name of a slash command."""
    found = _ARGUMENTS.search(text)
    return found[1].strip() if found else ""


_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)


def _content(message: Body | str | None) -> Content:
    return message if message is None or isinstance(message, str) else message.content


def _block_types(content: Content) -> frozenset[str]:
    if content is None or isinstance(content, str):
        return _NO_TYPES
    return frozenset(block.type or "" for block in content if block is not None and not isinstance(block, str))


_NO_TYPES: frozenset[str] = frozenset()
