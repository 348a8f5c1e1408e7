"""Every store of this user's agents: where stores can be is known, so no disk is searched, and of each store only the
names are listed and the one file that agents are given is read."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from memgit.agent.clients import clients, main_client
from memgit.memory.index import Drift, drift
from memgit.memory.index_lines import extent
from memgit.memory.memory import read_memory
from memgit.memory.shapes import CODEX, DIRECTORY, Shape, shape_named
from memgit.memory.stores import GONE, IN_STEP, Listed, Loaded, Overlap, Record, alike
from memgit.model.store import INDEX, Memory, StoreFile
from memgit.reading import beginning
from memgit.stores.directory import shape_of
from memgit.stores.linked_index import text_behind
from memgit.stores.locate import ProjectPlace
from memgit.stores.registry import KINDS, kind_of
from memgit.stores.rules import KEY_LIMIT, names, project_key, worktrees

_MOST = 50_000
"""Entries of one folder that are listed: more than any store has."""

_SAMPLED = 40
"""Files of one name that are held against each other."""


def catalogue(
    place: ProjectPlace,
    cwd: str,
    env: Mapping[str, str],
    home: str,
    recorded: Iterable[Record],
    ran_in: Callable[[str], Sequence[str]],
) -> Iterator[Listed]:
    """Each store once, by its real path, in the order in which one would look for them: of this project, of the user,
    of all projects, and what only a vault knows of. ``ran_in`` gives the directories that the newest transcripts of a
    folder were recorded in. Copies of one store name each other."""
    yield from _with_overlaps([*_each(place, cwd, env, home, recorded, ran_in)])


def _each(
    place: ProjectPlace,
    cwd: str,
    env: Mapping[str, str],
    home: str,
    recorded: Iterable[Record],
    ran_in: Callable[[str], Sequence[str]],
) -> Iterator[Listed]:
    records = {os.path.realpath(record.store): record for record in recorded}
    seen: set[str] = set()
    for known in (*_of_project(place, cwd, env, home), *_of_projects(place, ran_in)):
        real = os.path.realpath(known.path)
        if real not in seen and (Path(real).is_dir() or (known.shape and Path(real).exists())):
            seen.add(real)
            listed = _looked_at(replace(known, record=records.get(real)))
            if listed.memories != 0 or listed.record or listed.problem:
                yield listed
    yield from (_on_record(real, record) for real, record in records.items() if real not in seen)


def _with_overlaps(found: Sequence[Listed]) -> list[Listed]:
    overlaps: dict[str, list[Overlap]] = {}
    for one, other, shared in alike(found):
        if _are_copies(one.path, other.path, shared):
            overlaps.setdefault(one.path, []).append(Overlap(other.path, len(shared)))
            overlaps.setdefault(other.path, []).append(Overlap(one.path, len(shared)))
    return [replace(one, overlaps=tuple(overlaps.get(one.path, ()))) for one in found]


def _are_copies(one: str, other: str, shared: Iterable[str]) -> bool:
    """Whether at least half of some files of the same names have the same sizes, too."""
    sizes = [(_size(f"{one}/{name}"), _size(f"{other}/{name}")) for name in sorted(shared)[:_SAMPLED]]
    return 2 * sum(first == second for first, second in sizes) >= len(sizes)


def _size(path: str) -> int:
    try:
        return Path(path).lstat().st_size
    except OSError:
        return -1


def _on_record(path: str, record: Record) -> Listed:
    """A store that only a vault knows of: elsewhere, or no longer there."""
    known = Listed(path, GONE, "on record", record=record)
    if not os.path.lexists(path):
        return known
    kind = kind_of(Path(path))
    if kind is None:
        return _looked_at(replace(known, shape=""))
    return replace(known, shape=kind.shape.name, memories=None)


# --- where stores are ---


def _of_project(place: ProjectPlace, cwd: str, env: Mapping[str, str], home: str) -> Iterator[Listed]:
    for path, rule, doubt in main_client().setup(cwd, env, home).stores(place.owner, place.common_dir):
        why = "this project" if path == place.default_store else rule
        yield Listed(path, "", why, place.owner, unconfirmed=doubt is not None)
    for inside in (".claude/memory", "docs/memory"):
        yield Listed(f"{place.root}/{inside}", "", f"the project's own {inside}", place.owner)
    yield from _of_clients(place, cwd, env, home)
    for name, kind in KINDS.items():
        for path in kind.beside(place.root, home):
            yield Listed(path, name, kind.of_project, place.owner)


def _of_clients(place: ProjectPlace, cwd: str, env: Mapping[str, str], home: str) -> Iterator[Listed]:
    """What clients keep beside the stores of projects, of this project or of the user."""
    for client in clients():
        for path, whose, shape in client.setup(cwd, env, home).further(place.root):
            is_here = Path(path).is_relative_to(place.root)
            yield Listed(path, shape, whose, place.owner if is_here else "")


def _of_projects(place: ProjectPlace, ran_in: Callable[[str], Sequence[str]]) -> Iterator[Listed]:
    keys = sorted(names(place.projects_dir))
    kin = {**_twins(keys), **_linked(place)}
    for key in keys:
        folder = f"{place.projects_dir}/{key}"
        if not Path(folder, "memory").is_dir():
            continue
        # Of several, the one that the folder is named after.
        project = min(ran_in(folder), key=lambda path: project_key(path) != key, default="")
        why = kin.get(key) or _forsaken(project)
        yield Listed(f"{folder}/memory", "", "agent's projects", project, kin=why)


def _forsaken(project: str) -> str:
    """Why no agent will read the store of a project any more; empty where one may."""
    if project and not Path(project).is_dir():
        return f"its project {project} is not there"
    marker = Path(project, ".git")
    if project and marker.is_file() and b"/worktrees/" in beginning(marker):
        return f"the store of a linked worktree, {project}: newer clients read that of the main one"
    return ""


def _linked(place: ProjectPlace) -> dict[str, str]:
    linked = worktrees(place.common_dir) if place.common_dir else ()
    return {project_key(path): f"the store of a linked worktree, {path}" for path in linked if path != place.owner}


def _twins(keys: Iterable[str]) -> dict[str, str]:
    """Folders whose names stand for the same path as another's: encoded by an older client, or cut at the same place.
    The name that today's client would write is no twin."""
    alike: dict[str, list[str]] = {}
    for key in keys:
        alike.setdefault(re.sub(r"[^A-Za-z0-9]", "-", key)[:KEY_LIMIT], []).append(key)
    return {
        key: f"a twin of {group[0]}: the same path under another key"
        for group in (sorted(each, key=_oddness) for each in alike.values())
        for key in group[1:]
    }


