"""Which store the agents of a project read and write by themselves, and which further ones somebody may take for it."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from memgit.agent.clients import clients
from memgit.evidence.findings import printable
from memgit.memory.stores import Misplaced, OtherStore
from memgit.model.store import Memory
from memgit.reading import small_text
from memgit.stores.locate import ABOVE, NEAREST, ProjectPlace, candidates
from memgit.stores.registry import KINDS, kind_of
from memgit.stores.rules import at_home, is_among_others, names, project_key, strangers, worktrees


def used(place: ProjectPlace, cwd: str, env: Mapping[str, str], home: str) -> tuple[str, str]:
    """The real path of the store by the client's own rules, and the rule. Raises nothing: the last rule always fits."""
    path, rule, _ = next(candidates(place, cwd, env, home, None))
    return os.path.realpath(path), rule


def readers(store: str, shape: str) -> str:
    """Who reads and writes a store, in a sentence, where that is not a project's main agent; else nothing."""
    if shape == "codex":
        return "Codex reads and writes this store."
    if kind := KINDS.get(shape):
        return kind.readers
    if is_among_others(store):
        return f"Sub-agents named {printable(Path(store).name)} read and write this store."
    return ""


def other_stores(
    place: ProjectPlace, known: Iterable[tuple[str, str]], in_use: Collection[str]
) -> tuple[OtherStore, ...]:
    """Further stores with memories; each once. A store of a folder above the project is that folder's own."""
    found: dict[str, OtherStore] = {}
    for path, why in _all(place, known):
        real = os.path.realpath(path)
        if real not in in_use and why not in (ABOVE, NEAREST):
            found.setdefault(real, OtherStore(path, why, _named_by(place.root, path)))
    return tuple(found.values())


def known_projects(place: ProjectPlace) -> tuple[frozenset[str], frozenset[str]]:
    """The folders that are this project (with its worktrees), and the names of all projects' folders of the agent."""
    linked = worktrees(place.common_dir) if place.common_dir else ()
    return frozenset({place.owner, place.root, *linked}), frozenset(names(place.projects_dir))


def _all(place: ProjectPlace, known: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    yield from known
    yield from strangers(place.projects_dir, place.owner, place.common_dir, "")


def _named_by(root: str, store: str) -> str:
    """What names a store in the project to agents: a file as they would read it, or the program that keeps it."""
    inside = os.path.relpath(store, root).replace(os.sep, "/")
    if inside.startswith("../"):
        return ""
    if kind := kind_of(Path(store)):
        return kind.program
    read = (name for client in clients() for name in client.instructions)
    return next((name for name in read if inside in small_text(f"{root}/{name}")), "")


# --- elsewhere ---
# Memories that speak of another project: their session ran there, or they name its folder and nothing of this one.

_PATH = re.compile(r"(?<![\w.~/:])(?:~|/[\w.+@-]+)(?:/[\w.+@-]+)+")


def misplaced(
    memories: Iterable[Memory], homes: Collection[str], keys: Collection[str], ran_in: Mapping[str, str], user: str
) -> Iterator[Misplaced]:
    """The memories that seem to belong elsewhere, each with the other project's folder.

    ``homes`` are the real paths of the project and its worktrees, ``keys`` the names of all folders that the agent
    keeps for projects, ``ran_in`` where a session ran, ``user`` the home folder.
    """
    for memory in memories:
        if (folder := ran_in.get(memory.origin_session or "")) and not _is_in(folder, homes):
            yield Misplaced(memory.id, folder, by_session=True)
            continue
        roots = [_root(path, homes, keys, user) for path in _paths(memory.text, user)]
        others = [root for root in roots if root and root not in homes]
        if others and not any(root in homes for root in roots):
            yield Misplaced(memory.id, others[0], by_session=False)


def _paths(text: str, user: str) -> Iterator[str]:
    yield from (at_home(path[0], user) for path in _PATH.finditer(text))


def _root(path: str, homes: Collection[str], keys: Collection[str], user: str) -> str:
    """The folder of the project that a path lies in; empty for a path of none that the agent knows."""
    for folder in (PurePosixPath(path), *PurePosixPath(path).parents):
        here = str(folder)
        if here in homes:
            return here
        if here in (user, "/") or any(home.startswith(f"{here}/") for home in homes):
            return ""
        if project_key(here) in keys:
            return here
    return ""


def _is_in(folder: str, homes: Collection[str]) -> bool:
    real = os.path.realpath(folder)
    return any(real == home or real.startswith(f"{home}{os.sep}") for home in homes)
