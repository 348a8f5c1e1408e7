"""What happened to a store over all its operations, for a page: reading only, and bounded however long that is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from memgit.core.passes.history import State, lives
from memgit.core.passes.records import load_decisions
from memgit.core.report.page import Chronicle, Stand
from memgit.memory.index_lines import extent
from memgit.memory.memory import is_memory
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
    records = ((name, vault.record(name, "decisions.json")) for name in passes)
    return {name: load_decisions(data) for name, data in records if data}
