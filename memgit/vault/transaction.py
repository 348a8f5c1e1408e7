"""One operation in the making: everything it changes becomes visible with one move of one ref."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC
from pathlib import Path

from memgit import files
from memgit.errors import Damaged, MemgitError, WrongState
from memgit.faults import point
from memgit.model.history import Operation, PassHeader, PassState
from memgit.model.store import StoreContent
from memgit.vault.gitobjects import FILE, FOLDER, Commit, Entry, speakable
from memgit.vault.layout import explained
from memgit.vault.log import Log, encode_header, encode_operation, pass_folder
from memgit.vault.objects import Objects
from memgit.vault.refs import LOG, STORE, STRAYS, all_refs, branch, encode_refs, is_derived, keep
from memgit.vault.snapshot import Snapshot, same_content, snapshot_of, tree_path, write_content


@dataclass(frozen=True, slots=True)
class Base:
    """What a transaction starts from: the newest operation (None in a new vault) and the pass ids given out."""

    head: Operation | None = None
    passes: int = 0

    @property
    def store(self) -> str | None:
        return self.head.store if self.head else None


@dataclass(frozen=True, slots=True)
class Draft:
    """An operation ready to be committed: its tree and parents, and the derived refs it changes."""

    operation: Operation
    tree: str
    parents: tuple[str, ...]
    message: str
    refs: Mapping[str, str | None] = field(default_factory=dict)


class Transaction:
    """Collects what one operation changes. Made by ``Vault.transaction``; nothing is visible before it ends."""

    operation: Operation
    """The operation as recorded; there after the ``with`` block."""

    def __init__(self, objects: Objects, log: Log, base: Base, draft: Operation, who: Mapping[str, str]) -> None:
        self._objects = objects
        self._log = log
        self._base = base
        self._passes = base.passes
        self._who = who
        self._files: dict[str, str] = {}
        self._brought: list[str] = []
        self._refs: dict[str, str | None] = {}
        self.operation = draft

    def new_pass_id(self) -> str:
        """An id no pass of this vault ever had: the date (UTC) and the vault's counter."""
        self._passes += 1
        return f"{self.operation.time.astimezone(UTC):%Y-%m-%d}.{self._passes}"

    def set_store(
        self, content: StoreContent, message: str, *, merge_parent: str | None = None, fingerprint: str
    ) -> str:
        """Record the live store as it is; returns its commit on ``refs/heads/store``.

        The same content as at its tip gives that commit and no new one (times are recorded with the operation).
        ``merge_parent`` is a candidate that went into the store.
        """
        tip = self.operation.store
        before = self._objects.commit(tip) if tip else None
        taken = write_content(self._objects, content)
        known = snapshot_of(before) if before else None
        merged = merge_parent is None or (tip is not None and self._descends(tip, merge_parent))
        if tip and merged and same_content(self._objects, known, taken):
            commit = tip
        else:
            commit = self._commit(taken, message, [parent for parent in (tip, merge_parent) if parent])
        self._store_is(commit, taken.manifest, fingerprint)
        return commit

    def fast_forward_store(self, commit: str, fingerprint: str) -> None:
        """Let the store be a commit that descends from its tip. Raises `WrongState` when it does not."""
        tip = self.operation.store
        if tip and not self._descends(commit, tip):
            raise WrongState(f"{commit[:12]} does not follow the recorded store {tip[:12]}", "Merge them first")
        manifest = self._objects.commit(commit).manifest
        self._store_is(commit, manifest, fingerprint)

    def put_candidate(
        self, pass_id: str, content: StoreContent, message: str, parent: str, *, merged: str | None = None
    ) -> str:
        """Commit a pass's candidate, or the next revision of it; its branch and its keep ref point to it.

        ``merged`` is a commit made elsewhere that the revision takes in.
        """
        taken = write_content(self._objects, content)
        commit = self._commit(taken, message, [parent, *([merged] if merged else [])])
        self._put(f"{pass_folder(pass_id)}/manifest.json", taken.manifest)
        self._point(pass_id, {keep(pass_id): commit, branch(pass_id): commit})
        return commit

    def put_header(self, header: PassHeader) -> None:
        """Record where a pass stands. A discarded pass loses its branch (its keep ref stays), any other has one."""
        self._put_file(f"{pass_folder(header.id)}/header.json", encode_header(header))
        if header.candidate is None:
            return
        gone = header.state is PassState.DISCARDED
        kept = self._refs_of(header.id).get(keep(header.id), header.candidate)
        self._point(header.id, {keep(header.id): kept, branch(header.id): None if gone else header.candidate})

    def put_record(self, pass_id: str, name: str, data: bytes) -> None:
        """Keep a named record of a pass (``plan.json``)."""
        self._put_file(f"{pass_folder(pass_id)}/records/{tree_path(name)}", data)

    def draft(self, base: Base) -> Draft:
        """The operation on top of ``base``, all its objects written."""
        operation = replace(self.operation, number=(base.head.number if base.head else 0) + 1)
        described = encode_operation(operation, self._passes, self._who)
        written = {**self._files, "operation.json": self._objects.write("blob", described)}
        parents = [base.head.commit] if base.head else []
        return Draft(
            operation=operation,
            tree=graft(self._objects, self._inherited(base), written),
            parents=tuple(dict.fromkeys([*parents, *self._brought])),
            message=f"{operation.subject}\n\nMemgit-Operation: {operation.id}\nMemgit-Kind: {operation.kind}\n",
            refs=self._refs,
        )

    def _inherited(self, base: Base) -> dict[str, Entry]:
        """The tree of the operation before, without the manifests of what only that one brought."""
        if base.head is None:
            return {}
        tree = self._objects.tree(self._objects.commit(base.head.commit).tree)
        return {name: entry for name, entry in tree.items() if name != "manifests"}

    def _commit(self, taken: Snapshot, message: str, parents: Sequence[str]) -> str:
        time = self.operation.time
        commit = self._objects.write_commit(Commit(taken.tree, tuple(parents), time, message, taken.manifest))
        self._brought.append(commit)
        return commit

    def _store_is(self, commit: str, manifest: str | None, fingerprint: str) -> None:
        self.operation = replace(self.operation, store=commit, fingerprint=fingerprint)
        self._put_file("refs", encode_refs({STORE: commit}))
        if manifest:
            self._put("manifest.json", manifest)
        self._refs[STORE] = commit

    def _descends(self, commit: str, ancestor: str) -> bool:
        return is_ancestor(self._objects, ancestor, commit)

    def _refs_of(self, pass_id: str) -> dict[str, str]:
        """The refs of a pass as they are to be after this operation."""
        head = self._base.head
        recorded = self._log.refs_in(head.commit, f"{pass_folder(pass_id)}/refs") if head else {}
        now: dict[str, str | None] = {**recorded}
        now |= {name: self._refs[name] for name in (keep(pass_id), branch(pass_id)) if name in self._refs}
        return {name: target for name, target in now.items() if target}

    def _point(self, pass_id: str, targets: Mapping[str, str | None]) -> None:
        self._refs |= targets
        self._put_file(f"{pass_folder(pass_id)}/refs", encode_refs(self._refs_of(pass_id)))

    def _put_file(self, path: str, data: bytes) -> None:
        self._put(path, self._objects.write("blob", data))

    def _put(self, path: str, blob: str) -> None:
        self._files[path] = blob


