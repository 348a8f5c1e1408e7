"""Checks what memories name against the working tree.

A name that is found settles the matter, whatever its shape: a span of unclear shape that stands in some
file is verified. Only for what is not found does the shape decide between something missing and nothing
that a tree could answer for. A verdict annotates and never changes a memory.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memgit.core.commands import entered_folder, options, scripts_of, started_file, steps
from memgit.core.paths import Listing, alternatives
from memgit.core.spans import NO_TARGETS, classify, spans
from memgit.core.spellings import last_part, spellings
from memgit.model.store import INDEX, Memory
from memgit.model.verification import MemoryCheck, Missing, SpanCheck, SpanKind, Verdict

if TYPE_CHECKING:
    from memgit.ports import WorkingTree

_IN_FILE = re.compile(r"(?P<path>.+?)(?:#L(?P<line>\d+).*|:(?P<number>\d+)[\d:,\-–]*|::?(?P<member>[A-Za-z_].*))")
_CLEAR_PATHS = frozenset({SpanKind.FILE, SpanKind.FILE_LINE, SpanKind.DIRECTORY, SpanKind.GLOB})
_MAYBE_PATHS = frozenset({SpanKind.PATH, SpanKind.BRANCH, SpanKind.PAIR})
_NO_PATHS = frozenset({SpanKind.FLAG, SpanKind.HASH, SpanKind.NUMBER, SpanKind.ROUTE, SpanKind.URL})
_MOST_NAMED = 3  # paths that a hint lists


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that the tree was asked once for all memories."""

    listing: Listing
    texts: Mapping[str, str]
    scripts: Mapping[str, str]
    names: frozenset[str]
    root: str


def verify(memories: Iterable[Memory], tree: WorkingTree, *, names: Collection[str] = ()) -> dict[str, MemoryCheck]:
    """The verdict for each memory, by its id, with every span of its body.

    ``names`` are what wikilinks may say (ids and names of memories): when they stand nowhere in the tree
    they are no targets. A memory that names itself means the thing it is called after.
    """
    memories = tuple(memories)
    named = {memory.id: spans(memory.body) for memory in memories}
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
        texts=tree.find(sorted({text for span in unique for text in _texts(span)})),
        scripts=tree.scripts(),
        names=frozenset(names),
        root=tree.root,
    )
    checks = {span: _judge(span, evidence) for span in unique}
    return _explained(_lines_checked(checks, tree), evidence, tree)


def _judge(span: str, evidence: Evidence) -> SpanCheck:
    """Found, missing for a reason still unknown, or no target."""
    kind = _kind(span, evidence)
    if kind is SpanKind.GLOB:
        return _by_pattern(SpanCheck(span, kind), evidence)
    if kind is SpanKind.FILE_LINE:
        return _in_file(SpanCheck(span, kind), evidence)
    found = _as_path(SpanCheck(span, kind), evidence)
    if not found.is_target and kind in _CLEAR_PATHS:
        return _lost(found, _mention(span, evidence))
    if not found.is_target and kind in (SpanKind.COMMAND, SpanKind.PLACEHOLDER):
        found = _as_command(found, evidence)
    if not found.is_target:
        found = _as_text(found, evidence)
    if found.is_target or kind in NO_TARGETS:
        return found
    return _lost(found, found.hint or _clue(span, kind, evidence))


def _kind(span: str, evidence: Evidence) -> SpanKind:
    """The kind by shape, corrected by what this project has: its memories' names, its folders, its root."""
    if span == INDEX or span.removesuffix(".md") in evidence.names:
        return SpanKind.WIKILINK
    kind = classify(span)
    if kind is SpanKind.OUTSIDE and (inside := _relative(span, evidence)) != span:
        return classify(inside)
    if kind in (SpanKind.BRANCH, SpanKind.PAIR) and span.partition("/")[0] in evidence.listing.folders:
        return SpanKind.PATH if "/" in span else kind
    return kind


