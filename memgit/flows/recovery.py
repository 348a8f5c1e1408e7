"""What was cut short is finished or taken back before anything else is written."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgit import files
from memgit.errors import MemgitError, Unfinished
from memgit.evidence.findings import printable
from memgit.faults import point
from memgit.flows.desk import Change, Desk, Done, carry_out, complete, recorded, store_at
from memgit.memory.fingerprint import fingerprint
from memgit.model.history import Operation, OpKind
from memgit.model.store import StoreContent

if TYPE_CHECKING:
    from memgit.model.travel import Recovered

# --- finish redaction ---
# What a redaction still has to do once the new vault is in place. It needs no secret, so a recovery can do it.

STAGED = "redacted"
"""Folder in memgit's part of the vault in which files from outside wait, cleaned."""


@dataclass(frozen=True)
class Waiting:
    """A file outside the vault and its cleaned copy: ``staged`` goes to ``target`` if ``path`` is still what it
    ``was``. ``top`` is the folder of a pass that it is in, or the file itself."""

    path: str
    target: str
    top: str
    staged: str
    was: str
    link: bool = False


def finish(desk: Desk) -> tuple[str, ...]:
    """Do what is left of a redaction; returns sentences for people. Under the vault's lock; can be cut short."""
    renewal = desk.vault.renewal
    left = renewal.left()
    renewal.remove_other()
    if left is None:
        return ()
    notes = [note for entry in left["files"] for note in _put(desk, Waiting(**entry))]
    files.remove_tree(desk.vault.private / STAGED)
    for cache in map(Path, left["caches"]):
        files.remove_file(cache)
    for copy in map(Path, left["copies"]):
        files.remove_tree(copy)
    notes += _record(desk, left)
    _remove_superseded(desk, left["after"])
    renewal.settle()
    return tuple(notes)


def is_waiting(desk: Desk) -> bool:
    """Whether a redaction was cut short."""
    return desk.vault.renewal.left() is not None or desk.vault.renewal.has_other()


def state_of(path: Path) -> str:
    """What tells whether a file is still the same; empty where there is none."""
    with suppress(OSError):
        data = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
        return hashlib.sha256(data).hexdigest()
    return ""


def _put(desk: Desk, waiting: Waiting) -> Iterator[str]:
    path, target, staged = Path(waiting.path), Path(waiting.target), desk.vault.private / STAGED / waiting.staged
    if not staged.is_file():
        return  # done before
    if state_of(path) == waiting.was:
        _replace(staged, target, link=waiting.link)
        if target != path:
            files.remove_file(path)
            _remove_empty(path.parent, Path(waiting.top))
    elif os.path.lexists(path) and state_of(path) != hashlib.sha256(staged.read_bytes()).hexdigest():
        yield f"{printable(waiting.target)} was changed meanwhile and is left as it is: look for the secret there."
    files.remove_file(staged)


def _replace(staged: Path, target: Path, *, link: bool) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if link:
        files.remove_file(target)
        target.symlink_to(os.fsdecode(staged.read_bytes()))
    else:
        files.write_atomic(target, staged.read_bytes(), staged.stat().st_mode)
    point("a file outside the vault cleaned")


def _remove_empty(folder: Path, top: Path) -> None:
    while folder.is_relative_to(top) and folder != top and not any(folder.iterdir()):
        files.remove_folder(folder)
        folder = folder.parent


def _record(desk: Desk, left: Mapping[str, Any]) -> tuple[str, ...]:
    """Put the cleaned store in the place of the live one where that held the secret, and record the redaction."""
    if _recorded(desk, left["after"]):
        return ()
    live, head = desk.store.read(), desk.vault.head()
    clean = replace(store_at(desk, head), foreign=live.foreign, special=live.special)
    asked = fingerprint(live) == left["live"]
    change = Change(
        kind=OpKind.REDACT,
        subject=f"redact a secret ({', '.join(left['kinds'])})"[:72],
        after=int(left["after"]),
        details={"kinds": ", ".join(left["kinds"])},
    )
    if fingerprint(clean) == fingerprint(live):
        return carry_out(desk, change, live, live).notes
    if not asked:
        carry_out(desk, change, live, live)
        return ("The live store was written meanwhile and is left as it is: run the redaction again.",)
    done = carry_out(desk, change, live, clean)
    return ("The live store held it too and was replaced.", *done.notes)


