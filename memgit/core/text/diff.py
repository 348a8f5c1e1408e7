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
    """One file that differs. ``lines`` is its unified diff, masked and safe to print; binary files have none."""

    path: str
    change: Change
    lines: tuple[str, ...]

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
        yield FileDiff(path, _change(old, new), tuple(_lines(path, old, new)))


def _change(old: StoreFile | None, new: StoreFile | None) -> Change:
    if old is None:
        return "added"
    return "removed" if new is None else "changed"


def _lines(path: str, old: StoreFile | None, new: StoreFile | None) -> Iterator[str]:
    if any(file and b"\0" in file.data for file in (old, new)):
        return
    name = printable_name(path)
    ends = f"a/{name}" if old else "/dev/null", f"b/{name}" if new else "/dev/null"
    yield from unified_diff(_text(old), _text(new), *ends, lineterm="")


def _text(file: StoreFile | None) -> list[str]:
    """The lines of a file. A carriage return is shown, so that a change of line ends is no empty change."""
    if file is None:
        return []
    text = mask(file.data.decode("utf-8", "replace")).text
    return [printable(line.replace("\r", "\u240d")) for line in text.split("\n")]
