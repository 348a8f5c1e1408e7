"""What a candidate holds: what stands of its pass, and what a person changed in it by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from memgit.errors import WrongState
from memgit.evidence.findings import printable_name
from memgit.memory.apply import apply
from memgit.memory.fingerprint import fingerprint
from memgit.memory.merge import merge3
from memgit.model.decision import Decision
from memgit.model.history import PassHeader
from memgit.model.passes import Outcome
from memgit.model.store import StoreContent
from memgit.rulings.standing import is_decidable, is_index_repair, is_untouched, standing

if TYPE_CHECKING:
    from memgit.flows.desk import Desk


@dataclass(frozen=True)
class Held:
    """What a candidate holds, and what its decisions alone make of the store that was read; the two differ where a
    person changed the candidate by hand."""

    content: StoreContent
    built: StoreContent
    from_frontmatter: bool = False

    @cached_property
    def by_hand(self) -> bool:
        return fingerprint(self.content) != fingerprint(self.built)


def held_by(desk: Desk, header: PassHeader, outcome: Outcome, read: StoreContent) -> Held:
    assert header.candidate is not None
    content = desk.vault.content(header.candidate)
    own, derived = (
        Held(content, built(outcome, outcome.decisions, read, from_frontmatter=way), way) for way in (False, True)
    )
    return derived if own.by_hand and not derived.by_hand else own


def of_decisions(held: Held, outcome: Outcome, decided: Sequence[Decision], read: StoreContent) -> StoreContent:
    """The store that results from what stands now, with what a person changed in the candidate by hand."""
    decided_on = built(outcome, decided, read, from_frontmatter=held.from_frontmatter)
    if not held.by_hand:
        return decided_on
    merged = merge3(held.built, held.content, decided_on)
    if merged.conflicts:
        named = ", ".join(printable_name(conflict.path) for conflict in merged.conflicts)
        raise WrongState(
            f"These were changed by hand in the candidate, and the ruling would change them again: {named}.",
            "Put them back in the candidate's folder, or adopt the candidate as it is with --all.",
        )
    return merged.content


def built(
    outcome: Outcome, decisions: Sequence[Decision], read: StoreContent, *, from_frontmatter: bool
) -> StoreContent:
    """What a candidate of these decisions holds. The index is rebuilt only where something stands."""
    chosen = [each for each in decisions if each.stands]
    if not is_untouched(decisions):
        stands = {each.id for each in standing(decisions, outcome.plan.kind)}
        chosen = [
            each for each in decisions if each.id in stands or (stands and each.changes and not is_decidable(each))
        ]
        if not chosen:
            return read
    time_ns = int(outcome.plan.time.timestamp()) * 1_000_000_000
    repair = all(each.id in {one.id for one in chosen} for each in decisions if is_index_repair(each))
    return apply(read, chosen, time_ns=time_ns, from_frontmatter=from_frontmatter, repair_index=repair)
