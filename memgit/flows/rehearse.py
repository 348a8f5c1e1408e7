"""What adopting, undoing or restoring would do to the live store: looked at, and not one byte written, not even in the
vault. What would be refused is refused here in the same words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memgit import files
from memgit.errors import StoreChanged
from memgit.flows.adopt import (
    ADOPTABLE,
    base_of,
    candidate_of,
    edited_by_hand,
    in_state,
    only_as_decided,
    refuse_removing_most,
    refuse_unapproved,
)
from memgit.flows.answers import refuse_unsaved
from memgit.flows.approve import chosen, outlook
from memgit.flows.desk import Desk
from memgit.flows.undo import moment, moved_store, restored, to_undo
from memgit.memory.apply import changes
from memgit.rulings.approval import ruled
from memgit.rulings.standing import refuse_two_for_one, standing
from memgit.text.diff import FileDiff, diff


@dataclass(frozen=True)
class Rehearsal:
    """What a verb would do, in a sentence, and the files of the live store that it would change."""

    would: str
    files: tuple[FileDiff, ...]


def adopting(
    desk: Desk, pass_id: str, only: Sequence[str], without: Sequence[str], *, all_: bool, remove_most: bool
) -> Rehearsal:
    """What adopting a pass would do. Raises as ``adopt`` does, save that no merge is offered of a store that has
    changed, and that a running session is not asked for."""
    live = desk.store.read()
    header = in_state(desk, pass_id, ADOPTABLE, "adopted")
    refuse_unsaved(desk, header.id)
    base = base_of(desk, header, live)
    by_hand = edited_by_hand(desk, header)
    if only or without or (all_ and desk.vault.record(header.id, "plan.json")):
        outcome, approved = chosen(desk, header, only, without)
        refuse_two_for_one(standing(ruled(outcome.decisions, approved), header.kind))
        content = outlook(desk, header, outcome, by_hand)(approved)
    else:
        refuse_unapproved(desk, header, all_=all_)
        content = by_hand or candidate_of(desk, header, base, live)
    if not only_as_decided(base, live, content) and not changes(base, live).only_stamped:
        raise StoreChanged(
            f"The store has changed since pass {header.id} read it ({changes(base, live).sentence()}).",
            f"`memgit merge {header.id}` makes a candidate of both.",
        )
    files.refuse_collisions(content, apart=live.files)
    if not remove_most:
        refuse_removing_most(desk, header, base)
    return Rehearsal(f"It would adopt pass {header.id}.", diff(live, content))


def undoing(desk: Desk, operation: str | None) -> Rehearsal:
    """What an undo would do. Raises as ``undo`` does."""
    live = desk.store.read()
    target, before = to_undo(desk, operation)
    content = moved_store(desk, (target, before), live)
    return Rehearsal(f"It would take back {target.id}: {target.subject}.", diff(live, content))


def restoring(desk: Desk, at: str, names: Sequence[str]) -> Rehearsal:
    """What a restore would do. Raises as ``restore`` does."""
    live = desk.store.read()
    _, goal, said = moment(desk, at)
    content, what = restored(desk, live, goal, names, at)
    return Rehearsal(f"It would restore {what} as {said}.", diff(live, content))
