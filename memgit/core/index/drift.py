"""Where an index and the memories it speaks of have come apart."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from memgit.core.index.lines import IndexLine, Pointer, Targets, parse_index
from memgit.model.store import Memory, StoreFile


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the index (from 1) and the target written there."""

    line: int
    target: str


@dataclass(frozen=True, slots=True)
class Drift:
    """What is wrong with an index.

    ``orphans`` are memories that it does not name in any way, ``dead`` its entries for memories that are
    not there, ``doubles`` further entries for a memory that has one. The rest is no fault of the index
    and is only told: ``dead_mentions`` are broken links in its prose, ``outside`` links that leave the
    store, ``crowded`` the numbers of lines with several entries.
    """

    orphans: tuple[str, ...] = ()
    dead: tuple[Place, ...] = ()
    doubles: tuple[Place, ...] = ()
    dead_mentions: tuple[Place, ...] = ()
    outside: tuple[Place, ...] = ()
    crowded: tuple[int, ...] = ()

    @property
    def is_clean(self) -> bool:
        """True when rebuilding the index would give the same bytes."""
        return not (self.orphans or self.dead or self.doubles)


def drift(index: StoreFile | None, memories: Sequence[Memory], others: Collection[str] = ()) -> Drift:
    """Compare an index with the memories. ``others`` are paths of the store that are no memories but are there."""
    lines = parse_index(index.data) if index and not index.is_link else ()
    targets = Targets(memories, others)
    entries = tuple(_entries(lines, targets))
    mentions = [(line, pointer) for line in lines for pointer in line.mentions]
    named = {targets.memory(pointer) for _, pointer in [*entries, *mentions]}
    return Drift(
        orphans=tuple(memory.id for memory in memories if memory.id not in named),
        dead=tuple(Place(line.number, pointer.target) for line, pointer in entries if _is_dead(pointer, targets)),
        doubles=tuple(_doubles(entries, targets)),
        dead_mentions=tuple(Place(line.number, p.target) for line, p in mentions if _is_dead(p, targets)),
        outside=tuple(Place(line.number, target) for line in lines for target in line.outside),
        crowded=tuple(line.number for line in lines if len({targets.memory(p) for p in line.pointers}) > 1),
    )


Entry = tuple[IndexLine, Pointer]


def _entries(lines: Sequence[IndexLine], targets: Targets) -> Iterator[Entry]:
    """A mere file name is an entry only where it leads to a memory."""
    for line in lines:
        for pointer in line.pointers:
            if pointer.is_certain or targets.memory(pointer) is not None:
                yield line, pointer


def _is_dead(pointer: Pointer, targets: Targets) -> bool:
    return targets.memory(pointer) is None and not targets.is_other_file(pointer)


def _doubles(entries: Sequence[Entry], targets: Targets) -> Iterator[Place]:
    """A second pointer in the same line is not a second entry."""
    first: dict[str, int] = {}
    for line, pointer in entries:
        memory = targets.memory(pointer)
        if memory is not None and first.setdefault(memory, line.number) != line.number:
            yield Place(line.number, pointer.target)
