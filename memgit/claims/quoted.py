"""What a memory quotes of the code, defines a place for, or runs: found as it says, or only its names."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from memgit.claims.commands import scripts_of, steps
from memgit.claims.definitions import defined_in
from memgit.claims.sources import is_prose
from memgit.claims.telling import Found, State, Told, telling
from memgit.model.decision import Seen
from memgit.model.store import Memory
from memgit.model.verification import Line, MemoryCheck, SpanCheck, SpanKind
from memgit.text.amounts import Amount, amounts, value_in_code
from memgit.text.words import terms

_NAMES = frozenset({SpanKind.IDENTIFIER, SpanKind.CALL, SpanKind.ENVIRONMENT})
_PLACES = frozenset({SpanKind.FILE, SpanKind.FILE_LINE})
_CODE = re.compile(r"[=(\[{<>!\"'#:]|--?\w")
_WORD = re.compile(r"[\w$-]+")

Texts = Callable[[str], str]
"""The text of a file of the tree."""


def wanted(check: MemoryCheck) -> tuple[str, ...]:
    """The names to look for definitions of."""
    return tuple(name for span in check.spans if span.where and span.kind in _NAMES and (name := bare(span)))


def bare(span: SpanCheck) -> str:
    """The name in a span that a definition would have: of a member its own, without arguments."""
    parts = re.split(r"[.:#]+", span.span.partition("(")[0].strip("${}!?"))
    return parts[-1] if len(parts[-1]) > 2 else ""


def naming(memory: Memory) -> frozenset[int]:
    """Where the sentences of a memory begin that name something and tell what is so."""
    told = (one for one in telling(memory) if one.field == "body" and not (one.is_labelled or one.is_over))
    return frozenset(one.start for one in told if one.spans)


def judge(memory: Memory, check: MemoryCheck, lines: Mapping[str, Sequence[Line]], text_of: Texts) -> Iterator[Found]:
    """The sentences that the tree bears out: with a script that is defined, code that stands there, a name where the
    sentence says it is. A sentence that gives amounts is borne out only with them."""
    found = {span.span: span for span in check.spans if span.where}
    for told in telling(memory):
        if told.is_over or told.is_reason:
            continue
        named = [found[name] for each in told.spans if (name := each["it"].strip()) in found]
        line = next(filter(None, (_shown(span, named, lines, text_of) for span in named)), None)
        files = [text_of(place)[:_LARGEST] for span in named if (place := _file(span)) and not is_prose(place)]
        if line and _with_amounts(told, [*_around(line, text_of), *(each["it"] for each in told.spans)], files):
            yield Found(
                State.HOLDS,
                f"{line.path}:{line.number} has `{' '.join(line.text.split())[:100]}`",
                (Seen(line.where, line.text),),
                sentence=told.start,
            )
        elif told.amounts and files and _with_amounts(told, [], files):
            place = next(filter(None, map(_file, named)))
            yield Found(State.HOLDS, f"{place} has {', '.join(one.text for one in told.amounts)}", sentence=told.start)


def _shown(
    span: SpanCheck, named: Sequence[SpanCheck], lines: Mapping[str, Sequence[Line]], text_of: Texts
) -> Line | None:
    place = _file(span)
    if place is None or is_prose(place):
        return None
    if span.kind in _NAMES and not re.search(r"[=\s]", span.span):
        held = lines.get(bare(span), ())
        beside = {_file(other) for other in named if other.kind in _PLACES}
        return defined_in(bare(span), held) or next((one for one in held if one.path in beside), None)
    if span.kind is SpanKind.COMMAND:
        names = [script.partition(" ")[2] for step in steps(span.span) for script in scripts_of(step)]
        return _line_with(names[0], place, text_of) if names else None
    if span.kind in _PLACES:
        return None
    return _at(span, text_of) if _CODE.search(span.span) else None


def _at(span: SpanCheck, text_of: Texts) -> Line | None:
    path, _, number = (span.where or "").rpartition(":")
    rows = text_of(path).split("\n")
    return (
        Line(path, int(number), rows[int(number) - 1]) if number.isdecimal() and 0 < int(number) <= len(rows) else None
    )


def _line_with(word: str, path: str, text_of: Texts) -> Line | None:
    shape = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
    rows = enumerate(text_of(path).split("\n"), start=1)
    return next((Line(path, number, text) for number, text in rows if shape.search(text)), None)


def _with_amounts(told: Told, near: Sequence[str], files: Sequence[str]) -> bool:
    """Whether each amount that a sentence gives stands in what it quotes, or in a file that it names in a row on
    something that it names."""
    held = [amount for text in near for amount in _amounts(text)] if told.amounts else []
    missing = [one for one in told.amounts if not any(one.same(other) for other in held)]
    words = {term for term in terms(told.text) if not term.isdigit()} if missing else set()
    rows = [row for text in dict.fromkeys(files) for row in _figures(text)] if missing else []
    return all(any(_has(one, amounts) and _akin(words, row) for row, amounts in rows) for one in missing)


def _has(amount: Amount, held: Sequence[Amount]) -> bool:
    return any(amount.same(other) for other in held)


@lru_cache(maxsize=128)
def _figures(text: str) -> Sequence[tuple[str, tuple[Amount, ...]]]:
    """The rows of a file that give amounts."""
    rows = (row for row in text.split("\n") if re.search(r"\d", row))
    return [(row, found) for row in rows if (found := tuple(_amounts(row)))]


def _akin(words: Collection[str], row: str) -> bool:
    """Whether a row names something that a sentence names, in one form or another."""
    own = [term for term in terms(row) if len(term) > 2 and not term.isdigit()]
    return any(one.startswith(other) or other.startswith(one) for one in own for other in words if len(other) > 2)


def _around(line: Line, text_of: Texts) -> Sequence[str]:
    """A line with those beside it."""
    return text_of(line.path).split("\n")[max(0, line.number - _BESIDE) : line.number + _BESIDE]


_BESIDE = 3


_LARGEST = 60_000
"""Characters of a file in which amounts are looked for."""
_VALUE = re.compile(r"[=:]\s*[\"']?(?P<value>[\w.%*() ]*\d[\w.%*() ]*)")


def _amounts(text: str) -> Iterator[Amount]:
    yield from amounts(text)
    yield from (amount for found in _VALUE.finditer(text) if (amount := value_in_code(found["value"])))


def _file(span: SpanCheck) -> str | None:
    return re.sub(r":\d+$", "", span.where) if span.where else None
