"""What differs between two states of a store, as text for people."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff
from itertools import groupby, takewhile
from typing import Literal

from memgit.evidence.findings import mask, printable, printable_name
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


# --- word diff ---
# What differs between two texts, word by word: for a reader who wants to see the one number that changed.

Fate = Literal["same", "removed", "added"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text and what became of it; never empty."""

    fate: Fate
    text: str


def word_diff(before: str, after: str) -> tuple[Piece, ...]:
    """The pieces of both texts, in reading order; of a change, what was removed comes first.

    ``same`` and ``removed`` pieces joined are ``before``, ``same`` and ``added`` ones ``after``. Lines are matched
    first and words within those that differ. Lines that share little, or that are very long, are told as replaced
    whole: scattered words in common help nobody.
    """
    pieces = _pieces(before.splitlines(keepends=True), after.splitlines(keepends=True))
    return tuple(_joined(_without_gaps(list(_joined(pieces)))))


# --- lines, then words ---

_TOO_MANY = 4_000
"""Lines or words of one change from which comparing them takes longer than reading them."""
_TOO_ALIKE = 60_000
"""Pairs of equal words from which it does too: the same few words, over and over."""
_ENOUGH = 0.3
"""Share of letters that two passages have in common from which they are one passage reworded."""

# A path, flag, version or address is one word; Chinese and Japanese write no spaces, so there each sign is one.
_SIGN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_WORD = re.compile(rf"\s+|[{_SIGN}]|[^\W{_SIGN}]+(?:[./:@#$%+-]+[^\W{_SIGN}]+)*|[^\w\s]")

Step = tuple[bool, Sequence[str], Sequence[str]]
"""Whether a run is the same in both, the run before, and the run after."""


def _pieces(before: Sequence[str], after: Sequence[str]) -> Iterator[Piece]:
    for same, old, new in _steps(before, after):
        if same:
            yield Piece("same", "".join(old))
        else:
            yield from _passage("".join(old), "".join(new))


def _passage(old: str, new: str) -> Iterator[Piece]:
    """The words of a passage that differs."""
    before, after = _WORD.findall(old), _WORD.findall(new)
    steps = list(_steps(before, after))
    shared = sum(_letters(run) for same, run, _ in steps if same)
    if shared < _ENOUGH * max(_letters(before), _letters(after)):
        steps = [(False, (old,), (new,))]
    for same, gone, come in steps:
        yield Piece("same" if same else "removed", "".join(gone))
        if not same:
            yield Piece("added", "".join(come))


def _letters(words: Iterable[str]) -> int:
    return sum(len(word) for word in words if not word.isspace())


def _steps(before: Sequence[str], after: Sequence[str]) -> Iterator[Step]:
    """How one sequence becomes the other. What both begin and end with is set aside first."""
    head = _alike(before, after)
    tail = _alike(before[head:][::-1], after[head:][::-1])
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    yield True, before[:head], before[:head]
    yield from _compared(old, new)
    yield True, before[len(before) - tail :], before[len(before) - tail :]


def _alike(before: Sequence[str], after: Sequence[str]) -> int:
    """How many members two sequences have in common at their beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))


def _compared(old: Sequence[str], new: Sequence[str]) -> Iterator[Step]:
    if len(old) + len(new) > _TOO_MANY or _equal_pairs(old, new) > _TOO_ALIKE:
        yield False, old, new
        return
    matcher = SequenceMatcher(str.isspace, old, new, autojunk=False)  # blanks match beside words only
    for tag, i, k, j, m in matcher.get_opcodes():
        yield tag == "equal", old[i:k], new[j:m]


def _equal_pairs(old: Sequence[str], new: Sequence[str]) -> int:
    counted = Counter(new)
    return sum(times * counted[word] for word, times in Counter(old).items() if not word.isspace())


# --- for the eye ---


def _without_gaps(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """A blank between two changed words belongs to the change."""
    for at, piece in enumerate(pieces):
        between = 0 < at < len(pieces) - 1
        if between and piece.fate == "same" and piece.text.isspace() and "\n" not in piece.text:
            yield Piece("removed", piece.text)
            yield Piece("added", piece.text)
        else:
            yield piece


def _joined(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Neighbours of one fate as one piece, and within a change what was removed before what was added."""
    for same, run in groupby(pieces, key=lambda piece: piece.fate == "same"):
        members = list(run)
        fates: tuple[Fate, ...] = ("same",) if same else ("removed", "added")
        for fate in fates:
            if text := "".join(piece.text for piece in members if piece.fate == fate):
                yield Piece(fate, text)
