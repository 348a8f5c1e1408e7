"""One memory's life over all operations of the vault: reading only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from memgit.core.passes.history import Event, Life, State, Turn, lives
from memgit.errors import WrongState
from memgit.evidence.findings import printable_name
from memgit.flows.chronicle import decided, store_changes
from memgit.memory.memory import is_memory, read_memory
from memgit.model.history import Operation
from memgit.model.store import StoreFile

if TYPE_CHECKING:
    from memgit.ports.vault import VaultReader


def history(vault: VaultReader, named: str) -> Life:
    """The story of a memory, named by its id or its file. Raises WrongState naming those whose names are near."""
    memory = named.removesuffix(".md")
    states = tuple(_states(vault, memory, store_changes(vault)))
    for life in lives(states, decided(vault, (state.operation for state in states))):
        texts = {state.operation.number: state.texts.get(memory, "") for state in states}
        return replace(life, events=tuple(_with_origin(vault, event, memory, texts) for event in life.events))
    near = get_close_matches(memory, ever(vault), n=3, cutoff=0.5)
    hint = f"Did you mean {', '.join(map(printable_name, near))}?" if near else "`memgit show` names memories."
    raise WrongState(f"No memory {printable_name(memory)} was ever recorded.", hint)


def _with_origin(vault: VaultReader, event: Event, memory: str, texts: Mapping[int, str]) -> Event:
    """The same with the session that the memory itself names, when it came into the store."""
    blob = texts[event.operation.number]
    if event.turn not in (Turn.FOUND, Turn.CREATED) or not blob:
        return event
    file = StoreFile(f"{memory}.md", vault.bytes_of(blob))
    return replace(event, origin=read_memory(file).origin_session or "")


def _states(vault: VaultReader, memory: str, changes: Iterable[Operation]) -> Iterator[State]:
    """The first state of the store, and each after which this one memory was another."""
    before: State | None = None
    for operation in changes:
        blob = vault.blob(operation.store or "", f"{memory}.md")
        state = State(operation, {memory: blob} if blob else {})
        if before is None or before.texts != state.texts:
            yield state
        before = state


def ever(vault: VaultReader) -> tuple[str, ...]:
    """The ids of all memories that any state of the store held."""
    found: dict[str, None] = {}
    for operation in store_changes(vault):
        for path, entry in vault.listing(operation.store or "").items():
            if is_memory(StoreFile(path, b"", entry.mode)):
                found[path.removesuffix(".md")] = None
    return tuple(found)
