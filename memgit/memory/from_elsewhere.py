"""What may come into a store from another machine, a bundle or a folder that anybody can write to.

That is: ordinary files that lie inside it, and what the store has itself, as it is. A link leads wherever its maker
wants, a program runs, a path can leave the store, and an agent would read or write there.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_

from memgit.errors import WrongState
from memgit.evidence.findings import printable_name
from memgit.memory.apply import usual_mode
from memgit.memory.file_names import is_git_folder
from memgit.model.store import INDEX, StoreContent, StoreFile

_SPECIAL_BITS = 0o7111
"""What makes a file a program, or more: nothing that states a fact needs it."""
_GITLINK = 0o160000
_DRIVE = re.compile(r"[A-Za-z]:")
_NAMED = 3


def refuse_foreign(content: StoreContent, own: Sequence[StoreContent], whose: str, remedy: str) -> None:
    """Raise WrongState naming what a content holds that may not come in; ``whose`` begins the sentence.

    ``own`` are states of the user's own store: what one of them has under the same path, unchanged, is no news.
    """
    found = list(foreign(content, own))
    if found:
        more = f", and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
        raise WrongState(f"{whose} {', '.join(found[:_NAMED])}{more}; nothing was taken in.", remedy)


def foreign(content: StoreContent, own: Sequence[StoreContent]) -> Iterator[str]:
    """What of a content may not come in, each with the reason, as it stands in a list."""
    usual = [usual_mode(state) for state in own]  # on some file systems every file counts as a program
    for path, file in content.files.items():
        known = [state.files[path] for state in own if path in state.files]
        if not any(_is(file, one) for one in known) and (why := _why_not(file, known, usual)):
            yield f"{printable_name(path)} ({why})"
    specials = {path for state in own for path in state.special}
    yield from (
        f"{printable_name(path)} (neither a file nor a folder)" for path in content.special if path not in specials
    )


def leaves_store(path: str) -> bool:
    """Whether a path leads out of the folder that it is relative to, on any system."""
    parts = re.split(r"[/\\]", path)
    return bool(_DRIVE.match(path)) or any(part in ("", ".", "..") for part in parts)


def _is(file: StoreFile, known: StoreFile) -> bool:
    """Whether a file is the one that the store has; of a link git keeps the target and no mode."""
    same_mode = file.is_link if known.is_link else file.mode == known.mode
    return file.data == known.data and same_mode and not file.link


def _why_not(file: StoreFile, known: Sequence[StoreFile], usual: Sequence[int]) -> str:
    if leaves_store(file.path):
        return "a path that leaves the store"
    if not known and (why := _why_no_place(file.path)):
        return why
    return _why_no_kind(file, known, usual)


def _why_no_place(path: str) -> str:
    *folders, name = path.split("/")
    if any(is_git_folder(part) for part in (*folders, name)):
        return "a folder of git's own"
    if any(folder.startswith(".") for folder in folders):
        return "in a folder of another tool"
    return f"{INDEX} would be a folder" if folders[:1] == [INDEX] else ""


def _why_no_kind(file: StoreFile, known: Sequence[StoreFile], usual: Sequence[int]) -> str:
    if file.is_link or file.link:
        return f"a link to {printable_name(os.fsdecode(file.link or file.data))}"
    if stat.S_IFMT(file.mode) == _GITLINK:
        return "a repository of its own"
    if not stat.S_ISREG(file.mode):
        return f"the odd mode {file.mode:o}"
    allowed = reduce(or_, (*usual, *(one.mode for one in known if not one.is_link)), 0)
    return "a program" if file.mode & _SPECIAL_BITS & ~allowed else ""
