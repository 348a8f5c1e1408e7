"""How entries of an index are written: the style read off its lines, and the text derived for a memory."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memgit.core.index.lines import Form, IndexLine, Pointer, Targets, parse_index
from memgit.core.memories.links import MarkdownLink, encoded_target, links_in_line
from memgit.core.memories.metadata import without_metadata
from memgit.core.memories.naming import titled
from memgit.model.store import Memory
from memgit.text.markdown import Region, regions

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
        is_single = len(parse_index(_encoded(line))[0].pointers) == 1
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
            line = parse_index(_encoded(f"- {written}"), targets)
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


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
