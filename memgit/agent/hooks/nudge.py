"""Stop: where a session said what may be worth a memory, a reminder to record it."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress

from memgit.agent.clients.client import ADD, GO_ON, SHOW, Answer
from memgit.agent.hooks import slow, state
from memgit.agent.hooks.event import Event
from memgit.agent.hooks.place import Place

MODES = ("found", "block", "context", "message", "off")
"""``found`` asks for one more turn where something was said that may be worth a memory, ``block`` whatever was said;
``context`` tells the model with the next prompt, ``message`` the user only."""
EVERY = 3
PATIENCE = 1.5
"""Seconds that a turn's end waits for a look into the session; every few turns, and only where a person sits."""
_BETWEEN = 0.02


def stop(event: Event, place: Place, mode: str, every: int) -> Answer | None:
    """Count a turn; answer with the reminder when it is due. A turn that a reminder caused is not counted."""
    if event.flag("stop_hook_active"):
        return None
    name = state.session_name(event.session)
    known = state.read(place.state, name)
    turns, nudged = _number(known, "turns") + 1, _number(known, "nudged_at")
    due = turns - nudged >= every or nudged > turns
    if due and mode == "found":
        _look(event, place, name)
    new = _new_statements(place, name, known) if mode == "found" else []
    state.write(
        place.state,
        name,
        {
            **known,
            "turns": turns,
            "nudged_at": turns if due else nudged,
            "pending": due and mode == "context",
            "told": [*_list(known, "told"), *new],
        },
    )
    if due:
        state.prune(place.state)
    return _answer(mode, event) if new or (due and mode != "found") else None


def _look(event: Event, place: Place, name: str) -> None:
    """Have the session read, and wait a moment for what comes of it; what comes later is told at a later turn."""
    kept = os.path.join(place.state, f"{statements_name(name)}.json")
    with suppress(FileNotFoundError):
        os.unlink(kept)
    slow.look_for_statements(place, event.session, event.text("cwd"))
    deadline = time.monotonic() + PATIENCE
    while not os.path.exists(kept) and time.monotonic() < deadline:
        time.sleep(_BETWEEN)


def _new_statements(place: Place, name: str, known: Mapping[str, object]) -> list[object]:
    """What the last look into this session found, and no reminder was about."""
    found = _list(state.read(place.state, statements_name(name)), "found")
    return [each for each in found if each not in _list(known, "told")]


def statements_name(session_name: str) -> str:
    """The name of what a look into a session's statements leaves."""
    return f"{session_name}.statements"


def _answer(mode: str, event: Event) -> Answer | None:
    match mode:
        case "found" | "block":
            return Answer(GO_ON, model=reminder(event))
        case "message":
            return Answer(SHOW, user="memgit: this session may hold something worth remembering (/extract-memory).")
        case _:
            return None


def pending(event: Event, place: Place) -> Answer | None:
    """The reminder that waited for the next prompt."""
    name = state.session_name(event.session)
    known = state.read(place.state, name)
    if not known.get("pending"):
        return None
    state.write(place.state, name, {**known, "pending": False})
    return Answer(ADD, model=reminder(event))


def reminder(event: Event) -> str:
    """What the model reads: the skill, the session, and that finding nothing is fine; and an offer where beads fit."""

    shown = state.session_name(event.session).removeprefix("session-")
    return (
        f"A routine reminder from memgit, not a fault (session {shown}): if something was settled in this session "
        "that a cold session would need and could not find in the repository, its history or by a tool, record it now "
        "with the skill `extract-memory`, yourself and not in a subagent. If there is nothing of the kind, or it is "
        f"recorded already, end the turn without saying anything about this reminder.{offer(notes_made(event))}"
    )


def _number(known: Mapping[str, object], name: str) -> int:
    value = known.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def _list(known: Mapping[str, object], name: str) -> list[object]:
    value = known.get(name)
    return value if isinstance(value, list) else []


# --- bead notes ---
# How often a session has called ``bd remember``, counted in its transcript; lines that hold no call are skipped.

ENOUGH = 3
"""Calls from which on a sweep at the close of the session is worth offering."""

_MOST = 64 * 1024 * 1024  # bytes of a transcript beyond which nothing is counted: a hook has little time
_CALL = re.compile(r"(?:^|[;&|\n(])\s*bd\s+remember\b")


def notes_made(event: Event) -> int:
    """The calls in the session's own transcript; 0 where the project has no beads or the transcript cannot be read."""
    if not os.path.isdir(os.path.join(event.text("cwd"), ".beads")):
        return 0
    try:
        with open(event.text("transcript_path"), "rb") as transcript:
            data = transcript.read(_MOST + 1)
    except (OSError, ValueError):
        return 0
    lines = data.split(b"\n") if len(data) <= _MOST else []
    return sum(_calls(line) for line in lines if b"remember" in line and b'"tool_use"' in line)


def offer(made: int) -> str:
    """What is said of it; nothing of a few."""
    if made < ENOUGH:
        return ""
    return (
        f" `bd remember` was called {made} times in this session: when its work is done, offer the user the skill"
        " `sweep-memory`, which brings the beads memories into order; never run it unasked."
    )


def _calls(line: bytes) -> int:
    try:
        record = json.loads(line)
        return sum(len(_CALL.findall(command)) for command in _commands(record["message"]["content"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return 0


def _commands(content: list[object]) -> Iterator[str]:
    for part in content:
        if isinstance(part, dict) and part.get("type") == "tool_use" and part.get("name") == "Bash":
            command = part["input"].get("command")
            yield command if isinstance(command, str) else ""
