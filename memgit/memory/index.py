"""Where an index and the memories it speaks of have come apart."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import starmap
from posixpath import dirname

from memgit.evidence.findings import masked_name
from memgit.memory.index_lines import IndexLine, Pointer, Targets, parse_index, wrapped
from memgit.memory.links import MarkdownLink, links, mentions
from memgit.memory.links import targets as linked
from memgit.memory.memory import copied_from
from memgit.model.store import Memory, StoreFile
from memgit.model.verification import Area, Finding
from memgit.text.amounts import Amount, amounts

# --- reach ---
# Which memories an agent comes to from the index: those it names, and those that a page names which it comes to.


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


# --- outdated ---
# Whether words of an index hold what the change of a memory took away.


def outdated(words: str, before: Memory, after: Memory) -> bool:
    """Whether ``words`` hold a word, a number or an amount that a memory told and does not tell any more."""
    here = frozenset(_words(words))
    gone, values = _gone(before, after)
    return bool(here & gone) or any(each.same(value) for each in amounts(words) for value in values)


def old_values(text: str, before: Memory, after: Memory) -> tuple[str, ...]:
    """The amounts of a text that a memory gave before and does not give now, as the text has them; no bare numbers,
    which may count anything."""
    _, values = _gone(before, after)
    return tuple(
        dict.fromkeys(
            each.text for each in amounts(text) if not each.is_bare and any(_alike(each, value) for value in values)
        )
    )


def _alike(one: Amount, other: Amount) -> bool:
    return not other.is_bare and one.same(other)


@lru_cache(maxsize=1_024)
def _gone(before: Memory, after: Memory) -> tuple[frozenset[str], tuple[Amount, ...]]:
    left = frozenset(_words(f"{after.name} {after.text}"))
    held = amounts(after.body)
    values = tuple(value for value in amounts(before.body) if not any(value.same(each) for each in held))
    return frozenset(_words(f"{before.name} {before.text}")) - left, values


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


# --- half done ---
# Work of other programs that is only half done: a merge in the middle of a file.

_OPENS = re.compile(rb"^(?:<{7,}(?:[ \t].*)?|>{4} ORIGINAL .*)\r?$", re.MULTILINE)
_CLOSES = re.compile(rb"^(?:>{7,}(?:[ \t].*)?|<{4})\r?$", re.MULTILINE)
_PARTS = re.compile(rb"^(?:={7,}(?:[ \t].*)?|%{7,} .*|\+{7,} .*|-{7,} .*|\|{7,}(?:[ \t].*)?|={4} .*)\r?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Marked:
    """The first and the last line, from 1, of a merge that somebody has not finished."""

    first: int
    last: int


def merge_markers(data: bytes) -> tuple[Marked, ...]:
    """The unfinished merges in a file, in whatever form a version control program marks them: an opening line, one or
    more that part the sides, a closing line."""
    found: list[Marked] = []
    at = 0
    while opening := _OPENS.search(data, at):
        closing = _CLOSES.search(data, opening.end())
        if closing is None:
            break
        at = closing.end()
        if _PARTS.search(data, opening.end(), closing.start()):
            found.append(Marked(_line(data, opening.start()), _line(data, closing.start())))
    return tuple(found)


def _line(data: bytes, at: int) -> int:
    return data.count(b"\n", 0, at) + 1


# --- finding names ---
# How a finding names things: a few of them in its sentence, safe to print, and all of them beside it.

NAMED = 5
"""Names that one sentence lists before it counts the rest."""


def named(names: Iterable[str]) -> str:
    """The first names of a list, safe to print, and how many more there are."""
    every = list(names)
    more = f" and {len(every) - NAMED} more" if len(every) > NAMED else ""
    return ", ".join(map(masked_name, every[:NAMED])) + more


def finding_of(area: Area, what: str, names: Iterable[str], remedy: str) -> Finding:
    """The finding that ``what`` is so of these names."""
    every = [*names]
    return Finding(area, f"{what}: {named(every)}.", remedy, names=tuple(map(masked_name, every)))
