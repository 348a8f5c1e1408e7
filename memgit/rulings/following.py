"""Links follow: memories that point to one that goes are led to what stands for it now. An index that has come apart
from its memories is put right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from memgit.memory.index import Drift
from memgit.memory.index_edit import drift_of
from memgit.memory.links import Names, repoint, targets
from memgit.memory.memory import memories, no_memories, read_memory, render_changed
from memgit.memory.rebuild import rebuild
from memgit.model.decision import Decision, Draft, Evidence, Kind, Seen
from memgit.model.store import INDEX, Memory, StoreContent, StoreFile


def repairs(decisions: Iterable[Decision], content: StoreContent) -> tuple[Decision, ...]:
    """The links that other memories need when ``decisions`` (or the approved part of them) are applied."""
    decisions = [decision for decision in decisions if decision.changes and decision.kind is not Kind.REPAIR]
    gone = _successors(decisions)
    if not gone:
        return ()
    changed = {path for decision in decisions for path in (*decision.writes, *decision.removes)}
    store = memories(content)
    names = Names(store)
    found = (_repair(memory, gone, names) for memory in store if memory.path not in changed)
    return tuple(repair for repair in found if repair)


def links_followed(decisions: Sequence[Decision], store: Sequence[Memory]) -> list[Decision]:
    """The decisions with the links in their own changed files led to the survivors."""
    gone = _successors(decisions)
    if not gone:
        return list(decisions)
    paths, names = {memory.path for memory in store}, Names(store)
    return [_followed(decision, paths, gone, names) for decision in decisions]


def _followed(decision: Decision, paths: set[str], gone: Mapping[str, str], names: Names) -> Decision:
    led = {path: _repointed(path, data, gone, names) for path, data in decision.writes.items() if path in paths}
    before = {path: decision.writes[path] for path, data in led.items() if data != decision.writes[path]}
    return replace(decision, writes={**decision.writes, **led}, unlinked=before)


def reconnected(
    decisions: Sequence[Decision], standing: Sequence[Decision], content: StoreContent
) -> tuple[Decision, ...]:
    """The decisions with links as the ``standing`` ones alone need them: those in their own files led anew, and the
    repairs of other memories replaced, numbered on behind the last id."""
    own = [
        replace(each, writes={**each.writes, **each.unlinked}, unlinked={}) for each in decisions if not _leads(each)
    ]
    names = {decision.id for decision in standing}
    led = {each.id: each for each in links_followed([one for one in own if one.id in names], memories(content))}
    kept = [led.get(each.id, each) for each in own]
    last = max((int(each.id[1:]) for each in kept), default=0)
    new = enumerate(repairs(tuple(led.values()), content), start=last + 1)
    return (*kept, *(replace(repair, id=f"M{number}") for number, repair in new))


def _leads(decision: Decision) -> bool:
    """Whether a decision is such a repair: it is made anew each time."""
    return decision.kind is Kind.REPAIR and bool(decision.memories) and decision.changes


def _repointed(path: str, data: bytes, gone: Mapping[str, str], names: Names) -> bytes:
    return _with_links(read_memory(StoreFile(path, data)), gone, names) or data


def _successors(decisions: Iterable[Decision]) -> dict[str, str]:
    """Which memory stands for each that goes: the survivor of a merge, the first part of a split, or nothing."""
    return {
        path.removesuffix(".md"): decision.results[0] if decision.results else ""
        for decision in decisions
        for path in sorted(decision.removes)
    }


def _with_links(memory: Memory, gone: Mapping[str, str], names: Names) -> bytes | None:
    """The memory's file with its links repointed, or None when no link of it leads to what goes."""
    body = repoint(memory.body, gone, names, memory.path.rpartition("/")[0])
    if body == memory.body:
        return None
    return render_changed(memory, Draft(memory.name, memory.description, memory.type, body, memory.id))


def _repair(memory: Memory, gone: Mapping[str, str], names: Names) -> Decision | None:
    data = _with_links(memory, gone, names)
    if data is None:
        return None
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


# --- the index ---


def index_repair(content: StoreContent) -> Decision | None:
    """The index as rebuilding makes it, with every line that is wrong now; None where nothing is."""
    store = memories(content)
    found = drift_of(content)
    if not store or (content.index and content.index.is_link) or found.is_clean:
        return None
    before = content.index_text
    data = rebuild(content.index, store, store, others=no_memories(content), roots=content.roots)
    return Decision(
        id="",
        kind=Kind.REPAIR,
        justification=_drifted(found, before, data),
        evidence=tuple(_wrong_lines(found, before)),
        writes={INDEX: data},
        claim="index",
    )


def _wrong_lines(found: Drift, index: bytes) -> Iterable[Evidence]:
    lines = index.decode("utf-8", "replace").split("\n")
    numbers = sorted({place.line for place in (*found.dead, *found.doubles)})
    return (Seen(f"index:{number}", lines[number - 1].strip()) for number in numbers)


def _drifted(found: Drift, before: bytes, after: bytes) -> str:
    told = [f"line {place.line} points to {place.target}, which is not there" for place in found.dead]
    told += [f"line {place.line} lists {place.target} a second time" for place in found.doubles]
    told += [f"{name} is not listed" for name in found.orphans]
    old = set(before.decode("utf-8", "replace").split("\n"))
    added = [line.strip() for line in after.decode("utf-8", "replace").split("\n") if line.strip() and line not in old]
    lines = f" New lines: {' / '.join(added)}" if added else ""
    return f"The index and the memories have come apart: {'; '.join(told)}.{lines}"
