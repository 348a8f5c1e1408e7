"""Merges of memories: of those that are equal but for form, which need no judgement, and of any that somebody names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from memgit.likeness.pairs import equal, joined
from memgit.memory.links import Names, targets
from memgit.memory.memory import is_copy
from memgit.model.decision import Kind, Proposal, Seen
from memgit.model.store import Memory
from memgit.text.words import content_words

# --- survivor ---
# Which of several memories that say the same should stay.

_GENERIC = re.compile(
    r"(?:^|[-_/])(?:notes?|memory|memories|untitled|misc|temp|tmp|new|copy|copied|backup|old|draft|todo|info|update|"
    r"untitled|session|\d{1,8})(?=[-_]|$)",
    re.IGNORECASE,
)
_MOST_TELLING = 4
"""Words of a name beyond which it tells no better what the memory is about."""


def references(memories: Sequence[Memory]) -> Mapping[str, int]:
    """How many memories link to each memory."""
    names = Names(memories)
    return Counter(target for memory in memories for target in targets(memory, names) if target != memory.id)


def best_named(members: Sequence[Memory], referred: Mapping[str, int]) -> Memory:
    """The member whose name tells best what all of them say; of equal ones the most referred to, then the first."""
    words = Counter(word for member in members for word in content_words(member.text))
    common = frozenset(word for word, count in words.items() if count > 1)
    return max(
        members,
        key=lambda member: (*is_original(member), _telling(member, common), referred.get(member.id, 0)),
    )


def survivor(members: Sequence[Memory], referred: Mapping[str, int], listed: Collection[str] = ()) -> Memory:
    """Which of equal memories stays: the original, one that others link to, one whose file name is its name, then the
    first."""
    return max(
        members,
        key=lambda member: (
            *is_original(member, listed),
            referred.get(member.id, 0),
            member.name == member.id.rpartition("/")[2],
        ),
    )


def is_original(memory: Memory, listed: Collection[str] = ()) -> tuple[bool, bool]:
    """Whether a memory is no copy by its name, and whether it is ``listed``: agents go on writing those."""
    return not is_copy(memory.id), memory.id in listed


def _telling(member: Memory, common: frozenset[str]) -> int:
    """How many words of a name say what the memories say; a generic one takes two away."""
    name = re.sub(r"[-_/]", " ", member.id)
    telling = len(content_words(name) & common)
    return min(telling, _MOST_TELLING) - 2 * len(_GENERIC.findall(member.id))


def equal_merged(memories: Sequence[Memory]) -> tuple[Proposal, ...]:
    """A merge for each group of memories that are equal but for case, white space, punctuation and mark-up."""
    groups = equal(memories)
    referred = references(memories) if groups else {}
    return tuple(
        merge(group, survivor(group, referred), "They are equal but for case, white space, punctuation and mark-up.")
        for group in groups
    )


def merge(members: Sequence[Memory], keeper: Memory, why: str) -> Proposal:
    """A merge of ``members`` into the ``keeper``, on a line of each."""
    lines = tuple(Seen(f"memory:{memory.id}", first) for memory in members if (first := _first_line(memory)))
    return Proposal(Kind.MERGE, why, lines, tuple(memory.id for memory in members), (joined(members, keeper),))


def _first_line(memory: Memory) -> str:
    return next((line.strip()[:300] for line in memory.body.split("\n") if line.strip()), "")
