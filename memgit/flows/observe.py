"""Recording the live store as it is: snapshots, changes that memgit did not make, adoptions done by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memgit.core.changes import Changes, changes
from memgit.core.fingerprint import fingerprint
from memgit.flows.attribution import attribution, clear, take
from memgit.flows.desk import Desk, Done, at_work, is_kept, record_late, remove_own
from memgit.model.passes import STAMP_ONLY, OpKind, PassHeader, PassState
from memgit.model.store import StoreContent

if TYPE_CHECKING:
    from memgit.vault import Vault


def snapshot(desk: Desk, who: Mapping[str, str] | None = None) -> Done:
    """Record the live store if it is not as it was last seen. ``who`` are facts on the writer, where known."""
    with at_work(desk, "snapshot") as notes:
        live, before = desk.store.read(), desk.vault.head()
        by_hand = recognise(desk, live)
        if by_hand:
            return replace(by_hand, notes=(*notes, *by_hand.notes))
        observe(desk.vault, live, fingerprint(live), who)
        head = desk.vault.head()
        if head is None or (before and head.number == before.number):
            return Done("Nothing has changed since the store was last seen.", "", head, notes=notes)
        return Done(f"Recorded the store: {head.subject}.", "", head, notes=notes)


def observe(vault: Vault, content: StoreContent, mark: str, who: Mapping[str, str] | None = None) -> str:
    """Record a store with fingerprint ``mark``; returns its commit. What is recorded already is not recorded again."""
    with vault.lock("snapshot"):
        head = vault.head()
        if head is None or head.store is None:
            return _record(vault, OpKind.SNAPSHOT, "first snapshot", content, mark, who)
        if head.fingerprint == mark:
            return head.store
        writes = take(vault.private)
        found = changes(vault.store_at(head), content)
        stamp = {STAMP_ONLY: "yes"} if found.only_stamped else {}
        details = {**stamp, **attribution(found, content, writes), **(who or {})}
        commit = _record(vault, OpKind.EXTERNAL, _subject(found, content), content, mark, details)
        clear(vault.private)
        return commit


def _record(
    vault: Vault, kind: OpKind, subject: str, content: StoreContent, mark: str, details: Mapping[str, str] | None
) -> str:
    with vault.transaction(kind, subject, details=details) as transaction:
        return transaction.set_store(content, subject, fingerprint=mark)


_SUBJECT_LENGTH = 72


def _subject(found: Changes, content: StoreContent) -> str:
    if not content.exists:
        return "the store is gone"
    sentences = (found.sentence(names) for names in (4, 2, 1))
    fitting = next((sentence for sentence in sentences if len(sentence) <= _SUBJECT_LENGTH), None)
    total = len((*found.added, *found.changed, *found.removed, *found.stamped))
    return fitting or f"{total} files changed"


def recognise(desk: Desk, live: StoreContent) -> Done | None:
    """Record an adoption that was done with the printed commands: the live store equals a candidate.

    Under the vault's lock. What the old store held beyond the last snapshot is recorded before.
    """
    mark, head = fingerprint(live), desk.vault.head()
    if head is None or head.fingerprint == mark or not live.exists:
        return None
    header = next((each for each in desk.vault.passes() if _is_candidate(desk, each, mark)), None)
    if header is None or header.candidate is None:
        return None
    _keep_superseded(desk)
    subject = f"adopt {header.id}, done by hand"
    with desk.vault.transaction(OpKind.ADOPT, subject, pass_id=header.id, details={"way": "by hand"}) as transaction:
        transaction.set_store(live, subject, fingerprint=mark, merge_parent=header.candidate)
        transaction.put_header(replace(header, state=PassState.ADOPTED))
    for name in (header.paths.report, header.paths.digests):
        remove_own(Path(name))
    done = transaction.operation
    return Done(f"Recorded that pass {header.id} was adopted by hand.", f"memgit undo {done.id}", done)


def _is_candidate(desk: Desk, header: PassHeader, mark: str) -> bool:
    open_states = (PassState.READY, PassState.UNSAFE)
    if header.state not in open_states or header.candidate is None or Path(header.paths.candidate).exists():
        return False  # the printed commands move the candidate's folder away
    return fingerprint(desk.vault.content(header.candidate)) == mark


def _keep_superseded(desk: Desk) -> None:
    """A store that was moved away by hand may hold what no snapshot has seen."""
    for path in sorted(desk.live.parent.glob(f"{_literal(desk.live.name)}-superseded*")):
        if path.is_dir() and not path.is_symlink():
            content = desk.installer.read(path)
            if not is_kept(desk, fingerprint(content)):
                record_late(desk, content)


def _literal(name: str) -> str:
    return "".join(f"[{char}]" if char in "*?[" else char for char in name)
