"""Which memories an agent comes to from the index: those it names, and those that a page names which it comes to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from posixpath import dirname

from memgit.core.index.lines import IndexLine, Targets
from memgit.core.memories.links import MarkdownLink, links, mentions
from memgit.core.memories.links import targets as linked
from memgit.model.store import Memory


def reached(lines: Iterable[IndexLine], memories: Sequence[Memory], targets: Targets) -> frozenset[str]:
    """The ids of the memories that the index lists: in a line of its own, by a folder, or on a page that is listed.

    ``lines`` were read with these ``targets``. Bodies are looked into only where a line does not name them all.
    """
    by_id = {memory.id: memory for memory in memories}
    found = by_id.keys() & set(_named(lines, targets))
    pending = list(found) if len(found) < len(by_id) else []
    while pending and len(found) < len(by_id):
        page = by_id[pending.pop()]
        new = (by_id.keys() & {*linked(page, targets.names), *_in_folders(page, targets)}) - found
        found |= new
        pending.extend(new)
    return frozenset(found)


def _named(lines: Iterable[IndexLine], targets: Targets) -> Iterator[str]:
    for line in lines:
        for pointer in (*line.pointers, *(each for each in line.mentions if each.certain)):
            if memory := targets.memory(pointer):
                yield memory
            else:
                yield from targets.inside(pointer.target)


def _in_folders(page: Memory, targets: Targets) -> Iterator[str]:
    for link in (*links(page.body), *mentions(page.body)):
        if not (isinstance(link, MarkdownLink) and link.is_image):
            yield from targets.inside(link.target, dirname(page.path))
