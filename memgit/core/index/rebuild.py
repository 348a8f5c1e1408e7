"""The index of a store, written anew from the memories that are left, in the words and style it had.

In real stores the hook of an entry is a text of its own and seldom the description, so an unchanged
memory keeps its entry byte for byte. What is no entry (headings, prose, quotes, code) is content and is
carried. Everything else, dead, double and missing entries, is settled by regenerating.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memgit.core.index.drift import Drift, Place, drift
from memgit.core.index.limits import LINE_LIMIT, UNIT_LIMIT, IndexLimits, limits
from memgit.core.index.lines import IndexLine, Pointer, Targets, parse_index
from memgit.core.index.style import Style, hook, title
from memgit.core.text.literal import BOM, Region
from memgit.model.store import Memory, StoreFile

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
    repair: bool = True,
) -> bytes:
    """The bytes of the index for the memories of ``after``.

    A memory counts as changed when ``before`` has no memory of its id with the same bytes; its entry
    is then derived from its frontmatter, in place. Memories that the index does not name are added
    below its last entry, newest last. With ``from_frontmatter`` every entry is derived. ``others`` are
    paths of the store that are no memories: entries for them stay. Without ``repair`` only what the changes ask for is
    done: memories that were unlisted stay so, and so do lines that led nowhere before.
    """
    if index is None or index.is_link or not index.data.removeprefix(BOM).strip():
        return _fresh(after) if after or index is None or index.is_link else index.data
    old = {} if from_frontmatter else {memory.id: memory.data for memory in before}
    store = _Store(
        living={memory.id: memory for memory in after},
        kept=frozenset(memory.id for memory in after if old.get(memory.id) == memory.data),
        targets=Targets(tuple({memory.id: memory for memory in [*before, *after]}.values()), others),
        left_alone=None if repair else frozenset(memory.id for memory in before),
    )
    lines = parse_index(index.data)
    bom = BOM if index.data.startswith(BOM) else b""
    first = replace(lines[0], data=lines[0].data.removeprefix(bom))
    return bom + _Rebuild((first, *lines[1:]), store).data()


def _fresh(memories: Sequence[Memory]) -> bytes:
    entries = [Style().entry(memory) for memory in sorted(memories, key=lambda memory: memory.id)]
    return _encoded("".join(f"{line}\n" for line in [HEADER, *([""] if entries else []), *entries]))


@dataclass(frozen=True, slots=True)
class _Store:
    """What an index is rebuilt for: the memories that live, those of them that keep their entry, and who is meant.
    ``left_alone`` are the memories there were, where nothing is repaired that was wrong with them before."""

    living: Mapping[str, Memory]
    kept: frozenset[str]
    targets: Targets
    left_alone: frozenset[str] | None = None

    def entries(self, line: IndexLine) -> tuple[tuple[Pointer, str], ...]:
        """The line's pointers and whom they mean (``""``: nobody), each memory once. Mere file names of no
        memory are prose."""
        found: dict[str, Pointer] = {}
        for pointer in line.pointers:
            memory = self.targets.memory(pointer)
            if pointer.is_certain or memory is not None:
                found.setdefault(memory or f"\0{pointer.target}", pointer)
        return tuple((pointer, "" if memory.startswith("\0") else memory) for memory, pointer in found.items())

    def is_file(self, pointer: Pointer) -> bool:
        return self.targets.is_other_file(pointer)


@dataclass(frozen=True, slots=True)
class _Rebuild:
    lines: tuple[IndexLine, ...]
    store: _Store

    def data(self) -> bytes:
        rows = self._rows()
        present = b"".join(row for group in rows for row in group)
        anchor = self._anchor()
        added = self._added(present, anchor)
        whole = [*rows[: anchor + 1], added, *rows[anchor + 1 :]]
        return self._ended([*self._guard(present), *(row for group in whole for row in group)])

    def _guard(self, present: bytes) -> list[bytes]:
        """A rule that entries have left at the top would be taken for frontmatter: a blank line goes before it."""
        top = parse_index(present)[:1]
        opens = any(line.region is Region.FRONTMATTER for line in top)
        return [self._ending("")] if opens and self.lines[0].region is not Region.FRONTMATTER else []

    def _rows(self) -> list[list[bytes]]:
        """What becomes of each line: itself, nothing, or the entries that are left of it."""
        listed: set[str] = set()
        rows: list[list[bytes]] = []
        for line in self.lines:
            entries = self.store.entries(line)
            left = tuple(entry for entry in entries if self._stays(entry, listed))
            listed |= {memory for _, memory in left}
            untouched = left == entries and all(self._is_kept(entry) for entry in left)
            rows.append([line.data] if untouched else [self._ending(row) for row in self._split(line, left)])
        return rows

    def _stays(self, entry: tuple[Pointer, str], listed: set[str]) -> bool:
        pointer, memory = entry
        if self.store.left_alone is not None and (not memory or memory in self.store.living):
            return True
        return memory in self.store.living and memory not in listed if memory else self.store.is_file(pointer)

    def _is_kept(self, entry: tuple[Pointer, str]) -> bool:
        return not entry[1] or entry[1] in self.store.kept

    def _split(self, line: IndexLine, left: Sequence[tuple[Pointer, str]]) -> Iterator[str]:
        style = Style.of(line)
        for number, entry in enumerate(left):
            if self._is_kept(entry):
                yield style.piece(line, entry[0], is_first=number == 0)
            else:
                yield style.entry(self.store.living[entry[1]], self.store.targets)

    def _anchor(self) -> int:
        """The position of the line below which new entries go (-1: at the top)."""
        last = max((at for at, line in enumerate(self.lines) if self.store.entries(line)), default=None)
        return end_of_text(self.lines) if last is None else below(self.lines, last)

    def _added(self, present: bytes, anchor: int) -> list[bytes]:
        missing = self._missing(present)
        if not missing:
            return []
        entries = [line for line in self.lines if self.store.entries(line)]
        style = Style.of_new(entries)
        rows = [style.at(number).entry(memory, self.store.targets) for number, memory in enumerate(missing, start=1)]
        gap = [] if entries or anchor < 0 or not self.lines[anchor].text.strip() else [""]
        return [self._ending(row) for row in [*gap, *rows]]

    def _missing(self, present: bytes) -> Sequence[Memory]:
        """Memories that nothing names, those met before first, then by age and id."""
        lines = parse_index(present)
        pointers = (pointer for line in lines for pointer in (*line.pointers, *line.mentions))
        named = {self.store.targets.memory(pointer) for pointer in pointers}
        unlisted = self.store.left_alone or frozenset()
        missing = [one for one in self.store.living.values() if one.id not in named and one.id not in unlisted]
        return sorted(missing, key=lambda memory: (memory.id not in self.store.kept, _age(memory), memory.id))

    def _ending(self, row: str) -> bytes:
        return _encoded(row) + (b"\r\n" if self.lines[0].data.endswith(b"\r\n") else b"\n")

    def _ended(self, rows: list[bytes]) -> bytes:
        """Rows with the final line end that the index had, and one between any two."""
        joined = [row if row.endswith(b"\n") else self._ending(row.decode("utf-8", "surrogateescape")) for row in rows]
        data = b"".join(joined)
        return data if self.lines[-1].data.endswith(b"\n") else re.sub(rb"\r?\n\Z", b"", data)


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