def _as_path(check: SpanCheck, evidence: Evidence) -> SpanCheck:
    """Looked up as a path: whole, by its last parts when only one path has them, in another case."""
    path = _path(check.span, evidence)
    listing = evidence.listing
    if check.kind in _NO_PATHS or not path:
        return check
    if check.kind is SpanKind.OUTSIDE:  # `/src/x.py` may mean the project's root; `/etc` is never its folder
        return replace(check, where=path) if path in listing.files else check
    if where := listing.exact(path):
        return replace(check, where=where)
    ends = listing.ending(path) or (listing.folders_ending(path) if "/" in path else ())
    if len(ends) == 1:
        return replace(check, where=ends[0])
    if ends and check.kind in _CLEAR_PATHS | {SpanKind.PATH}:
        return replace(check, missing=Missing.AMBIGUOUS, hint=_several(ends))
    if check.kind is SpanKind.FILE and len(similar := listing.in_another_case(path)) == 1:
        return replace(check, where=similar[0], hint=f"spelled {similar[0]} in the tree")
    return check


def _in_file(check: SpanCheck, evidence: Evidence) -> SpanCheck:
    """A line or a member of a file: the file must be there, and the member's name must stand in some file."""
    parts = _IN_FILE.fullmatch(check.span)
    if parts is None:
        return _lost(check, "")
    found = _as_path(SpanCheck(parts["path"], SpanKind.FILE), evidence)
    found = replace(found, span=check.span, kind=check.kind)
    if not found.where:
        return found if found.is_target else _lost(found, _mention(parts["path"], evidence))
    member = _member(check.span)
    if member and member not in evidence.texts:
        return SpanCheck(check.span, check.kind, missing=Missing.NEVER, hint=f"{found.where} is there, {member} is not")
    return found


def _by_pattern(check: SpanCheck, evidence: Evidence) -> SpanCheck:
    """A pattern stands for some file; each of its alternatives in braces must."""
    found = [evidence.listing.matching(_path(pattern, evidence)) for pattern in alternatives(check.span)]
    if found and all(found):
        return replace(check, where=found[0])
    return replace(check, missing=Missing.NEVER, hint="no file matches")


def _as_command(check: SpanCheck, evidence: Evidence) -> SpanCheck:
    """Each step of the command must run a script that is defined, start a file that exists, or stand in a file."""
    found = [(step, _step(step, evidence)) for step in steps(check.span)]
    places = [place for _, place in found if place]
    if found and len(places) == len(found):
        return replace(check, where=places[0])
    if places:
        lost = next(step for step, place in found if not place)
        return replace(check, hint=f"not found: {lost}")
    return check


def _step(step: str, evidence: Evidence) -> str | None:
    scripts = scripts_of(step)
    if scripts and all(script in evidence.scripts for script in scripts):
        return evidence.scripts[scripts[0]]
    if folder := entered_folder(step):
        return evidence.listing.exact(_path(folder, evidence))
    if (path := started_file(step)) and all(option in evidence.texts for option in options(step)):
        started = _as_path(SpanCheck(path, SpanKind.FILE), evidence)
        if started.where and not started.where.endswith("/"):
            return started.where
    return evidence.texts.get(step)


def _as_text(check: SpanCheck, evidence: Evidence) -> SpanCheck:
    places = (evidence.texts.get(text) for text in spellings(check.span, check.kind))
    where = next((place for place in places if place), None)
    return replace(check, where=where, hint="" if where else check.hint)


def _lines_checked(checks: Mapping[str, SpanCheck], tree: WorkingTree) -> dict[str, SpanCheck]:
    """A line number beyond the end of its file is worth a word: the file is there, and has changed since."""
    return {
        span: _line_checked(check, tree) if check.kind is SpanKind.FILE_LINE else check
        for span, check in checks.items()
    }


def _line_checked(check: SpanCheck, tree: WorkingTree) -> SpanCheck:
    parts = _IN_FILE.fullmatch(check.span)
    number = parts and (parts["line"] or parts["number"])
    if not number or not check.where:
        return check
    lines = tree.lines(check.where)
    if lines is None or int(number[:12]) <= lines:
        return check
    return replace(check, hint=f"the file has {lines} lines")


