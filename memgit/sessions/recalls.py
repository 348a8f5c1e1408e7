"""When agents read or wrote a store's memories: tool calls in transcripts that name a file of the store.

The client records no recall of its own; a call of a tool with the memory's path is the only trace there is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from memgit.core.prune.recalls import Recalls
from memgit.model.session import Session
from memgit.sessions.reader import moment

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
