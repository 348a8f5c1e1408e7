"""What differs between two states of a store, as text for people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff
from typing import Literal

from memgit.core.screening.findings import mask, printable, printable_name
from memgit.model.store import StoreContent, StoreFile

Change = Literal["added", "removed", "changed"]


@dataclass(frozen=True, slots=True)
class FileDiff:
    """One file that differs. ``lines`` is its unified diff, ``before`` and ``after`` are its texts (None: no file), all
    masked and safe to print; a binary file has none of them."""

    path: str
    change: Change
    lines: tuple[str, ...]
    before: str | None = None
    after: str | None = None

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
    if any(file and b"\0" in file.data for file in (old, new)):
        return FileDiff(path, _change(old, new), ())
    olds, news = _text(old), _text(new)
    texts = "\n".join(olds) if old else None, "\n".join(news) if new else None
    name = printable_name(path)
    ends = f"a/{name}" if old else "/dev/null", f"b/{name}" if new else "/dev/null"
    return FileDiff(path, _change(old, new), tuple(unified_diff(olds, news, *ends, lineterm="")), *texts)


def _change(old: StoreFile | None, new: StoreFile | None) -> Change:
    if old is None:
        return "added"
    return "removed" if new is None else "changed"


def _text(file: StoreFile | None) -> list[str]:
    """The lines of a file. A carriage return is shown, so that a change of line ends is no empty change."""
    if file is None:
        return []
    text = mask(file.data.decode("utf-8", "replace")).text
    return [printable(line.replace("\r", "\u240d")) for line in text.split("\n")]
