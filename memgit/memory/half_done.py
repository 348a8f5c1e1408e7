"""Work of others that is only half done: merges in the middle of a file, frontmatter cut short, placeholders."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from memgit.core.summaries.form import text_files
from memgit.evidence.findings import masked_name
from memgit.memory.frontmatter import opens_metadata, split
from memgit.model.store import INDEX, StoreContent, StoreFile
from memgit.model.times import shell_word
from memgit.model.verification import Area, Finding
from memgit.text.layout import counted

_OPENS = re.compile(rb"^(?:<{7,}(?:[ \t].*)?|>{4} ORIGINAL .*)\r?$", re.MULTILINE)
_CLOSES = re.compile(rb"^(?:>{7,}(?:[ \t].*)?|<{4})\r?$", re.MULTILINE)
_PARTS = re.compile(rb"^(?:={7,}(?:[ \t].*)?|%{7,} .*|\+{7,} .*|-{7,} .*|\|{7,}(?:[ \t].*)?|={4} .*)\r?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Marked:
    """The first and the last line, from 1, of a merge that somebody has not finished."""

    first: int
    last: int


Earlier = Callable[[str], Iterable[bytes]]
"""The former texts of a file of the store, newest first; none where nothing is recorded of it."""


def no_record(_path: str) -> tuple[bytes, ...]:
    """That nothing is recorded of any file."""
    return ()


def half_done(content: StoreContent, earlier: Earlier = no_record) -> Iterator[tuple[str, str]]:
    """A sentence, and what to do, for each place of a store that holds both sides of a merge, whose frontmatter is cut
    short, or that holds a placeholder instead of the text that was there."""
    texts = [file for file in text_files(content) if not file.is_link]
    for file in texts:
        for each in merge_markers(file.data):
            place = f"{masked_name(file.path)}:{each.first}"
            yield f"{place} holds both sides of a merge, to line {each.last}.", FINISH_MERGE
    yield from _cut_short(file for file in texts if file.path != INDEX)
    for file in texts:
        lines = file.data.decode("utf-8", "replace").splitlines()
        if places := [number for number, line in enumerate(lines) if _PLACEHOLDER.fullmatch(line.strip())]:
            yield from _placeholders(file.path, lines, places, earlier(file.path))


FINISH_MERGE = "Finish the merge; no pass changes it before."

_CUT = re.compile(rb"^[ \t]*[\w-]+:[ \t]+(?:#|[^\s\"'#\[{|>][^\n]*?[ \t]#)", re.MULTILINE)


def _cut_short(files: Iterable[StoreFile]) -> Iterator[tuple[str, str]]:
    """Values that YAML cuts at a comment sign, and blocks that nothing closes, each with its line."""
    cut: list[str] = []
    unclosed: list[str] = []
    for file in files:
        parts = split(file.data)
        cut += [f"{file.path}:{_line(parts.block, each.start()) + 1}" for each in _CUT.finditer(parts.block)]
        if not parts.has_frontmatter and opens_metadata(parts.body.decode("utf-8", "replace")):
            unclosed.append(f"{file.path}:1")
    if cut:
        yield f"Values in frontmatter that YAML cuts at a `#`: {named(cut)}.", "Put the value in quotes."
    if unclosed:
        yield (
            f"Metadata at the top that is no frontmatter, so that nothing of it is read: {named(unclosed)}.",
            "Begin the file with a line `---`, and close the block with another.",
        )


_DOTS = r"(?:\.{3,}|…+)"
_BRACKETED = r"\[[^\[\]]{2,}\]|\([^()]{2,}\)|<!--.*-->|/\*.*\*/"
_PLACEHOLDER = re.compile(rf"(?:[-*>] +)?[*_]{{0,2}}(?:(?:#+ *|// *|-- *)?{_DOTS}.*|{_BRACKETED})[*_]{{0,2}}")
_LEFT_OUT = re.compile(rf"[*_]{{0,2}}(?:#+ *|// *|<!-- *|/\* *|\[ *|\( *)?{_DOTS}.{{0,80}}")


def _placeholders(
    path: str, lines: Sequence[str], places: Sequence[int], texts: Iterable[bytes]
) -> Iterator[tuple[str, str]]:
    """What stands in lines, positions from 0, that have the form of a remark on text left out: in place of text that
    was there, by the newest of the former texts without that line; or perhaps."""
    waiting = dict.fromkeys(places)
    for text in texts:
        former = text.decode("utf-8", "replace").splitlines()
        for number in [each for each in waiting if lines[each] not in former]:
            del waiting[number]
            if gone := _replaced(former, lines, number):
                what = f"{masked_name(path)}:{number + 1} stands in place of {counted(gone, 'line')} that were there."
                yield what, f"`memgit history {shell_word(path)}` shows the text that was there."
        if not waiting:
            return
    for number in waiting:
        if _LEFT_OUT.fullmatch(lines[number].strip()) and _stands_alone(lines, number):
            yield f"{masked_name(path)}:{number + 1} may stand for text that was left out.", "Write the text there."


def _replaced(former: Sequence[str], lines: Sequence[str], number: int) -> int:
    """How many lines with text went where this one came; 0 where it says as much as what went."""
    kept = set(lines)
    for tag, start, end, first, last in SequenceMatcher(None, former, lines, autojunk=False).get_opcodes():
        if tag == "replace" and first <= number < last:
            gone = [line for line in former[start:end] if line.strip() and line not in kept]
            came = sum(len(line) for line in lines[first:last])
            return len(gone) if sum(map(len, gone)) > came else 0
    return 0


def _stands_alone(lines: Sequence[str], number: int) -> bool:
    """Whether a line is a paragraph of its own, outside code."""
    around = (*lines[max(0, number - 1) : number], *lines[number + 1 : number + 2])
    fences = sum(line.lstrip().startswith(("```", "~~~")) for line in lines[:number])
    return not any(map(str.strip, around)) and fences % 2 == 0


def merge_markers(data: bytes) -> tuple[Marked, ...]:
    """The unfinished merges in a file, in whatever form a version control program marks them: an opening line, one or
    more that part the sides, a closing line."""
    found: list[Marked] = []
    at = 0
    while opening := _OPENS.search(data, at):
        closing = _CLOSES.search(data, opening.end())
        if closing is None:
            break
        at = closing.end()
        if _PARTS.search(data, opening.end(), closing.start()):
            found.append(Marked(_line(data, opening.start()), _line(data, closing.start())))
    return tuple(found)


def _line(data: bytes, at: int) -> int:
    return data.count(b"\n", 0, at) + 1


# --- finding names ---
# How a finding names things: a few of them in its sentence, safe to print, and all of them beside it.

NAMED = 5
"""Names that one sentence lists before it counts the rest."""


def named(names: Iterable[str]) -> str:
    """The first names of a list, safe to print, and how many more there are."""
    every = list(names)
    more = f" and {len(every) - NAMED} more" if len(every) > NAMED else ""
    return ", ".join(map(masked_name, every[:NAMED])) + more


def finding_of(area: Area, what: str, names: Iterable[str], remedy: str) -> Finding:
    """The finding that ``what`` is so of these names."""
    every = [*names]
    return Finding(area, f"{what}: {named(every)}.", remedy, names=tuple(map(masked_name, every)))
