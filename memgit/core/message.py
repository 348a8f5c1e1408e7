"""A candidate's commit message: subject, the report, and trailers that ``git log`` reads as well as memgit."""

from __future__ import annotations

from collections import Counter

from memgit.core.screening import printable
from memgit.model.decision import Kind
from memgit.model.passes import Outcome, PassState

SUBJECT_LENGTH = 72
_TRAILER = "Memgit-"


def summary(outcome: Outcome) -> str:
    """What a pass decided, in a phrase: ``1 merge, 1 replace, 1 rejected``; ``nothing to change`` else."""
    kinds = Counter(decision.kind for decision in outcome.decisions)
    rejected = kinds.pop(Kind.REJECT, 0)
    parts = [f"{kinds[kind]} {kind}" for kind in Kind if kinds[kind]]
    parts += [f"{rejected} rejected"] if rejected else []
    return ", ".join(parts) or "nothing to change"


def commit_message(outcome: Outcome) -> str:
    """The whole message of the commit of a candidate."""
    plan = outcome.plan
    subject = f"{plan.kind} {plan.id}: {summary(outcome)}"[:SUBJECT_LENGTH]
    trailers = {
        "Pass": plan.id,
        "Kind": plan.kind,
        "Mode": plan.mode,
        "Base": plan.snapshot or "none",
        "Store": printable(plan.store.path),
        "Fingerprint": plan.fingerprint,
        "Unsafe": "yes" if outcome.state is PassState.UNSAFE else "no",
    }
    lines = "\n".join(f"{_TRAILER}{name}: {value}" for name, value in trailers.items())
    return f"{subject}\n\n{outcome.report.strip()}\n\n{lines}\n"


def report_of(message: str) -> str:
    """The report in a candidate's commit message: what stands between its subject and its trailers."""
    lines = message.rstrip("\n").split("\n")[1:]
    while lines and lines[-1].startswith(_TRAILER):
        lines.pop()
    return "\n".join(lines).strip("\n") + "\n"
