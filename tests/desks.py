"""A desk over a real vault and a real folder, for tests of the lifecycle."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from memgit import files
from memgit.errors import MemgitError
from memgit.files import Journal
from memgit.flows.desk import Desk
from memgit.flows.observe import observe
from memgit.flows.recovery import at_work
from memgit.memory.fingerprint import fingerprint
from memgit.model.history import Mode, OpKind, PassHeader, PassKind, PassState, Paths
from memgit.model.store import Resolution, StoreContent, StoreFile
from memgit.stores.directory import DirectoryStore
from memgit.stores.install import WAYS, Installer, Way
from memgit.vault import Vault

OLD = {
    "MEMORY.md": "# Memory\n\n- [Retry budget](retry-budget.md) — three tries\n- [Deploys](deploys.md) — on Tuesdays\n",
    "retry-budget.md": "---\nname: retry-budget\ndescription: three tries\ntype: project\n---\n\nThree tries.\n",
    "deploys.md": "---\nname: deploys\ndescription: on Tuesdays\ntype: project\n---\n\nOn Tuesdays.\n",
    "team/oncall.md": "---\nname: oncall\ndescription: who\ntype: project\n---\n\nMira.\n",
}
NEW = {
    "MEMORY.md": "# Memory\n\n- [Retry budget](retry-budget.md) — five tries\n- [Tests](tests.md) — run them first\n",
    "retry-budget.md": "---\nname: retry-budget\ndescription: five tries\ntype: project\n---\n\nFive tries.\n",
    "tests.md": "---\nname: tests\ndescription: run them first\ntype: feedback\n---\n\nRun them first.\n",
    "team/oncall.md": OLD["team/oncall.md"],
}


@contextmanager
def quick_place(otherwise: Path) -> Iterator[Path]:
    """A folder in memory where there is one: what is brought to disk a thousand times should not wait for a disk."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield otherwise
        return
    with TemporaryDirectory(dir=memory, prefix="memgit-tests-") as folder:
        yield Path(folder)


def content(texts: Mapping[str, str], **facts: Any) -> StoreContent:
    """A store of these texts."""
    return StoreContent({path: StoreFile(path, text.encode()) for path, text in sorted(texts.items())}, **facts)


def texts(store: StoreContent) -> dict[str, str]:
    return {path: file.data.decode() for path, file in store.files.items()}


def read_folder(folder: Path) -> StoreContent:
    """Everything that a folder holds, read as a store."""
    return DirectoryStore(Resolution(str(folder), "test")).read()


@dataclass(frozen=True)
class Ticking:
    """A clock that goes on by a second with each operation of a vault that exists."""

    folder: Path

    def __call__(self) -> datetime:
        marks = len(list(self.folder.glob("objects/*/*")))
        return datetime(2026, 11, 29, 12, tzinfo=UTC) + timedelta(seconds=marks)


def desk_over(store: Path, vault_folder: Path, ways: Sequence[Way] = WAYS, **facts: Any) -> Desk:
    """A desk for the store; its vault is made if it is not there."""
    clock = Ticking(vault_folder)
    vault = Vault.create(
        vault_folder, str(store), clock=clock, who={"host": "test"}, witness=vault_folder.parent / "witness.json"
    )
    reader = DirectoryStore(Resolution(str(store), "--store"))
    installer = Installer(read_folder, Journal(vault.private / "journal.json"), tuple(ways))
    plain = {"sessions": tuple, "narrow": _cannot_narrow, "drops": lambda _: 0}
    return Desk(reader, vault, installer, clock, lambda: paths_beside(store), **{**plain, **facts})


def _cannot_narrow(_desk: Desk, header: PassHeader, _only: Sequence[str], _without: Sequence[str]) -> PassHeader:
    """No verdicts of a working tree are at hand here."""
    raise MemgitError(f"The decisions of pass {header.id} cannot be approved one by one.")


def paths_beside(store: Path) -> Paths:
    """Three names beside the store that nothing has."""
    for stem in _stems(store):
        names = (stem, stem.with_name(f"{stem.name}-REPORT.md"), stem.with_name(f"{stem.name}-session-digest"))
        if not any(os.path.lexists(name) for name in names):
            return Paths(*map(str, names))
    raise AssertionError


def _stems(store: Path) -> Iterator[Path]:
    base = store.with_name(f"{store.name}-candidate")
    yield base
    for number in range(2, 100):
        yield base.with_name(f"{base.name}-{number}")


def write(folder: Path, texts_: Mapping[str, str]) -> None:
    """Make a folder hold these texts, as an agent would write them."""
    for path, text in texts_.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def make_pass(desk: Desk, result: StoreContent, kind: PassKind = PassKind.CURATE) -> PassHeader:
    """A pass that read the store as it is and is ready to make it ``result``; laid out beside it."""
    with at_work(desk, "pass"):
        live = desk.store.read()
        snapshot = observe(desk.vault, live, fingerprint(live))
        paths = desk.free_paths()
        with desk.vault.transaction(OpKind.PASS, "curate") as transaction:
            new = transaction.new_pass_id()
            commit = transaction.put_candidate(new, result, "curate: a report\n\nBecause.\n", snapshot)
            header = PassHeader(new, kind, Mode.CURATE, PassState.READY, desk.clock(), snapshot, commit, paths)
            transaction.put_header(header)
        files.build_tree(Path(paths.candidate), result)
        files.write_atomic(Path(paths.report), b"Because.\n")
        files.make_private_folder(Path(paths.digests))
    return header


def like(store: StoreContent, texts_: Mapping[str, str]) -> StoreContent:
    """The store with these texts; files that stay as they are keep mode and time."""
    made = content(texts_)
    kept = {
        path: store.files[path] if path in store.files and store.files[path].data == file.data else file
        for path, file in made.files.items()
    }
    return replace(store, files=kept, exists=True)
