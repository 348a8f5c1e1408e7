"""The names in a memory that were once in the project and are no longer: what to ask history about, and its answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from memgit.core.text.file_lines import file_line
from memgit.core.text.paragraphs import present
from memgit.core.verification.commands import options, scripts_of, started_file, steps
from memgit.model.store import Memory
from memgit.model.verification import Change, Line, MemoryCheck, Missing, SpanCheck, SpanKind

_TOLD_AS_GONE = re.compile(
    r"\b(?:removed|deleted|gone|dropped|retired|renamed|moved|split|replaced|superseded|deprecated|formerly|previously"
    r"|used to|no longer|any ?more|was|were|historical|obsolete|instead of|rather than|never|not|don['’]?t"
    r"|gelöscht|entfernt|früher|umbenannt|verschoben)\b|\b(?:old|legacy|former) (?:\w+ )?¦",
    re.IGNORECASE,
)
_PATHS = frozenset({SpanKind.FILE, SpanKind.DIRECTORY, SpanKind.PATH, SpanKind.FILE_LINE})
_WORDS = frozenset({SpanKind.IDENTIFIER, SpanKind.CALL, SpanKind.ENVIRONMENT, SpanKind.FLAG})
_LEAST_PARTS = 2
_LEAST = 5
"""Letters of a name below which its removal from a whole history says nothing."""


@dataclass(frozen=True, slots=True)
class Gone:
    """A span that names something gone: ``name`` is the part that is, ``change`` the commit that took it, ``line`` the
    one where a script has its new name."""

    span: str
    name: str
    change: Change
    is_path: bool
    line: Line | None = None


@dataclass(frozen=True, slots=True)
class Misplaced:
    """A span of a memory that names a file where there is none, and never was as far as history goes; ``line`` is the
    beginning of the one file that has all the words of its path."""

    span: str
    name: str
    line: Line


def misplaced(memory: Memory, check: MemoryCheck, files: Iterable[str]) -> tuple[tuple[str, str, str], ...]:
    """The paths of a memory that only another file can mean: span, path as written, and that file's path."""
    told = present(memory)
    wanted = [
        (span.span, path)
        for span in check.missing
        if span.missing is Missing.NEVER
        and span.kind in (SpanKind.FILE, SpanKind.FILE_LINE)
        and "/" in (path := _path(span) or "")
        and _is_told_as_there(span.span, told)
    ]
    if not wanted:
        return ()
    known = [(file, _words_of(file)) for file in files]
    found = (
        (span, path, _only([file for file, words in known if _has_words(file, words, path)])) for span, path in wanted
    )
    return tuple((span, path, file) for span, path, file in found if file)


def _only(files: list[str]) -> str:
    return files[0] if len(files) == 1 else ""


def _has_words(file: str, words: frozenset[str], path: str) -> bool:
    wanted = _words_of(path)
    return len(wanted) >= _LEAST_PARTS and wanted <= words and file.rpartition(".")[2] == path.rpartition(".")[2]


def _words_of(path: str) -> frozenset[str]:
    """The words of a path without its ending, one form for singular and plural."""
    return frozenset(word.lower().rstrip("s") for word in re.findall(r"[A-Za-z]{2,}", path.rpartition(".")[0]))


def lost_paths(check: MemoryCheck) -> tuple[str, ...]:
    """The paths of a memory that git remembers."""
    return tuple(path for span in check.missing if span.missing in _REMEMBERED and (path := _path(span)))


def lost_scripts(check: MemoryCheck) -> tuple[str, ...]:
    """The scripts that commands of a memory run and no build file defines, by family and name: perhaps one once did."""
    unknown = (span for span in check.missing if span.missing is Missing.NEVER and span.kind is SpanKind.COMMAND)
    return tuple(script for span in unknown for script in _scripts(span.span))


def lost_words(check: MemoryCheck) -> tuple[str, ...]:
    """The names and flags of a memory that stand nowhere in the tree: perhaps they once did."""
    unknown = (span for span in check.missing if span.missing is Missing.NEVER)
    return tuple(word for span in unknown if (word := _word(span)) and len(word) >= _LEAST)


def gone(
    memory: Memory,
    check: MemoryCheck,
    paths: Mapping[str, Change],
    words: Mapping[str, Change],
    scripts: Mapping[str, Change],
    written: datetime | None,
) -> tuple[Gone, ...]:
    """What a memory speaks of as if it were there, and what history says of it. A name that was taken out before the
    memory was written is told as history, whatever its words."""
    found = [*_gone_paths(check, paths), *_gone_words(check, words, written), *_gone_scripts(check, scripts)]
    told = present(memory)
    return tuple(one for one in found if _is_told_as_there(one.span, told))


def _gone_paths(check: MemoryCheck, paths: Mapping[str, Change]) -> Iterator[Gone]:
    for span in check.missing:
        path = _path(span) if span.missing in _REMEMBERED else None
        if path and path in paths:
            yield Gone(span.span, path, paths[path], is_path=True)


def _gone_words(check: MemoryCheck, words: Mapping[str, Change], written: datetime | None) -> Iterator[Gone]:
    for span in check.missing:
        word = _word(span) if span.missing is Missing.NEVER else None
        if word and word in words and not (written and words[word].date < written.date().isoformat()):
            yield Gone(span.span, word, words[word], is_path=False)


def _gone_scripts(check: MemoryCheck, scripts: Mapping[str, Change]) -> Iterator[Gone]:
    """A script that got another name is told with the command as it is now."""
    for span in check.missing:
        script = next((one for one in _scripts(span.span) if one in scripts), None)
        if script and span.kind is SpanKind.COMMAND and span.missing is Missing.NEVER:
            change, old = scripts[script], script.partition(" ")[2]
            new = word(old).sub(change.moved_to, span.span) if change.moved_to else None
            yield Gone(span.span, span.span, replace(change, moved_to=new), is_path=False)


def word(name: str) -> re.Pattern[str]:
    """The name of a script where it stands whole: ``lint`` is not in ``lint:fix``."""
    return re.compile(rf"(?<![\w-])(?<!\w:){re.escape(name)}(?![\w-]|:\w)")


def _scripts(command: str) -> tuple[str, ...]:
    return tuple(script for step in steps(command) for script in scripts_of(step))


_REMEMBERED = (Missing.RENAMED, Missing.DELETED)


def _is_told_as_there(span: str, told: Iterable[str]) -> bool:
    """Whether a sentence about the present names a span without a word of its being gone."""
    naming = [sentence for sentence in told if span in sentence]
    return any(not _TOLD_AS_GONE.search(sentence.replace(f"`{span}`", "¦").replace(span, "¦")) for sentence in naming)


def _path(span: SpanCheck) -> str | None:
    match span.kind:
        case SpanKind.FILE_LINE:
            return file_line(span.span).path.removeprefix("./")
        case SpanKind.COMMAND:
            return next(filter(None, map(started_file, steps(span.span))), "").removeprefix("./") or None
        case kind if kind in _PATHS:
            return span.span.removeprefix("./").rstrip("/")
        case _:
            return None


def _word(span: SpanCheck) -> str | None:
    """The one word of a span whose removal would make it wrong."""
    if span.kind is SpanKind.COMMAND:
        return next(iter(options(span.span)), None)
    if span.kind not in _WORDS:
        return None
    word = re.split(r"[=(\s]", span.span)[0]
    return word if re.search(r"[\w-]{3}", word) else None
