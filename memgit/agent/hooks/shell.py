"""What a session's own commands do to the store, looked at before and after each: clients have no tool that deletes.

Before a command only the files' times and sizes are read. After it, what is another file now, new or gone is the
session's, unless it was nobody's before.
"""

from __future__ import annotations

import os
import re
from fnmatch import fnmatchcase

from memgit.agent.hooks import published, spool, state
from memgit.agent.hooks.event import Event
from memgit.agent.hooks.live import Live, read_written, statuses
from memgit.agent.hooks.place import Place

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
