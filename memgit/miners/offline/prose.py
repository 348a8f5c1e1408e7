"""A user's own words: what of a message a person typed, cut into statements that can be quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache

from memgit.miners.offline.language import is_read
from memgit.model.session import Digest, Message, Origin, Role

_FENCE = re.compile(r"^\s*(?:```|~~~)")
_MACHINE_LINES = (
    # Lines that programs write; a person who pastes them has not said them.
    re.compile(r"^(?: {4,}|\t)"),  # indented: code, tables, nested output
    re.compile(r"^\s*>"),  # quoted mail or Markdown
    re.compile(r"^\s*<[/\w!?]"),  # markup
    re.compile(r"^\s*(?:\$|#!|❯|➜|>>>|\.\.\.) ?\S"),  # a shell's or interpreter's prompt
    re.compile(r"^\s*[{}\[\]();]+,?\s*$"),  # brackets alone
    re.compile(r"^\s*[\[{\"].*[\]}\",]\s*$"),  # JSON
    re.compile(r"^\s*(?:\d{4}-\d\d-\d\d[T ]|\[?\d{1,2}:\d\d:\d\d|\w{3} \d+ \d\d:\d\d)"),  # a log's time stamp
    re.compile(r"^\s*\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|TRACE|FAIL|PASS)\b[\]:\t ]|^ok\s{2,}"),  # a log's level
    re.compile(r"^\s*(?:Traceback|Caused by|Exception in|panic:|error(?:\[\w+\])?:|warning:|npm ERR|at \S+\()"),
    re.compile(r"^\s*\w*(?:Error|Exception)\b.*:"),  # an exception's last line
    re.compile(r"^\s*(?:---|\+\+\+|@@|diff --git|index [0-9a-f]{6,})"),  # a diff
    re.compile(r"^\s*(?:File \"|[\w./-]+\.\w{1,5}:\d+)"),  # a place in a file
    re.compile(r"^\s*[\w.-]+\s*[=:]\s*\S*[/@]\S*\s*$"),  # key = path or address
    re.compile(r"(?:\S+=\S+\s+){2,}"),  # key=value pairs
    re.compile(r"\S {3,}\S.* {3,}\S"),  # columns
    re.compile(r"(?:\w+://\S+:\S+@)"),  # a connection string
    re.compile(r"^\s*\|.*\|\s*$"),  # a table's row
    re.compile(r"^\s*[A-Z][A-Z0-9_]{3,}="),  # an environment variable
)
_BREAK = re.compile(r"(?<=[.!?…])[)\"'”’]?\s+(?=\S)|\n+")
_NO_BREAK = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|no|sept?|aug|oct|nov|dec|jan|feb)\.)$|^\d+\.$", re.IGNORECASE
)
_STAGE_DIRECTION = re.compile(r"^\[[^\]]{1,40}\]\s*")
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")
_LONGEST_LINE = 1_000  # characters; nobody types a longer one, and patterns stay fast
_LONGEST_STATEMENT = 500  # characters
_LONGEST_CONTEXT = 8_000  # characters of the assistant's message that are looked at
_WRAPPED = 60  # characters; a longer line without an end mark goes on in the next


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of a user's own words, with what surrounds it.

    ``text`` stands in the message as it is here (white space folded). ``paragraph`` are the sentences of its
    paragraph, ``position`` its place among them, ``message`` all of the message's own sentences. ``before`` is what
    the assistant had said last, empty at the start of a session. ``turn`` numbers the user's messages of the session
    and ``order`` the statements of a message.
    """

    session: str
    record: str
    time: datetime | None
    text: str
    paragraph: tuple[str, ...]
    position: int
    message: tuple[str, ...]
    before: str
    turn: int
    order: int
    origin: Origin = Origin.TYPED

    @property
    def following(self) -> tuple[str, ...]:
        return self.paragraph[self.position + 1 :]

    @property
    def preceding(self) -> tuple[str, ...]:
        return self.paragraph[: self.position]


def own_lines(text: str) -> list[str]:
    """The lines of a message that its writer typed; pasted ones become empty."""
    kept, fenced = [], False
    for line in text.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
            kept.append("")
        else:
            pasted = fenced or len(line) > _LONGEST_LINE or any(pattern.search(line) for pattern in _MACHINE_LINES)
            kept.append("" if pasted else line)
    return kept