def begin(objects: Objects, log: Log, base: Base, draft: Operation, who: Mapping[str, str]) -> Transaction:
    """A transaction that starts from what ``base`` says of the store."""
    fingerprint = base.head.fingerprint if base.head else None
    subject = speakable(draft.subject)
    return Transaction(
        objects, log, base, replace(draft, subject=subject, store=base.store, fingerprint=fingerprint), who
    )


def graft(objects: Objects, tree: Mapping[str, Entry], blobs: Mapping[str, str]) -> str:
    """Write a tree with some files replaced: path → blob. What is beside them is shared, not read."""
    entries = dict(tree)
    below: dict[str, dict[str, str]] = {}
    for path, blob in blobs.items():
        folder, _, rest = path.partition("/")
        if rest:
            below.setdefault(folder, {})[rest] = blob
        else:
            entries[folder] = Entry(FILE, blob)
    for folder, inner in below.items():
        old = objects.tree(entries[folder].oid) if folder in entries else {}
        entries[folder] = Entry(FOLDER, graft(objects, old, inner))
    return objects.write_tree(entries)


def is_ancestor(objects: Objects, ancestor: str, commit: str) -> bool:
    """Whether ``ancestor`` is ``commit`` or comes before it."""
    seen: set[str] = set()
    waiting = [commit]
    while waiting:
        current = waiting.pop(0)
        if current == ancestor:
            return True
        if current not in seen:
            seen.add(current)
            waiting += objects.commit(current).parents
    return False


