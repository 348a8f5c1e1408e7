"""What a vault holds, read without a lock and never in the way of a writer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memgit.errors import Damaged, WrongState
from memgit.model.history import Operation, PassHeader
from memgit.model.store import ABSENT, StoreContent
from memgit.vault import layout
from memgit.vault.log import Log, Standing, pass_folder, read_witness, standing
from memgit.vault.objects import Objects
from memgit.vault.refs import STORE, TAGS, all_refs, read_ref
from memgit.vault.snapshot import listing, read_content, tree_path
from memgit.vault.transaction import DerivedRefs

if TYPE_CHECKING:
    from memgit.model.travel import Text
    from memgit.vault.gitobjects import Entry

_HASH = re.compile("[0-9a-f]{40}")


class VaultReader:
    """One store's history: operations, passes and contents. There is no method that adds to it.

    Every method raises `Damaged` when an object it needs cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git_dir = folder
        self.private = folder / "memgit"
        self.objects = Objects(folder)
        self.log = Log(folder, self.objects)

    @property
    def store(self) -> str:
        """The path of the store whose vault this is."""
        return layout.read_about(self.private).store

    @property
    def witness(self) -> Path:
        """The file outside the vault that remembers its head."""
        return Path(layout.read_about(self.private).witness)

    def head(self) -> Operation | None:
        """The newest operation."""
        return self.log.head()

    def operations(self) -> Iterator[Operation]:
        """All operations, newest first."""
        return self.log.operations()

    def operation(self, id_or_prefix: str) -> Operation:
        """An operation by its id (``op12``) or the start of its commit hash. Raises `WrongState`."""
        return self.log.find(id_or_prefix)

    def operation_at(self, commit: str) -> Operation:
        """The operation that a commit is, of this vault's log or of a fetched one."""
        return self.log.read(commit)

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

    def derived_ref_problems(self) -> tuple[str, ...]:
        """The names of derived refs that are not as the newest operation says."""
        return tuple(self._derived.wrong())

    def derived_mark(self) -> str | None:
        """The operation up to which the derived refs were set; it outlives the log's own ref."""
        return self._derived.marked()

    def check_witness(self) -> Standing:
        """Whether the vault still holds all operations that its witness has seen."""
        return standing(self.log, read_witness(self.witness))

    def was_put_back(self) -> bool:
        """Whether the vault lacks operations that its witness has seen."""
        return self.check_witness() is Standing.BEHIND

    def texts_beyond(self, known: Iterable[str], tips: Iterable[str]) -> Iterator[Text]:
        """Every text that commits reach and known ones do not, each once."""
        from memgit.vault.rewrite import Texts

        texts = Texts(self.objects)
        texts.pass_over(known)
        return texts.below(tips)

    def texts(self) -> Iterator[Text]:
        """Every text that the vault's refs reach, each once."""
        from memgit.vault.rewrite import Texts

        tips = (target for name, target in all_refs(self.git_dir).items() if target and not name.startswith(TAGS))
        return Texts(self.objects).below(tips)

    @cached_property
    def _derived(self) -> DerivedRefs:
        return DerivedRefs(self.git_dir, self.private / "derived", self.objects, self.log)

    def _commit_of(self, at: Operation | None) -> str:
        operation = at or self.head()
        if operation is None:
            raise WrongState(f"the vault {self.folder} has no operation yet", "`memgit snapshot` makes the first")
        return operation.commit

    def blob(self, commit: str, path: str) -> str | None:
        """The name of one file's content in what a store or candidate commit holds; None where it is not there."""
        entry = self.objects.find(self.objects.commit(commit).tree, tree_path(path))
        return entry.oid if entry else None

    def tree(self, commit: str) -> str:
        """The name of what a store or candidate commit holds: equal for the same files."""
        return self.objects.commit(commit).tree

    def bytes_of(self, blob: str) -> bytes:
        """The content of a file, by the name that `blob` and `listing` give it."""
        return self.objects.read(blob, "blob")

    def holds(self, commit: str) -> bool:
        """Whether a commit, and every one before it, is there and can be read."""
        return self.objects.has_history(commit)

    def forget(self) -> None:
        """Believe nothing any more of what was read: objects have been replaced."""
        self.objects.forget()

    def _whole(self, commit: str) -> str:
        if not _HASH.fullmatch(commit):
            raise WrongState(
                f"{commit!r} is no commit of the vault", "`memgit log` and `memgit log --ops` show commits"
            )
        return commit
