"""An index behind a symbolic link: its text counts, the link stays, and nobody writes through it."""

from __future__ import annotations

import os

from memgit.errors import WrongState
from memgit.evidence.findings import printable_name
from memgit.model.shell import shell_word
from memgit.model.store import INDEX, StoreContent


def is_behind_link(content: StoreContent) -> bool:
    """Whether the index is a link, to a file that can be read or to none."""
    return content.index is not None and bool(content.index.link or content.index.is_link)


def leads_nowhere(content: StoreContent) -> bool:
    """Whether the index is a link behind which agents read nothing."""
    return content.index is not None and content.index.is_link


def leads_to(content: StoreContent) -> str:
    """Where the link of an index leads, as it may be shown."""
    assert content.index is not None
    return printable_name(os.fsdecode(content.index.link or content.index.data))


def refuse_nowhere(content: StoreContent) -> None:
    """Raise WrongState for an index that is a link to nothing that can be read."""
    if leads_nowhere(content):
        raise WrongState(
            f"{INDEX} is a link to {leads_to(content)}, where no file can be read, so agents see no index.",
            f"Mend what it leads to, or remove the link {INDEX} in the store; then run the command again.",
        )


def refuse_other_index(folder: str, before: StoreContent, content: StoreContent) -> None:
    """Raise WrongState if the store at ``folder`` would get an index that is not what its link leads to."""
    if not is_behind_link(before) or _same_index(before, content):
        return
    refuse_nowhere(before)
    raise WrongState(
        f"{INDEX} is a link to {leads_to(before)}, and the index is to hold another text: memgit neither writes "
        "through a link nor replaces it. The store is as it was.",
        f"Put the text itself in its place ({mend(folder)}), or what was decided where it leads, and run it again.",
    )


def mend(folder: str) -> str:
    """The command that puts what an index's link leads to in the place of the link."""
    link, beside = (shell_word(f"{folder}/{name}") for name in (INDEX, f"{INDEX}.new"))
    return f"cp -p {link} {beside} && mv -f {beside} {link}"


def _same_index(before: StoreContent, content: StoreContent) -> bool:
    one, other = before.index, content.index
    return one is not None and other is not None and (one.data, one.is_link) == (other.data, other.is_link)
