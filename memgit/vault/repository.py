"""The vault as the rest of memgit sees it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from memgit.model.passes import Operation, OpKind, PassHeader
from memgit.model.store import StoreContent
from memgit.ports import Clock
from memgit.vault.transaction import Transaction
from memgit.vault.witness import Standing


def vault_folder(data_home: Path, store: str) -> Path:
    """The folder of a store's vault: a readable slug of its path and a hash of its real path."""
    raise NotImplementedError


class Vault:
    """One store's history."""

    folder: Path
    private: Path
    git_dir: Path
    store: str

    @classmethod
    def open(cls, folder: Path, *, clock: Clock, who: Mapping[str, str]) -> Vault:
        raise NotImplementedError

    @classmethod
    def create(cls, folder: Path, store: str, *, clock: Clock, who: Mapping[str, str], witness: Path) -> Vault:
        raise NotImplementedError

    def lock(self, command: str, wait: float = 10.0) -> AbstractContextManager[None]:
        raise NotImplementedError

    def head(self) -> Operation | None:
        raise NotImplementedError

    def operations(self) -> Iterator[Operation]:
        raise NotImplementedError

    def operation(self, id_or_prefix: str) -> Operation:
        raise NotImplementedError

    def passes(self, at: Operation | None = None) -> tuple[PassHeader, ...]:
        raise NotImplementedError

    def pass_header(self, id_or_prefix: str, at: Operation | None = None) -> PassHeader:
        raise NotImplementedError

    def record(self, pass_id: str, name: str, at: Operation | None = None) -> bytes | None:
        raise NotImplementedError

    def records(self, pass_id: str, at: Operation | None = None) -> tuple[str, ...]:
        raise NotImplementedError

    def content(self, commit: str, at: Operation | None = None) -> StoreContent:
        raise NotImplementedError

    def store_at(self, op: Operation) -> StoreContent:
        raise NotImplementedError

    def message(self, commit: str) -> str:
        raise NotImplementedError

    def history(self, path: str) -> Iterator[tuple[str, Operation | None, bytes | None]]:
        raise NotImplementedError

    def transaction(
        self,
        kind: OpKind,
        subject: str,
        *,
        pass_id: str | None = None,
        target: str | None = None,
        details: Mapping[str, str] | None = None,
    ) -> AbstractContextManager[Transaction]:
        raise NotImplementedError

    def relink(self, store: str) -> None:
        """Record that the store lives at another path now."""
        raise NotImplementedError

    def repair_refs(self) -> tuple[str, ...]:
        """Bring the derived refs to what the newest operation says; the names of those that were wrong."""
        raise NotImplementedError

    def derived_ref_problems(self) -> tuple[str, ...]:
        raise NotImplementedError

    def check_witness(self) -> Standing:
        raise NotImplementedError
