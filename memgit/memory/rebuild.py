"""The index of a store, written anew from the memories that are left, in the words and style it had.

In real stores the hook of an entry is a text of its own and seldom the description, so an unchanged
memory keeps its entry byte for byte, and a changed one what its change left true. What is no entry (headings, prose,
quotes, code) is content and is carried. Everything else, dead, double and missing entries, is settled by regenerating.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memgit.memory.frontmatter import without_metadata
from memgit.memory.index import merge_markers, outdated, reached
from memgit.memory.index_lines import (
    Form,
    IndexLine,
    Pointer,
    Targets,
    encoded,
    parse_index,
    wrapped,
)
from memgit.memory.links import MarkdownLink, encoded_target, links_in_line
from memgit.memory.memory import copied_from, titled
from memgit.model.store import Memory, StoreFile
from memgit.text.markdown import BOM, Region, regions

# --- style ---
# How entries of an index are written: the style read off its lines, and the text derived for a memory.

HOOK_LIMIT = 150
"""Characters of a hook, as the agent is told."""
TITLE_LIMIT = 80
_LOOKED_AT = 2000


_MARKER = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+|")
_SEPARATOR = re.compile(r"(?:\*\*)?([ \t]*(?:—|–|--|-|:)[ \t]+)")


@dataclass(frozen=True, slots=True)
class Style:
    """How a line of the index is written. ``cells`` are those of a table row, without its pointer's."""

    marker: str = "- "
    form: Form = Form.LINK
    separator: str = " — "
    folder: str = ""
    bold: str = ""
    cells: tuple[str, ...] = ()
    column: int = 0

    @classmethod
    def of(cls, line: IndexLine) -> Style:
        pointer = line.pointers[0]
        marker = _MARKER.match(line.text)
        separator = _SEPARATOR.match(line.text, pointer.end)
        cells = tuple(_cells(line.text)) if line.is_table_row else ()
        return cls(
            marker=marker[0] if marker else "",
            form=pointer.form,
            separator=separator[1] if separator else " — ",
            folder="./" if pointer.target.startswith("./") else "",
            bold="**" if line.text[: pointer.start].endswith("**") else "",
            cells=cells,
            column=len(_CELL_END.findall(line.text, 0, pointer.start)) - 1 if cells else 0,
        )

    @classmethod
    def of_new(cls, entries: Sequence[IndexLine]) -> Style:
        """The style for further entries below these: that of the last outermost one, with the usual separator."""
        if not entries:
            return cls()
        styles = [cls.of(line) for line in entries]
        if styles[-1].cells:
            return replace(styles[-1], cells=tuple("" for _ in styles[-1].cells))
        outermost = min(_indent(style.marker) for style in styles if not style.cells)
        last = next(style for style in reversed(styles) if not style.cells and _indent(style.marker) == outermost)
        return replace(last, separator=Counter(style.separator for style in styles).most_common(1)[0][0])

    def at(self, number: int) -> Style:
        """The style of the n-th entry below this one: a numbered list goes on counting."""
        return replace(self, marker=re.sub(r"\d+", lambda match: str(int(match[0]) + number), self.marker))

    def entry(self, memory: Memory, targets: Targets | None = None, titled: str = "", told: str | None = None) -> str:
        """A whole line for a memory, derived from its frontmatter; ``titled`` and ``told`` are a title and a hook that
        it has already."""
        pointer, text = self._pointer(memory, targets, titled), hook(memory) if told is None else told
        if self.cells:
            return self._row(pointer, text)
        line = self._line(pointer, text)
        is_single = len(parse_index(encoded(line))[0].pointers) == 1
        return line if is_single else self._line(pointer, text.replace("`", ""))

    def _line(self, pointer: str, text: str) -> str:
        return self.marker + self.bold + pointer + self.bold + self.told(text)

    def told(self, text: str) -> str:
        """What stands behind a pointer."""
        return self.separator + text if text else ""

    def _pointer(self, memory: Memory, targets: Targets | None, titled: str) -> str:
        """The memory named in the style's form, or as a link where that form could not be read back."""
        path = self.folder + memory.path
        forms = {
            Form.WIKI: (f"[[{memory.id.rpartition('/')[2]}]]", f"[[{memory.id}]]"),
            Form.CODE: (f"`{path}`",),
            Form.BARE: (path,),
        }
        for written in forms.get(self.form, ()):
            line = parse_index(encoded(f"- {written}"), targets)
            if targets and line and [targets.memory(found) for found in line[0].pointers] == [memory.id]:
                return written
        return f"[{titled or title(memory)}]({encoded_target(path)})"

    def _row(self, pointer: str, text: str) -> str:
        """A table row: the pointer in its column, the hook in the next, other cells as they were."""
        cells = list(self.cells)
        cells[self.column] = pointer
        if len(cells) > 1:
            cells[(self.column + 1) % len(cells)] = text.replace("|", "\\|")
        return f"| {' | '.join(cells)} |"

    def piece(self, line: IndexLine, pointer: Pointer, *, is_first: bool) -> str:
        """One entry cut out of a line that held several, in its own words."""
        following = [other.start for other in line.pointers if other.start > pointer.start]
        own = self.marker + ("**" if line.text[: pointer.start].endswith("**") else "")
        lead = line.text[: line.pointers[0].start] if is_first else own
        text = line.text[pointer.start : min(following, default=len(line.text))]
        cut = lead + _without_separator(text)
        return cut + "**" if cut.count("**") % 2 else cut


