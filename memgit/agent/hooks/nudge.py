"""Stop: once every few turns, a reminder to record what the session settled."""

from __future__ import annotations

from collections.abc import Mapping

from memgit.agent.hooks import state
from memgit.agent.hooks.event import Event
from memgit.agent.hooks.place import Place
from memgit.agent.hooks.session_start import context

MODES = ("block", "context", "message", "off")
"""``block`` asks for one more turn, ``context`` tells the model with the next prompt, ``message`` the user only."""
EVERY = 3

Answer = Mapping[str, object]


def stop(event: Event, place: Place, mode: str, every: int) -> Answer | None:
    """Count a turn; answer with the reminder when it is due. A turn that a reminder caused is not counted."""
    if mode == "off" or event.flag("stop_hook_active"):
        return None
    name = state.session_name(event.session)
    known = state.read(place.state, name)
    turns, nudged = _number(known, "turns") + 1, _number(known, "nudged_at")
    due = turns - nudged >= every or nudged > turns
    state.write(
        place.state,
        name,
        {**known, "turns": turns, "nudged_at": turns if due else nudged, "pending": due and mode == "context"},
    )
    if not due:
        return None
    state.prune(place.state)
    return _answer(mode, event)


def _answer(mode: str, event: Event) -> Answer | None:
    match mode:
        case "block":
            return {"decision": "block", "reason": reminder(event)}
        case "message":
            return {"systemMessage": "memgit: this session may hold something worth remembering (/extract-memory)."}
        case _:
            return None


def pending(event: Event, place: Place) -> Answer | None:
    """The reminder that waited for the next prompt."""
    name = state.session_name(event.session)
    known = state.read(place.state, name)
    if not known.get("pending"):
        return None
    state.write(place.state, name, {**known, "pending": False})
    return context(reminder(event), "UserPromptSubmit")


def reminder(event: Event) -> str:
    """What the model reads: the skill, the session, and that finding nothing is fine; and an offer where beads fit."""
    from memgit.agent.hooks.bead_notes import notes_made, offer  # only where a reminder is due

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