def _recorded(desk: Desk, after: int) -> Operation | None:
    """The operation of this redaction, once it is in the log."""
    newer = takewhile(lambda each: each.number > after, desk.vault.operations())
    return next((each for each in newer if each.kind is OpKind.REDACT), None)


def _remove_superseded(desk: Desk, after: int) -> None:
    """Remove the copy of the live store from before, which the installation left; what other tools keep in it stays."""
    operation = _recorded(desk, after)
    name = operation.details.get("superseded") if operation else None
    if name is None:
        return
    copy = Path(name)
    content = desk.installer.read(copy) if copy.is_dir() else StoreContent()
    if content.foreign:
        for path in content.files:
            files.remove_file(copy / path)
    else:
        files.remove_tree(copy)
    point("the superseded copy removed")


@contextmanager
def at_work(desk: Desk, command: str) -> Iterator[tuple[str, ...]]:
    """Hold the vault's lock, with whatever was cut short before finished or taken back; its notes are the value.

    Raises Unfinished if the system fails in the middle of a change, MemgitError if it fails before.
    """
    with desk.vault.lock(command):
        try:
            recovered = recover(desk)
            yield (recovered.did, *recovered.notes) if recovered else ()
        except (OSError, MemgitError) as error:
            explained = _explained(desk, command, error)
            raise explained from (None if explained is error else error)


def _explained(desk: Desk, command: str, error: OSError | MemgitError) -> MemgitError:
    """A failure of the system in the middle of a change leaves something to recover, and must say so."""
    if isinstance(error, MemgitError) and type(error) is not MemgitError:
        return error
    if desk.installer.journal.path.exists():
        return Unfinished(
            f"`memgit {command}` was cut short: {error}.",
            "Mend that (make room, say) and run `memgit recover`; the next writing command does the same by itself.",
        )
    return error if isinstance(error, MemgitError) else MemgitError(f"`memgit {command}` failed: {error}.")


def recover(desk: Desk) -> Done | None:
    """Finish or take back an operation that was cut short; None if there is none. Can be cut short itself.

    Raises Unfinished if the system fails again.
    """
    with desk.vault.lock("recover"):
        try:
            return _recover_all(desk)
        except OSError as error:
            raise _explained(desk, "recover", error) from error


def _recover_all(desk: Desk) -> Done | None:
    done = _recover_change(desk)
    own = desk.installer.journal.path.parent
    for folder in {desk.live.parent, own}:
        files.remove_leftovers(folder, desk.live.name)
    files.remove_half_written(own)
    if not is_waiting(desk):
        return done
    notes = finish(desk)
    return replace(done, notes=(*done.notes, *notes)) if done else Done("Ended a redaction.", "", notes=notes)


_RECORDED_INSIDE = frozenset({OpKind.APPROVE, OpKind.PASS})
"""Changes that are announced before they are recorded by the verb itself."""


def _recover_change(desk: Desk) -> Done | None:
    recovered = desk.installer.recover()
    if recovered is None:
        return None
    from memgit.core.passes import records  # here: nearly always nothing was cut short

    change = records.built(Change, recovered.intent)
    if change.kind in _RECORDED_INSIDE and not recorded(desk, change):
        desk.installer.close()
        return Done(f"Took back what was cut short ({change.subject}).", "", notes=recovered.notes)
    if recovered.installed is None:
        return Done(f"Took back what was cut short ({change.subject}).", "", notes=recovered.notes)
    installed = recovered.installed if recovered.installed.way else None
    done = complete(desk, change, _recovered_content(desk, change, recovered), installed)
    return replace(done, did=f"Finished what was cut short ({change.subject}).", notes=(*recovered.notes, *done.notes))


def _recovered_content(desk: Desk, change: Change, recovered: Recovered) -> StoreContent:
    """What was installed: the live store, unless something has written into it since and the vault holds it."""
    live = desk.store.read()
    if change.commit is None or fingerprint(live) == recovered.new:
        return live
    return desk.vault.content(change.commit)