_LIST_SIGNS = ("·", "•", ",", ";", "|", "/", "&", "+", " and", " und")


def _without_separator(text: str) -> str:
    """An entry's text without the sign that set the next entry apart (and the bold mark that opened that one)."""
    trimmed = text.rstrip().removesuffix("**").rstrip()
    sign = next((sign for sign in _LIST_SIGNS if trimmed.endswith(sign)), "")
    return trimmed.removesuffix(sign).rstrip() if sign else text.rstrip()


def _indent(marker: str) -> int:
    return len(marker) - len(marker.lstrip())


_CELL_END = re.compile(r"(?<!\\)\|")


def _cells(row: str) -> list[str]:
    inner = row.strip().removeprefix("|").removesuffix("|")
    return [cell.strip() for cell in _CELL_END.split(inner)]


_TITLE_SIGNS = str.maketrans({"[": "(", "]": ")", "|": "/", "`": "", "\\": "", "<": "", ">": "", "*": ""})


def title(memory: Memory) -> str:
    """The title of a derived entry: the memory's name, Title-Cased if it is a slug, else its file name."""
    stem = memory.id.rpartition("/")[2]
    names = (_printed(titled(name)).translate(_TITLE_SIGNS).strip() for name in (memory.name, stem))
    return _cut(next(filter(None, names), "Memory"), TITLE_LIMIT)


def hook(memory: Memory) -> str:
    """The text of a derived entry, at most 150 characters, cut at a word, without links: the description, or
    the body's first line of prose where there is none."""
    described = memory.description if any(map(str.isalnum, memory.description)) else ""
    text = _unlinked(_printed(described or _first_line(memory.body)))
    return _cut(text, HOOK_LIMIT)


def _first_line(body: str) -> str:
    """The first line that is no heading, quote, list, table, code or metadata."""
    lines = without_metadata(body).split("\n")
    prose = (line.strip() for line, region in zip(lines, regions(lines), strict=True) if region is Region.TEXT)
    return next((line for line in prose if re.match(r"[\w\"'*`(]", line)), "")


def _unlinked(text: str) -> str:
    """The text as a reader sees it: a link in a hook would be one more entry."""
    for link in reversed(links_in_line(text)):
        shown = link.text if isinstance(link, MarkdownLink) else link.shown
        text = text[: link.start] + shown + text[link.end :]
    brackets = str.maketrans("[]", "()")
    return text.translate(brackets) if ("[" in text and "](" in text) or "[[" in text else text


def _printed(text: str) -> str:
    """One line of what can be printed: white space folded, control characters gone, no lone surrogates."""
    folded = " ".join(re.sub(r"[\ud800-\udfff]", "\ufffd", text[:_LOOKED_AT]).split())
    return "".join(char for char in folded if char.isprintable() or char in "\u200c\u200d")


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    words = cut.rpartition(" ")[0]
    return (words if len(words) > limit // 2 else cut).rstrip(" ,;:—–-") + "…"


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
    return encoded("".join(f"{line}\n" for line in [HEADER, *([""] if entries else []), *entries]))


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
        return encoded(row) + (b"\r\n" if self.lines[0].data.endswith(b"\r\n") else b"\n")

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
