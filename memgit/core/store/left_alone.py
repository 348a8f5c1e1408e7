"""What a store holds beside memories and is not read: the folders of other tools, links, pipes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memgit.core.store.index_link import is_behind_link, leads_to
from memgit.evidence.findings import printable_name
from memgit.model.store import EXPORTS, INDEX, StoreContent

NAMED = 5
"""Names given before the rest is only counted."""


def left_alone(content: StoreContent) -> tuple[str, ...]:
    """A sentence for each kind of thing that is there and that a pass does not look into."""
    return tuple(_sentences(content))


def _sentences(content: StoreContent) -> Iterator[str]:
    links = [path for path, file in content.files.items() if file.is_link and path != INDEX]
    if content.foreign:
        yield f"Folders of other tools, not read and not copied; adopting carries them over: {_names(content.foreign)}."
    if links:
        yield f"Links, carried as links and not followed: {_names(links)}."
    if is_behind_link(content):
        yield (
            f"{INDEX} is a link to `{leads_to(content)}`: its text is read and carried, and nothing is written there. "
            "A candidate with another index can be adopted once the text itself is in the link's place."
        )
    if exports := [path for path in content.files if path.endswith(EXPORTS)]:
        yield f"Exports of another tool are no memories; kept byte for byte: {_names(exports)}."
    if content.special:
        yield f"Neither files nor folders, not read: {_names(content.special)}."


def _names(names: Sequence[str]) -> str:
    more = len(names) - NAMED
    return ", ".join(f"`{printable_name(name)}`" for name in names[:NAMED]) + (f" and {more} more" if more > 0 else "")
