"""The final word on an adopted audit or prune."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgit.core.passes import records
from memgit.model.history import PassHeader, PassKind
from memgit.model.passes import NOTHING_SEEN
from memgit.model.store import StoreContent
from memgit.rulings.case import TRIVIA
from memgit.rulings.standing import balance, is_decidable, recurring, standing

if TYPE_CHECKING:
    from memgit.ports.vault import VaultReader

_TOLD = frozenset({PassKind.AUDIT, PassKind.PRUNE, PassKind.SWEEP})


def share(vault: VaultReader, header: PassHeader) -> str:
    """Which changes of a pass its candidate holds, where it does not hold all: ``, 1 of 3 changes (M1)``."""
    data = vault.record(header.id, "decisions.json")
    changes = [each for each in records.load_decisions(data) if is_decidable(each)] if data else []
    held = standing(changes, header.kind)
    if not held:
        return ", none of its changes" if changes else ""
    if len(held) == len(changes):
        return ""
    return f", {len(held)} of {len(changes)} changes ({', '.join(each.id for each in held)})"


def tally(vault: VaultReader, header: PassHeader, before: StoreContent, after: StoreContent) -> tuple[str, ...]:
    """What adopting a pass came to, for those kinds that say so; nothing where its records are not there."""
    data = vault.record(header.id, "decisions.json")
    if header.kind not in _TOLD or data is None:
        return ()
    decisions = records.load_decisions(data)
    done = standing(decisions, header.kind) or decisions
    seen = vault.record(header.id, "inspection.json")
    inspection = records.load_inspection(seen) if seen else NOTHING_SEEN
    trivia = sum(decision.claim == TRIVIA for decision in done)
    return (balance(before, after, done), *recurring(inspection.appraisals, trivia))
