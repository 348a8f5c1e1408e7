"""What the tests of the vault share: a clock, contents, and a vault with a little history."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from memgit.model.history import Mode, OpKind, PassHeader, PassKind, PassState, Paths
from memgit.model.store import StoreContent, StoreFile
from memgit.vault import Vault

NOW = datetime(2026, 11, 29, 12, 30, tzinfo=UTC)
WHO = {"host": "here", "user": "somebody"}


def clock() -> datetime:
    return NOW


def content(*files: StoreFile | tuple[str, bytes], **other: tuple[str, ...]) -> StoreContent:
    """A store with these files; a pair is a file with its path and bytes."""
    whole = [file if isinstance(file, StoreFile) else StoreFile(*file) for file in files]
    return StoreContent({file.path: file for file in sorted(whole, key=lambda file: file.path)}, **other)


def create(root: Path) -> Vault:
    return Vault.create(root / "vault", "/store", clock=clock, who=WHO, witness=root / "witness.json")


def reopen(vault: Vault) -> Vault:
    return Vault.open(vault.folder, clock=clock, who=WHO)


def snapshot(vault: Vault, held: StoreContent, subject: str = "Snapshot") -> str:
    with vault.transaction(OpKind.SNAPSHOT, subject) as transaction:
        return transaction.set_store(held, f"{subject}\n", fingerprint=f"blake3:{subject}")


def propose(vault: Vault, held: StoreContent, report: str = "A candidate\n\nThe report.\n") -> PassHeader:
    """A pass with a candidate on top of the recorded store, and one record."""
    with vault.transaction(OpKind.PASS, "Pass") as transaction:
        parent = transaction.operation.store
        pass_id = transaction.new_pass_id()
        candidate = transaction.put_candidate(pass_id, held, report, parent)
        header = PassHeader(
            id=pass_id,
            kind=PassKind.CURATE,
            mode=Mode.CURATE,
            state=PassState.READY,
            time=NOW,
            snapshot=parent,
            candidate=candidate,
            paths=Paths("/store-candidate", "/report.md", "/digests"),
        )
        transaction.put_header(header)
        transaction.put_record(pass_id, "plan.json", b'{"plan": 1}')
    return header


ONE = content(("MEMORY.md", b"- [a](a.md)\n"), ("a.md", b"one\r\n"))
TWO = content(("MEMORY.md", b"- [a](a.md)\n"), ("a.md", b"two\n"), ("team/b.md", b"b\n"))
