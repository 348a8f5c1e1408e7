"""One operation in the making: everything it changes becomes visible with one move of one ref."""

from __future__ import annotations

from collections.abc import Sequence

from memgit.model.passes import Operation, PassHeader
from memgit.model.store import StoreContent


class Transaction:
    """Collects what one operation changes. Made by ``Vault.transaction``; nothing is visible before it ends."""

    operation: Operation
    """The operation as recorded; there after the ``with`` block."""

    def new_pass_id(self) -> str:
        """An id no pass of this vault ever had: the date (UTC) and the vault's counter."""
        raise NotImplementedError

    def set_store(
        self, content: StoreContent, message: str, *, merge_parent: str | None = None, fingerprint: str
    ) -> str:
        """Record the live store; the same content as before gives the same commit."""
        raise NotImplementedError

    def fast_forward_store(self, commit: str, fingerprint: str) -> None:
        """Let ``refs/heads/store`` point to a descendant of its tip."""
        raise NotImplementedError

    def put_candidate(self, pass_id: str, content: StoreContent, message: str, parent: str) -> str:
        """Commit a pass's candidate; its branch and its keep ref point to it."""
        raise NotImplementedError

    def put_header(self, header: PassHeader) -> None:
        """Record where a pass stands. A discarded pass loses its branch and keeps its keep ref."""
        raise NotImplementedError

    def put_record(self, pass_id: str, name: str, data: bytes) -> None:
        """Keep a named record of a pass (``plan.json``)."""
        raise NotImplementedError

    def snapshot_content(self, content: StoreContent, message: str, parents: Sequence[str] = ()) -> str:
        """A commit of some content that no ref points to; the operation keeps it reachable."""
        raise NotImplementedError
