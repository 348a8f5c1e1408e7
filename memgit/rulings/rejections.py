"""What a user turned down is not proposed again until its evidence changes, whichever kind of pass it was."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

from memgit.errors import Damaged
from memgit.evidence.quotes import fold
from memgit.model.decision import Approval, Decision, Evidence, FactName, Said, Standing
from memgit.model.store import StoreContent
from memgit.rulings.settle import reconnected
from memgit.rulings.standing import is_decidable

RECORD = "rejections.json"
"""The record of a pass that holds what was turned down of it."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """One proposal that was turned down: its key, and where and why."""

    key: str
    pass_id: str
    reason: str = ""


def key(decision: Decision, content: StoreContent) -> str:
    """What makes two proposals the same: their kind, the memories as they are now, and the evidence beyond them. Line
    numbers are left out, so that an edit elsewhere in a file brings nothing back."""
    memories = [[name, _mark(content, f"{name}.md")] for name in sorted(decision.memories)]
    own = {f"memory:{name}" for name in decision.memories}
    beyond = (one for one in decision.evidence if isinstance(one, Said) or one.where not in own)
    evidence = sorted(_evidence(one) for one in beyond)
    indexed = {path: _digest(data) for path, data in decision.writes.items()} if not decision.memories else {}
    named = [decision.kind.value, memories, evidence, [] if evidence else sorted(indexed.items())]
    return _digest(json.dumps(named).encode())


def question_key(evidence: Iterable[Evidence]) -> str:
    """What makes two questions the same: the words that they rest on, whatever has become of the memories since."""
    said = sorted(_evidence(one) for one in evidence if isinstance(one, Said))
    return _digest(json.dumps(["question", said]).encode()) if said else ""


def _mark(content: StoreContent, path: str) -> str:
    file = content.files.get(path)
    return _digest(file.data) if file else "absent"


def _evidence(one: Evidence) -> list[str]:
    if isinstance(one, Said):
        return ["said", one.session, fold(one.quote), *([one.answers] if one.answers else [])]
    kind, _, rest = one.where.partition(":")
    place, _, line = rest.rpartition(":")
    return ["seen", kind, place if line.isdecimal() else rest, fold(one.quote)]


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def turned_down(decisions: Iterable[Decision], content: StoreContent, pass_id: str) -> tuple[Rejection, ...]:
    """The rejections among the decisions of one pass, and its answered questions, taken or not. ``content`` is the
    store as the pass read it."""
    decisions = tuple(decisions)
    down = [
        Rejection(key(each, content), pass_id, each.reason) for each in decisions if each.approval is Approval.REJECTED
    ]
    answered = [each for each in decisions if each.asks and each.approval in (Approval.REJECTED, Approval.APPROVED)]
    return (*down, *(Rejection(name, pass_id) for each in answered if (name := question_key(each.evidence))))


def withheld(decisions: Sequence[Decision], content: StoreContent, before: Iterable[Rejection]) -> tuple[Decision, ...]:
    """The decisions of a pass, with those refused that were turned down before."""
    known = {rejection.key: rejection for rejection in before}
    told = tuple(_told(each, _found(each, content, known)) if is_decidable(each) else each for each in decisions)
    if told == tuple(decisions):
        return told
    return reconnected(told, [each for each in told if each.stands], content)


def _found(decision: Decision, content: StoreContent, known: Mapping[str, Rejection]) -> Rejection | None:
    """The earlier answer to a decision."""
    answered = known.get(question_key(decision.evidence)) if decision.asks else None
    return answered or known.get(key(decision, content))


def _told(decision: Decision, rejection: Rejection | None) -> Decision:
    if rejection is None:
        return decision
    because = f": {rejection.reason.rstrip('.')}" if rejection.reason else ""
    reason = f"You turned this down in pass {rejection.pass_id}{because}. Its evidence has not changed since."
    return replace(
        decision,
        standing=Standing.REFUSED,
        refused_by=FactName.TURNED_DOWN,
        refusal=reason,
        results=(),
        writes={},
        removes=frozenset(),
        dropped_text={},
        unlinked={},
    )


def dump(rejections: Iterable[Rejection]) -> bytes:
    """Rejections as a record of their pass."""
    return json.dumps([[each.key, each.pass_id, each.reason] for each in rejections]).encode()


def load(data: bytes) -> tuple[Rejection, ...]:
    """The rejections of a record. Raises Damaged."""
    try:
        return tuple(Rejection(*map(str, each)) for each in json.loads(data))
    except (ValueError, TypeError) as error:
        raise Damaged(
            f"A record of rejected proposals cannot be read: {error}.", "Run `memgit check --full`."
        ) from None
