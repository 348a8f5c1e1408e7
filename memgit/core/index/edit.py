"""One line of an index added or replaced, every other byte left as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memgit.core.index.lines import IndexLine, Pointer, Targets, parse_index
from memgit.core.index.rebuild import HEADER, below, end_of_text
from memgit.core.index.style import Style, hook
from memgit.model.store import Memory, StoreFile
from memgit.text.markdown import BOM


def with_line(index: StoreFile | None, memories: Sequence[Memory], memory: Memory, text: str) -> bytes:
    """The bytes of the index with one line for a memory, whose hook is ``text``.

    ``memories`` are all of the store. The memory's own line is replaced, its title kept; without one a line is added
    below the last. A line that lists several memories is left alone.
    """
    shown, targets = replace(memory, description=text), Targets(memories)
    if index is None or index.is_link or not index.data.removeprefix(BOM).strip():
        return f"{HEADER}\n\n{Style().entry(shown)}\n".encode("utf-8", "surrogateescape")
    lines = parse_index(index.data, targets)
    own = next(((line, p) for line in lines for p in line.pointers if targets.memory(p) == memory.id), None)
    if own is None:
        return _added(lines, targets, shown)
    at = lines.index(own[0])
    row = _rewritten(*own, shown, targets)
    return b"".join([*_data(lines[:at]), row, *_data(lines[at + 1 :])])


def _rewritten(line: IndexLine, pointer: Pointer, shown: Memory, targets: Targets) -> bytes:
    if len(line.pointers) > 1 or hook(shown) == pointer.hook:
        return line.data
    ending = line.data[len(line.data.rstrip(b"\r\n")) :]
    style = Style.of(line)
    if line.is_table_row:
        return _encoded(style.entry(shown, targets)) + ending
    bold = "**" if line.text[pointer.end :].startswith("**") else ""
    mark = BOM if line.data.startswith(BOM) else b""
    return mark + _encoded(line.text[: pointer.end] + bold + style.separator + hook(shown)) + ending


def _added(lines: tuple[IndexLine, ...], targets: Targets, shown: Memory) -> bytes:
    entries = [line for line in lines if line.is_entry]
    at = below(lines, lines.index(entries[-1])) if entries else end_of_text(lines)
    newline = b"\r\n" if lines[0].data.endswith(b"\r\n") else b"\n"
    gap = newline if not entries and at >= 0 and lines[at].text.strip() else b""
    row = gap + _encoded(Style.of_new(entries).at(1).entry(shown, targets))
    before, after = b"".join(_data(lines[: at + 1])), b"".join(_data(lines[at + 1 :]))
    if before and not before.endswith(b"\n"):
        return before + newline + row  # the file ends without a line end, and goes on doing so
    return before + row + newline + after


def _data(lines: Sequence[IndexLine]) -> list[bytes]:
    return [line.data for line in lines]


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
