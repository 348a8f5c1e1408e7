"""What happened to a store and to each of its memories over all operations: reading only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from memgit.core.passes.history import Event, Life, State, Turn, lives
from memgit.core.report.outline import Chronicle, Stand
from memgit.errors import WrongState
from memgit.evidence.findings import printable_name
from memgit.flows.candidate import decisions_of
from memgit.memory.index_lines import extent
from memgit.memory.memory import is_memory, read_memory
from memgit.model.decision import Decision
from memgit.model.history import Operation
from memgit.model.store import INDEX, StoreFile

if TYPE_CHECKING:
    from memgit.ports.vault import Kept, VaultReader


LATEST = 200
"""Changes of the store that are told of, the newest; before them stands the first that was recorded."""


def chronicle(vault: VaultReader) -> Chronicle:
    """The sizes of the live store and the stories of its memories. Raises Damaged for what cannot be read."""
    changes = tuple(store_changes(vault))
    told = changes if len(changes) <= LATEST else (changes[0], *changes[-LATEST:])
    listings = [(operation, vault.listing(operation.store or "")) for operation in told]
    states = [State(operation, dict(_texts(files))) for operation, files in listings]
    return Chronicle(
        tuple(_stands(vault, states, [files.get(INDEX) for _, files in listings])),
        vault.passes(),
        lives(states, decided(vault, told)),
        len(changes) - len(told),
    )


def store_changes(vault: VaultReader) -> Iterator[Operation]:
    """The operations after which the live store was another, oldest first."""
    before = None
    for operation in reversed(tuple(vault.operations())):
        if operation.store and operation.store != before:
            yield operation
        before = operation.store or before


def _texts(files: Mapping[str, Kept]) -> Iterator[tuple[str, str]]:
    for path, kept in files.items():
        if is_memory(StoreFile(path, b"", kept.mode)):
            yield path.removesuffix(".md"), kept.oid


def _stands(vault: VaultReader, states: Iterable[State], indexes: Iterable[Kept | None]) -> Iterator[Stand]:
    measured: dict[str, tuple[int, int]] = {}
    for state, index in zip(states, indexes, strict=True):
        blob = index.oid if index else ""
        if blob not in measured:
            measured[blob] = extent(vault.bytes_of(blob) if blob else b"")
        yield Stand(state.operation, len(state.texts), *measured[blob])


def decided(vault: VaultReader, told: Iterable[Operation]) -> dict[str, tuple[Decision, ...]]:
    """What the passes that operations speak of settled, by pass id."""
    passes = dict.fromkeys(operation.pass_id for operation in told if operation.pass_id)
    return {name: decisions_of(vault, name) for name in passes}


# --- history ---
# One memory's life over all operations of the vault: reading only.


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
        for path, listed in vault.listing(operation.store or "").items():
            if is_memory(StoreFile(path, b"", listed.mode)):
                found[path.removesuffix(".md")] = None
    return tuple(found)
