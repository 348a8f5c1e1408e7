"""A store that was moved: its vault is found by what the store holds, and takes the name of the new place.

The folder of a vault is named after its store's path, so the commit point of a move is the rename of that folder;
what is in it is brought up to date after it, and again by the next command that writes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memgit import files
from memgit.errors import Unfinished, WrongState
from memgit.faults import point
from memgit.memory.stores import Record
from memgit.model.history import OpKind
from memgit.ports import Clock
from memgit.vault import layout
from memgit.vault.head import HEAD
from memgit.vault.layout import About, explained
from memgit.vault.log import carry_witness
from memgit.vault.repository import Vault

_YOUNG = 2
"""Operations of a vault that has seen nothing but its own making and one snapshot."""


@dataclass(frozen=True, slots=True)
class Stray:
    """A vault whose store is no longer where it was, and how many operations it holds."""

    folder: Path
    store: str
    operations: int


def strays(data_home: Path, fingerprint: str, own: Path) -> tuple[Stray, ...]:
    """The vaults in ``data_home`` whose store had this fingerprint when last seen and is gone from its place.

    ``own`` is the folder of the vault at the store's present path: with a history of its own there is nothing to
    look for. Read from small files only; no vault is opened.
    """
    if _operations(own) > _YOUNG:
        return ()
    found = (stray for folder in sorted(data_home.glob("[!.]*/")) if (stray := _stray(folder, fingerprint)))
    return tuple(stray for stray in found if stray.folder != own)


def _stray(folder: Path, fingerprint: str) -> Stray | None:
    facts = files.read_json(folder / "memgit" / HEAD)
    store = facts.get("store")
    if facts.get("fingerprint") != fingerprint or not isinstance(store, str) or os.path.lexists(store):
        return None
    return Stray(folder, store, _operations(folder))


def move(stray: Stray, target: Path, store: str, witness: Path, clock: Clock, who: Mapping[str, str]) -> Path | None:
    """Let the vault of a stray be that of ``store``, under its lock; returns where a young vault in the way went.

    Raises WrongState if the store has a history of its own by now, Unfinished if an operation waits for recovery.
    """
    if (stray.folder / "memgit" / "journal.json").exists():
        raise Unfinished(
            f"An operation on {stray.store} was cut short.", f"`memgit recover --store {stray.store}` ends it first."
        )
    with explained(stray.folder), Vault(stray.folder, clock=clock, who=who).lock("relink"):
        former = layout.read_about(stray.folder / "memgit")
        aside = _set_aside(target, witness)
        files.rename_noreplace(stray.folder, target)
        point("vault renamed")
    _settle(Vault(target, clock=clock, who=who), former, About(store, str(witness)))
    return aside


def _settle(vault: Vault, former: About, about: About) -> None:
    """Write down in the vault where its store is now, and record that it was moved."""
    with explained(vault.folder), vault.lock("relink"):
        files.fsync_dir(vault.folder.parent)
        carry_witness(Path(former.witness), Path(about.witness))
        layout.write_about(vault.private, about)
        with vault.transaction(OpKind.RELINK, f"moved from {former.store}"[:72], details={"from": former.store}):
            pass
        if former.witness != about.witness:
            Path(former.witness).unlink(missing_ok=True)


def _set_aside(target: Path, witness: Path) -> Path | None:
    """A vault that was begun at the new place has seen only what the other one knows as well; so has its witness,
    which goes first: no vault but this one may ever be measured by it."""
    if _operations(target) > _YOUNG:
        raise WrongState(
            f"The store has a history of its own by now ({_operations(target)} operations).",
            "Both can be kept: name the old vault with `git --git-dir` to look into it.",
        )
    witness.unlink(missing_ok=True)
    if not target.exists():
        return None
    aside = files.free_name(target.with_name(f".{target.name}.set-aside"))
    files.rename_noreplace(target, aside)
    point("young vault set aside")
    return aside


def _operations(folder: Path) -> int:
    number = files.read_json(folder / "memgit" / HEAD).get("number")
    return number if isinstance(number, int) else 0


# --- known ---
# Whose vaults there are, from the small files that each publishes: no vault is opened, and none can be in the way.


def records(data_home: Path) -> Iterator[Record]:
    """The record of each vault that says whose it is."""
    for folder in sorted(data_home.glob("[!.]*/memgit")):
        store = files.read_json(folder / "store.json").get("store")
        if isinstance(store, str):
            yield _record(store, files.read_json(folder / HEAD))


def _record(store: str, head: dict[str, Any]) -> Record:
    number, last = head.get("number"), head.get("last_pass")
    named = last if isinstance(last, dict) else {}
    return Record(
        store=store,
        operations=number if isinstance(number, int) else 0,
        last_pass=str(named.get("pass", "")),
        did=str(named.get("did", "")),
    )
