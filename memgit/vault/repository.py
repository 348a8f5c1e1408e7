"""The vault as the rest of memgit sees it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memgit.errors import Damaged, MemgitError, VaultLocked, WrongState
from memgit.model.history import Operation, OpKind
from memgit.ports import Clock
from memgit.vault import layout
from memgit.vault.layout import About, explained
from memgit.vault.lock import locked
from memgit.vault.log import Standing, Witness, bear_witness, carry_witness, expect, read_witness, standing
from memgit.vault.reader import VaultReader
from memgit.vault.transaction import Base, Moved, Transaction, begin, publish

if TYPE_CHECKING:
    from memgit.model.verification import Look, Problem
    from memgit.vault.renewal import Renewal
    from memgit.vault.transport import Remotes, Transport

_TRIES = 5


class Vault(VaultReader):
    """One store's history, read and added to, never changed."""

    def __init__(self, folder: Path, *, clock: Clock, who: Mapping[str, str]) -> None:
        super().__init__(folder)
        self._clock = clock
        self._who = who

    @classmethod
    def open(cls, folder: Path, *, clock: Clock, who: Mapping[str, str]) -> Vault:
        """The vault in a folder. Raises `WrongState` when there is none yet, `Damaged` when it cannot be read."""
        vault = cls(folder, clock=clock, who=who)
        layout.bridge(folder)
        if not layout.is_laid_out(folder) or vault.head() is None:
            vault._must_be_new()
            raise WrongState(f"there is no vault in {folder}", "`memgit snapshot` creates one")
        return vault

    @classmethod
    def create(cls, folder: Path, store: str, *, clock: Clock, who: Mapping[str, str], witness: Path) -> Vault:
        """The vault in a folder, made if it is not there; creation that was cut short is completed.

        ``store`` is the path of the store, ``witness`` the file outside the vault that remembers its head.
        """
        vault = cls(folder, clock=clock, who=who)
        layout.bridge(folder)
        layout.prepare(folder)
        with vault.lock("init"):
            layout.lay_out(folder)
            about = About(store, str(witness))
            former = vault._about_or_none()
            if former != about:
                if former:  # a store was moved, and that was cut short
                    carry_witness(Path(former.witness), witness)
                layout.write_about(vault.private, about)
            if vault.log.tip() is None:
                vault._must_be_new()
                with vault.transaction(OpKind.INIT, "Vault created", details={"store": store}):
                    pass
        return vault

    @contextlib.contextmanager
    def lock(self, command: str, wait: float = 10.0, *, as_it_is: bool = False) -> Iterator[None]:
        """Keep other writers out while a ``with`` block runs; within a thread, blocks may be inside each other.

        Who takes it puts the derived refs right first, unless the vault is wanted ``as_it_is``: an operation may have
        been cut short before it had set them. Raises `VaultLocked`, naming the holder, after ``wait`` seconds.
        """
        since = self._clock().isoformat(timespec="seconds")
        holder = {**self._who, "pid": str(os.getpid()), "command": command, "since": since}
        with locked(self.private / "lock", self.git_dir, holder, wait) as first:
            if first and not as_it_is:
                with contextlib.suppress(MemgitError):  # a damaged log is for `check` and `repair`
                    self._derived.catch_up()
            yield

    @contextlib.contextmanager
    def transaction(
        self,
        kind: OpKind,
        subject: str,
        *,
        pass_id: str | None = None,
        target: str | None = None,
        details: Mapping[str, str] | None = None,
    ) -> Iterator[Transaction]:
        """Record one operation: what the block puts into the transaction becomes real together, at its end.

        An exception in the block leaves the vault as it was. Takes the vault's lock.
        """
        with self.lock(kind):
            draft = Operation(0, "", kind, self._clock(), subject, None, None, pass_id, target, details or {})
            base = self._base()
            transaction = begin(self.objects, self.log, base, draft, self._who)
            yield transaction
            transaction.operation = self._publish(transaction, base)

    def repair_refs(self) -> tuple[str, ...]:
        """Bring the derived refs to what the newest operation says; the names of those that were wrong."""
        with self.lock("repair", as_it_is=True):
            return self._derived.repair()

    def problems(self, *, full: bool) -> tuple[Problem, ...]:
        """Everything wrong with this vault; ``full`` reads every object and asks git's own fsck."""
        from memgit.vault.integrity import check

        return check(self, full=full)

    def looks(self, *, full: bool) -> tuple[Look, ...]:
        """The parts of that check, to be made one after the other."""
        from memgit.vault.integrity import looks

        return looks(self, full=full)

    def publish_head(self) -> None:
        """Write again what readers that must start fast look at."""
        from memgit.vault import engine, head

        operation = self.head()
        if operation:
            with explained(self.folder, engine.FAILURES):
                head.publish(self, operation)

    def pack(self) -> int:
        """Put loose objects into a pack; returns how many."""
        from memgit.vault import engine, packing

        with self.lock("pack"), explained(self.folder, engine.FAILURES):
            return packing.pack(self.git_dir, self.objects)

    @property
    def renewal(self) -> Renewal:
        """Replaces this vault by one made from it."""
        from memgit.vault.renewal import Renewal

        return Renewal(self.folder)

    def beside(self) -> Vault:
        """The new vault that a renewal has built."""
        return Vault(self.renewal.new, clock=self._clock, who=self._who)

    def expect(self, successor: str) -> None:
        """Tell the witness that this commit may take the place of the newest operation's."""
        expect(self.witness, successor)

    @property
    def remotes(self) -> Remotes:
        """The places that this vault is synced with."""
        from memgit.vault.transport import Remotes

        return Remotes(self.private)

    @property
    def transport(self) -> Transport:
        """Carries this vault's history to and from other repositories."""
        from memgit.vault.transport import Transport

        return Transport(self.git_dir, self.objects)

    def _publish(self, transaction: Transaction, base: Base) -> Operation:
        seen, stood = self._testimony()
        for _ in range(_TRIES):
            draft = transaction.draft(base)
            try:
                commit = publish(self.git_dir, self.objects, self.log, draft)
            except Moved:
                base = self._base_like(base)
                continue
            self._derived.follow(draft, commit)
            operation = replace(draft.operation, commit=commit)
            self._after(operation, seen, stood)
            return operation
        raise _beaten()

    def _after(self, operation: Operation, seen: Witness | None, stood: Standing) -> None:
        """What follows an operation and does not undo it by failing: the next operation does it again."""
        from memgit.vault import head, packing
        from memgit.vault.engine import FAILURES

        with contextlib.suppress(Damaged, *FAILURES):
            bear_witness(self.witness, seen, stood, operation, self.folder)
        with contextlib.suppress(Damaged, *FAILURES):
            head.publish(self, operation)
        with contextlib.suppress(Damaged, *FAILURES):
            packing.pack_if_due(self.git_dir, self.objects)

    def _testimony(self) -> tuple[Witness | None, Standing]:
        seen = read_witness(self.witness)
        return seen, standing(self.log, seen)

    def _base(self) -> Base:
        tip = self.log.tip()
        return Base(*self.log.read_with_count(tip)) if tip else Base()

    def _base_like(self, base: Base) -> Base:
        """The newest operation as a new base, if what the transaction relied on is still so."""
        now = self._base()
        if (now.store, now.passes) != (base.store, base.passes):
            raise _beaten()
        return now

    def _must_be_new(self) -> None:
        if (self.private / "derived").exists():
            raise Damaged(
                f"the vault {self.folder} has lost its operation log (refs/memgit/ops)",
                "Run `memgit recover`; the log's last known place is in memgit/derived",
            )

    def _about_or_none(self) -> About | None:
        try:
            return layout.read_about(self.private)
        except Damaged:
            return None


def _beaten() -> VaultLocked:
    return VaultLocked("another program moved the vault's operation log meanwhile", "Try again")
