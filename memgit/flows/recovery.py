"""What was cut short is finished or taken back before anything else is written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from memgit import files
from memgit.errors import MemgitError, Unfinished
from memgit.flows.desk import Change, Desk, Done, complete, recorded
from memgit.flows.finish_redaction import finish, is_waiting
from memgit.memory.fingerprint import fingerprint
from memgit.model.history import OpKind

if TYPE_CHECKING:
    from memgit.model.installing import Recovered
    from memgit.model.store import StoreContent


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
    change = Change.of(recovered.intent)
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
