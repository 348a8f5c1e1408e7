"""Puts right what can be put right in a damaged vault, from what it still holds, its witness, and the live store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from memgit import files, process
from memgit.errors import Damaged, ToolFailed
from memgit.model.history import Operation
from memgit.model.store import StoreContent
from memgit.ports import Clock
from memgit.vault import engine, layout, packs
from memgit.vault.layout import explained
from memgit.vault.log import read_witness
from memgit.vault.packs import whole_objects
from memgit.vault.refs import LOG, all_refs, is_derived
from memgit.vault.repository import Vault
from memgit.vault.snapshot import write_content


def repair(folder: Path, *, clock: Clock, who: Mapping[str, str], live: StoreContent | None = None) -> tuple[str, ...]:
    """Repair a vault and return a sentence for each thing done; none when nothing was wrong.

    ``live`` is the live store: what it still holds replaces damaged objects of the same content. Nothing readable is
    removed. What stays wrong is for ``integrity.check`` to say.
    """
    vault = Vault(folder, clock=clock, who=who)
    with vault.lock("repair", as_it_is=True), explained(folder, engine.FAILURES):
        layout.lay_out(folder)
        return (*_packs(vault), *_objects(vault), *_from_live(vault, live), *_log(vault), *_refs(vault))


def _packs(vault: Vault) -> Iterator[str]:
    """From a broken pack, what is still whole is taken out; the pack itself goes aside, where nothing reads it.

    libgit2 dies of some broken packs, so this comes before anything is read.
    """
    folder = vault.git_dir / "objects" / "pack"
    for pack in sorted({*folder.glob("*.pack"), *(index.with_suffix(".pack") for index in folder.glob("*.idx"))}):
        if not packs.fault(pack):
            continue
        aside = files.free_name(vault.private / "broken-packs" / pack.stem)
        files.make_private_folder(aside)
        for part in sorted(folder.glob(f"{pack.stem}.*")):
            part.rename(aside / part.name)
        vault.objects.forget()
        yield f"Of the broken pack {pack.name}, {_taken_out(vault, aside / pack.name)}; it is kept in {aside}."


def _taken_out(vault: Vault, pack: Path) -> str:
    """Take out what the index leads to, and what git finds without one."""
    before = sum(1 for _ in vault.objects.loose())
    with suppress(OSError):
        for kind, data in whole_objects(pack):
            vault.objects.write(kind, data)
    with suppress(ToolFailed, FileNotFoundError):
        process.git(["unpack-objects", "-r", "-q"], git_dir=vault.git_dir, stdin=pack.read_bytes(), timeout=300)
    found = sum(1 for _ in vault.objects.loose()) - before
    return f"{found} object{'' if found == 1 else 's'} could be taken out"


def _objects(vault: Vault) -> Iterator[str]:
    """Damaged loose objects of which a pack has a sound copy, and damaged helper files, only stand in the way."""
    for oid in list(vault.objects.loose()):
        if not vault.objects.is_sound(oid) and vault.objects.is_packed(oid):
            vault.objects.loose_path(oid).unlink()
            yield f"The object {oid} is read from its pack again."
    for extra in packs.extras(vault.git_dir / "objects" / "pack"):
        if packs.sum_fault(extra):
            extra.unlink()
            yield f"The damaged file {extra.name}, which git can do without, is gone."


def _from_live(vault: Vault, live: StoreContent | None) -> Iterator[str]:
    if live is None:
        return
    damaged = [oid for oid in vault.objects.loose() if not vault.objects.is_sound(oid)]
    write_content(vault.objects, live)
    for oid in damaged:
        if vault.objects.is_sound(oid):
            yield f"The object {oid} was written again from the live store."


def _log(vault: Vault) -> Iterator[str]:
    """A log that lost its ref, or whose newest operation cannot be read, goes back to the newest that can."""
    if _readable(vault, _tip(vault)):
        return
    newest = max(_known(vault), key=lambda operation: operation.number, default=None) or _newest_stored(vault)
    if newest is None:
        raise Damaged(
            f"no operation of the vault {vault.folder} can be read",
            "Restore the folder from a backup; or move it away, and `memgit snapshot` begins anew with the live store",
        )
    engine.set_refs(vault.git_dir, {LOG: newest.commit})
    yield f"The operation log stands at {newest.id} ({newest.subject}) again."


def _tip(vault: Vault) -> str | None:
    try:
        return vault.log.tip()
    except Damaged:
        return None


def _known(vault: Vault) -> Iterator[Operation]:
    """The operations that the mark of the derived refs and the witness remember, if they can be read."""
    try:
        seen = read_witness(vault.witness)
    except Damaged:
        seen = None
    for commit in (vault.derived_mark(), seen.tip if seen else None):
        if operation := _readable(vault, commit):
            yield operation


def _newest_stored(vault: Vault) -> Operation | None:
    """The operation with the highest number among all commits of the vault."""
    oids = {*vault.objects.loose(), *vault.objects.packed()}
    found = (operation for oid in sorted(oids) if (operation := _readable(vault, oid)))
    return max(found, key=lambda operation: operation.number, default=None)


def _readable(vault: Vault, commit: str | None) -> Operation | None:
    """The operation of a commit, if it and what it says of all refs can be read: without that nothing can go on."""
    try:
        if commit is None:
            return None
        vault.log.refs(commit)
        return vault.log.read(commit)
    except Damaged:
        return None


def _refs(vault: Vault) -> Iterator[str]:
    for name, target in all_refs(vault.git_dir).items():
        if target is None and not is_derived(name) and name != LOG:
            (vault.git_dir / name).unlink()
            yield f"The ref {name}, which held no object name, is gone."
    for name in vault.repair_refs():
        yield f"The ref {name} is where the log says."
