"""What every lifecycle verb works with, and how a change is carried out so that it survives being cut short."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from memgit import files
from memgit.errors import MemgitError
from memgit.evidence.findings import printable_name
from memgit.memory.fingerprint import fingerprint
from memgit.model.history import Operation, OpKind, PassHeader, PassState, Paths
from memgit.model.store import ABSENT, StoreContent

if TYPE_CHECKING:
    from memgit.model.session import LiveSession
    from memgit.model.travel import Installed
    from memgit.ports import Clock, StoreInstaller, StoreReader
    from memgit.ports.vault import Transaction, Vault


@dataclass(frozen=True)
class Desk:
    """Everything a lifecycle verb needs.

    ``free_paths`` names three places that nothing has, for a new candidate. ``sessions`` gives the
    agent sessions that are running on the store's project. ``narrow(desk, header, only, without)`` makes
    a revision of the candidate that holds some of its decisions. ``drops`` counts the memories
    that a pass removes and leaves no survivor of. ``caller`` is the agent session that runs memgit.
    """

    store: StoreReader
    vault: Vault
    installer: StoreInstaller
    clock: Clock
    free_paths: Callable[[], Paths]
    sessions: Callable[[], Sequence[LiveSession]]
    narrow: Callable[[Desk, PassHeader, Sequence[str], Sequence[str]], PassHeader]
    drops: Callable[[PassHeader], int]
    caller: str | None = None

    @property
    def live(self) -> Path:
        """The store's real path: a link to a store stays a link."""
        return Path(os.path.realpath(self.store.resolution.path))


@dataclass(frozen=True)
class Done:
    """What a verb did, in one sentence, and how to take it back. ``notes`` are further sentences."""

    did: str
    undo_hint: str
    operation: Operation | None = None
    superseded: Path | None = None
    notes: tuple[str, ...] = ()


# --- one change, and its record in the journal ---


@dataclass(frozen=True)
class HeaderChange:
    """Where a pass stands afterwards: as at operation ``as_of`` (empty: as now), but for state and paths."""

    pass_id: str
    state: PassState
    as_of: str = ""
    paths: Paths | None = None


@dataclass(frozen=True)
class Change:
    """All that one verb does to the vault and to the folders beside the store.

    It is kept in the journal while it is carried out, so it holds names and no content. ``after`` is
    the number of the newest operation before it, ``commit`` the vault's commit of the new store where
    there is one, ``removes`` are folders and files of passes, ``lays_out`` passes whose candidate is
    put beside the store again.
    """

    kind: OpKind
    subject: str
    after: int
    pass_id: str | None = None
    target: str | None = None
    commit: str | None = None
    headers: tuple[HeaderChange, ...] = ()
    removes: tuple[str, ...] = ()
    lays_out: tuple[str, ...] = ()
    details: Mapping[str, str] = field(default_factory=dict)


def carry_out(desk: Desk, change: Change, before: StoreContent, content: StoreContent) -> Done:
    """Install ``content`` where the live store is ``before``, record the change, clear up; or change nothing.

    Under the vault's lock. Raises what the installer raises.
    """
    if not content.exists and before.foreign:
        content = StoreContent()  # what other tools keep there stays, and so does the folder
    if same_store(content, before):
        desk.installer.begin(asdict(change))
        return complete(desk, change, content, None)
    installed = desk.installer.install(desk.live, before, content, asdict(change), tuple(_at_hand(desk, change)))
    return complete(desk, change, _installed_content(desk, content), installed)


def _at_hand(desk: Desk, change: Change) -> Iterator[Path]:
    """The folders that go with this change in any case: a candidate's own, and the last copy of a former store."""
    yield from map(Path, change.removes)
    yield from islice(_superseded(desk), 1)


@contextmanager
def announced(desk: Desk, change: Change) -> Iterator[None]:
    """Record a change inside, and then do what it asks for beside the store. A recovery does that as well where the
    change is recorded, and nothing where it is not."""
    desk.installer.begin(asdict(change))
    yield
    _clear_up(desk, change, None)
    desk.installer.close()


def same_store(one: StoreContent, other: StoreContent) -> bool:
    """Whether two stores are equal, empty folders included, times not."""
    return fingerprint(one) == fingerprint(other) and one.folders == other.folders


