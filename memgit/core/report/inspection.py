"""What a pass saw beside what it decided, in its report."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.model.passes import Inspection
from memgit.model.verification import Appraisal
from memgit.text.layout import code, line


def classes_section(seen: Inspection) -> Iterator[str]:
    """One line for each memory that was classified: its class, and what was looked at."""
    if seen.appraisals:
        yield "## Classes"
        yield "\n".join(map(_row, seen.appraisals))


def _row(given: Appraisal) -> str:
    by = f" (by the {given.by})" if given.by else ""
    return f"- {code(given.memory)} — **{given.kind}**{by}: {line(given.evidence)}"


def remarks_section(seen: Inspection) -> Iterator[str]:
    """The remarks, each under its own heading; their lines are Markdown already."""
    for remark in seen.remarks:
        yield f"## {remark.title}"
        yield "\n".join(f"- {each}" for each in remark.lines)
