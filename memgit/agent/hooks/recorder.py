"""After a tool, SessionEnd and PreCompact: who wrote what, and a snapshot when a session is over or cut."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import UTC, datetime

from memgit.agent.hooks import published, shell, slow, spool
from memgit.agent.hooks.event import Event
from memgit.agent.hooks.live import TooMuch, read_live, read_written
from memgit.agent.hooks.place import Place

WRITING = ("Write", "Edit", "MultiEdit", "write_file", "replace")
"""Tools that name the file they write."""


def post_tool_use(event: Event, place: Place) -> None:
    """Remember what a tool did to the store with its session, so that a snapshot can tell it from a stranger's."""
    for each in (place, *place.beside()):
        _remember(event, each)


def _remember(event: Event, place: Place) -> None:
    if place.doubt:
        return
    for path in _changed(event, place):
        there = os.path.lexists(os.path.join(place.store, path))
        data = read_written(place.store, path) if there else None
        write = {
            "session": event.session,
            "tool": event.text("tool_name"),
            "tool_use_id": event.text("tool_use_id"),
            "agent_id": event.text("agent_id"),
            "path": path,
            "worktree": _worktree(event.text("cwd")),
            "digest": spool.digest(data),
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        }
        if data is not None and place.has_vault:
            spool.keep(place.private, data)
        spool.append(place.noted, write)


def _changed(event: Event, place: Place) -> Iterable[str]:
    """The paths in the store that a tool wrote or took away."""
    if event.text("tool_name") not in WRITING:
        return shell.after_command(event, place)
    path = _inside(place.store, os.path.join(event.text("cwd"), event.inner("tool_input").text("file_path")))
    return () if path is None else (path,)


def _worktree(folder: str) -> str:
    """The worktree that a folder is in; outside of any the folder itself."""
    here = os.path.realpath(folder)
    above = here
    while not os.path.lexists(os.path.join(above, ".git")):
        above, below = os.path.dirname(above), above
        if above == below:
            return here
    return above


def _inside(store: str, path: str) -> str | None:
    """A path in the store, relative to it; None for any other."""
    folder, name = os.path.split(path)
    real = os.path.join(os.path.realpath(folder), name)
    return real[len(store) + 1 :].replace(os.sep, "/") if real.startswith(store + os.sep) and name else None


def snapshot(event: Event, place: Place) -> None:
    """Have the stores recorded in the background that are not as they were last seen."""
    for each in (place, *place.beside()):
        if not each.doubt:
            _record(event, each)


def _record(event: Event, place: Place) -> None:
    try:
        live = read_live(place.store)
    except TooMuch:
        slow.snapshot(place, event.session)
        return
    if not place.has_vault and not any(path.endswith(".md") for path in live.files):
        return
    head = published.read_head(place) if place.has_vault else None
    if head is None or head.fingerprint != live.fingerprint:
        slow.snapshot(place, event.session)
