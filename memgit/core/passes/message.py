"""A candidate's commit message: subject, the report, and trailers that ``git log`` reads as well as memgit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from memgit.core.screening.findings import printable
from memgit.core.text.numbers import counted
from memgit.model.decision import Kind, Standing
from memgit.model.history import PassState
from memgit.model.passes import Outcome

SUBJECT_LENGTH = 72
_TRAILER = "Memgit-"


def summary(outcome: Outcome) -> str:
    """What a pass decided, in a phrase: ``1 merge, 1 replace, 3 questions, 1 refused``; ``no memory changes`` else."""
    taken = Counter(each.kind for each in outcome.decisions if each.standing is Standing.TAKEN)
    rejected = taken.pop(Kind.REJECT, 0)
    held = sum(each.standing is Standing.HELD for each in outcome.decisions)
    refused = sum(each.standing is Standing.REFUSED for each in outcome.decisions)
    parts = [f"{taken[kind]} {kind}" for kind in Kind if taken[kind]]
    parts += [counted(held, "question")] if held else []
    parts += [f"{count} {word}" for count, word in ((refused, "refused"), (rejected, "rejected")) if count]
    return ", ".join(parts) or "no memory changes"


def commit_message(outcome: Outcome) -> str:
    """The whole message of the commit of a candidate."""
    plan = outcome.plan
    trailers = {
        "Pass": plan.id,
        "Kind": plan.kind,
        "Mode": plan.mode,
        "Base": plan.snapshot or "none",
        "Store": plan.store.path,
        "Fingerprint": plan.fingerprint,
        "Unsafe": "yes" if outcome.state is PassState.UNSAFE else "no",
    }
    return message(f"{plan.kind} {plan.id}: {summary(outcome)}", outcome.report, trailers)


def message(subject: str, report: str, trailers: Mapping[str, str]) -> str:
    """Subject, report and trailers in git's own form."""
    lines = "\n".join(f"{_TRAILER}{name}: {printable(value)}" for name, value in trailers.items())
    return f"{printable(subject)[:SUBJECT_LENGTH]}\n\n{report.strip()}\n\n{lines}\n"


def report_of(whole: str) -> str:
    """The report in a candidate's commit message: what stands between its subject and its trailers."""
    lines = whole.rstrip("\n").split("\n")[1:]
    while lines and lines[-1].startswith(_TRAILER):
        lines.pop()
    return "\n".join(lines).strip("\n") + "\n"
