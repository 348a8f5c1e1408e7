"""What a sweep files with ``bd create`` where it was asked to: each step is looked at, and none is done twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from memgit.core.passes import records
from memgit.core.report.sweep_report import state_before
from memgit.core.sweep import knowledge
from memgit.core.sweep import knowledge as chore
from memgit.model.history import PassHeader, PassKind, PassState
from memgit.rulings.standing import standing

if TYPE_CHECKING:
    from memgit.ports import Beads
    from memgit.ports.vault import Vault


def file_knowledge(found: Iterable[knowledge.Pointer], beads: Beads) -> Iterator[str]:
    """File what is not filed yet, and verify it; a sentence each. Raises ToolFailed."""
    for pointer in found:
        if pointer.lacks or not knowledge.reviewed(pointer):
            continue
        if knowledge.bead_of(pointer, beads.beads(knowledge.LABEL)) is None:
            beads.create(pointer.arguments, pointer.text)
            yield _verified(pointer, beads)


def _verified(pointer: knowledge.Pointer, beads: Beads) -> str:
    bead = knowledge.bead_of(pointer, beads.beads(knowledge.LABEL))
    if bead is None:
        return (
            f"A bead for {pointer.one.key} was asked for, and none that is deferred holds its text: the memory stays."
        )
    return f"Created {bead['id']} for {pointer.one.key}; it is deferred and holds the text."


def file_chore(vault: Vault, beads: Beads) -> Iterator[str]:
    """Create and close the bead of the last sweep that was adopted, from where an earlier run was cut short; a
    sentence where that was still to be done. Raises ToolFailed."""
    done = _last_adopted(vault)
    if done is None or _status(done, beads) == "closed":
        return
    if not _status(done, beads):
        beads.create(chore.arguments(done.id), chore.body(done.id))
    found = next(iter(beads.titled(chore.title(done.id))), None)
    if found is None:
        yield f"A bead for the chore of sweep {done.id} was asked for, and bd lists none."
        return
    beads.close(str(found["id"]), _reason(vault, done))
    became = "closed" if _status(done, beads) == "closed" else "still open, whatever bd said"
    yield f"{found['id']} is the chore of sweep {done.id}; it is {became}."


def _last_adopted(vault: Vault) -> PassHeader | None:
    sweeps = (one for one in vault.passes() if one.kind is PassKind.SWEEP)  # newest first
    return next((one for one in sweeps if one.state is PassState.ADOPTED), None)


def _status(done: PassHeader, beads: Beads) -> str:
    """The bead's status; closed where any of that title is."""
    found = {str(bead.get("status")) for bead in beads.titled(chore.title(done.id))}
    return "closed" if "closed" in found else next(iter(found), "")


def _reason(vault: Vault, done: PassHeader) -> str:
    decisions = records.load_decisions(vault.record(done.id, "decisions.json") or b"[]")
    seen = vault.record(done.id, "inspection.json")
    remarks = records.load_inspection(seen).remarks if seen else ()
    done_with = standing(decisions, done.kind) or [one for one in decisions if one.stands]
    return chore.reason(done_with, state_before(remarks))
