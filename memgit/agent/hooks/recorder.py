"""After a tool, SessionEnd and PreCompact: who wrote what, and a snapshot when a session is over or cut."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from fnmatch import fnmatchcase

from memgit.agent.hooks import published, slow, spool, state
from memgit.agent.hooks.event import Event
from memgit.agent.hooks.place import Place
from memgit.agent.hooks.published import Live, TooMuch, read_live, read_written, statuses

# --- shell ---
# What a session's own commands do to the store, looked at before and after each: clients have no tool that deletes.
#
# Before a command only the files' times and sizes are read. After it, what is another file now, new or gone is the
# session's, unless it was nobody's before.

Marks = dict[str, list[int]]
"""Path → what a file cannot keep when it changes."""


def before_command(event: Event, place: Place) -> None:
    """Remember how the stores are before a session's command."""
    for each in (place, *place.beside()):
        if not each.doubt and os.path.isdir(each.store):
            files = _marks(each.store)
            state.write(each.state, _name(event), {"files": files, "strange": _strange(each, files)})


def after_command(event: Event, place: Place) -> list[str]:
    """The paths that a session's command changed, added or removed."""
    now, name = _marks(place.store), _name(event)
    known = state.read(place.state, name)
    if not known:
        return [path for path in _strange(place, now) if _is_named(event, path)]
    state.forget(place.state, name)
    before, strange = known.get("files"), known.get("strange")
    before = before if isinstance(before, dict) else {}
    differing = (path for path in {**before, **now} if before.get(path) != now.get(path))
    return [path for path in differing if not (isinstance(strange, list) and path in strange)]


def _name(event: Event) -> str:
    call = re.sub(r"[^A-Za-z0-9_-]", "_", event.text("tool_use_id"))[:80]
    return f"{state.session_name(event.session)}.{call or 'call'}"


def _is_named(event: Event, path: str) -> bool:
    """Whether the command names a file, where nobody looked before it."""
    words = re.split(r"[\s'\"/;|&<>()]+", event.inner("tool_input").text("command"))
    return any(fnmatchcase(os.path.basename(path), word) for word in words if re.search(r"\w", word))


def _marks(store: str) -> Marks:
    found = statuses(store) if os.path.isdir(store) else ()
    return {path: [status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino] for path, status in found}


def _strange(place: Place, files: Marks) -> list[str]:
    """The files that are neither as recorded nor as a session's write left them: a session that changes them further
    has not made them its own."""
    if not place.has_vault:
        return []
    since = published.moment(place)
    young = [path for path, (_, changed, *_) in files.items() if changed >= since]
    live = Live({path: (0, read_written(place.store, path)) for path in young})
    differing = (path for path, there in published.differing(place, live) if there or path not in files)
    left = {path: live.files[path][1] if path in live.files else None for path in differing}
    explained = spool.explained(spool.writes(place.private), left)
    return [path for path in left if path not in explained]


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
        return after_command(event, place)
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
