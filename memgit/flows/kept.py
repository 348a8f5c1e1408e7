"""A decided pass on record: kept as it was decided, and read back."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from memgit.core.passes import records
from memgit.core.passes.message import summary
from memgit.core.passes.records import pass_json
from memgit.errors import WrongState
from memgit.evidence.findings import printable_json
from memgit.flows.handing_over import commands
from memgit.model.history import PassHeader, PassState
from memgit.model.passes import Outcome, Plan

if TYPE_CHECKING:
    from memgit.ports.vault import Transaction, Vault


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
    change.put_record(plan.id, "decisions.json", records.dump_decisions(outcome.decisions))
    change.put_record(plan.id, "replies.json", records.dump_replies(outcome.replies))
    change.put_record(plan.id, "inspection.json", records.dump_inspection(seen))


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
    inspection = records.load_inspection(seen)
    return Outcome(
        plan=replace(records.load_plan(plan, records.load_digests(prose)), paths=header.paths),
        state=header.state,
        decisions=records.load_decisions(decisions),
        replies=records.load_replies(replies),
        verification={},
        report="",
        candidate=header.candidate,
        fingerprint_after="",
        notes=inspection.notes,
        inspection=inspection,
    )


_RECORDS = ("plan.json", "prose.jsonl", "decisions.json", "replies.json", "inspection.json")