def _explained(checks: Mapping[str, SpanCheck], evidence: Evidence, tree: WorkingTree) -> dict[str, SpanCheck]:
    """Missing paths with what git knows of them; a word pair or branch that git knows as a path becomes one."""
    asked = {span: path for span, check in checks.items() if (path := _unknown(check, evidence))}
    known = tree.absent(sorted(set(asked.values()))) if asked else {}
    return {span: _with_reason(check, known.get(asked.get(span, "")), evidence) for span, check in checks.items()}


def _unknown(check: SpanCheck, evidence: Evidence) -> str | None:
    """The path to ask git about, when there is one that was not found."""
    if check.where or check.missing not in (None, Missing.NEVER):
        return None
    if check.kind is SpanKind.COMMAND:
        path = next(filter(None, map(started_file, steps(check.span))), None)
        return path and _path(path, evidence)
    if check.kind is SpanKind.FILE_LINE and (parts := _IN_FILE.fullmatch(check.span)):
        return _path(parts["path"], evidence)
    if check.kind in (SpanKind.FILE, SpanKind.DIRECTORY) or (check.kind in _MAYBE_PATHS and "/" in check.span):
        return _path(check.span, evidence) or None
    return None


def _with_reason(check: SpanCheck, known: tuple[Missing, str] | None, evidence: Evidence) -> SpanCheck:
    if known is None:
        return check
    reason, hint = known
    if reason is not Missing.NEVER:
        return replace(check, missing=reason, hint=hint)
    if check.missing and not check.hint and (others := evidence.listing.namesakes(_path(check.span, evidence))):
        return replace(check, hint=f"a file of this name: {_several(others)}")
    return check


def _lost(check: SpanCheck, hint: str) -> SpanCheck:
    return replace(check, missing=Missing.NEVER, hint=hint)


def _clue(span: str, kind: SpanKind, evidence: Evidence) -> str:
    """What else of a missing name is there, for a reader who looks for it."""
    part = last_part(span) if kind in (SpanKind.IDENTIFIER, SpanKind.CALL) else None
    return f"{part} stands in {evidence.texts[part]}" if part and part in evidence.texts else ""


def _mention(path: str, evidence: Evidence) -> str:
    return f"only mentioned in {evidence.texts[path]}" if path in evidence.texts else ""


def _several(paths: Sequence[str]) -> str:
    more = len(paths) - _MOST_NAMED
    return ", ".join(paths[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _texts(span: str) -> Iterator[str]:
    """Every text whose place may matter for this span."""
    kind = classify(span)
    yield from spellings(span, kind)
    match kind:
        case SpanKind.COMMAND | SpanKind.PLACEHOLDER:
            yield from (text for step in steps(span) for text in (step, *options(step)))
        case SpanKind.IDENTIFIER | SpanKind.CALL:
            yield last_part(span) or span
        case SpanKind.FILE_LINE if parts := _IN_FILE.fullmatch(span):
            yield from (parts["path"], _member(span) or span)
        case _:
            pass


def _member(span: str) -> str | None:
    """The name behind a file: ``test_cap`` of ``tests/test_retry.py::TestRetry::test_cap[3]``."""
    parts = _IN_FILE.fullmatch(span)
    if parts is None or not parts["member"]:
        return None
    names = re.split(r"[.:]+", parts["member"].partition("[")[0].partition("(")[0])
    return names[-1] or None


def _path(span: str, evidence: Evidence) -> str:
    """The span as a path from the root: its own root taken off, slashes turned, no ``./`` and no slash at the end."""
    path = _relative(span, evidence)
    if "\\" in path and not re.search(r"\s", path):
        path = path.replace("\\", "/")
    return path.removeprefix("./").strip("/") or ("." if path.startswith(".") else "")


def _relative(span: str, evidence: Evidence) -> str:
    """An absolute path inside the project without the project's root; any other span as it is."""
    root = evidence.root.rstrip("/\\")
    inside = root and span.startswith(root) and span[len(root) : len(root) + 1] in ("/", "\\")
    return span[len(root) + 1 :] or "." if inside else span
