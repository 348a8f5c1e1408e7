"""Folders that somebody else records or sends elsewhere: work trees of version control, folders kept in step with other
machines. What memgit lays beside a store would go with them, and what they are in the middle of concerns the store."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from memgit.reading import small_text

_MARKS = (
    ".git", ".hg", ".jj", ".svn", ".bzr", ".pijul", ".fslckout", "_FOSSIL_", "CVS",
    ".stfolder", ".dropbox", ".dropbox.cache", ".sync", ".owncloudsync.log", ".nextcloudsync.log", ".tmp.drivedownload",
)  # fmt: skip
"""What version control and programs that synchronise put into a folder that is theirs."""

_CLOUDS = (
    "onedrive",
    "dropbox",
    "google drive",
    "googledrive",
    "nextcloud",
    "owncloud",
    "pcloud",
    "seafile",
    "syncthing",
)
_PLACES = ("mobile documents", "cloudstorage", "com~apple~clouddocs")
"""Folders in which systems keep what they synchronise, where nothing lies in the folder itself."""

_UNFINISHED = (
    ("MERGE_HEAD", "a merge"), ("CHERRY_PICK_HEAD", "a cherry-pick"), ("REVERT_HEAD", "a revert"),
    ("rebase-merge", "a rebase"), ("rebase-apply", "a rebase"),
)  # fmt: skip


def watched(folder: str) -> str:
    """The nearest folder above a real path that somebody records or synchronises; empty where none does."""
    return next((str(above) for above in Path(folder).parents if _is_watched(above)), "")


def _is_watched(folder: Path) -> bool:
    name = folder.name.casefold()
    if name in _PLACES or any(name == cloud or name.startswith((f"{cloud} ", f"{cloud}-")) for cloud in _CLOUDS):
        return True
    return any(os.path.lexists(folder / mark) for mark in _MARKS)


def unfinished(folder: str) -> Iterator[str]:
    """What the git work tree that a real path lies in is in the middle of, in words."""
    here = Path(folder)
    top = next((each for each in (here, *here.parents) if os.path.lexists(each / ".git")), None)
    if top is not None:
        git_dir = Path(git_dir_of(top))
        yield from dict.fromkeys(what for name, what in _UNFINISHED if os.path.lexists(git_dir / name))


def git_dir_of(top: Path) -> str:
    """The git directory of a work tree, read from its ``.git``, which may be a file that names it."""
    mark = top / ".git"
    named = "" if mark.is_dir() else small_text(str(mark)).partition("gitdir:")[2].strip()
    return os.path.realpath(top / named if named else mark)
