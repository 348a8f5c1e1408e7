"""How the live store stands, what waits for a person, and what was cut short: reading only, but for taking note."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from memgit.errors import WrongState
from memgit.flows.desk import Desk, Done, store_at
from memgit.flows.observe import record_live
from memgit.flows.recovery import at_work, is_waiting
from memgit.memory.apply import Changes, changes
from memgit.memory.fingerprint import fingerprint
from memgit.model.history import Operation, OpKind, PassHeader

if TYPE_CHECKING:
    pass


@dataclass(frozen=True)
class Status:
    """How things stand.

    ``changed`` is what nobody has recorded yet, ``external`` are recorded changes that memgit did
    not make and nobody has acknowledged, newest first; ``waiting`` are passes without a decision.
    ``unfinished`` says what was cut short and waits for recovery.
    """

    path: str
    fingerprint: str
    head: Operation | None
    changed: Changes
    external: tuple[Operation, ...]
    waiting: tuple[PassHeader, ...]
    unfinished: str | None


def status(desk: Desk) -> Status:
    """Compare the live store with the vault's head. Nothing is written."""
    live, head = desk.store.read(), desk.vault.head()
    return Status(
        path=desk.store.resolution.path,
        fingerprint=fingerprint(live),
        head=head,
        changed=changes(store_at(desk, head, like=live), live),
        external=unacknowledged(desk),
        waiting=tuple(header for header in desk.vault.passes() if header.state.waits),
        unfinished=unfinished(desk),
    )


def waiting(desk: Desk) -> PassHeader:
    """The pass that waits, where just one does. Raises WrongState where it has to be named."""
    found = [header for header in desk.vault.passes() if header.state.waits]
    if len(found) == 1:
        return found[0]
    if not found:
        raise WrongState("No pass waits for you.", "`memgit curate` runs one; `memgit log` lists those there were.")
    raise WrongState(
        f"{len(found)} passes wait for you: {', '.join(each.id for each in found)}.", "Name the one that you mean."
    )


def decision_on(desk: Desk, name: str) -> str:
    """What names an operation, or, where it begins as the id of a pass does, the last decision on that pass."""
    if "-" not in name:
        return name
    header = desk.vault.pass_header(name)
    found = (each for each in desk.vault.operations() if each.pass_id == header.id and each.kind.is_decision)
    operation = next(found, None)
    if operation is None:
        raise WrongState(f"Nothing has been decided on pass {header.id} yet.", "`memgit log --ops` lists everything.")
    return operation.id


def unfinished(desk: Desk) -> str | None:
    """What an earlier command began and did not end, in a phrase; None if nothing."""
    entry = desk.installer.journal.read()
    if entry is not None:
        return str(entry.get("intent", {}).get("subject", "an operation"))
    return "a redaction" if is_waiting(desk) else None


def unacknowledged(desk: Desk) -> tuple[Operation, ...]:
    """The recorded changes that memgit did not make and nobody has acknowledged, newest first."""
    since = takewhile(lambda each: each.kind is not OpKind.ACKNOWLEDGE, desk.vault.operations())
    return tuple(each for each in since if each.needs_acknowledgement)


def acknowledge(desk: Desk) -> Done:
    """Say that the external changes so far are known and fine, and so is a vault that was put back.

    The live store is recorded first, as by every writing verb: what is said to be fine can be brought back.
    """
    with at_work(desk, "ack") as notes:
        live = desk.store.read()
        record_live(desk, live)
        seen, put_back = unacknowledged(desk), desk.vault.was_put_back()
        if not seen and not put_back:
            return Done("There is no external change to acknowledge.", "", notes=notes)
        subject = f"acknowledge {len(seen)} external change{'s' if len(seen) > 1 else ''}"
        if put_back:
            subject = "acknowledge that the vault was put back to an older state"
        with desk.vault.transaction(OpKind.ACKNOWLEDGE, subject) as transaction:
            pass
        known = ", ".join([*(["the vault is an older one"] if put_back else []), *(each.id for each in seen)])
        return Done(f"Acknowledged: {known}.", "", transaction.operation, notes=notes)
