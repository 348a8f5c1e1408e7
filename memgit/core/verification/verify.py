"""Checks what memories name against the working tree.

A name that is found settles the matter, whatever its shape: a span of unclear shape that stands in some
file is verified. Only for what is not found does the shape decide between something missing and nothing
that a tree could answer for. A verdict annotates and never changes a memory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from memgit.core.text.file_lines import file_line
from memgit.core.verification.commands import started_file, steps
from memgit.core.verification.lookup import Evidence, judge, several, texts
from memgit.core.verification.paths import Listing
from memgit.core.verification.spans import spans
from memgit.model.store import Memory
from memgit.model.verification import MemoryCheck, Missing, SpanCheck, SpanKind, Verdict

if TYPE_CHECKING:
    from memgit.ports import WorkingTree


def verify(
    memories: Iterable[Memory],
    tree: WorkingTree,
    *,
    names: Collection[str] = (),
    mentioned: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> dict[str, MemoryCheck]:
    """The verdict for each memory, by its id, with every span of its body.

    ``names`` are what wikilinks may say (ids and names of memories): when they stand nowhere in the tree
    they are no targets. A memory that names itself means the thing it is called after. ``mentioned`` are names to look
    up beside the code spans, by the memory's id.
    """
    memories = tuple(memories)
    named = {memory.id: (*spans(memory.body), *mentioned.get(memory.id, ())) for memory in memories}
    itself = {span for memory in memories for span in named[memory.id] if span in (memory.id, memory.name)}
    checks = check([span for found in named.values() for span in found], tree, names=frozenset(names) - itself)
    return {memory: summary(memory, [checks[span] for span in found]) for memory, found in named.items()}


def summary(memory: str, checks: Sequence[SpanCheck]) -> MemoryCheck:
    """One verdict from the checks of a memory's spans."""
    targets = [check for check in checks if check.is_target]
    if not targets:
        verdict = Verdict.NO_TARGETS
    elif any(check.missing for check in targets):
        verdict = Verdict.UNVERIFIABLE
    else:
        verdict = Verdict.VERIFIED
    return MemoryCheck(memory, verdict, tuple(checks))


def check(wanted: Iterable[str], tree: WorkingTree, *, names: Collection[str] = ()) -> dict[str, SpanCheck]:
    """What became of each span. The tree is listed and read once, its history asked once."""
    unique = tuple(dict.fromkeys(wanted))
    evidence = Evidence(
        listing=Listing.of(tree.files()),
        texts=tree.find(sorted({text for span in unique for text in texts(span)})),
        scripts=tree.scripts(),
        names=frozenset(names),
        root=tree.root,
    )
    checks = {span: judge(span, evidence) for span in unique}
    return _explained(_lines_checked(checks, tree), evidence, tree)


def _lines_checked(checks: Mapping[str, SpanCheck], tree: WorkingTree) -> dict[str, SpanCheck]:
    """A line number beyond the end of its file is worth a word: the file is there, and has changed since."""
    return {
        span: _line_checked(check, tree) if check.kind is SpanKind.FILE_LINE else check
        for span, check in checks.items()
    }


def _line_checked(check: SpanCheck, tree: WorkingTree) -> SpanCheck:
    line = file_line(check.span).line
    if line is None or check.where is None:
        return check
    lines = tree.lines(check.where)
    return check if lines is None or line <= lines else replace(check, hint=f"the file has {lines} lines")


def _explained(checks: Mapping[str, SpanCheck], evidence: Evidence, tree: WorkingTree) -> dict[str, SpanCheck]:
    """Missing paths with what git knows of them; a word pair or branch that git knows as a path becomes one."""
    asked = {span: path for span, check in checks.items() if (path := _unknown(check, evidence))}
    known = tree.absent(sorted(set(asked.values()))) if asked else {}
    return {span: _with_reason(check, known.get(asked.get(span, "")), evidence) for span, check in checks.items()}


def _unknown(check: SpanCheck, evidence: Evidence) -> str | None:
    """The path to ask git about, when there is one that was not found."""
    if check.where or check.missing not in (None, Missing.NEVER):
        return None
    match check.kind:
        case SpanKind.COMMAND:
            path = next(filter(None, map(started_file, steps(check.span))), "")
        case SpanKind.FILE_LINE:
            path = file_line(check.span).path
        case SpanKind.FILE | SpanKind.DIRECTORY | SpanKind.PATH:
            path = check.span
        case SpanKind.BRANCH | SpanKind.PAIR if "/" in check.span:
            path = check.span
        case _:
            path = ""
    return evidence.path(path) or None


def _with_reason(check: SpanCheck, known: tuple[Missing, str] | None, evidence: Evidence) -> SpanCheck:
    if known is None:
        return check
    reason, hint = known
    if reason is not Missing.NEVER:
        return replace(check, missing=reason, hint=hint)
    if check.missing and not check.hint and (others := evidence.listing.namesakes(evidence.path(check.span))):
        return replace(check, hint=f"a file of this name: {several(others)}")
    return check
