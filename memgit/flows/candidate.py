"""What a candidate holds: what stands of its pass, and what a person changed in it by hand."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memgit import files
from memgit.core.passes import records
from memgit.core.passes.message import adopt_line, discard_line, summary
from memgit.core.passes.records import pass_json
from memgit.errors import WrongState
from memgit.evidence.findings import printable_json, printable_name
from memgit.memory.apply import apply
from memgit.memory.fingerprint import fingerprint
from memgit.memory.merge import merge3
from memgit.model.decision import Decision, MinerReply
from memgit.model.history import PassHeader, PassState
from memgit.model.passes import Inspection, Outcome, Plan
from memgit.model.store import INDEX, StoreContent
from memgit.rulings.standing import is_decidable, is_index_repair, is_untouched, standing

if TYPE_CHECKING:
    from memgit.flows.desk import Desk
    from memgit.model.history import Paths
    from memgit.model.store import Resolution
    from memgit.ports.vault import Transaction, Vault, VaultReader


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


def held_by(
    desk: Desk, header: PassHeader, outcome: Outcome, read: StoreContent, content: StoreContent | None = None
) -> Held:
    """What a candidate holds; ``content`` is what its folder does, where a person has changed that."""
    assert header.candidate is not None
    content = content or desk.vault.content(header.candidate)
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


# --- handing over ---
# What a person runs to adopt a candidate, or to put it away.


def commands(
    pass_id: str, store: Resolution, paths: Paths, *, safe: bool = True
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What to run to adopt and to discard: memgit's own command first, then the same for a plain shell.

    A pass that is not ``safe`` has nothing to adopt; a store that is no folder is adopted into by memgit alone.
    """
    adopt_, discard_ = (store.said(f"memgit {verb} {pass_id}") for verb in ("adopt", "discard"))
    if not store.is_folder:
        return (adopt_,) if safe else (), (discard_,)
    live = Path(os.path.realpath(store.path))
    aside = Path(paths.candidate).with_name(f"{live.name}-superseded")
    superseded = str(files.free_name(aside)) if live.is_dir() else None
    adopt = [adopt_]
    if not (live / INDEX).is_symlink():  # moving folders would put a file in its place
        kept = live.iterdir() if live.is_dir() else ()  # what other tools keep there goes along
        carried = sorted(each.name for each in kept if each.name.startswith(".") and each.is_dir())
        adopt.append(adopt_line(str(live), paths.candidate, superseded, carried))
    return tuple(adopt) if safe else (), (discard_, discard_line(paths))


# --- kept ---
# A decided pass on record: kept as it was decided, and read back.


def header_of(plan: Plan, state: PassState, outcome: Outcome | None = None) -> PassHeader:
    """What the vault shows of a pass without reading its records."""
    return PassHeader(
        id=plan.id,
        kind=plan.kind,
        mode=plan.mode,
        state=state,
        time=plan.time,
        snapshot=plan.snapshot,
        candidate=outcome.candidate if outcome else None,
        paths=plan.paths,
        summary=summary(outcome) if outcome else "",
    )


def with_commands(outcome: Outcome) -> Outcome:
    """Add the commands that adopt (none, when unsafe) and that discard."""
    plan, safe = outcome.plan, outcome.state is not PassState.UNSAFE
    adopt, discard = commands(plan.id, plan.store, plan.paths, safe=safe)
    return replace(outcome, adopt=adopt, discard=discard)


def keep_outcome(change: Transaction, outcome: Outcome) -> None:
    """The machine-readable record of a decided pass: what ``memgit show`` prints, and the decisions whole."""
    plan, seen = outcome.plan, replace(outcome.inspection, notes=outcome.notes)
    change.put_header(header_of(plan, outcome.state, outcome))
    change.put_record(plan.id, "pass.json", printable_json(json.dumps(pass_json(outcome), ensure_ascii=False)).encode())
    change.put_record(plan.id, "decisions.json", records.dump(outcome.decisions))
    change.put_record(plan.id, "replies.json", records.dump(outcome.replies))
    change.put_record(plan.id, "inspection.json", records.dump(seen))


def decisions_of(vault: VaultReader, pass_id: str) -> tuple[Decision, ...]:
    """What a pass settled; nothing where it is not decided. Raises Damaged."""
    return records.load_decisions(vault.record(pass_id, "decisions.json") or b"[]")


def kept_outcome(vault: Vault, header: PassHeader) -> Outcome:
    """A decided pass as its records have it, without verification and report, which follow from the rest.

    Raises WrongState for one that has not all of them.
    """
    found = {name: vault.record(header.id, name) for name in _RECORDS}
    absent = [name for name in _RECORDS if found[name] is None]
    if absent:
        raise WrongState(
            f"The decisions of pass {header.id} cannot be taken one by one: their record is not complete.",
            "Adopt it whole, or run the pass again.",
        )
    plan, prose, decisions, replies, seen = (found[name] or b"" for name in _RECORDS)
    inspection = records.load(Inspection, seen)
    return Outcome(
        plan=replace(records.load_plan(plan, records.load_digests(prose)), paths=header.paths),
        state=header.state,
        decisions=records.load_decisions(decisions),
        replies=records.load(tuple[MinerReply, ...], replies),
        verification={},
        report="",
        candidate=header.candidate,
        fingerprint_after="",
        notes=inspection.notes,
        inspection=inspection,
    )


_RECORDS = ("plan.json", "prose.jsonl", "decisions.json", "replies.json", "inspection.json")
