"""Which of several memories that say the same should stay: the better-named one, then the one most referred to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from memgit.core.memories.links import Names, targets
from memgit.core.text.words import content_words
from memgit.model.store import Memory

_GENERIC = re.compile(
    r"(?:^|[-_/])(?:notes?|memory|memories|untitled|misc|temp|tmp|new|copy|copied|backup|old|draft|todo|info|update|"
    r"untitled|session|\d{1,8})(?=[-_]|$)",
    re.IGNORECASE,
)
_MOST_TELLING = 4
"""Words of a name beyond which it tells no better what the memory is about."""


def references(memories: Sequence[Memory]) -> Mapping[str, int]:
    """How many memories link to each memory."""
    linking = [memory for memory in memories if "[" in memory.body]
    names = Names(memories if linking else ())
    return Counter(target for memory in linking for target in set(targets(memory, names)) if target != memory.id)


def best_named(members: Sequence[Memory], referred: Mapping[str, int]) -> Memory:
    """The member whose name tells best what all of them say; of equal ones the most referred to, then the first."""
    words = Counter(word for member in members for word in content_words(member.text))
    common = frozenset(word for word, count in words.items() if count > 1)
    ranked = sorted(members, key=lambda member: (-_telling(member, common), -referred.get(member.id, 0)))
    return ranked[0]


_COPY = re.compile(
    r"(?: \d{1,3}|[-_ ]?\(\d+\)|[-_. ]copy(?:[-_ ]?\d+)?|\.sync-conflict-[\w-]+| ?\([^()]*conflict[^()]*\)"
    r"|[-_.](?:bak|backup|orig|old))$"
    r"|(?:^|/)(?:archives?|backups?|old|attic|trash)/",
    re.IGNORECASE,
)
"""How programs that synchronise and people who make copies by hand name a copy."""


def is_copy(memory: Memory) -> bool:
    """Whether a memory's file is named as somebody's copy of another."""
    return bool(_COPY.search(memory.id))


def survivor(members: Sequence[Memory], referred: Mapping[str, int]) -> Memory:
    """Which of equal memories stays: no copy, one whose file name is its name, the most referred to, then the first."""
    return min(
        members,
        key=lambda member: (is_copy(member), member.name != member.id.rpartition("/")[2], -referred.get(member.id, 0)),
    )


def _telling(member: Memory, common: frozenset[str]) -> int:
    """How many words of a name say what the memories say; a generic one takes two away."""
    name = re.sub(r"[-_/]", " ", member.id)
    telling = len(content_words(name) & common)
    return min(telling, _MOST_TELLING) - 2 * len(_GENERIC.findall(member.id))
