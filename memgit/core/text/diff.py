"""What differs between two states of a store, as text for people."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff
from typing import Literal

from memgit.core.screening.findings import mask, printable, printable_name
from memgit.model.store import StoreContent, StoreFile

Change = Literal["added", "removed", "changed"]


@dataclass(frozen=True, slots=True)
class FileDiff:
    """One file that differs. ``lines`` is its unified diff, ``head`` what git writes above it, ``before`` and ``after``
    are its texts (None: no file), all masked and safe to print; a binary file has no lines and no texts.

    Head and lines are what ``git apply`` takes, byte for byte where nothing in them had to be masked or made
    printable. A carriage return at the end of a line stays in ``lines``: whoever shows them says how.
    """

    path: str
    change: Change
    lines: tuple[str, ...]
    before: str | None = None
    after: str | None = None
    head: tuple[str, ...] = ()

    @property
    def added(self) -> int:
        return sum(line.startswith("+") for line in self.lines[2:])

    @property
    def removed(self) -> int:
        return sum(line.startswith("-") for line in self.lines[2:])


def diff(before: StoreContent, after: StoreContent) -> tuple[FileDiff, ...]:
    """Every file whose bytes, kind or mode differ, sorted by path."""
    return tuple(_differences(before, after))


def _differences(before: StoreContent, after: StoreContent) -> Iterator[FileDiff]:
    for path in sorted({*before.files, *after.files}):
        old, new = before.files.get(path), after.files.get(path)
        if old and new and (old.data, old.mode) == (new.data, new.mode):
            continue
        yield _file_diff(path, old, new)


def _file_diff(path: str, old: StoreFile | None, new: StoreFile | None) -> FileDiff:
    head = tuple(_head(path, old, new))
    before, after = _ends(path, old, new)
    if any(file and b"\0" in file.data for file in (old, new)):
        return FileDiff(path, _change(old, new), (), head=(*head, f"Binary files {before} and {after} differ"))
    olds, news = _text(old), _text(new)
    texts = "".join(olds) if old else None, "".join(news) if new else None
    lines = tuple(_unified(olds, news, before, after))
    return FileDiff(path, _change(old, new), lines, *texts, head=head)


def _head(path: str, old: StoreFile | None, new: StoreFile | None) -> Iterator[str]:
    """What git writes above a diff: the names, and modes that come, go or change."""
    yield f"diff --git {_quoted(f'a/{path}')} {_quoted(f'b/{path}')}"
    before, after = _mode(old), _mode(new)
    if not before:
        yield f"new file mode {after}"
    elif not after:
        yield f"deleted file mode {before}"
    elif before != after:
        yield from (f"old mode {before}", f"new mode {after}")


def _mode(file: StoreFile | None) -> str:
    if file is None:
        return ""
    return "120000" if file.is_link else "100755" if file.mode & 0o100 else "100644"


def _ends(path: str, old: StoreFile | None, new: StoreFile | None) -> tuple[str, str]:
    """Both names as they stand above the hunks; git ends one that holds a blank with a tab."""
    before, after = (
        f"{name}\t" if " " in name and not name.startswith('"') else name
        for name in (_quoted(f"a/{path}"), _quoted(f"b/{path}"))
    )
    return before if old else "/dev/null", after if new else "/dev/null"


def _quoted(name: str) -> str:
    """A name as git writes it: in quotes, with escapes, where it holds what would end it or steer a terminal."""
    shown = printable_name(name)
    if shown == name and not set(name) & {'"', "\\"}:
        return name
    return '"' + "".join(_escaped(byte) for byte in name.encode("utf-8", "surrogateescape")) + '"'


def _escaped(byte: int) -> str:
    char = chr(byte)
    if char in '"\\':
        return f"\\{char}"
    return char if 0x20 <= byte < 0x7F else f"\\{byte:03o}"


_NO_END = "\\ No newline at end of file"


def _unified(olds: list[str], news: list[str], before: str, after: str) -> Iterator[str]:
    for row in unified_diff(olds, news, before, after):
        yield row.removesuffix("\n")
        if not row.endswith("\n"):
            yield _NO_END


def _change(old: StoreFile | None, new: StoreFile | None) -> Change:
    if old is None:
        return "added"
    return "removed" if new is None else "changed"


def _text(file: StoreFile | None) -> list[str]:
    """The lines of a file with their ends, masked and printable."""
    if file is None:
        return []
    text = mask(file.data.decode("utf-8", "replace")).text
    return [_printable(row) for row in re.findall(r"[^\n]*\n|[^\n]+", text)]


def _printable(row: str) -> str:
    """A line with its end; a carriage return is kept there, and shown elsewhere."""
    body = row.rstrip("\r\n")
    return printable(body) + row[len(body) :]
