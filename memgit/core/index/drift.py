"""Where an index and the memories it speaks of have come apart."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import starmap

from memgit.core.index.lines import IndexLine, Pointer, Targets, parse_index, wrapped
from memgit.core.index.reach import reached
from memgit.core.memories.copies import copied_from
from memgit.model.store import Memory, StoreFile


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the index (from 1), the target written there, and what the line says."""

    line: int
    target: str
    text: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Drift:
    """What is wrong with an index.

    ``orphans`` are memories to which nothing leads from it, ``dead`` its entries for memories that are
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


def drift(
    index: StoreFile | None, memories: Sequence[Memory], others: Collection[str] = (), roots: Sequence[str] = ()
) -> Drift:
    """Compare an index with the memories. ``others`` are paths of the store that are no memories but are there,
    ``roots`` the paths of its folder."""
    targets = Targets(memories, others, roots)
    lines = parse_index(index.data, targets) if index and not index.is_link else ()
    entries = tuple((line, pointer) for line in lines for pointer in line.pointers)
    mentions = [(line, pointer) for line in lines for pointer in line.mentions]
    said = partial(_place, lines)
    known = {memory.id for memory in memories}
    unlisted = known - reached(lines, memories, targets)
    return Drift(
        orphans=tuple(each.id for each in memories if each.id in unlisted and copied_from(each.id, known) is None),
        dead=tuple(said(line, pointer) for line, pointer in entries if _is_dead(pointer, targets)),
        doubles=tuple(starmap(said, _doubles(entries, targets))),
        dead_mentions=tuple(said(line, p) for line, p in mentions if _is_dead(p, targets)),
        outside=tuple(Place(line.number, target) for line in lines for target in line.outside),
        crowded=tuple(line.number for line in lines if len({targets.memory(p) for p in line.pointers}) > 1),
    )


Entry = tuple[IndexLine, Pointer]


def _place(lines: Sequence[IndexLine], line: IndexLine, pointer: Pointer) -> Place:
    said = (each.text.strip() for each in (line, *wrapped(lines, line.number - 1)))
    return Place(line.number, pointer.target, " ".join(said))


def _is_dead(pointer: Pointer, targets: Targets) -> bool:
    return targets.memory(pointer) is None and not targets.is_other(pointer)


def _doubles(entries: Sequence[Entry], targets: Targets) -> Iterator[Entry]:
    """A second pointer in the same line is not a second entry."""
    first: dict[str, int] = {}
    for line, pointer in entries:
        memory = targets.memory(pointer)
        if memory is not None and first.setdefault(memory, line.number) != line.number:
            yield line, pointer
