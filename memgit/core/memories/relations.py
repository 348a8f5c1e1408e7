"""Relations that some tools keep between memories in their frontmatter, and those that lead nowhere.

Nothing is changed in them: a copy of a store that lacks a part of it says so, and keeps what it says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memgit.core.memories.frontmatter import split
from memgit.core.memories.links import Names
from memgit.evidence.findings import printable_name
from memgit.model.store import Memory
from memgit.text.layout import counted

KEYS = ("relates_to", "superseded_by", "supersedes")

_KEY = re.compile(rf"^[ \t]*({'|'.join(KEYS)})[ \t]*:[ \t]*(.*)$")
_ITEM = re.compile(r"^[ \t]*-[ \t]+(.*)$")
_MARKS = "[]\"' \t"
_NONE = frozenset({"", "~", "null", "none", "n/a", "-"})
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Relation:
    """What one memory says of another: the field, and the other's name as it is written."""

    memory: str
    key: str
    target: str


def relations(memory: Memory) -> Iterator[Relation]:
    """The relations in a memory's frontmatter: on the key's line, in brackets or not, or as a list below it."""
    if not any(key.encode() in memory.data for key in KEYS):
        return
    key = ""
    for line in split(memory.data).block.decode("utf-8", "replace").splitlines():
        if found := _KEY.match(line):
            key = found[1]
            named = found[2].split(",")
        elif key and (item := _ITEM.match(line)):
            named = [item[1]]
        else:
            key, named = "", []
        plain = (text.strip(_MARKS) for text in named)
        yield from (Relation(memory.id, key, text) for text in plain if text.casefold() not in _NONE)


def leading_nowhere(memories: Sequence[Memory]) -> tuple[Relation, ...]:
    """The relations to memories that are not there."""
    found = [one for memory in memories for one in relations(memory)]
    names = Names(memories) if found else Names(())
    return tuple(one for one in found if names.resolve(one.target) is None)


def told(found: Iterable[Relation]) -> Iterator[str]:
    """Relations that lead nowhere, in a sentence for each field."""
    by_key: dict[str, list[Relation]] = {}
    for one in found:
        by_key.setdefault(one.key, []).append(one)
    for key, each in by_key.items():
        shown = ", ".join(f"`{printable_name(one.memory)}` to `{printable_name(one.target)}`" for one in each[:_SHOWN])
        more = f" and {len(each) - _SHOWN} more" if len(each) > _SHOWN else ""
        number = counted(len(each), "relation")
        yield f"{number} in {key} to memories that are not here, kept as they are: {shown}{more}."
