"""The index of a store, written anew from the memories that are left, in the words and style it had.

In real stores the hook of an entry is a text of its own and seldom the description, so an unchanged
memory keeps its entry byte for byte. What is no entry (headings, prose, quotes, code) is content and is
carried. Everything else, dead, double and missing entries, is settled by regenerating.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memgit.core.index_drift import Drift, Place, drift
from memgit.core.index_limits import LINE_LIMIT, UNIT_LIMIT, IndexLimits, limits
from memgit.core.index_lines import Form, IndexLine, Pointer, Targets, parse_index
from memgit.core.links import MarkdownLink, encoded_target, links_in_line
from memgit.core.literal import BOM, Region
from memgit.core.naming import titled
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
HOOK_LIMIT = 150
"""Characters of a hook, as the agent is told."""
TITLE_LIMIT = 80
_LOOKED_AT = 2000


def rebuild(
    index: StoreFile | None,
    before: Sequence[Memory],
    after: Sequence[Memory],
    *,
    from_frontmatter: bool = False,
    others: Collection[str] = (),
) -> bytes:
    """The bytes of the index for the memories of ``after``.

    A memory counts as changed when ``before`` has no memory of its id with the same bytes; its entry
    is then derived from its frontmatter, in place. Memories that the index does not name are added
    below its last entry, newest last. With ``from_frontmatter`` every entry is derived. ``others`` are
    paths of the store that are no memories: entries for them stay.
    """
    if index is None or index.is_link or not index.data.removeprefix(BOM).strip():
        return _fresh(after) if after or index is None or index.is_link else index.data
    old = {} if from_frontmatter else {memory.id: memory.data for memory in before}
    store = _Store(
        living={memory.id: memory for memory in after},
        kept=frozenset(memory.id for memory in after if old.get(memory.id) == memory.data),
        targets=Targets(tuple({memory.id: memory for memory in [*before, *after]}.values()), others),
    )
    lines = parse_index(index.data)
    bom = BOM if index.data.startswith(BOM) else b""
    first = replace(lines[0], data=lines[0].data.removeprefix(bom))
    return bom + _Rebuild((first, *lines[1:]), store).data()


def _fresh(memories: Sequence[Memory]) -> bytes:
    entries = [_Style().entry(memory) for memory in sorted(memories, key=lambda memory: memory.id)]
    return _encoded("".join(f"{line}\n" for line in [HEADER, *([""] if entries else []), *entries]))


@dataclass(frozen=True, slots=True)
class _Store:
    """What an index is rebuilt for: the memories that live, those of them that keep their entry, and who is meant."""

    living: Mapping[str, Memory]
    kept: frozenset[str]
    targets: Targets

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
        return memory in self.store.living and memory not in listed if memory else self.store.is_file(pointer)

    def _is_kept(self, entry: tuple[Pointer, str]) -> bool:
        return not entry[1] or entry[1] in self.store.kept

    def _split(self, line: IndexLine, left: Sequence[tuple[Pointer, str]]) -> Iterator[str]:
        style = _Style.of(line)
        for number, entry in enumerate(left):
            if self._is_kept(entry):
                yield style.piece(line, entry[0], is_first=number == 0)
            else:
                yield style.entry(self.store.living[entry[1]], self.store.targets)

    def _anchor(self) -> int:
        """The position of the line below which new entries go (-1: at the top)."""
        last = max((at for at, line in enumerate(self.lines) if self.store.entries(line)), default=None)
        if last is None:
            return self._end_of_text()
        while last + 1 < len(self.lines) and self.lines[last + 1].is_continuation:
            last += 1
        return last

    def _end_of_text(self) -> int:
        """The last line that no unclosed code or comment has swallowed."""
        probe = parse_index(b"".join(line.data for line in self.lines) + b"\n\n- [x](x.md)\n")
        last = len(self.lines) - 1
        if probe[-1].region is Region.TEXT:
            return last
        while last >= 0 and self.lines[last].region is probe[-1].region:
            last -= 1
        return last

    def _added(self, present: bytes, anchor: int) -> list[bytes]:
        missing = self._missing(present)
        if not missing:
            return []
        entries = [line for line in self.lines if self.store.entries(line)]
        style = _Style.of_new(entries)
        rows = [style.at(number).entry(memory, self.store.targets) for number, memory in enumerate(missing, start=1)]
        gap = [] if entries or anchor < 0 or not self.lines[anchor].text.strip() else [""]
        return [self._ending(row) for row in [*gap, *rows]]

    def _missing(self, present: bytes) -> Sequence[Memory]:
        """Memories that nothing names, those met before first, then by age and id."""
        lines = parse_index(present)
        pointers = (pointer for line in lines for pointer in (*line.pointers, *line.mentions))
        named = {self.store.targets.memory(pointer) for pointer in pointers}
        missing = [memory for memory in self.store.living.values() if memory.id not in named]
        return sorted(missing, key=lambda memory: (memory.id not in self.store.kept, memory.mtime_ns, memory.id))

    def _ending(self, row: str) -> bytes:
        return _encoded(row) + (b"\r\n" if self.lines[0].data.endswith(b"\r\n") else b"\n")

    def _ended(self, rows: list[bytes]) -> bytes:
        """Rows with the final line end that the index had, and one between any two."""
        joined = [row if row.endswith(b"\n") else self._ending(row.decode("utf-8", "surrogateescape")) for row in rows]
        data = b"".join(joined)
        return data if self.lines[-1].data.endswith(b"\n") else re.sub(rb"\r?\n\Z", b"", data)


_MARKER = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+|")
_SEPARATOR = re.compile(r"(?:\*\*)?([ \t]*(?:—|–|--|-|:)[ \t]+)")


@dataclass(frozen=True, slots=True)
class _Style:
    """How a line of the index is written. ``cells`` are those of a table row, without its pointer's."""

    marker: str = "- "
    form: Form = Form.LINK
    separator: str = " — "
    folder: str = ""
    bold: str = ""
    cells: tuple[str, ...] = ()
    column: int = 0

    @classmethod
    def of(cls, line: IndexLine) -> _Style:
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
            column=line.text[: pointer.start].count("|") - 1 if cells else 0,
        )

    @classmethod
    def of_new(cls, entries: Sequence[IndexLine]) -> _Style:
        """The style for further entries below these: that of the last outermost one, with the usual separator."""
        if not entries:
            return cls()
        styles = [cls.of(line) for line in entries]
        if styles[-1].cells:
            return replace(styles[-1], cells=tuple("" for _ in styles[-1].cells))
        outermost = min(_indent(style.marker) for style in styles if not style.cells)
        last = next(style for style in reversed(styles) if not style.cells and _indent(style.marker) == outermost)
        return replace(last, separator=Counter(style.separator for style in styles).most_common(1)[0][0])

    def at(self, number: int) -> _Style:
        """The style of the n-th entry below this one: a numbered list goes on counting."""
        return replace(self, marker=re.sub(r"\d+", lambda match: str(int(match[0]) + number), self.marker))

    def entry(self, memory: Memory, targets: Targets | None = None) -> str:
        """A whole line for a memory, derived from its frontmatter."""
        pointer, text = self._pointer(memory, targets), hook(memory)
        if self.cells:
            return self._row(pointer, text)
        line = self._line(pointer, text)
        is_single = len(parse_index(_encoded(line))[0].pointers) == 1
        return line if is_single else self._line(pointer, text.replace("`", ""))

    def _line(self, pointer: str, text: str) -> str:
        return self.marker + self.bold + pointer + self.bold + (self.separator + text if text else "")

    def _pointer(self, memory: Memory, targets: Targets | None) -> str:
        """The memory named in the style's form, or as a link where that form could not be read back."""
        path = self.folder + memory.path
        forms = {
            Form.WIKI: (f"[[{memory.id.rpartition('/')[2]}]]", f"[[{memory.id}]]"),
            Form.CODE: (f"`{path}`",),
            Form.BARE: (path,),
        }
        for written in forms.get(self.form, ()):
            line = parse_index(_encoded(f"- {written}"))
            if targets and line and [targets.memory(found) for found in line[0].pointers] == [memory.id]:
                return written
        return f"[{title(memory)}]({encoded_target(path)})"

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


def _cells(row: str) -> list[str]:
    inner = row.strip().removeprefix("|").removesuffix("|")
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", inner)]


_TITLE_SIGNS = str.maketrans({"[": "(", "]": ")", "|": "/", "`": "", "\\": "", "<": "", ">": "", "*": ""})


def title(memory: Memory) -> str:
    """The title of a derived entry: the memory's name, Title-Cased if it is a slug, else its file name."""
    stem = memory.id.rpartition("/")[2]
    names = (_printed(titled(name)).translate(_TITLE_SIGNS).strip() for name in (memory.name, stem))
    return _cut(next(filter(None, names), "Memory"), TITLE_LIMIT)


def hook(memory: Memory) -> str:
    """The text of a derived entry, at most 150 characters, cut at a word, without links: the description, or
    the body's first line of prose where there is none."""
    text = _unlinked(_printed(memory.description or _first_line(memory.body)))
    return _cut(text, HOOK_LIMIT)


def _first_line(body: str) -> str:
    lines = (line.strip() for line in body.split("\n"))
    return next((line for line in lines if re.match(r"[\w\"'*`(]", line) and not re.match(r"`{3}", line)), "")


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


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
