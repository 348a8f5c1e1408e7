"""Who made a change of the store that memgit did not make, where the agent's client told a hook."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from memgit.core.screening.findings import printable
from memgit.core.store.changes import Changes
from memgit.hooks.spool import FOLDING, SPOOL, Write, explained, writes
from memgit.model.passes import ATTRIBUTED
from memgit.model.store import StoreContent


def take(private: Path) -> list[Write]:
    """The recorded writes since the last snapshot, put aside so that later ones begin a new file."""
    with suppress(OSError):
        if not (private / FOLDING).exists():
            (private / SPOOL).rename(private / FOLDING)
    return writes(str(private))


def clear(private: Path) -> None:
    """Remove what has been folded in."""
    with suppress(OSError):
        (private / FOLDING).unlink()


def attribution(found: Changes, content: StoreContent, made: Iterable[Write]) -> Mapping[str, str]:
    """Sessions and tools of a change as details of its operation; marked where they explain all of it."""
    paths = (*found.added, *found.changed, *found.stamped)
    known = explained(made, {path: content.files[path].data for path in paths})
    if not known:
        return {}
    whole = not found.removed and len(known) == len(paths)
    facts = {"session": _named(known, "session"), "tool": _named(known, "tool"), "agent": _named(known, "agent_id")}
    return {name: value for name, value in facts.items() if value} | ({ATTRIBUTED: "yes"} if whole else {})


def _named(known: Mapping[str, Write], field: str) -> str:
    """The different values of a field, in the order of the files."""
    return ", ".join(
        dict.fromkeys(printable(write.get(field, ""))[:80] for write in known.values() if write.get(field))
    )
