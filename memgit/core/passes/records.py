"""What a pass keeps of itself, as JSON: every value of the vocabulary comes back exactly as it went in."""

from __future__ import annotations

import base64
import dataclasses
import json
import types
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from memgit.errors import Damaged
from memgit.evidence.findings import mask, whole
from memgit.model.decision import Decision, Doubt, Evidence, Said, Seen
from memgit.model.history import PassState
from memgit.model.passes import IndexChange, Inspection, Outcome, Plan
from memgit.model.session import Batch, Digest, Message
from memgit.model.verification import Appraisal, MemoryCheck

if TYPE_CHECKING:
    from memgit.core.prune.rules import Pruning

T = TypeVar("T")


def dump_plan(plan: Plan) -> bytes:
    """The plan without its digests, which are kept beside it as ``prose.jsonl``."""
    return dump(replace(plan, digests=()))


def load_plan(data: bytes, digests: Sequence[Digest] = ()) -> Plan:
    """The plan, with its digests put back. Raises Damaged."""
    return replace(load(Plan, data), digests=tuple(digests))


def dump_digests(digests: Iterable[Digest]) -> bytes:
    """One line per kept message, with the number of its batch."""
    lines = ({"batch": digest.number, **plain(message)} for digest in digests for message in digest.messages)
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def load_digests(data: bytes) -> tuple[Digest, ...]:
    """The digests, by batch number; a batch without messages is not among them. Raises Damaged."""
    batches: dict[int, list[Message]] = {}
    for line in filter(None, data.split(b"\n")):
        number, message = _loaded(line, lambda value: (int(value["batch"]), built(Message, value)))
        batches.setdefault(number, []).append(message)
    return tuple(Digest(number, tuple(messages)) for number, messages in sorted(batches.items()))


def load_decisions(data: bytes) -> tuple[Decision, ...]:
    """What the pass settled, with the bytes of every file it writes. Raises Damaged."""
    return load(tuple[Decision, ...], data)


def dump(value: object) -> bytes:
    """Any other record: what miners answered, what was settled, what a host handed in last, what was seen."""
    return json.dumps(plain(value), indent=1).encode() + b"\n"


def load(kind: type[T], data: bytes) -> T:
    """The value of type ``kind`` that was dumped. Raises Damaged."""
    return _loaded(data, lambda value: cast(T, built(kind, value)))


def plain(value: Any) -> Any:
    """A value of the vocabulary as JSON holds it. A member of a union carries its class name as ``is``."""
    match value:
        case Enum():
            return value.value
        case bytes():
            return base64.b64encode(value).decode()
        case datetime():
            return value.isoformat()
        case Mapping():
            return {plain(key): plain(entry) for key, entry in value.items()}
        case frozenset():
            return sorted(plain(entry) for entry in value)
        case tuple() | list():
            return [plain(entry) for entry in value]
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
            return {"is": type(value).__name__, **fields}
        case _:
            return value


def built(kind: Any, value: Any) -> Any:
    """The value of type ``kind`` that ``plain`` made ``value`` of. Unknown fields are ignored."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _one_of(arguments, value)
    if origin in (tuple, frozenset):
        return _collection(origin, arguments, value)
    if origin is not None and issubclass(origin, Mapping):
        return {built(arguments[0], key): built(arguments[1], entry) for key, entry in value.items()}
    return _single(kind, value)


def _single(kind: Any, value: Any) -> Any:
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = _hints(kind)
        return kind(**{name: built(hint, value[name]) for name, hint in hints.items() if name in value})
    if kind is bytes:
        return base64.b64decode(value, validate=True)
    if kind is datetime:
        return datetime.fromisoformat(value)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    if not isinstance(value, kind):
        raise TypeError(f"{value!r:.40} is no {kind.__name__}")
    return value


def _one_of(kinds: tuple[Any, ...], value: Any) -> Any:
    if value is None and types.NoneType in kinds:
        return None
    candidates = [kind for kind in kinds if kind is not types.NoneType]
    if len(candidates) == 1:
        return built(candidates[0], value)
    return built(next(kind for kind in candidates if kind.__name__ == value["is"]), value)


def _collection(origin: Any, arguments: tuple[Any, ...], value: Any) -> Any:
    if origin is tuple and Ellipsis not in arguments:
        return tuple(built(kind, entry) for kind, entry in zip(arguments, value, strict=True))
    return origin(built(arguments[0], entry) for entry in value)


@cache
def _hints(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def _loaded(data: bytes, build: Callable[[Any], T]) -> T:
    try:
        return build(json.loads(data))
    except (ValueError, TypeError, KeyError, AttributeError, StopIteration, RecursionError) as error:
        raise Damaged(
            f"A record of this pass cannot be read: {type(error).__name__}: {str(error)[:120]}.",
            "memgit recover looks for a sound copy; memgit discard puts the pass away.",
        ) from None


# --- pass json ---
# A pass as one JSON object: what ``--json`` prints, fields only ever added; and a batch as its miner reads it.

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
        "passed_over": found.passed_over,
    }


def _safe(text: str) -> str:
    return mask(whole(text)).text
