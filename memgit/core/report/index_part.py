"""What a report says of the index: what was wrong with it, and whether the agent can read all of the new one."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.memory.index_edit import drift_of
from memgit.memory.memory import memories
from memgit.memory.rebuild import LINE_LIMIT, UNIT_LIMIT, hook, limits
from memgit.model.passes import IndexChange
from memgit.model.store import Memory, StoreContent
from memgit.text.layout import code, counted, line

_SHOWN = 20
_LONG_HOOK = 100


def index_section(before: StoreContent, after: StoreContent) -> Iterator[str]:
    """Drift of the old index, size of the new one, and what falls past the end of what the agent loads."""
    index = after.index
    if index is None:
        return
    yield "## Index"
    measured = limits(index.data)
    yield (
        f"The new index has {counted(measured.lines, 'line')} and {measured.units:,} UTF-16 units; the agent reads "
        f"{LINE_LIMIT} lines and {UNIT_LIMIT:,} units."
    )
    if problems := [*_drift(before)]:
        yield "The old index, put right by rebuilding:"
        yield "\n".join(f"- {problem}" for problem in problems)
    if measured.over:
        lost = f"{len(measured.lost):,} lines fall" if len(measured.lost) > 1 else "1 line falls"
        yield f"**Over the limit:** {lost} off; nothing was dropped to make it fit. They are:"
        yield "\n".join(f"- {line(text)}" for text in measured.lost)
        yield measured.remedy
        if measured.units > UNIT_LIMIT:
            yield from _shorter_hooks(memories(after))


def index_change(before: StoreContent, after: StoreContent) -> IndexChange | None:
    """What becomes of the index; None where there is none."""
    if after.index is None or not after.indexed:
        return None
    old, new = limits(before.index_text), limits(after.index_text)
    return IndexChange((old.lines, new.lines), (old.units, new.units), len(new.lost))


def _drift(before: StoreContent) -> Iterator[str]:
    if before.index is None:
        return
    found = drift_of(before)
    for places, what in ((found.dead, "points to {}, which is not there"), (found.doubles, "lists {} a second time")):
        for place in places:  # what it says may stand nowhere else
            yield f"line {place.line} {what.format(code(place.target))}; it says: {code(place.text)}"
    yield from (f"{code(orphan)} was not listed" for orphan in found.orphans)


def _shorter_hooks(store: tuple[Memory, ...]) -> Iterator[str]:
    """The entries from whose descriptions most can be saved."""
    long = sorted((memory for memory in store if len(hook(memory)) > _LONG_HOOK), key=lambda memory: -len(hook(memory)))
    if long:
        yield "Shorter descriptions would help most here:"
        yield "\n".join(f"- {code(memory.id)} ({len(hook(memory))} characters)" for memory in long[:_SHOWN])
