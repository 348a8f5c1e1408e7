"""Memories that speak of another project: their session ran there, or they name its folder and nothing of this one."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from memgit.memory.stores import Misplaced
from memgit.model.store import Memory
from memgit.stores.rules import at_home, project_key

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
