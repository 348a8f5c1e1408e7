"""What applying the decisions of a pass came to: memories kept, updated, merged, deleted, and what to learn from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from memgit.memory.memory import memories
from memgit.model.decision import Decision, Kind
from memgit.model.store import StoreContent
from memgit.model.verification import Appraisal, MemoryClass
from memgit.text.layout import counted

_UPDATES = (Kind.UPDATE, Kind.REPLACE, Kind.SPLIT)
_RECURRING = 3
"""So many memories that rotted in one way are a pattern."""

_LESSONS = {
    MemoryClass.STALE: "values and places of the code keep being copied into memories; name the file that holds them",
    MemoryClass.ABSORBED: "memories keep repeating the project's documents; they need not be kept twice",
    MemoryClass.DUPLICATE: "lessons keep being recorded a second time; look for the memory before writing one",
}


def balance(before: StoreContent, after: StoreContent, decisions: Sequence[Decision]) -> str:
    """In one line: entries kept, updated, merged and deleted, and the size before and after in bytes."""
    old, new = memories(before), memories(after)
    texts = {memory.id: memory.data for memory in old}
    kept = sum(texts.get(memory.id) == memory.data for memory in new)
    merged = sum(len(each.memories) - 1 for each in decisions if each.kind is Kind.MERGE)
    deleted = sum(len(each.removes) for each in decisions if each.kind is Kind.DROP)
    updated = sum(len(each.memories) for each in decisions if each.kind in _UPDATES)
    sizes = [sum(len(memory.data) for memory in store) for store in (old, new)]
    return (
        f"Kept {kept}, updated {updated}, merged away {merged}, deleted {deleted}; "
        f"{counted(len(old), 'memory')} and {sizes[0]:,} bytes before, {len(new)} and {sizes[1]:,} after."
    )


def recurring(appraisals: Iterable[Appraisal], trivia: int = 0) -> Iterator[str]:
    """The ways in which so many memories rot that it is worth a word to whoever writes them."""
    counts = Counter(appraisal.kind for appraisal in appraisals)
    for kind, lesson in _LESSONS.items():
        if counts[kind] >= _RECURRING:
            yield f"Recurring: {counts[kind]} {kind} memories — {lesson}."
    if trivia >= _RECURRING:
        yield f"Recurring: {trivia} entries of passing state — stop saving those."
