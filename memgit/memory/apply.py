"""The store that results from decisions: their files, a rebuilt index, and everything else as it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from memgit.core.summaries.form import is_summaries
from memgit.evidence.findings import masked_name
from memgit.memory.file_names import folders_above
from memgit.memory.index_edit import grown
from memgit.memory.index_lines import IndexLimits, limits
from memgit.memory.memory import is_memory_of, memories, no_memories
from memgit.memory.merge import same_but_stamp
from memgit.memory.rebuild import rebuild
from memgit.model.decision import Decision
from memgit.model.store import INDEX, StoreContent, StoreFile

_USUAL_MODE = 0o100644


def apply(
    content: StoreContent,
    decisions: Iterable[Decision],
    *,
    time_ns: int,
    from_frontmatter: bool = False,
    repair_index: bool = True,
) -> StoreContent:
    """``content`` after the decisions that stand: taken by themselves or by a person, and turned down by nobody.

    Files that no decision names keep bytes, mode and mtime; written ones get the mtime ``time_ns``
    and the mode they had, new ones the mode most memories have. The index is rebuilt (with
    ``repair_index`` also what was wrong with it before), and stamped only if its bytes change. Folders that lose their
    last file are kept as empty ones. A database of summaries has neither; there, what is merged into another summary
    stays, superseded.
    """
    standing = [decision for decision in decisions if decision.stands]
    mode = usual_mode(content)
    files = dict(content.files)
    for decision in standing:
        for path in decision.removes:
            files.pop(path, None)
        for path, data in decision.writes.items():
            files[path] = _written(files.get(path) or content.files.get(path), path, data, mode, time_ns)
    if is_summaries(content):
        from memgit.core.summaries.changes import after  # most stores are none

        return after(content, replace(content, files=_sorted(files)), standing, time_ns)
    changed = replace(content, files=_sorted(files), folders=_folders(content, files), exists=True)
    return _with_index(content, changed, mode, time_ns, from_frontmatter, repair_index)


def usual_mode(content: StoreContent) -> int:
    """The mode that most memories of a store have, and a new one gets."""
    modes = Counter(file.mode for file in content.files.values() if is_memory_of(content, file))
    return modes.most_common(1)[0][0] if modes else _USUAL_MODE


def _written(old: StoreFile | None, path: str, data: bytes, mode: int, time_ns: int) -> StoreFile:
    if old is None:
        return StoreFile(path, data, mode, time_ns)
    return old if old.data == data and not old.is_link else old.holding(data, time_ns)


def _sorted(files: Mapping[str, StoreFile]) -> dict[str, StoreFile]:
    return dict(sorted(files.items()))


def _folders(content: StoreContent, files: Mapping[str, StoreFile]) -> tuple[str, ...]:
    """The empty folders: those that were, and those whose last file went; none that holds a file now."""
    holding = {folder for path in files for folder in folders_above(path)}
    emptied = {path.rpartition("/")[0] for path in content.files if path not in files and "/" in path}
    return tuple(sorted(folder for folder in {*content.folders, *emptied} if folder not in holding))


def _with_index(
    before: StoreContent, after: StoreContent, mode: int, time_ns: int, from_frontmatter: bool, repair: bool
) -> StoreContent:
    if not before.indexed:
        return grown(before, after)
    data = rebuild(
        before.index,
        memories(before),
        memories(after),
        from_frontmatter=from_frontmatter,
        others=no_memories(after),
        roots=before.roots,
        repair=repair,
    )
    index = _written(before.index, INDEX, data, mode, time_ns)
    return replace(after, files=_sorted({**after.files, INDEX: index}))


# --- changes ---
# Which files of a store differ between two moments, and that in one line.


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


# --- size ---
# How large a store is, in what its owner pays for: memories, bytes to read, and the index that is always loaded.


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a store: memories, their bytes, and how much of its index the agent's client loads, if its shape has
    one."""

    memories: int
    bytes: int
    index: IndexLimits
    indexed: bool = True


def size_of(content: StoreContent) -> Size:
    """Measure a store; one that is not there holds nothing."""
    kept = [file for file in content.files.values() if is_memory_of(content, file)]
    index = limits(content.index_text)
    return Size(len(kept), sum(len(file.data) for file in kept), index, content.indexed)