def paragraphs(text: str) -> list[tuple[str, ...]]:
    """The paragraphs of a message's own lines, each as its sentences, word for word but for folded white space."""
    found = []
    for block in re.split(r"\n\s*\n", "\n".join(own_lines(text))):
        sentences = tuple(sentence for sentence in _sentences(block) if sentence)
        if sentences:
            found.append(sentences)
    return found


def _sentences(block: str) -> Iterator[str]:
    pending = ""
    for piece in _split(_joined(block)):
        pending = f"{pending} {piece}".strip() if pending else piece.strip()
        if not _NO_BREAK.search(pending):
            yield _fold(_BULLET.sub("", _STAGE_DIRECTION.sub("", pending)))
            pending = ""
    if pending:
        yield _fold(pending)


def _joined(block: str) -> str:
    """The block with wrapped lines joined: a long line without an end mark goes on in the next."""
    return re.sub(rf"(?<=[^\n]{{{_WRAPPED}}})(?<![.!?:])\n(?=[a-z(])|(?<=,)\n(?=\S)", " ", block)


def _split(block: str) -> list[str]:
    return [piece for piece in _BREAK.split(block) if piece and piece.strip()]


def _fold(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


_EPOCH = datetime.min.replace(tzinfo=UTC)


def moment(message: Message) -> datetime:
    """When a message was said, the beginning of time where that is unknown."""
    if message.time is None:
        return _EPOCH
    return message.time if message.time.tzinfo else message.time.replace(tzinfo=UTC)


def conversations(digests: Sequence[Digest]) -> dict[str, list[Message]]:
    """The messages of each session in their order, sessions by the time of their first message."""
    sessions: dict[str, list[Message]] = {}
    for digest in digests:
        for message in digest.messages:
            sessions.setdefault(message.session, []).append(message)
    return dict(sorted(sessions.items(), key=lambda item: (moment(item[1][0]), item[0])))


def statements(digests: Sequence[Digest]) -> tuple[Statement, ...]:
    """All that users said in a language with rules in these digests, oldest session first."""
    return _statements(tuple(digests))


@lru_cache(maxsize=256)
def _statements(digests: tuple[Digest, ...]) -> tuple[Statement, ...]:
    found: list[Statement] = []
    for messages in conversations(digests).values():
        surroundings = " ".join(message.text for message in messages if message.role is Role.USER)
        found.extend(_of_session(messages, surroundings))
    return tuple(found)


def _of_session(messages: Sequence[Message], surroundings: str) -> Iterator[Statement]:
    before, turn = "", 0
    for message in messages:
        if message.role is Role.ASSISTANT:
            before = message.text[:_LONGEST_CONTEXT]
            continue
        if is_read(" ".join(own_lines(message.text)), surroundings):
            yield from _of_message(message, before, turn)
        turn += 1


def _of_message(message: Message, before: str, turn: int) -> Iterator[Statement]:
    parts = paragraphs(message.text)
    whole = tuple(sentence for part in parts for sentence in part)
    places = ((part, position) for part in parts for position in range(len(part)))
    for order, (part, position) in enumerate(places):
        if len(part[position]) > _LONGEST_STATEMENT:
            continue
        yield Statement(
            session=message.session,
            record=message.record,
            time=message.time,
            text=part[position],
            paragraph=part,
            position=position,
            message=whole,
            before=before,
            turn=turn,
            order=order,
            origin=message.origin,
        )


def foreign_sessions(digests: Sequence[Digest]) -> tuple[tuple[str, str], ...]:
    """Sessions whose users wrote in a language without rules here: (session, words to show), for a notice."""
    found = []
    for session, messages in conversations(digests).items():
        typed = [" ".join(own_lines(message.text)) for message in messages if message.role is Role.USER]
        if typed and not is_read(" ".join(typed)) and sum(len(text.split()) for text in typed) >= 12:
            found.append((session, _fold(max(typed, key=len))[:120]))
    return tuple(found)


def sibling(statement: Statement, text: str) -> Statement:
    """Another sentence of the same paragraph, as a statement of its own."""
    position = statement.paragraph.index(text)
    return replace(statement, text=text, position=position, order=statement.order + position - statement.position)
