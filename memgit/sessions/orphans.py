"""Memory stores beside the one in use: of worktrees, and of keys that stand for the same directory."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from memgit.model.session import OrphanStore, Worktree
from memgit.model.store import INDEX

_LONGEST_KEY = 200  # a longer key is cut here and gets a hash


def orphan_stores(
    projects_dir: str,
    folders: Iterable[str],
    root: str,
    main: str,
    worktrees: Iterable[Worktree],
    used: Iterable[str],
    key: Callable[[str], str],
) -> tuple[OrphanStore, ...]:
    """Non-empty stores that belong to this project and are not among those in use.

    ``folders`` are the names of all key folders, ``main`` the main checkout, ``used`` the paths of the stores that the
    agent or the user reads.
    """
    reasons = dict(_reasons(folders, root, main, worktrees, key))
    in_use = {Path(path).resolve() for path in used}
    found: list[OrphanStore] = []
    for folder, why in sorted(reasons.items()):
        store = Path(projects_dir, folder, "memory")
        if store.resolve() not in in_use and (count := _memories(store)) is not None:
            found.append(OrphanStore(str(store), count, why))
    return tuple(found)


def _reasons(
    folders: Iterable[str], root: str, main: str, worktrees: Iterable[Worktree], key: Callable[[str], str]
) -> Iterator[tuple[str, str]]:
    own = key(root)
    of_agents = f"{key(main)}--claude-worktrees-"[:_LONGEST_KEY]
    for folder in folders:
        if why := _twin(folder, own):
            yield folder, why
        elif folder.startswith(of_agents):
            yield folder, "store of a worktree that the agent made"
    yield own, f"store of {root}, which is not the main checkout"
    for tree in worktrees:
        if key(tree.path) != own:
            yield key(tree.path), f"store of the worktree {tree.path} ({tree.provenance.value})"


def _twin(folder: str, own: str) -> str:
    """Why another key folder may stand for the same directory; empty when it does not look so."""
    if folder == own:
        return ""
    if _encoded(folder) == _encoded(own):
        return f"its key differs from {own} only in how the path was encoded"
    if len(own) > _LONGEST_KEY and folder[:_LONGEST_KEY] == own[:_LONGEST_KEY] and len(folder) > _LONGEST_KEY:
        return f"its key begins with the same {_LONGEST_KEY} characters as {own[:40]}…"
    return ""


def _encoded(name: str) -> str:
    """A key as today's clients write it; keys of Windows paths without their case, which twins differ in."""
    name = re.sub("[^A-Za-z0-9]", "-", name)
    return name.casefold() if re.match(r"[A-Za-z]--|-mnt-[A-Za-z]-", name) else name


def _memories(store: Path) -> int | None:
    """How many memories a folder holds; None when it is no store or has nothing in it."""
    try:
        files = [path for path in store.rglob("*") if path.is_file() and not _is_hidden(path.relative_to(store))]
    except OSError:
        return None
    if not files:
        return None
    return sum(path.suffix == ".md" and path != store / INDEX for path in files)


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
