"""The index of a store, written anew from the memories that are left, in the words and style it had.

In real stores the hook of an entry is a text of its own and seldom the description, so an unchanged
memory keeps its entry byte for byte, and a changed one what its change left true. What is no entry (headings, prose,
quotes, code) is content and is carried. Everything else, dead, double and missing entries, is settled by regenerating.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memgit.core.index.drift import Drift, Place, drift
from memgit.core.index.limits import LINE_LIMIT, UNIT_LIMIT, IndexLimits, limits
from memgit.core.index.lines import IndexLine, Pointer, Targets, parse_index, wrapped
from memgit.core.index.outdated import outdated
from memgit.core.index.reach import reached
from memgit.core.index.style import Style, hook, title
from memgit.core.memories.copies import copied_from
from memgit.core.store.half_done import merge_markers
from memgit.model.store import Memory, StoreFile
from memgit.text.markdown import BOM, Region

__all__ = [
    "LINE_LIMIT",
    "UNIT_LIMIT",
    "Drift",
    "IndexLimits",
    "IndexLine",
    "Place",
    "Pointer",
    "drift",
    "hook",
    "limits",
    "parse_index",
    "rebuild",
    "title",
]

HEADER = "# Memory index"


def rebuild(
    index: StoreFile | None,
    before: Sequence[Memory],
    after: Sequence[Memory],
    *,
    from_frontmatter: bool = False,
    others: Collection[str] = (),
    roots: Sequence[str] = (),
    repair: bool = True,
) -> bytes:
    """The bytes of the index for the memories of ``after``.

    A memory counts as changed when ``before`` has no memory of its id with the same bytes. Its entry keeps its title
    and its hook, each unless it holds what the change took away; that is then derived from its frontmatter. Memories
    that nothing in the index leads to are added where others of their kind stand, else below the last entry, newest
    last. With ``from_frontmatter`` every entry is derived. ``others`` are paths of the store that are no memories:
    entries for them stay; ``roots`` are the paths of its folder. Without ``repair`` only what the changes ask for is
    done: memories that were unlisted stay so, and so do lines that led nowhere before. An index in the middle of a
    merge stays as it is.
    """
    if index is None or index.is_link or not index.data.removeprefix(BOM).strip():
        return _fresh(after) if after or index is None or index.is_link else index.data
    if merge_markers(index.data):
        return index.data
    store = _Store(
        before={memory.id: memory for memory in before},
        living={memory.id: memory for memory in after},
        targets=Targets(tuple({memory.id: memory for memory in [*before, *after]}.values()), others, roots),
        derived=from_frontmatter,
        left_alone=None if repair else frozenset(memory.id for memory in before),
    )
    lines = parse_index(index.data, store.targets)
    bom = BOM if index.data.startswith(BOM) else b""
    first = replace(lines[0], data=lines[0].data.removeprefix(bom))
    return bom + _Rebuild((first, *lines[1:]), store).data()


def _fresh(memories: Sequence[Memory]) -> bytes:
    entries = [Style().entry(memory) for memory in sorted(memories, key=lambda memory: memory.id)]
    return _encoded("".join(f"{line}\n" for line in [HEADER, *([""] if entries else []), *entries]))


@dataclass(frozen=True, slots=True)
class _Store:
    """What an index is rebuilt for: the memories before and after, and who is meant. With ``derived`` no entry keeps
    its words. ``left_alone`` are the memories there were, where nothing is repaired that was wrong with them before."""

    before: Mapping[str, Memory]
    living: Mapping[str, Memory]
    targets: Targets
    derived: bool = False
    left_alone: frozenset[str] | None = None

    def entries(self, line: IndexLine) -> tuple[tuple[Pointer, str], ...]:
        """The line's pointers and whom they mean (``""``: nobody), each memory once."""
        found: dict[str, Pointer] = {}
        for pointer in line.pointers:
            found.setdefault(self.targets.memory(pointer) or f"\0{pointer.target}", pointer)
        return tuple((pointer, "" if memory.startswith("\0") else memory) for memory, pointer in found.items())

    def keeps(self, memory_id: str, words: str) -> bool:
        """Whether these words of an entry are kept: the memory is as it was, or its change took none of them away."""
        if self.derived:
            return False
        old, new = self.before.get(memory_id), self.living[memory_id]
        return old is not None and (old.data == new.data or not outdated(words, old, new))

    def goes(self, pointer: Pointer) -> bool:
        """Whether what a pointer names was there and is there no more."""
        memory = self.targets.memory(pointer)
        return memory is not None and memory not in self.living

    def stays(self, entry: tuple[Pointer, str], listed: Collection[str]) -> bool:
        """Whether a pointer stays in its line: to a memory that lives and has no entry yet, or to something else."""
        pointer, memory = entry
        if self.left_alone is not None and (not memory or memory in self.living):
            return True
        return memory in self.living and memory not in listed if memory else self.targets.is_other(pointer)