# --- publishing ---
# A drafted operation becomes real: its objects are made durable first, then the log's ref moves.


class Moved(Exception):
    """The log is not where the draft starts from: somebody without the lock wrote to it."""


def publish(git_dir: Path, objects: Objects, log: Log, draft: Draft) -> str:
    """Commit a draft to the operation log and return the commit.

    Raises `Moved` when the log moved meanwhile and `MemgitError` when it could not be written; the operation has
    then not happened.
    """
    from memgit.vault import engine

    for oid in (draft.tree, *draft.parents):
        if problem := objects.fault(oid):  # libgit2 is about to look at it
            raise Damaged(problem, "Run `memgit check --full`")
    try:
        point("objects written")
        files.sync_file_system(git_dir)
        point("objects durable")
        commit = engine.commit_onto(git_dir, LOG, draft.tree, draft.parents, draft.message, draft.operation.time)
        point("log moved")
    except engine.FAILURES as cause:
        return _what_happened(objects, log, draft, cause)
    return commit


def _what_happened(objects: Objects, log: Log, draft: Draft, cause: Exception) -> str:
    """The commit of the draft if the log holds it in spite of the error; the last sync may be what failed."""
    tip = log.tip()
    expected = draft.parents[0] if draft.parents else None
    if tip and tip != expected:
        commit = objects.commit(tip)
        if (commit.tree, commit.parents) == (draft.tree, draft.parents):
            return tip
        raise Moved from cause
    raise MemgitError(
        f"the vault could not record the operation {draft.operation.subject!r}: {cause}",
        "Nothing was changed. Make room or make the vault writable, then try again",
    ) from cause


# --- derived refs ---
# The refs that the operation log determines: set after each operation, put right when they are not as it says.


class DerivedRefs:
    """The refs that the newest operation determines. A mark in the vault's folder says how far they have followed."""

    def __init__(self, git_dir: Path, mark: Path, objects: Objects, log: Log) -> None:
        self._git_dir = git_dir
        self._mark = mark
        self._objects = objects
        self._log = log

    def follow(self, draft: Draft, tip: str) -> None:
        """Set what a published draft changed. What fails now is made good by the next writing command."""
        from memgit.vault import engine

        with contextlib.suppress(MemgitError, *engine.FAILURES):
            if draft.parents and draft.parents[0] != self.marked():
                self.repair()
                return
            engine.set_refs(self._git_dir, draft.refs)
            point("derived refs set")
            self._done(tip)

    def catch_up(self) -> None:
        """Repair them if they are not as the newest operation says: it may have been cut short before it set them."""
        tip = self._log.tip()
        if tip and (self.marked() != tip or self.wrong()):
            self.repair()

    def marked(self) -> str | None:
        """The operation up to which they are done."""
        try:
            return self._mark.read_text("ascii").strip()
        except (OSError, ValueError):
            return None

    def wrong(self) -> dict[str, str | None]:
        """The derived refs that are not as recorded, each with the target it should have (None: it should not be)."""
        tip = self._log.tip()
        wanted = self._log.refs(tip) if tip else {}
        actual = all_refs(self._git_dir)
        names = {name for name in actual if is_derived(name)} | set(wanted)
        return {
            name: wanted.get(name)
            for name in sorted(names)
            if (name in actual, actual.get(name)) != (name in wanted, wanted.get(name))
        }

    def repair(self) -> tuple[str, ...]:
        """Put them right and return the names of those that were wrong. Commits of others are kept as strays."""
        from memgit.vault import engine

        tip = self._log.tip()
        wrong = self.wrong()
        with explained(self._git_dir, engine.FAILURES):
            engine.set_refs(self._git_dir, {**self._strays(tip, wrong), **wrong})
            point("derived refs repaired")
            if tip:
                self._done(tip)
        return tuple(wrong)

    def _strays(self, tip: str | None, wrong: Mapping[str, str | None]) -> dict[str, str | None]:
        actual = all_refs(self._git_dir)
        targets = {target for name in wrong if (target := actual.get(name))}
        return {STRAYS + target[:16]: target for target in sorted(targets) if self._is_stray(tip, target)}

    def _is_stray(self, tip: str | None, target: str) -> bool:
        if self._objects.fault(target):
            return False
        return tip is None or not is_ancestor(self._objects, target, tip)

    def _done(self, tip: str) -> None:
        files.replace_file(self._mark, f"{tip}\n".encode())
        point("mark set")
