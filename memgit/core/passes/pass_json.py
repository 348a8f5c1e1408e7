"""A pass as one JSON object: what ``--json`` prints, fields only ever added; and a batch as its miner reads it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memgit.evidence.findings import mask, whole
from memgit.model.decision import Decision, Doubt, Evidence, Said, Seen
from memgit.model.history import PassState
from memgit.model.passes import IndexChange, Inspection, Outcome, Plan
from memgit.model.session import Batch, Digest
from memgit.model.verification import Appraisal, MemoryCheck

if TYPE_CHECKING:
    from memgit.core.prune.rules import Pruning, Suspects

PASS = "memgit.pass/1"


def batch_file(number: int) -> str:
    """The name of a batch's digest file in the digests folder."""
    return f"batch-{number:02}.json"


def digest_json(pass_id: str, digest: Digest) -> dict[str, Any]:
    """A batch as a miner reads it: its sessions, oldest message first."""
    sessions: dict[str, list[dict[str, Any]]] = {}
    for message in digest.messages:
        said: dict[str, Any] = {"time": message.time.isoformat() if message.time else None, "role": message.role.value}
        marked: dict[str, Any] = {"origin": message.origin.value} if message.origin.value != "typed" else {}
        marked |= {"taken_back": True} if message.taken_back else {}
        sessions.setdefault(message.session, []).append({**said, **marked, "text": whole(message.text)})
    listed = [{"session": session, "messages": messages} for session, messages in sessions.items()]
    return {"schema": "memgit.digest/1", "pass": pass_id, "batch": digest.number, "sessions": listed}


def pass_json(subject: Plan | Outcome) -> dict[str, Any]:
    """The object that ``--json`` prints of a pass; secrets are masked in every text of it."""
    plan = subject.plan if isinstance(subject, Outcome) else subject
    outcome = subject if isinstance(subject, Outcome) else None
    return {
        "schema": PASS,
        "pass": plan.id,
        "kind": plan.kind.value,
        "mode": plan.mode.value,
        "state": (outcome.state if outcome else PassState.PLANNED).value,
        "store": _store_json(plan, outcome),
        "preflight": _preflight_json(plan),
        "decisions": [decision_json(decision) for decision in outcome.decisions] if outcome else [],
        "verification": {_safe(name): _check_json(check) for name, check in outcome.verification.items()}
        if outcome
        else {},
        "paths": {"candidate": plan.paths.candidate, "report": plan.paths.report, "digests": plan.paths.digests},
        "commands": {"adopt": list(outcome.adopt), "discard": list(outcome.discard)} if outcome else {},
        **({"index": _index_json(outcome.index)} if outcome and outcome.index else {}),
        "unmined": _unmined_json(outcome) if outcome else [],
        "unread": _unread_json(outcome) if outcome else [],
        "findings": _findings_json(plan, outcome),
        **(_inspection_json(outcome.inspection) if outcome else {}),
        "notes": [_safe(note) for note in (*plan.notes, *plan.survey.notes, *(outcome.notes if outcome else ()))],
    }


def _index_json(index: IndexChange) -> dict[str, Any]:
    (lines, new_lines), (units, new_units) = index.lines, index.units
    after = {"lines": new_lines, "units": new_units, "lost": index.lost}
    return {"before": {"lines": lines, "units": units}, "after": after}


def _store_json(plan: Plan, outcome: Outcome | None) -> dict[str, Any]:
    return {
        "path": _safe(plan.store.path),
        "shape": plan.store.shape,
        "status": plan.status.value,
        "memories": plan.memories,
        "resolved_by": plan.store.rule,
        "fingerprint_before": plan.fingerprint,
        "fingerprint_after": outcome.fingerprint_after if outcome else None,
        "unchanged": outcome.unchanged if outcome else None,
    }


def _preflight_json(plan: Plan) -> dict[str, Any]:
    selection, survey = plan.selection, plan.survey
    classes: Counter[str] = Counter()
    for session in survey.sessions:
        classes.update({kind.value: number for kind, number in session.records.items()})
    return {
        "token_budget": selection.limits.token_budget,
        "session_cap": selection.limits.session_cap,
        "sessions_in_pool": selection.pool,
        "sessions_by_agent": dict(Counter(session.agent.value for session in survey.sessions)),
        "selected": len(selection.selected),
        "near_empty": len(selection.near_empty),
        "beyond_budget": len(selection.beyond_budget),
        "beyond_cap": len(selection.beyond_cap),
        "prose_tokens": selection.tokens,
        "messages": sum(session.messages for session in selection.selected),
        "reduce_threshold": selection.limits.reduce_threshold,
        "records_by_class": dict(sorted(classes.items())),
        "broken_lines": sum(session.broken_lines for session in survey.sessions),
        "worktrees": [{"path": _safe(tree.path), "source": tree.provenance.value} for tree in survey.worktrees],
        "orphan_stores": [
            {"path": _safe(orphan.path), "memories": orphan.memories, "why": _safe(orphan.why)}
            for orphan in survey.orphans
        ],
        "foreign_sessions": [{"path": _safe(path), "project": _safe(cwd)} for path, cwd in survey.foreign],
        "languages": dict(plan.languages),
        "batches": [_batch_json(plan, batch) for batch in selection.batches],
        "reduce_engaged": selection.reduce_engaged,
    }