@dataclass(frozen=True, slots=True)
class _Rebuild:
    lines: tuple[IndexLine, ...]
    store: _Store

    def data(self) -> bytes:
        rows = self._rows()
        present = b"".join(row for group in rows for row in group)
        places = self._places(self._missing(present))
        whole = [*places.get(-1, ()), *self._guard(present)]
        for at, group in enumerate(rows):
            whole += [*group, *places.get(at, ())]
        return self._ended(whole)

    def _guard(self, present: bytes) -> list[bytes]:
        """A rule that entries have left at the top would be taken for frontmatter: a blank line goes before it."""
        top = parse_index(present)[:1]
        opens = any(line.region is Region.FRONTMATTER for line in top)
        return [self._ending("")] if opens and self.lines[0].region is not Region.FRONTMATTER else []

    def _rows(self) -> list[list[bytes]]:
        """What becomes of each line: itself, nothing, or the entries that are left of it."""
        listed: set[str] = set()
        rows: list[list[bytes]] = []
        ends = False
        for at, line in enumerate(self.lines):
            if ends and line.is_wrapped:  # the rest of an entry that went or was put anew
                rows.append([])
                continue
            entries = self.store.entries(line)
            left = tuple(entry for entry in entries if self.store.stays(entry, listed))
            listed |= {memory for _, memory in left}
            if line.defines is not None and self.store.goes(line.defines):
                rows.append([])
                continue
            rest = " ".join(each.text.strip() for each in wrapped(self.lines, at))
            row, ends = self._row(line, entries, left, rest)
            rows.append([line.data] if row is None else [self._ending(each) for each in row])
        return rows

    def _row(
        self, line: IndexLine, entries: Sequence[tuple[Pointer, str]], left: Sequence[tuple[Pointer, str]], rest: str
    ) -> tuple[list[str] | None, bool]:
        """What stands in place of a line (None: itself), and whether the lines that it wraps to go with it."""
        words = line.text if len(left) == 1 else ""
        stale = [memory for pointer, memory in left if memory and not self._is_kept(pointer, memory, words, rest)]
        if left == entries and not stale:
            return None, False
        if not left:
            return [], True
        style = Style.of(line)
        made = [
            self._anew(style, line, pointer, memory, rest, alone=len(left) == 1)
            if memory in stale
            else style.piece(line, pointer, is_first=number == 0)
            for number, (pointer, memory) in enumerate(left)
        ]
        pointer, memory = left[-1]
        return made, memory in stale and not self.store.keeps(memory, f"{pointer.hook} {rest}")

    def _is_kept(self, pointer: Pointer, memory: str, words: str, rest: str) -> bool:
        return self.store.keeps(memory, f"{words or f'{pointer.title} {pointer.hook}'} {rest}")

    def _anew(self, style: Style, line: IndexLine, pointer: Pointer, name: str, rest: str, *, alone: bool) -> str:
        """An entry with what its memory says now in the place of what it said: of title and hook what is still so."""
        memory, lead = self.store.living[name], line.text[: pointer.end]
        titled = pointer.title if self.store.keeps(name, pointer.title) else ""
        keeps = not line.is_table_row and self.store.keeps(name, f"{pointer.hook} {rest}")
        told = pointer.hook if keeps else hook(memory)
        if line.is_table_row or not (alone and self.store.keeps(name, lead)):
            return style.entry(memory, self.store.targets, titled, told)
        bold = "**" if line.text[pointer.end :].startswith("**") else ""
        return lead + bold + style.told(told)

    # --- what nothing led to ---

    def _missing(self, present: bytes) -> Sequence[Memory]:
        """Memories that nothing leads to, those met before first, then by age and id; no copies of others."""
        living = tuple(self.store.living.values())
        targets = self.store.targets.of(living)
        listed = reached(parse_index(present, targets), living, targets)
        unlisted = self.store.left_alone or frozenset()
        missing = [
            one
            for one in living
            if one.id not in listed and one.id not in unlisted and copied_from(one.id, self.store.living) is None
        ]
        return sorted(missing, key=lambda memory: (memory.id not in self.store.before, _age(memory), memory.id))

    def _places(self, missing: Sequence[Memory]) -> Mapping[int, list[bytes]]:
        """The rows for these memories, by the position of the line below which they go (-1: at the top)."""
        sections = tuple(self._sections())
        groups: dict[int, list[Memory]] = {}
        for memory in missing:
            groups.setdefault(_section_of(memory, sections, self.store.living), []).append(memory)
        return {at: rows for number, each in groups.items() for at, rows in [self._added(sections, number, each)]}

    def _sections(self) -> Iterator[_Section]:
        """The entries under each heading of the index, of those that have any."""
        at: list[int] = []
        for number, line in enumerate(self.lines):
            if line.is_heading and at:
                yield self._section(at)
                at = []
            if line.is_entry:
                at.append(number)
        if at:
            yield self._section(at)

    def _section(self, at: Sequence[int]) -> _Section:
        ids = (memory for number in at for _, memory in self.store.entries(self.lines[number]))
        return _Section(tuple(at), frozenset(filter(None, ids)))

    def _added(self, sections: Sequence[_Section], number: int, memories: Sequence[Memory]) -> tuple[int, list[bytes]]:
        entries = [self.lines[at] for at in sections[number].at] if sections else []
        anchor = below(self.lines, sections[number].at[-1]) if sections else end_of_text(self.lines)
        style = Style.of_new(entries)
        rows = [style.at(at).entry(memory, self.store.targets) for at, memory in enumerate(memories, start=1)]
        gap = [] if entries or anchor < 0 or not self.lines[anchor].text.strip() else [""]
        return anchor, [self._ending(row) for row in [*gap, *rows]]

    def _ending(self, row: str) -> bytes:
        return _encoded(row) + (b"\r\n" if self.lines[0].data.endswith(b"\r\n") else b"\n")

    def _ended(self, rows: list[bytes]) -> bytes:
        """Rows with the final line end that the index had, and one between any two."""
        joined = [row if row.endswith(b"\n") else self._ending(row.decode("utf-8", "surrogateescape")) for row in rows]
        data = b"".join(joined)
        return data if self.lines[-1].data.endswith(b"\n") else re.sub(rb"\r?\n\Z", b"", data)


