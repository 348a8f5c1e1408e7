"""The final word on an adopted audit or prune."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgit.core import records
from memgit.core.approval import standing
from memgit.core.balance import balance, recurring
from memgit.core.trivia import TRIVIA
from memgit.model.passes import NOTHING_SEEN, PassHeader, PassKind
from memgit.model.store import StoreContent

if TYPE_CHECKING:
    from memgit.vault import Vault

_TOLD = frozenset({PassKind.AUDIT, PassKind.PRUNE, PassKind.SWEEP})


def tally(vault: Vault, header: PassHeader, before: StoreContent, after: StoreContent) -> tuple[str, ...]:
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
