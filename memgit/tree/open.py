"""Opens the working tree of a project, with git or without."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from memgit.errors import ToolFailed
from memgit.process import git
from memgit.tree.git import GitTree
from memgit.tree.known import KnownTrees
from memgit.tree.plain import PlainTree


def open_tree(
    root: str | Path, exclude: Collection[str | Path] = (), known: KnownTrees | None = None
) -> GitTree | PlainTree:
    """The tree at ``root`` without what lies at or under the ``exclude`` paths; ``known`` remembers what is found.

    Raises `ToolFailed` when there is a repository that git will not read: taking it for a plain folder would
    search files that git ignores.
    """
    result = git(["rev-parse", "--is-inside-work-tree"], cwd=root)
    if result.out.strip() == b"true":
        return GitTree(root, git, exclude, known)
    if b"not a git repository" in result.err:
        return PlainTree(root, exclude, known)
    raise ToolFailed(
        f"git cannot read the project at {root}: {result.complaint or 'it is no work tree'}",
        "Run git status there; for a folder of another user, add it to git's safe.directory",
    )
