"""The proposals of a pass as a person reads them before ruling on them, in plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memgit.evidence.findings import mask, printable
from memgit.memory.memory import read_memory
from memgit.model.decision import Decision, Evidence, Kind, Said, Standing
from memgit.model.store import StoreFile
from memgit.text.layout import line

_HEADINGS = {Kind.DROP: "Delete", Kind.UPDATE: "Update", Kind.REPLACE: "Update", Kind.MERGE: "Merge"}
_LEFT = "    "


def proposals(decisions: Sequence[Decision]) -> Iterator[str]:
    """The changing decisions grouped by what they do: each with the memory's current description, the evidence, and
    the exact text that would replace it. Rows are safe to print."""
    heading = ""
    for decision in (each for each in decisions if each.changes):
        if (own := _heading(decision)) != heading:
            heading = own
            yield f"{heading}:"
        yield from _proposal(decision)


def _heading(decision: Decision) -> str:
    if decision.kind is Kind.REPAIR:
        return "Links that follow" if decision.memories else "Index repair"
    return _HEADINGS.get(decision.kind, decision.kind.value.capitalize())


def _proposal(decision: Decision) -> Iterator[str]:
    names = " + ".join(line(name) for name in decision.memories) or "the index"
    survivor = f" -> {line(decision.results[0])}" if decision.kind is Kind.MERGE and decision.results else ""
    yield f"  {decision.id}  {names}{survivor}"
    for memory, text in decision.dropped_text.items():
        if description := read_memory(StoreFile(f"{memory}.md", text.encode("utf-8", "replace"))).description:
            yield f"{_LEFT}now: {line(memory)} — {line(description)}"
    if decision.standing is Standing.HELD:
        doubts = "; ".join(line(doubt.says) for doubt in decision.doubts)
        yield f"{_LEFT}a question: {line(decision.asks) or doubts}"
    yield f"{_LEFT}why: {line(decision.justification)}"
    yield from (f"{_LEFT}evidence: {evidence(one)}" for one in decision.evidence)
    if decision.kind is not Kind.REPAIR:
        for data in decision.writes.values():
            yield f"{_LEFT}becomes:"
            text = printable(mask(data.decode("utf-8", "replace")).text)
            yield from (f"{_LEFT}| {row}".rstrip() for row in text.rstrip("\n").split("\n"))


def evidence(one: Evidence) -> str:
    """One piece of evidence on one line: where it stands, and its words."""
    if isinstance(one, Said):
        return f"session {line(one.session)[:8]} — “{line(one.quote)}”"
    return f"{line(one.where)} — “{line(one.quote)}”"