def _installed_content(desk: Desk, content: StoreContent) -> StoreContent:
    """What was installed. A store that had to go in place has left an empty folder."""
    return content if content.exists or not desk.live.exists() else StoreContent()


def complete(desk: Desk, change: Change, content: StoreContent, installed: Installed | None) -> Done:
    """Record a change that is installed, unless it is recorded already, and clear up after it."""
    operation = recorded(desk, change) or _record(desk, change, content, installed)
    left = _clear_up(desk, change, installed)
    desk.installer.close()
    return Done(
        did=change.subject,
        undo_hint=said_of(desk, f"memgit undo {operation.id}"),
        operation=operation,
        superseded=installed.superseded if installed else None,
        notes=(*_notes(installed), *left),
    )


def said_of(desk: Desk, command: str) -> str:
    """A command as it is typed for the store at this desk."""
    return desk.store.resolution.said(command)


def recorded(desk: Desk, change: Change) -> Operation | None:
    """The operation of a change whose verb was cut short after it had been recorded."""
    for operation in desk.vault.operations():
        if operation.number <= change.after:
            return None
        if operation.kind is change.kind:
            return operation
    return None


def _record(desk: Desk, change: Change, content: StoreContent, installed: Installed | None) -> Operation:
    if installed and installed.late:
        record_late(desk, installed.late)
    details = {**change.details, **_details(installed)}
    with desk.vault.transaction(
        change.kind, change.subject, pass_id=change.pass_id, target=change.target, details=details
    ) as transaction:
        if installed:
            _set_store(desk, transaction, change, content)
        for header in change.headers:
            _set_header(desk, transaction, header)
    return transaction.operation


def _details(installed: Installed | None) -> Mapping[str, str]:
    if installed is None or not installed.way:
        return {}
    return {"way": installed.way} | ({"superseded": str(installed.superseded)} if installed.superseded else {})


def record_late(desk: Desk, late: StoreContent) -> None:
    """Keep what was written into the old store while it was being replaced."""
    with desk.vault.transaction(OpKind.EXTERNAL, "written while the store was being replaced") as transaction:
        transaction.set_store(late, "Written while the store was being replaced", fingerprint=fingerprint(late))


def _set_store(desk: Desk, transaction: Transaction, change: Change, content: StoreContent) -> None:
    """Let the recorded store follow: along the candidate's branch where it grew from the store's tip."""
    mark = fingerprint(content)
    if change.kind is OpKind.ADOPT and change.pass_id and change.commit:
        header = desk.vault.pass_header(change.pass_id)
        if header.snapshot == transaction.operation.store:
            transaction.fast_forward_store(change.commit, mark)
            return
        transaction.set_store(content, change.subject, fingerprint=mark, merge_parent=change.commit)
        return
    transaction.set_store(content, change.subject, fingerprint=mark)


def _set_header(desk: Desk, transaction: Transaction, change: HeaderChange) -> None:
    at = desk.vault.operation(change.as_of) if change.as_of else None
    header = desk.vault.pass_header(change.pass_id, at)
    transaction.put_header(replace(header, state=change.state, paths=change.paths or header.paths))
    for name in desk.vault.records(change.pass_id, at) if at else ():
        record = desk.vault.record(change.pass_id, name, at)
        if record is not None and record != desk.vault.record(change.pass_id, name):
            transaction.put_record(change.pass_id, name, record)


def _notes(installed: Installed | None) -> tuple[str, ...]:
    if installed is None:
        return ()
    late = ("Something was written into the old store while it was being replaced; it is recorded.",)
    kept = tuple(f"{printable_name(path)} was written meanwhile and is left as it is." for path in installed.kept)
    return (*installed.notes, *(late if installed.late else ()), *kept)


# --- clearing up beside the store ---


def _clear_up(desk: Desk, change: Change, installed: Installed | None) -> tuple[str, ...]:
    """Do what a change asks for beside the store; a sentence for each folder that stays against that."""
    unsaved = [name for name in change.removes if _is_unsaved(desk, name)]
    for name in change.removes:
        if name not in unsaved:
            remove_own(Path(name))
    for pass_id in change.lays_out:
        lay_out(desk, desk.vault.pass_header(pass_id))
    if installed and installed.superseded:
        _retire(desk, installed.superseded)
    return tuple(f"{printable_name(name)} was edited a moment ago, and is left where it is." for name in unsaved)