def _oddness(key: str) -> tuple[int, str]:
    return len(re.findall(r"[^A-Za-z0-9-]", key)), key


# --- one store ---


def _looked_at(known: Listed) -> Listed:
    """A place that is known, with what a look at it tells; without a shape only looking tells that too."""
    if known.unconfirmed:  # whatever it is, nobody has asked to look into it
        return replace(known, shape=DIRECTORY.name, memories=None)
    shape = shape_named(known.shape) if known.shape else shape_of(known.path, named=True)
    try:
        return _measured(known, shape)
    except OSError as error:
        return replace(known, shape=shape.name, memories=None, problem=f"{error.strerror}.")


def _measured(listed: Listed, shape: Shape) -> Listed:
    if not Path(listed.path).is_dir() or listed.shape not in ("", CODEX.name):
        return replace(listed, shape=shape.name, memories=None)
    paths = _files(listed.path)
    opening = _opening(listed.path, shape, paths)
    kept = [path for path in paths if path.endswith(".md") and (path != INDEX or not shape.indexed)]
    loaded = Loaded(bytes=len(opening)) if shape is CODEX else Loaded(*extent(opening)) if opening else Loaded()
    found = _drift(listed.path, opening, paths, kept) if shape is DIRECTORY and opening else IN_STEP
    return replace(
        listed, shape=shape.name, memories=len(kept), loaded=loaded, drift=found, names=frozenset(kept) - {INDEX}
    )


def _opening(folder: str, shape: Shape, paths: Sequence[str]) -> bytes:
    """The beginning of the file that agents are given, also where that is an index behind a link."""
    if shape.opening in paths:
        return beginning(f"{folder}/{shape.opening}")
    found = text_behind(f"{folder}/{INDEX}") if shape.opening == INDEX else None
    return found[0] if found else b""


_LINK = re.compile(rb"\]\(([^()\s]+)\)")
_OTHERWISE = (b"[[", b"```", b"~~~", b"<!--")


def _is_plainly_in_step(index: bytes, kept: Sequence[str]) -> bool:
    """Whether an index links to each memory once and to nothing else, in the way that clients write: most do, and
    taking its lines apart takes longer than all the rest."""
    if any(mark in index for mark in _OTHERWISE):
        return False
    return sorted(_LINK.findall(index)) == sorted(map(os.fsencode, kept))


def _drift(folder: str, index: bytes, paths: Iterable[str], kept: Sequence[str]) -> Drift:
    """What an index leaves out and points to in vain. Names are enough where all is well; where not, a pointer may
    name a memory by its title, so that these are read."""
    if _is_plainly_in_step(index, kept):
        return IN_STEP
    others = [path for path in paths if path not in set(kept) and path != INDEX]
    file = StoreFile(INDEX, index)
    found = drift(file, [Memory(path.removesuffix(".md"), path, b"", "") for path in sorted(kept)], others)
    if found.is_clean:
        return found
    return drift(file, [read_memory(StoreFile(path, beginning(f"{folder}/{path}"))) for path in sorted(kept)], others)


def _files(folder: str) -> list[str]:
    """The files of a store by their paths in it, without what is hidden."""
    found: list[str] = []
    pending = [""]
    while pending and len(found) < _MOST:
        inside = pending.pop()
        with os.scandir(f"{folder}/{inside}") as entries:
            for entry in entries:
                path = f"{inside}{entry.name}"
                if entry.name.startswith("."):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    pending.append(f"{path}/")
                elif not entry.is_symlink():
                    found.append(path)
    return found
