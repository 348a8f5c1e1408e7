"""The lines of an index: which of them point to memories, and how they are written."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from memgit.core.memories.links import Link, MarkdownLink, Names, decoded_target, links_in_line, local_path
from memgit.core.text.literal import Region, file_regions
from memgit.model.store import Memory


class Form(StrEnum):
    """How a pointer names its file."""

    LINK = "link"  # [Title](file.md)
    WIKI = "wiki"  # [[file]]
    CODE = "code"  # `file.md`
    BARE = "bare"  # file.md


@dataclass(frozen=True, slots=True)
class Pointer:
    """What names one file in a line.

    ``target`` is as written, without an anchor. ``start`` and ``end`` bound the pointer in the line's
    text; ``hook`` is what the line says about it, without separators.
    """

    form: Form
    target: str
    title: str
    start: int
    end: int
    hook: str = ""

    @property
    def is_certain(self) -> bool:
        """False for a mere file name, which points to a memory only if there is one."""
        return self.form in (Form.LINK, Form.WIKI)


@dataclass(frozen=True, slots=True)
class IndexLine:
    """One line. ``data`` are its bytes with the line end, ``text`` is without it (stray bytes as lone surrogates).

    ``pointers`` are those of an entry, a line whose purpose is to point; ``mentions`` are links in
    prose or in a hook. ``outside`` are targets of links that leave the store. ``number`` starts at 1.
    """

    number: int
    data: bytes
    text: str
    region: Region = Region.TEXT
    pointers: tuple[Pointer, ...] = ()
    mentions: tuple[Pointer, ...] = ()
    outside: tuple[str, ...] = ()

    @property
    def is_entry(self) -> bool:
        return bool(self.pointers)

    @property
    def is_table_row(self) -> bool:
        return self.text.lstrip().startswith("|")

    @property
    def is_continuation(self) -> bool:
        """True for a line that, right below a list item, belongs to it."""
        lazy = r"[ \t]*\Z|[-*+][ \t]|\d+[.)][ \t]|#{1,6}[ \t]|\||>|`{3}|~{3}|<!--|---|\*\*\*"
        return self.region is Region.TEXT and not self.is_entry and re.match(lazy, self.text) is None


def parse_index(data: bytes) -> tuple[IndexLine, ...]:
    """Read an index. Pointers in fenced code, comments and frontmatter are none."""
    return tuple(_line(number, *line) for number, line in enumerate(placed_lines(data), start=1))


def placed_lines(data: bytes) -> Iterator[tuple[bytes, str, Region]]:
    """The lines of an index as bytes and as text, each with the region it stands in."""
    raw = [line for line in re.split(rb"(?<=\n)", data) if line]
    texts = [_text(line) for line in raw]
    if texts:
        texts[0] = texts[0].removeprefix("\ufeff")
    return zip(raw, texts, file_regions(texts), strict=True)


def _text(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape").removesuffix("\n").removesuffix("\r")


def _line(number: int, data: bytes, text: str, region: Region) -> IndexLine:
    line = IndexLine(number, data, text, region)
    if region is not Region.TEXT:
        return line
    found = tuple(_found(text))
    entry = _entry_pointers(line, found)
    mentions = tuple(pointer for pointer in found if pointer.is_certain and pointer not in entry)
    return replace(
        line, pointers=_with_hooks(text, entry), mentions=mentions, outside=tuple(_outside(links_in_line(text)))
    )


_CODE_FILE = re.compile(r"`([^`\s]+\.md)`")
_BARE_FILE = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\*\*)?([^\s`\[\]()|*<>]+\.md)(?=[\s:,;*]|\Z)")


def _found(text: str) -> Iterator[Pointer]:
    """Everything in a line that looks like a pointer, in order."""
    certain = [pointer for link in links_in_line(text) if (pointer := _pointer(link))]
    files = [
        Pointer(form, match[1], match[1].removesuffix(".md"), *match.span(part))
        for form, pattern, part in ((Form.CODE, _CODE_FILE, 0), (Form.BARE, _BARE_FILE, 1))
        for match in pattern.finditer(text)
    ]
    end = 0
    for pointer in sorted([*certain, *files], key=lambda pointer: (pointer.start, not pointer.is_certain)):
        if pointer.start >= end:
            yield pointer
            end = pointer.end


def _pointer(link: Link) -> Pointer | None:
    if not isinstance(link, MarkdownLink):
        return Pointer(Form.WIKI, link.target, link.shown, link.start, link.end)
    is_memory = not link.is_image and link.target.endswith(".md") and local_path(decoded_target(link.target))
    return Pointer(Form.LINK, link.target, link.text, link.start, link.end) if is_memory else None


def _outside(found: Iterable[Link]) -> Iterator[str]:
    for link in found:
        if isinstance(link, MarkdownLink) and not link.is_image and local_path(decoded_target(link.target)) is None:
            yield link.target


_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_LEAD = re.compile(
    r"(?:\[[ xX]\][ \t]+)?"
    r"(?:\*\*[^*]+\*\*[^.!?;]{0,40}|[^.!?;]{1,40}?(?::|—|–| -)|[\W\d_]*?)"
    r"[ \t]*(?:\*\*|__|\*|_)?"
)
"""What may stand between a bullet and its pointer: a check box, a bold or short label, a date, signs. A sentence
that has a link in it is prose."""
_ALONE = re.compile(r"(?:\*\*)?[ \t]*(?:\Z|—|–|-|:|·)")


def _entry_pointers(line: IndexLine, found: tuple[Pointer, ...]) -> tuple[Pointer, ...]:
    """The pointers that a line exists for; none in prose."""
    if not found:
        return ()
    first, text = found[0], line.text
    if line.is_table_row:
        return (next((pointer for pointer in found if pointer.is_certain), first),)
    item = _ITEM.match(text)
    if item and not _LEAD.fullmatch(text, item.end(), first.start):
        return ()
    if not item and not (first.is_certain and text[: first.start] in ("", "**") and _ALONE.match(text, first.end)):
        return ()
    return (first, *_listed_after(text, found))


_SEPARATOR_ONLY = re.compile(r"[ \t]*(?:\*\*)?[ \t]*(?:[·•,;|/+&]|and|und)[ \t]*(?:\*\*)?")
_SEPARATED = re.compile(r".*[·•][ \t]*(?:\*\*)?")


def _listed_after(text: str, found: tuple[Pointer, ...]) -> Iterator[Pointer]:
    """Further pointers of one line: those that a list separator sets apart. Others are part of a hook."""
    at = found[0].end
    for pointer in found[1:]:
        gap = text[at : pointer.start]
        if pointer.form is not found[0].form:
            continue
        if _SEPARATOR_ONLY.fullmatch(gap) or _SEPARATED.fullmatch(gap):
            yield pointer
            at = pointer.end


_HOOK_LEAD = re.compile(r"[ \t]*(?:\*\*|__)?[ \t]*(?:—|–|--|-|:|·|\|)?[ \t]*")


def _with_hooks(text: str, pointers: tuple[Pointer, ...]) -> tuple[Pointer, ...]:
    if not pointers:
        return ()
    ends = [*(pointer.start for pointer in pointers[1:]), len(text)]
    return tuple(
        replace(pointer, hook=_HOOK_LEAD.sub("", text[pointer.end : end], count=1).rstrip(" \t·•,;|/&+*"))
        for pointer, end in zip(pointers, ends, strict=True)
    )


class Targets:
    """Which memory each pointer of an index leads to."""

    def __init__(self, memories: Sequence[Memory], others: Collection[str] = ()) -> None:
        self._names = Names(memories)
        self._paths = {memory.path: memory.id for memory in memories}
        self._normal = {unicodedata.normalize("NFC", path): memory_id for path, memory_id in self._paths.items()}
        self._others = frozenset(others)

    def memory(self, pointer: Pointer) -> str | None:
        """The id a pointer leads to; None if there is no such memory."""
        if pointer.form is Form.WIKI:
            return self._names.resolve(pointer.target)
        for path in self._spellings(pointer):
            if found := self._paths.get(path) or self._normal.get(unicodedata.normalize("NFC", path)):
                return found
        return None

    def is_other_file(self, pointer: Pointer) -> bool:
        """True for a pointer to something of the store that is no memory."""
        return any(path in self._others for path in self._spellings(pointer))

    @staticmethod
    def _spellings(pointer: Pointer) -> Iterator[str]:
        for target in (pointer.target, decoded_target(pointer.target)):
            if (path := local_path(target)) is not None:
                yield path
