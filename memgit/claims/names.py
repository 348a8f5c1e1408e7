"""Names of files, folders, scripts and code that are there no longer: what a commit did to them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from memgit.claims.commands import scripts_of, started_file, steps
from memgit.claims.telling import Edit, Found, State, Told, telling
from memgit.model.decision import Seen
from memgit.model.store import Memory
from memgit.model.verification import Change, MemoryCheck, Missing, SpanCheck, SpanKind
from memgit.text.markdown import file_line

_GONE = frozenset({Missing.RENAMED, Missing.DELETED})
_NAMES = frozenset({SpanKind.IDENTIFIER, SpanKind.CALL, SpanKind.ENVIRONMENT, SpanKind.FLAG})


def scripts(span: SpanCheck) -> tuple[str, ...]:
    """The scripts that a command runs, by family and name."""
    if span.kind is not SpanKind.COMMAND:
        return ()
    return tuple(script for step in steps(span.span) for script in scripts_of(step))


def misplaced(
    memory: Memory, check: MemoryCheck, files: Sequence[str], text_of: Callable[[str], str]
) -> Iterator[Found]:
    """Files that this repository never had where a memory names them, and the one file of another folder that has all
    words of the path and no other words in its own name: a likeness, so a question."""
    wanted = [span for span in check.missing if span.missing is Missing.NEVER and span.kind is SpanKind.FILE]
    for span in (one for one in wanted if "/" in one.span and len(_words(one.span)) >= _LEAST_WORDS):
        known = _by_word(tuple(files))
        alike = set.intersection(*(set(known.get(word, ())) for word in _words(span.span)))
        own = _words(span.span)
        like = [one for one in alike if _ending(one) == _ending(span.span) and _words(one.rpartition("/")[2]) <= own]
        told = telling(memory)
        places = [(one, at) for one in told if not (one.is_over or one.is_reason) for at in _places(span.span, one)]
        if len(like) == 1 and places and like[0].rpartition("/")[0] != span.span.rpartition("/")[0]:
            first = next((row.strip() for row in text_of(like[0]).split("\n") if row.strip()), "")
            line = f"looked for `{span.span}`: never here; the one file with these words is {like[0]}"
            edits = tuple(_edit(one, at, span.span, like[0]) for one, at in places)
            yield Found(State.DIFFERS, line, (Seen(f"tree:{like[0]}", first),), edits)


_LEAST_WORDS = 2


@lru_cache(maxsize=2)
def _by_word(files: tuple[str, ...]) -> Mapping[str, Sequence[str]]:
    """The files by each word of their paths."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for file in files:
        for word in _words(file):
            found[word].append(file)
    return found


def _words(path: str) -> frozenset[str]:
    """The words of a path without its ending, one form for singular and plural."""
    return frozenset(word.lower().rstrip("s") for word in re.findall(r"[A-Za-z]{2,}", path.rpartition(".")[0]))


def _ending(path: str) -> str:
    return path.rpartition(".")[2]


def judge(memory: Memory, check: MemoryCheck, written: str) -> Iterator[Found]:
    """What a memory speaks of as if it were there, and which commit took it. A name in code that was taken out before
    the memory was ``written`` (a day) is told as history, whatever its words."""
    told = telling(memory)
    for span in check.missing:
        if span.missing not in _GONE or span.change is None:
            continue
        if span.kind in _NAMES and span.change.date < written:
            continue
        places = [(one, at) for one in told if not (one.is_over or one.is_reason) for at in _places(span.span, one)]
        new = _new(span)
        if places and not (new and any(new in one.text for one in told)):
            yield _found(span, span.change, new, places)


def _found(span: SpanCheck, change: Change, new: str | None, places: list[tuple[Told, int]]) -> Found:
    seen = (Seen(f"commit:{change.commit}", change.detail or change.subject),)
    if new is None:
        how = "taken out" if span.kind in _NAMES or scripts(span) else "deleted"
        return Found(State.GONE, f"looked for `{span.span}`: {how} in {change}", seen, day=change.date)
    edits = tuple(_edit(one, at, span.span, new) for one, at in places)
    return Found(
        State.MOVED, f"looked for `{span.span}`: now {change.moved_to}, since {change}", seen, edits, change.date
    )


def _edit(told: Told, at: int, old: str, new: str) -> Edit:
    return told.edit(at, at + len(old), new)


def _places(span: str, told: Told) -> Iterator[int]:
    """Where a sentence has a span whole: marked as code, or a path in its prose."""
    yield from (found.start("it") + found["it"].index(span) for found in told.spans if found["it"].strip() == span)
    if "/" in span or " " in span:
        yield from (
            found.start() for found in re.finditer(rf"(?<![\w./-]){re.escape(span)}(?![\w/-]|\.\w)", told.plain)
        )


def _new(span: SpanCheck) -> str | None:
    """The span as it would be now; None where nobody knows."""
    change = span.change
    if change is None or span.missing is not Missing.RENAMED or not change.moved_to:
        return None
    if names := scripts(span):
        old = names[0].partition(" ")[2]
        return re.sub(rf"(?<![\w:-]){re.escape(old)}(?![\w-]|:\w)", lambda _: change.moved_to or "", span.span)
    path = _path(span)
    if path is None:
        return None
    return span.span.replace(path, _as_written(path, change), 1)


def _path(span: SpanCheck) -> str | None:
    match span.kind:
        case SpanKind.FILE_LINE:
            path = file_line(span.span).path
        case SpanKind.COMMAND:
            path = next(filter(None, map(started_file, steps(span.span))), "")
        case _:
            path = span.span
    return path.removeprefix("./").rstrip("/") or None


def _as_written(path: str, change: Change) -> str:
    """The new path, beginning where the memory's own began: whole, or below the folder that both lie in."""
    new, old = change.moved_to or "", change.detail.split(" ")[1] if " " in change.detail else ""
    before = f"/{old}".partition(f"/{path}")[0].removeprefix("/") if f"/{path}" in f"/{old}" else ""
    return new.removeprefix(f"{before}/") if before else new
