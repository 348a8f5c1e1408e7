"""Three-way merge of stores, memory by memory: changes of one side win, differing ones are named."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from memgit.core.summaries.changes import merged_rows
from memgit.core.summaries.form import is_vectors
from memgit.memory.file_names import folders_above
from memgit.memory.frontmatter import split
from memgit.memory.memory import memories, no_memories, read_memory
from memgit.memory.rebuild import rebuild
from memgit.model.store import INDEX, StoreContent, StoreFile


@dataclass(frozen=True, slots=True)
class Conflict:
    """A file that both sides changed, each in its own way. None stands for a file that is not there."""

    path: str
    base: bytes | None
    ours: bytes | None
    theirs: bytes | None


@dataclass(frozen=True, slots=True)
class Merged:
    """The outcome of a merge. Where there is a conflict, ``content`` holds our side."""

    content: StoreContent
    conflicts: tuple[Conflict, ...] = ()


def merge3(base: StoreContent, ours: StoreContent, theirs: StoreContent) -> Merged:
    """Merge two stores that both come from ``base``.

    ``ours`` is the live store where one of them is: its other tools' folders are the ones named in
    the result. The agent's own restamping of frontmatter is no change. The index is not merged but
    made anew from the merged memories, unless one side's index fits them as it is; where one side has none, a file
    of its name is merged as any other.
    """
    chosen: dict[str, StoreFile] = {}
    conflicts: list[Conflict] = []
    apart = {INDEX} if ours.indexed and theirs.indexed else set()
    for path in sorted({*base.files, *ours.files, *theirs.files} - apart):
        sides = base.files.get(path), ours.files.get(path), theirs.files.get(path)
        file = _choose(*sides)
        if isinstance(file, StoreFile):
            chosen[path] = file
        elif file is _BOTH and (data := merged_rows(path, base, ours, theirs)) is not None:
            if data or not is_vectors(path):
                chosen[path] = (sides[1] or sides[2] or StoreFile(path, b"")).holding(data)
        elif file is _BOTH:
            conflicts.append(Conflict(path, *(side.data if side else None for side in sides)))
            chosen |= {path: sides[1]} if sides[1] else {}
    content = replace(ours, files=chosen, exists=True, indexed=ours.indexed or theirs.indexed)
    content = _with_index(content, base, ours, theirs) if apart else content
    folders = _merged_folders(base, ours, theirs, content)
    exists = bool(content.files or folders) or (ours.exists and theirs.exists)
    return Merged(replace(content, folders=folders, exists=exists), tuple(conflicts))


class _Both:
    """Both sides changed a file, and not to the same."""


_BOTH = _Both()


def _choose(base: StoreFile | None, ours: StoreFile | None, theirs: StoreFile | None) -> StoreFile | _Both | None:
    if _equal(theirs, base) or _equal(ours, theirs):
        return ours
    if _equal(ours, base) or _same(ours, base):
        return theirs
    return ours if _same(theirs, base) or _same(ours, theirs) else _BOTH


def _equal(one: StoreFile | None, other: StoreFile | None) -> bool:
    if one is None or other is None:
        return one is other
    return (one.data, one.mode) == (other.data, other.mode)


def _same(one: StoreFile | None, other: StoreFile | None) -> bool:
    return one is not None and other is not None and one.mode == other.mode and same_but_stamp(one.data, other.data)


# --- the index ---


def _with_index(content: StoreContent, base: StoreContent, ours: StoreContent, theirs: StoreContent) -> StoreContent:
    side = theirs if _equal(base.index, ours.index) else ours
    if side.index is None:
        return content
    before, after = memories(side), memories(content)
    index = side.index
    if [(memory.id, memory.data) for memory in before] != [(memory.id, memory.data) for memory in after]:
        index = index.holding(rebuild(index, before, after, others=no_memories(content), roots=content.roots))
    return replace(content, files=dict(sorted({**content.files, INDEX: index}.items())))


# --- empty folders ---


def _merged_folders(
    base: StoreContent, ours: StoreContent, theirs: StoreContent, content: StoreContent
) -> tuple[str, ...]:
    before, one, other = set(base.folders), set(ours.folders), set(theirs.folders)
    kept = (one & other) | ((one | other) - before)
    used = {folder for path in content.files for folder in folders_above(path)}
    return tuple(sorted(kept - used - content.files.keys()))


# --- the agent's stamp ---

_STAMPS = frozenset({"node_type", "originSessionId", "modified"})


def same_but_stamp(one: bytes, other: bytes) -> bool:
    """Whether two versions of a memory say the same and differ only in what the agent's client writes by itself.

    Measured: the client re-serialises frontmatter on every write. It moves keys under ``metadata``,
    adds ``node_type``, ``originSessionId`` and ``modified``, makes a slug of the name, folds values
    into one line, turns CRLF into LF there, and leaves one blank line below.
    """
    if one == other:
        return True
    left, right = split(one), split(other)
    if not (left.has_frontmatter and right.has_frontmatter) or left.body.lstrip(b"\r\n") != right.body.lstrip(b"\r\n"):
        return False
    fields = _fields(left.block)
    return fields is not None and fields == _fields(right.block)


def _fields(block: bytes) -> Mapping[str, object] | None:
    """What a block says, whatever its form; None where YAML cannot tell, or aliases make comparing unsafe."""
    import yaml  # only a memory that differs gets here; the check at session start must not load it

    try:
        text = block.decode("utf-8")
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text, Loader=yaml.BaseLoader)):
            return None
        loaded = yaml.load(text, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return _flat(loaded) if isinstance(loaded, dict) else None


def _flat(loaded: Mapping[object, object]) -> Mapping[str, object]:
    metadata = loaded.get("metadata")
    inner = metadata if isinstance(metadata, dict) else {}
    outer = {key: value for key, value in loaded.items() if value is not metadata or not isinstance(metadata, dict)}
    fields = {str(key): _folded(value) for key, value in (*outer.items(), *inner.items()) if key not in _STAMPS}
    name = fields.pop("name", "")
    return {**fields, "name": re.sub(r"\W+", "-", name.lower()).strip("-") if isinstance(name, str) else name}


def _folded(value: object) -> object:
    return " ".join(value.split()) if isinstance(value, str) else value


# --- overwriting ---
# A memory that one worktree's session wrote and another's wrote over: notes on a state of which there is only one.

Write = Mapping[str, str]
"""What a hook noted of a write: ``session``, ``worktree``, ``path``, the ``digest`` of what it left, and more."""


@dataclass(frozen=True, slots=True)
class Overwritten:
    """A file, who wrote what is gone of it, and who wrote what stands there now: sessions' worktrees."""

    path: str
    was: str
    now: str

    def __str__(self) -> str:
        return f"{self.path} (a session in {self.now} over one in {self.was})"


