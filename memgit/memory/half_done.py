"""Work of other programs that is only half done: a merge in the middle of a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memgit.core.summaries.form import text_files
from memgit.evidence.findings import masked_name
from memgit.model.store import StoreContent
from memgit.model.verification import Area, Finding

_OPENS = re.compile(rb"^(?:<{7,}(?:[ \t].*)?|>{4} ORIGINAL .*)\r?$", re.MULTILINE)
_CLOSES = re.compile(rb"^(?:>{7,}(?:[ \t].*)?|<{4})\r?$", re.MULTILINE)
_PARTS = re.compile(rb"^(?:={7,}(?:[ \t].*)?|%{7,} .*|\+{7,} .*|-{7,} .*|\|{7,}(?:[ \t].*)?|={4} .*)\r?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Marked:
    """The first and the last line, from 1, of a merge that somebody has not finished."""

    first: int
    last: int


def half_done(content: StoreContent) -> Iterator[str]:
    """A sentence for each place of a store that holds both sides of a merge."""
    for file in text_files(content):
        for each in () if file.is_link else merge_markers(file.data):
            yield f"{masked_name(file.path)}:{each.first} holds both sides of a merge, to line {each.last}."


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
