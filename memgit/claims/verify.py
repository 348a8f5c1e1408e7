"""Checks what memories name against the working tree.

A name that is found settles the matter, whatever its shape: a span of unclear shape that stands in some
file is verified. Only for what is not found does the shape decide between something missing and nothing
that a tree could answer for. A verdict annotates and never changes a memory.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

from memgit.claims.commands import started_file, steps
from memgit.claims.lookup import Evidence, Listing, bare_name, in_code, judge, several, texts
from memgit.claims.names import scripts
from memgit.claims.spans import spans
from memgit.model.store import Memory
from memgit.model.verification import Absence, MemoryCheck, Missing, SpanCheck, SpanKind, Verdict
from memgit.text.markdown import file_line

if TYPE_CHECKING:
    from memgit.ports import WorkingTree


def verify(
    memories: Iterable[Memory],
    tree: WorkingTree,
    *,
    names: Collection[str] = (),
    mentioned: Mapping[str, Sequence[str]] = MappingProxyType({}),
    since: datetime | None = None,
) -> dict[str, MemoryCheck]:
    """The verdict for each memory, by its id, with every span of its body.

    ``names`` are what wikilinks may say (ids and names of memories): when they stand nowhere in the tree
    they are no targets. A memory that names itself means the thing it is called after. ``mentioned`` are names to look
    up beside the code spans, by the memory's id. With ``since`` the commits after that are read for what they took out
    of the code.
    """
    memories = tuple(memories)
    named = {memory.id: (*spans(memory.body), *mentioned.get(memory.id, ())) for memory in memories}
    itself = {span for memory in memories for span in named[memory.id] if span in (memory.id, memory.name)}
    checks = check(
        [span for found in named.values() for span in found], tree, names=frozenset(names) - itself, since=since
    )
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


def check(
    wanted: Iterable[str], tree: WorkingTree, *, names: Collection[str] = (), since: datetime | None = None
) -> dict[str, SpanCheck]:
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
    return _of_code(_explained(_lines_checked(checks, tree), evidence, tree), evidence, tree, since)


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
        case SpanKind.IDENTIFIER if _MAY_BE_FILE.fullmatch(check.span):
            path = check.span
        case SpanKind.BRANCH | SpanKind.PAIR if "/" in check.span:
            path = check.span
        case _:
            path = ""
    return evidence.path(path) or None


def _of_code(
    checks: Mapping[str, SpanCheck], evidence: Evidence, tree: WorkingTree, since: datetime | None
) -> dict[str, SpanCheck]:
    """Names in code and scripts that stand nowhere in it, with what other branches and history know of them."""
    lost = [check for check in checks.values() if check.missing in (Missing.NEVER, Missing.MENTIONED)]
    bare = {check.span: bare_name(check.span, check.kind) for check in lost}
    names = {span: name for span, name in bare.items() if name and not in_code(name, evidence)}
    runs = {check.span: wanted for check in lost if (wanted := scripts(check))}
    asked = tuple(dict.fromkeys(script for each in runs.values() for script in each))
    known = tree.names_absent(tuple(dict.fromkeys(names.values())), asked, since) if names or runs else {}
    reasons = {
        span: found
        for span, wanted in ({span: (name,) for span, name in names.items()} | runs).items()
        if (found := next((known[one] for one in wanted if one in known), None))
    }
    return {span: _with(check, reasons[span]) if span in reasons else check for span, check in checks.items()}


def _with(check: SpanCheck, known: Absence) -> SpanCheck:
    return replace(check, missing=known.reason, hint=known.hint, change=known.change)


_MAY_BE_FILE = re.compile(r"[\w-]+\.[A-Za-z]\w+")


def _with_reason(check: SpanCheck, known: Absence | None, evidence: Evidence) -> SpanCheck:
    if known is None:
        return check
    if known.reason is not Missing.NEVER or known.hint:
        return _with(check, known)
    if check.missing and not check.hint and (others := evidence.listing.namesakes(evidence.path(check.span))):
        return replace(check, hint=f"a file of this name: {several(others)}")
    return check
