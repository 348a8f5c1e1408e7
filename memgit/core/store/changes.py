"""Which files of a store differ between two moments, and that in one line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from memgit.core.store.merge3 import same_but_stamp
from memgit.evidence.findings import masked_name
from memgit.model.store import StoreContent, StoreFile


@dataclass(frozen=True, slots=True)
class Changes:
    """Paths by what happened to them. ``stamped`` were only restamped by the agent's client."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    stamped: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed or self.stamped)

    @property
    def only_stamped(self) -> bool:
        return bool(self.stamped) and not (self.added or self.changed or self.removed)

    def sentence(self, names: int = 3) -> str:
        """Such as ``changed a.md; added b.md, c.md and 4 more``; at most ``names`` names for each kind."""
        kinds = ("changed", "added", "removed", "stamped")
        return "; ".join(f"{kind} {_listed(paths, names)}" for kind in kinds if (paths := getattr(self, kind)))


def changes(before: StoreContent, after: StoreContent) -> Changes:
    """What happened to the files of a store."""
    common = [path for path in before.files if path in after.files and not _equal(before, after, path)]
    stamped = [path for path in common if _stamped(before.files[path], after.files[path])]
    return Changes(
        added=tuple(_only_in(after, before)),
        changed=tuple(path for path in common if path not in stamped),
        removed=tuple(_only_in(before, after)),
        stamped=tuple(stamped),
    )


def _only_in(one: StoreContent, other: StoreContent) -> Iterator[str]:
    return (path for path in one.files if path not in other.files)


def _equal(before: StoreContent, after: StoreContent, path: str) -> bool:
    one, other = before.files[path], after.files[path]
    return (one.data, one.mode) == (other.data, other.mode)


def _stamped(one: StoreFile, other: StoreFile) -> bool:
    return one.mode == other.mode and not one.is_link and same_but_stamp(one.data, other.data)


def _listed(paths: tuple[str, ...], names: int) -> str:
    more = len(paths) - names
    return ", ".join(map(masked_name, paths[:names])) + (f" and {more} more" if more > 0 else "")