def with_file(content: StoreContent, path: str, data: bytes) -> StoreContent:
    """A store in which a file holds something else."""
    file = content.files.get(path) or StoreFile(path, b"")
    files = {**content.files, path: file.holding(data)}
    return replace(content, files=dict(sorted(files.items())), exists=True)


def overwritten(
    before: StoreContent, after: StoreContent, known: Mapping[str, Write], worktree_of: Callable[[str], str]
) -> Iterator[Overwritten]:
    """The files whose text was written in one worktree and lost to a session of another.

    ``known`` are the writes that left files as they are now, ``worktree_of`` tells where a session ran (empty where
    that is not on record). Who wrote the former text is what its own frontmatter says.
    """
    for path, write in known.items():
        file = before.files.get(path)
        former = read_memory(file).origin_session if file else None
        if file is None or former is None or former == write.get("session"):
            continue
        was, now = worktree_of(former), write.get("worktree", "")
        if was and now and was != now and _lost(file.data, after.files[path].data):
            yield Overwritten(path, was, now)


def _lost(before: bytes, after: bytes) -> bool:
    """Whether a line of the body is gone."""
    kept = {line.strip() for line in after.splitlines()}
    body = before.rpartition(b"\n---")[2]
    return any(line.strip() and line.strip() not in kept for line in body.splitlines()[1:])
