"""What a pass saw beside what it decided, in its report."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.core.text.markdown import code, line
from memgit.model.passes import Inspection


def classes_section(seen: Inspection) -> Iterator[str]:
    """One line for each memory that was classified: its class, and what was looked at."""
    if seen.appraisals:
        yield "## Classes"
        yield "\n".join(f"- {code(each.memory)} — **{each.kind}**: {line(each.evidence)}" for each in seen.appraisals)


def remarks_section(seen: Inspection) -> Iterator[str]:
    """The remarks, each under its own heading; their lines are Markdown already."""
    for remark in seen.remarks:
        yield f"## {remark.title}"
        yield "\n".join(f"- {each}" for each in remark.lines)
