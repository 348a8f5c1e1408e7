"""The vault as the rest of memgit sees it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memgit.errors import Damaged, MemgitError, VaultLocked, WrongState
from memgit.model.history import Operation, OpKind, PassHeader
from memgit.model.store import ABSENT, StoreContent
from memgit.ports import Clock
from memgit.vault import durable, layout
from memgit.vault.derived import DerivedRefs
from memgit.vault.layout import About, vault_folder
from memgit.vault.lock import holder_of, locked
from memgit.vault.log import Log, pass_folder
from memgit.vault.names import tree_path
from memgit.vault.objects import Objects
from memgit.vault.refs import STORE, TAGS, all_refs, read_ref
from memgit.vault.snapshot import listing, read_content
from memgit.vault.transaction import Base, Transaction, begin
from memgit.vault.witness import Standing, Witness, bear_witness, expect, read_witness, standing

if TYPE_CHECKING:
    from memgit.vault.gitobjects import Entry
    from memgit.vault.integrity import Look, Problem
    from memgit.vault.remotes import Remotes
    from memgit.vault.renewal import Renewal
    from memgit.vault.texts import Text
    from memgit.vault.transport import Transport

__all__ = ["Vault", "vault_folder"]

_HASH = re.compile("[0-9a-f]{40}")
_TRIES = 5


class Vault:
    """One store's history: operations, passes and contents, read and added to, never changed.

    Reading needs no lock and is never in the way of a writer. Every reading method raises `Damaged` when an object
    it needs cannot be read.
    """

    def __init__(self, folder: Path, *, clock: Clock, who: Mapping[str, str]) -> None:
        self.folder = folder
        self.git_dir = folder
        self.private = folder / "memgit"
        self._clock = clock
        self._who = who
        self.objects = Objects(folder)
        self.log = Log(folder, self.objects)

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
            if vault._about_or_none() != about:
                layout.write_about(vault.private, about)
            if vault.log.tip() is None:
                vault._must_be_new()
                with vault.transaction(OpKind.INIT, "Vault created", details={"store": store}):
                    pass
        return vault

    @property
    def store(self) -> str:
        """The path of the store whose vault this is."""
        return layout.read_about(self.private).store

    @property
    def witness(self) -> Path:
        """The file outside the vault that remembers its head."""
        return Path(layout.read_about(self.private).witness)

    def relink(self, store: str) -> None:
        """Record that the store lives at another path now."""
        with self.lock("relink"):
            layout.write_about(self.private, replace(layout.read_about(self.private), store=store))

    @contextlib.contextmanager
    def lock(self, command: str, wait: float = 10.0, *, as_it_is: bool = False) -> Iterator[None]:
        """Keep other writers out while a ``with`` block runs; within a thread, blocks may be inside each other.

        Who takes it puts the derived refs right first, unless the vault is wanted ``as_it_is``: an operation may have
        been cut short before it had set them. Raises `VaultLocked`, naming the holder, after ``wait`` seconds.
        """
        holder = holder_of(self._who, command, self._clock())
        with locked(self.private / "lock", self.git_dir, holder, wait) as first:
            if first and not as_it_is:
                with contextlib.suppress(MemgitError):  # a damaged log is for `check` and `repair`
                    self._derived.catch_up()
            yield

    def head(self) -> Operation | None:
        """The newest operation."""
        return self.log.head()

    def operations(self) -> Iterator[Operation]:
        """All operations, newest first."""
        return self.log.operations()

    def operation(self, id_or_prefix: str) -> Operation:
        """An operation by its id (``op12``) or the start of its commit hash. Raises `WrongState`."""
        return self.log.find(id_or_prefix)

    def passes(self, at: Operation | None = None) -> tuple[PassHeader, ...]:
        """All passes as they stood after an operation (now), newest first."""
        commit = self._commit_of(at)
        headers = (self.log.header(commit, pass_id) for pass_id in self.log.pass_ids(commit))
        return tuple(header for header in headers if header)

    def pass_header(self, id_or_prefix: str, at: Operation | None = None) -> PassHeader:
        """The one pass whose id starts so, as it stood after an operation (now). Raises `WrongState`."""
        commit = self._commit_of(at)
        pass_id = self.log.match(commit, id_or_prefix)
        header = self.log.header(commit, pass_id)
        if header is None:
            raise Damaged(f"the vault has no header of pass {pass_id}", "Run `memgit check --full`")
        return header

    def record(self, pass_id: str, name: str, at: Operation | None = None) -> bytes | None:
        """A named record of a pass (``plan.json``), None when it has none of that name."""
        return self.log.file(self._commit_of(at), f"{pass_folder(pass_id)}/records/{tree_path(name)}")

    def records(self, pass_id: str, at: Operation | None = None) -> tuple[str, ...]:
        """The names of a pass's records."""
        return self.log.records(self._commit_of(at), pass_id)

    def content(self, commit: str, at: Operation | None = None, *, like: StoreContent = ABSENT) -> StoreContent:
        """Exactly what a store or candidate commit holds; with the times that ``at`` recorded if it was live then.

        What is in hand and ``like`` it saves reading all that is the same.
        """
        known = self.objects.commit(self._whole(commit))
        manifest = self.log.store_manifest(at.commit) if at and at.store == commit else None
        return read_content(self.objects, known.tree, manifest or known.manifest, like)

    def made_elsewhere(self, commit: str, *, like: StoreContent = ABSENT) -> StoreContent:
        """What the tree of a commit says that another machine or tool made: no manifest of theirs is believed."""
        return read_content(self.objects, self.objects.commit(self._whole(commit)).tree, None, like)

    def listing(self, commit: str) -> Mapping[str, Entry]:
        """The paths of what a store or candidate commit holds, with the entry of each; no file is read."""
        known = self.objects.commit(self._whole(commit))
        return listing(self.objects, known.tree, known.manifest)

    def store_at(self, op: Operation, *, like: StoreContent = ABSENT) -> StoreContent:
        """Exactly what the live store held after an operation; absent before it was ever seen."""
        return self.content(op.store, op, like=like) if op.store else ABSENT

    def message(self, commit: str) -> str:
        """The message of a commit: of a candidate, the report."""
        return self.objects.commit(self._whole(commit)).message

    def history(self, path: str) -> Iterator[tuple[str, Operation | None, bytes | None]]:
        """The versions of one file along ``refs/heads/store``, newest first.

        Each is the commit that brought it, the operation that first recorded that commit as the live store, and the
        content (None where the file went).
        """
        recorded = {op.store: op for op in self.operations() if op.store}
        commit = read_ref(self.git_dir, STORE)
        while commit:
            known = self.objects.commit(commit)
            before = known.parents[0] if known.parents else None
            blob = self.blob(commit, path)
            if blob != (self.blob(before, path) if before else None):
                yield commit, recorded.get(commit), self.objects.read(blob, "blob") if blob else None
            commit = before

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

    def derived_ref_problems(self) -> tuple[str, ...]:
        """The names of derived refs that are not as the newest operation says."""
        return tuple(self._derived.wrong())

    def derived_mark(self) -> str | None:
        """The operation up to which the derived refs were set; it outlives the log's own ref."""
        return self._derived.marked()

    def problems(self, *, full: bool) -> tuple[Problem, ...]:
        """Everything wrong with this vault; ``full`` reads every object and asks git's own fsck."""
        from memgit.vault.integrity import check

        return check(self, full=full)

    def looks(self, *, full: bool) -> tuple[Look, ...]:
        """The parts of that check, to be made one after the other."""
        from memgit.vault.integrity import looks

        return looks(self, full=full)

    def check_witness(self) -> Standing:
        """Whether the vault still holds all operations that its witness has seen."""
        return standing(self.log, read_witness(self.witness))

    def was_put_back(self) -> bool:
        """Whether the vault lacks operations that its witness has seen."""
        return self.check_witness() is Standing.BEHIND

    def publish_head(self) -> None:
        """Write again what readers that must start fast look at."""
        from memgit.vault import engine, head

        operation = self.head()
        if operation:
            with durable.explained(self.folder, engine.FAILURES):
                head.publish(self, operation)

    def pack(self) -> int:
        """Put loose objects into a pack; returns how many."""
        from memgit.vault import engine, packing

        with self.lock("pack"), durable.explained(self.folder, engine.FAILURES):
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
        from memgit.vault.remotes import Remotes

        return Remotes(self.private)

    @property
    def transport(self) -> Transport:
        """Carries this vault's history to and from other repositories."""
        from memgit.vault.transport import Transport

        return Transport(self.git_dir, self.objects)

    def texts_beyond(self, known: Iterable[str], tips: Iterable[str]) -> Iterator[Text]:
        """Every text that commits reach and known ones do not, each once."""
        from memgit.vault.texts import Texts

        texts = Texts(self.objects)
        texts.pass_over(known)
        return texts.below(tips)

    def texts(self) -> Iterator[Text]:
        """Every text that the vault's refs reach, each once."""
        from memgit.vault.texts import Texts

        tips = (target for name, target in all_refs(self.git_dir).items() if target and not name.startswith(TAGS))
        return Texts(self.objects).below(tips)

    @cached_property
    def _derived(self) -> DerivedRefs:
        return DerivedRefs(self.git_dir, self.private / "derived", self.objects, self.log)

    def _publish(self, transaction: Transaction, base: Base) -> Operation:
        from memgit.vault.publish import Moved, publish

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
        from memgit.vault import packing
        from memgit.vault.engine import FAILURES
        from memgit.vault.head import publish

        with contextlib.suppress(Damaged, *FAILURES):
            bear_witness(self.witness, seen, stood, operation, self.folder)
        with contextlib.suppress(Damaged, *FAILURES):
            publish(self, operation)
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

    def _commit_of(self, at: Operation | None) -> str:
        operation = at or self.head()
        if operation is None:
            raise WrongState(f"the vault {self.folder} has no operation yet", "`memgit snapshot` makes the first")
        return operation.commit

    def blob(self, commit: str, path: str) -> str | None:
        """The name of one file's content in what a store or candidate commit holds; None where it is not there."""
        entry = self.objects.find(self.objects.commit(commit).tree, tree_path(path))
        return entry.oid if entry else None

    def _whole(self, commit: str) -> str:
        if not _HASH.fullmatch(commit):
            raise WrongState(f"{commit!r} is no commit of the vault", "`memgit log` and `memgit log --ops` show commits")
        return commit


def _beaten() -> VaultLocked:
    return VaultLocked("another program moved the vault's operation log meanwhile", "Try again")
