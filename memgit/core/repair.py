"""Links follow: memories that point to one that goes are led to what stands for it now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from memgit.core.links import Names, repoint, targets
from memgit.core.memory import memories, read_memory, render_changed
from memgit.model.decision import Decision, Draft, Kind
from memgit.model.store import Memory, StoreContent, StoreFile


def repairs(decisions: Iterable[Decision], content: StoreContent) -> tuple[Decision, ...]:
    """The links that other memories need when ``decisions`` (or the approved part of them) are applied."""
    decisions = [decision for decision in decisions if decision.changes and decision.kind is not Kind.REPAIR]
    gone = _successors(decisions)
    if not gone:
        return ()
    changed = {path for decision in decisions for path in (*decision.writes, *decision.removes)}
    store = memories(content)
    found = (_repair(memory, gone, store) for memory in store if memory.path not in changed)
    return tuple(repair for repair in found if repair)


def links_followed(decisions: Sequence[Decision], store: Sequence[Memory]) -> list[Decision]:
    """The decisions with the links in their own changed files led to the survivors."""
    gone = _successors(decisions)
    if not gone:
        return list(decisions)
    paths = {memory.path for memory in store}
    return [replace(decision, writes=_followed(decision.writes, paths, gone, store)) for decision in decisions]


def _followed(
    writes: Mapping[str, bytes], paths: set[str], gone: Mapping[str, str], store: Sequence[Memory]
) -> Mapping[str, bytes]:
    return {path: _repointed(path, data, gone, store) if path in paths else data for path, data in writes.items()}


def _repointed(path: str, data: bytes, gone: Mapping[str, str], store: Sequence[Memory]) -> bytes:
    return _with_links(read_memory(StoreFile(path, data)), gone, store) or data


def _successors(decisions: Iterable[Decision]) -> dict[str, str]:
    """Which memory stands for each that goes: the survivor of a merge, the first part of a split, or nothing."""
    return {
        path.removesuffix(".md"): decision.results[0] if decision.results else ""
        for decision in decisions
        for path in sorted(decision.removes)
    }


def _with_links(memory: Memory, gone: Mapping[str, str], store: Sequence[Memory]) -> bytes | None:
    """The memory's file with its links repointed, or None when no link of it leads to what goes."""
    body = repoint(memory.body, gone, store, memory.path.rpartition("/")[0])
    if body == memory.body:
        return None
    return render_changed(memory, Draft(memory.name, memory.description, memory.type, body, memory.id))


def _repair(memory: Memory, gone: Mapping[str, str], store: Sequence[Memory]) -> Decision | None:
    data = _with_links(memory, gone, store)
    if data is None:
        return None
    names = Names(store)
    led = sorted(target for target in targets(memory, names) if target in gone)
    moves = ", ".join(f"{name} → {gone[name]}" if gone[name] else f"{name} → plain text" for name in led)
    return Decision(
        id="",
        kind=Kind.REPAIR,
        justification=f"Its links follow what this pass moves: {moves}.",
        memories=(memory.id,),
        results=(memory.id,),
        writes={memory.path: data},
    )
