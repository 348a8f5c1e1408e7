"""The report of a candidate that merges a pass with what the live store has become."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memgit.evidence.findings import mask, printable, printable_name
from memgit.memory.apply import Changes
from memgit.memory.merge import Conflict


def merge_report(merged: str, live: Changes, conflicts: Sequence[Conflict], report: str) -> str:
    """Markdown: what the live store changed, each conflict with both texts, and the changes that the report of pass
    ``merged`` justifies. What that report says of the store, its verdicts and its next steps is no longer true."""
    return "\n".join(_parts(merged, live, conflicts, report)).rstrip() + "\n"


def _parts(merged: str, live: Changes, conflicts: Sequence[Conflict], report: str) -> Iterator[str]:
    yield f"# Pass {merged} merged with the store as it is now\n"
    yield f"Since pass {merged} read the store it has changed: {live.sentence(names=50)}. Those changes are kept.\n"
    if conflicts:
        yield "## Conflicts\n"
        yield "The pass and the store changed each of these differently. The candidate holds the store's text.\n"
    for conflict in conflicts:
        yield f"### `{printable_name(conflict.path)}`\n"
        yield f"In the store:\n\n{_block(conflict.ours)}\n"
        yield f"As pass {merged} would have it:\n\n{_block(conflict.theirs)}\n"
    yield from (f"{section}\n" for section in _sections(report) if section.startswith(_STILL_TRUE))
    yield "## What you can do\n"
    yield "`memgit log` shows this pass as the newest; `memgit adopt` puts it in place, `memgit discard` puts it away."


_STILL_TRUE = ("## Changes", "## Rejected", "## Noticed", "## Not mined", "## Candidates without")


def _sections(report: str) -> Iterator[str]:
    """The second-level sections of a report; a heading inside a fenced text starts none."""
    section: list[str] = []
    fence = ""
    for line in report.split("\n"):
        mark = line[: len(line) - len(line.lstrip("`"))]
        if len(mark) >= 3 and (not fence or (line == mark and len(mark) >= len(fence))):
            fence = "" if fence else mark
        if line.startswith("## ") and not fence:
            yield "\n".join(section).rstrip()
            section = []
        section.append(line)
    yield "\n".join(section).rstrip()


def _block(data: bytes | None) -> str:
    """A text as an indented block, which no fence inside it can end."""
    if data is None:
        return "    (removed)"
    text = mask(data.decode("utf-8", "replace")).text
    return "\n".join(f"    {printable(line)}" for line in text.splitlines()) or "    (empty)"
