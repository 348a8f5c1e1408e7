"""A memory's story in words: what happened to it, who or what did it, and which memories it came from or went into."""

from __future__ import annotations

from collections.abc import Mapping

from memgit.core.passes.lives import Event, Turn
from memgit.evidence.findings import mask, printable
from memgit.model.history import OpKind

TURNS: Mapping[Turn, str] = {
    Turn.FOUND: "There when the store was first recorded",
    Turn.CREATED: "Created",
    Turn.CHANGED: "Changed",
    Turn.MERGED: "Took in another memory",
    Turn.ABSORBED: "Merged into another memory",
    Turn.REPLACED: "Replaced by a newer value",
    Turn.REMOVED: "Removed",
    Turn.RESTORED: "An earlier text restored",
}

_BY: Mapping[OpKind, str] = {
    OpKind.EXTERNAL: "not by memgit",
    OpKind.SNAPSHOT: "seen by a snapshot",
    OpKind.REMEMBER: "by memgit remember",
    OpKind.FORGET: "by memgit forget",
    OpKind.UNDO: "by an undo",
    OpKind.REDO: "by a redo",
    OpKind.RESTORE: "by a restore",
    OpKind.REDACT: "by a redaction",
    OpKind.ADOPT: "by an adopted pass",
}


def cause(event: Event) -> str:
    """Who or what brought an event, to stand behind its turn; secrets are masked."""
    operation, behind = event.operation, event.decision
    if behind is not None:
        return f" by {behind.id} of pass {operation.pass_id}: {printable(mask(behind.justification).text)}"
    session = session_of(event)
    if session:
        return f", written in session {session[:8]}"
    if event.origin:
        return f", from session {printable(mask(event.origin).text)[:8]} as it says itself"
    if event.turn is Turn.FOUND:
        return ""
    return f", {_BY.get(operation.kind, operation.kind)}"


def session_of(event: Event) -> str:
    """The agent's session that wrote a change itself, where a hook or a command told of it."""
    wrote = event.operation.kind in (OpKind.EXTERNAL, OpKind.REMEMBER, OpKind.FORGET, OpKind.SNAPSHOT)
    return printable(mask(event.operation.details.get("session", "")).text) if wrote else ""


def others(memory: str, event: Event) -> tuple[str, ...]:
    """The memories that took part in an event beside the one it is told of."""
    behind = event.decision
    named = (*behind.memories, *behind.results) if behind else ()
    return tuple(dict.fromkeys(name for name in named if name != memory))