def _is_unsaved(desk: Desk, name: str) -> bool:
    """Whether the folder of a candidate holds what the vault does not: an edit made while the change was. A change that
    makes a revision leaves the one before in the folder, and the vault has that."""
    passes = {header.id for header in desk.vault.passes() if header.paths.candidate == name}
    if not passes or not Path(name).is_dir():
        return False
    found = desk.installer.read(Path(name))
    known = (desk.vault.content(commit, like=found) for commit in _revisions(desk, passes))
    return all(fingerprint(content) != fingerprint(found) for content in known)


def _revisions(desk: Desk, passes: Collection[str]) -> Iterator[str]:
    """The candidates that passes have had, the newest first."""
    operations = (each for each in desk.vault.operations() if each.pass_id in passes)
    commits = (desk.vault.pass_header(each.pass_id or "", each).candidate for each in operations)
    return (commit for commit in dict.fromkeys(commits) if commit)


def remove_own(path: Path) -> None:
    """Remove a folder or file of a pass. What cannot be removed is left: the pass is over either way."""
    with suppress(MemgitError, OSError):
        if path.is_file():
            files.remove_file(path)
        else:
            files.remove_tree(path)  # also what is left of one that was being removed


def lay_out(desk: Desk, header: PassHeader) -> None:
    """Put the candidate and the report of a pass beside the store, where nothing has their names."""
    if header.candidate is None:
        return
    candidate, report = Path(header.paths.candidate), Path(header.paths.report)
    if not os.path.lexists(candidate):
        content = desk.vault.content(header.candidate)
        files.build_tree(candidate, content, apart=content.files)
    if not os.path.lexists(report):
        files.write_atomic(report, desk.vault.message(header.candidate).encode("utf-8", "replace"))


def _retire(desk: Desk, newest: Path) -> None:
    """Remove the superseded copy before the newest, if memgit made it and the vault holds all of it."""
    former = next((path for path in _superseded(desk) if path != newest), None)
    if former is None or former.is_symlink() or former.is_file():
        return
    if not former.exists():
        files.remove_tree(former)  # what is left of it, if removing it was cut short
        return
    content = desk.installer.read(former)
    if not (content.foreign or content.special) and is_kept(desk, fingerprint(content)):
        files.remove_tree(former)


def _superseded(desk: Desk) -> Iterator[Path]:
    return (Path(name) for each in desk.vault.operations() if (name := each.details.get("superseded")))


def is_kept(desk: Desk, mark: str) -> bool:
    """Whether the vault holds a store with this fingerprint."""
    return any(operation.fingerprint == mark for operation in desk.vault.operations())


def store_at(desk: Desk, operation: Operation | None, *, like: StoreContent = ABSENT) -> StoreContent:
    """The live store as it was after an operation; what is ``like`` one in hand need not be read."""
    return ABSENT if operation is None or operation.store is None else desk.vault.store_at(operation, like=like)


def newest(desk: Desk) -> int:
    """The number of the newest operation, 0 before the first."""
    head = desk.vault.head()
    return head.number if head else 0


def own_paths(desk: Desk, header: PassHeader) -> Iterator[str]:
    """What lies beside the store for a pass: nothing, where a later pass has taken the names over."""
    if owns_its_folder(desk, header):
        yield from (header.paths.candidate, header.paths.report, header.paths.digests)


def owns_its_folder(desk: Desk, header: PassHeader) -> bool:
    """Only a pass that waits for a decision has a folder; of two with one name it is the later one's."""
    if not header.state.waits:
        return False
    rivals = (each for each in desk.vault.passes() if each.paths.candidate == header.paths.candidate)
    return not any(_number(each) > _number(header) for each in rivals if each.state.waits)


def _number(header: PassHeader) -> tuple[int, str]:
    """Passes in the order in which they were begun: ids end in the vault's counter."""
    tail = header.id.rpartition(".")[2]
    return (int(tail) if tail.isdigit() else 0, header.id)