def _batch_json(plan: Plan, batch: Batch) -> dict[str, Any]:
    return {
        "number": batch.number,
        "sessions": [session.id for session in batch.sessions],
        "tokens": batch.tokens,
        "digest": f"{plan.paths.digests}/{batch_file(batch.number)}",
    }


def decision_json(decision: Decision) -> dict[str, Any]:
    """A decision as ``--json`` prints it; secrets are masked in every text of it."""
    said = next((evidence for evidence in decision.evidence if isinstance(evidence, Said)), None)
    return {
        "id": decision.id,
        "kind": decision.kind.value,
        "memories": [_safe(name) for name in decision.memories],
        "results": [_safe(name) for name in decision.results],
        "session": said.session if said else None,
        "quote": _safe(said.quote) if said else None,
        "evidence": [_evidence_json(evidence) for evidence in decision.evidence],
        "justification": _safe(decision.justification),
        "claim": _safe(decision.claim),
        "candidates": list(decision.candidates),
        "leaves_out": [_safe(text) for text in decision.leaves_out],
        "standing": decision.standing.value,
        "doubts": [_doubt_json(doubt) for doubt in decision.doubts],
        "confirmed": _safe(decision.confirmed) or None,
        "refused_by": decision.refused_by.value if decision.refused_by else None,
        "refusal": _safe(decision.refusal) or None,
        "question": _safe(decision.asks) or None,
        "remarks": [_safe(remark) for remark in decision.remarks],
        "state": decision.approval.value,
    }


def _doubt_json(doubt: Doubt) -> dict[str, str]:
    return {"name": doubt.name, "says": _safe(doubt.says), "about": _safe(doubt.about), "settle": _safe(doubt.settle)}


def _evidence_json(evidence: Evidence) -> dict[str, Any]:
    match evidence:
        case Said():
            found = {"record": evidence.record, "time": evidence.time, "by": "user"}
            if evidence.answers:
                found["answers"] = _safe(evidence.answers)
            return {"kind": "said", "session": evidence.session, "quote": _safe(evidence.quote), **found}
        case Seen():
            return {"kind": "seen", "where": _safe(evidence.where), "quote": _safe(evidence.quote)}


def _check_json(check: MemoryCheck) -> dict[str, Any]:
    missing = [
        {"span": _safe(span.span), "reason": span.missing.value if span.missing else "", "hint": _safe(span.hint)}
        for span in check.missing
    ]
    return {"status": check.verdict.value, "missing": missing}


def _unmined_json(outcome: Outcome) -> list[dict[str, Any]]:
    return [{"batch": reply.batch, "why": _safe(reply.failure)} for reply in outcome.replies if reply.failure]


def _unread_json(outcome: Outcome) -> list[dict[str, str]]:
    return [{"session": session, "why": _safe(why)} for reply in outcome.replies for session, why in reply.unread]


def _findings_json(plan: Plan, outcome: Outcome | None) -> list[dict[str, Any]]:
    findings = dict.fromkeys((*plan.findings, *(outcome.findings if outcome else ())))
    return [{"place": _safe(found.place), "kind": found.kind, "line": found.line} for found in findings]


def _inspection_json(seen: Inspection) -> dict[str, Any]:
    """The class of each memory, for passes that give one, and remarks by their heading."""
    classes = {_safe(each.memory): _class_json(each) for each in seen.appraisals}
    told = {remark.title: [_safe(text) for text in remark.lines] for remark in seen.remarks}
    return ({"classes": classes} if classes else {}) | ({"remarks": told} if told else {})


def _class_json(given: Appraisal) -> dict[str, str]:
    told = {"class": given.kind.value, "evidence": _safe(given.evidence)}
    return told | ({"by": given.by} if given.by else {})


def pruned_json(found: Pruning, decisions: Sequence[Decision], sessions: int) -> dict[str, Any]:
    """What a prune found: its decisions, and what it only tells."""
    return {
        "inventory": {
            "memories": found.memories,
            "sessions": sessions,
            "pinned": [_safe(name) for name in found.pinned],
        },
        "decisions": [decision_json(decision) for decision in decisions],
        "stale": [{"memory": _safe(name), "evidence": _safe(why)} for name, why in found.stale],
        "contradictions": [_safe(text) for text in found.contradictions],
        "no_orphans": _safe(found.no_orphans),
        "suspects": _suspects_json(found.suspects),
    }


def _suspects_json(found: Suspects | None) -> dict[str, Any] | None:
    """What only vectors take for one thing; null where a store keeps none."""
    if found is None:
        return None
    pairs = [{"memories": [_safe(one), _safe(other)], "cosine": round(near, 4)} for one, other, near in found.pairs]
    return {"pairs": pairs, "beyond": found.beyond, "passed_over": found.passed_over}


def _safe(text: str) -> str:
    return mask(whole(text)).text
