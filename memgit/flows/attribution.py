"""Who made a change of the store that memgit did not make, where the agent's client told a hook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from memgit.agent.hooks.spool import FOLDING, SPOOL, WRITTEN, Write, append, digest, explained, kept, writes
from memgit.evidence.findings import printable
from memgit.files import remove_tree
from memgit.memory.apply import Changes
from memgit.memory.merge import overwritten
from memgit.memory.shapes import of_the_client
from memgit.model.history import ATTRIBUTED, OVERWRITTEN, Operation
from memgit.model.store import StoreContent


def data_of(content: StoreContent, path: str) -> bytes | None:
    """A file's bytes in a store; None where it has no such file."""
    file = content.files.get(path)
    return file.data if file else None


def take(private: Path) -> list[Write]:
    """The recorded writes since the last snapshot, put aside so that later ones begin a new file."""
    with suppress(OSError):
        if not (private / FOLDING).exists():
            (private / SPOOL).rename(private / FOLDING)
    return writes(str(private))


def parted(made: Sequence[Write], content: StoreContent) -> tuple[list[Write], list[Write]]:
    """The writes that a store tells of, and those that came after it was read: behind the last one that it holds.

    A file that holds none of them may as well have been changed by hand, so that nobody waits for one of them twice.
    """
    last = {}
    for number, write in enumerate(made):
        if digest(data_of(content, write["path"])) == write["digest"]:
            last[write["path"]] = number
    seen: list[Write] = []
    left: list[Write] = []
    for number, write in enumerate(made):
        came_later = number > last.get(write["path"], -1) and _LEFT not in write
        (left if came_later else seen).append(write)
    return seen, left


_LEFT = "left"
"""Marks a write that a snapshot has left for the next."""


def clear(private: Path, left: Iterable[Write]) -> None:
    """Remove what has been folded in, and what was kept of it where no write has come since. What is ``left`` waits."""
    with suppress(OSError):
        for write in left:
            append(str(private), {**write, _LEFT: "yes"})
        (private / FOLDING).unlink()
    if not (private / SPOOL).exists():
        remove_tree(private / WRITTEN)


def written_over(private: Path, content: StoreContent, made: Sequence[Write]) -> Iterator[tuple[Write, bytes]]:
    """What a session wrote and another wrote over before anybody recorded it, oldest first."""
    last = {write["path"]: write for write in made}
    for write in made:
        file = content.files.get(write["path"])
        if file is None or digest(file.data) == write["digest"]:
            continue
        if write.get("session") != last[write["path"]].get("session") and (data := kept(str(private), write)):
            yield write, data


def facts_of(write: Write) -> Mapping[str, str]:
    """One write's session and tool as details of its operation."""
    return {name: value for name, value in _facts({write["path"]: write}).items() if value} | {ATTRIBUTED: "yes"}


def attribution(found: Changes, content: StoreContent, made: Iterable[Write]) -> Mapping[str, str]:
    """Sessions and tools of a change as details of its operation; marked where they explain all of it."""
    paths = {*found.added, *found.changed, *found.stamped, *found.removed}
    paths -= of_the_client({*paths, *content.files})
    known = explained(made, {path: data_of(content, path) for path in sorted(paths)})
    whole = bool(found) and len(known) == len(paths)
    facts = {name: value for name, value in _facts(known).items() if value}
    return facts | ({ATTRIBUTED: "yes"} if whole else {})


def _facts(known: Mapping[str, Write]) -> dict[str, str]:
    """Each once, in the order of the files; a worktree for each session, or none."""
    ran_in = {_short(write["session"]): _worktree(write) for write in known.values() if write.get("session")}
    worktrees = ", ".join(ran_in.values()) if all(ran_in.values()) else ""
    tools = {"tool": _named(known, "tool"), "agent": _named(known, "agent_id")}
    return {"session": ", ".join(ran_in), **tools, "worktree": worktrees}


def _ran_in(operation: Operation) -> dict[str, str]:
    """The worktree of each session whose writes an operation recorded."""
    sessions, worktrees = (operation.details.get(name, "").split(", ") for name in ("session", "worktree"))
    return dict(zip(sessions, worktrees, strict=True)) if len(sessions) == len(worktrees) else {}


def _worktree(write: Write) -> str:
    return _short(write.get("worktree", ""))


def overwriting(
    before: StoreContent, after: StoreContent, made: Iterable[Write], operations: Iterable[Operation]
) -> Mapping[str, str]:
    """The detail that two worktrees got into each other's way, where they did."""
    ran_in = {session: worktree for each in operations for session, worktree in _ran_in(each).items()}
    changed = {path: file.data for path, file in after.files.items() if before.files.get(path) != file}
    writes = explained(made, changed).items()
    known = {path: {**write, "worktree": _worktree(write)} for path, write in writes}
    found = list(overwritten(before, after, known, lambda session: ran_in.get(session, "")))
    return {OVERWRITTEN: printable("; ".join(map(str, found)))} if found else {}


def _named(known: Mapping[str, Write], field: str) -> str:
    """The different values of a field, in the order of the files."""
    return ", ".join(dict.fromkeys(_short(write.get(field, "")) for write in known.values() if write.get(field)))


def _short(text: str) -> str:
    return printable(text)[:_LONGEST]


_LONGEST = 300
"""Characters of a session's id or a worktree's path that are kept."""