@dataclass(frozen=True, slots=True)
class _Section:
    """The positions of the entries under one heading, and the memories that they list."""

    at: tuple[int, ...]
    memories: frozenset[str]


def _section_of(memory: Memory, sections: Sequence[_Section], living: Mapping[str, Memory]) -> int:
    """The number of the section that most of a memory's kind are in: of its folder, else of its type, else of what its
    file name begins with. The last one where they are in none together."""
    for kind in _kinds(memory):
        counts = [sum(kind in _kinds(living[name]) for name in each.memories if name in living) for each in sections]
        if counts and 2 * max(counts) > sum(counts):
            return counts.index(max(counts))
    return len(sections) - 1


def _kinds(memory: Memory) -> Sequence[str]:
    folder, _, stem = memory.id.rpartition("/")
    prefix = re.match(r"[^\W_]+(?=[-_])", stem)
    return [
        each for each in (folder and f"in {folder}", memory.type.lower(), prefix and f"{prefix[0].lower()}-") if each
    ]


def below(lines: Sequence[IndexLine], at: int) -> int:
    """The position of the last line that belongs to the entry at a position."""
    while at + 1 < len(lines) and lines[at + 1].is_continuation:
        at += 1
    return at


def end_of_text(lines: Sequence[IndexLine]) -> int:
    """The position of the last line that no unclosed code or comment has swallowed (-1: there is none)."""
    probe = parse_index(b"".join(line.data for line in lines) + b"\n\n- [x](x.md)\n")
    last = len(lines) - 1
    if probe[-1].region is Region.TEXT:
        return last
    while last >= 0 and lines[last].region is probe[-1].region:
        last -= 1
    return last


def _age(memory: Memory) -> float:
    """Seconds since the epoch: the agent's own stamp, else the file's time."""
    return memory.modified.timestamp() if memory.modified else memory.mtime_ns / 1e9


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
