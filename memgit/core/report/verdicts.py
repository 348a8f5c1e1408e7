"""What is true of each memory that survives: exactly one of four verdicts."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.claims.spans import LONGEST, LONGEST_BODY
from memgit.memory.memory import memories
from memgit.model.decision import Decision, Kind
from memgit.model.passes import Outcome
from memgit.model.store import Memory, StoreContent
from memgit.model.verification import MemoryCheck, SpanCheck, Verdict
from memgit.text.layout import code, line


def memories_section(outcome: Outcome, after: StoreContent) -> Iterator[str]:
    """One line for each memory of the candidate."""
    contradicted = {
        name: decision for decision in outcome.decisions if decision.kind is Kind.REPLACE for name in decision.results
    }
    store = memories(after)
    if store:
        yield "## Memories of the candidate"
        yield "\n".join(
            f"- {code(memory.id)} — {_verdict(contradicted.get(memory.id), outcome.verification.get(memory.id))}"
            f"{_extent(memory)}"
            for memory in store
        )


def unverifiable(check: MemoryCheck) -> str:
    """What a memory names and the working tree does not show, with the reason for each name."""
    missing = check.missing
    names = ", ".join(_named(span) for span in missing)
    reasons = "; ".join(_reason(span, alone=len(missing) == 1) for span in missing)
    return f"names {names}, not found in the working tree ({reasons})."


def _verdict(replaced: Decision | None, check: MemoryCheck | None) -> str:
    if replaced is not None:
        beneath = f"\n  - its new text {unverifiable(check)}" if check and check.missing else ""
        return f"**Contradicted by a later session** and replaced ({replaced.id}).{beneath}"
    if check is None or check.verdict is Verdict.NO_TARGETS:
        return "nothing to check."
    if check.verdict is Verdict.UNVERIFIABLE:
        return f"**Unverifiable:** {unverifiable(check)}"
    return "verified."


def _extent(memory: Memory) -> str:
    """What is to be said of a memory that is too long to be looked at whole."""
    return f" Only its first {LONGEST_BODY:,} characters were looked at." if len(memory.body) > LONGEST_BODY else ""


def _reason(span: SpanCheck, *, alone: bool) -> str:
    reason, hint = span.missing.value if span.missing else "unknown", line(span.hint)
    why = hint if hint.startswith(reason) else ", ".join(filter(None, (reason, hint)))
    return why if alone else f"{_named(span)}: {why}"


def _named(span: SpanCheck) -> str:
    """The span as a code span; of one that no name is as long as, the beginning."""
    text = span.span
    return code(text) if len(text) <= LONGEST else f"{code(text[:LONGEST])} … ({len(text):,} characters)"
