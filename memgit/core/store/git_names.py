"""File names that git takes for its own on some file system."""

from __future__ import annotations

import re

_IGNORED_BY_HFS = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
_SHORT_NAME = re.compile(r"gi[0-9a-z]*~[0-9]")


def taken_for_git(name: str) -> bool:
    """Whether a name could be ``.git``, or one of the files that begin so, by case, hidden signs or a short form."""
    return _folded(name).startswith(".git") or _SHORT_NAME.match(_folded(name)) is not None


def is_git_folder(name: str) -> bool:
    """Whether some file system takes a name for ``.git`` itself."""
    plain = _folded(name).partition(":")[0].rstrip(". ")
    return plain == ".git" or _SHORT_NAME.fullmatch(plain) is not None


def _folded(name: str) -> str:
    return _IGNORED_BY_HFS.sub("", name).casefold()
