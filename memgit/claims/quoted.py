"""What a memory quotes of the code, defines a place for, or runs: found as it says, or only its names."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memgit.claims.documents import is_prose
from memgit.claims.telling import Found, State, Told, telling
from memgit.claims.values import defined_in
from memgit.model.decision import Seen
from memgit.model.store import Memory
from memgit.model.verification import Line, MemoryCheck, SpanCheck, SpanKind
from memgit.text.amounts import Amount, amounts, value_in_code
from memgit.text.words import terms

# --- commands ---
# What a command in a memory stands on: scripts that the project's build files define, and files it starts.

_SEPARATORS = re.compile(r"\s*(?:&&|\|\||;|\|)\s*")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=\S*")
_CONCRETE = re.compile(r"[\w.:@/+\-]+")
_STARTERS = "bash bun deno node perl php python python3 ruby sh source time sudo tsx zsh ."
_INTERPRETERS = frozenset(_STARTERS.split())
_WITH_VALUE = "--filter -F -C --dir --prefix -w --workspace -f --file -d --project --package -p"
_VALUED = frozenset(_WITH_VALUE.split())


@dataclass(frozen=True, slots=True)
class Runner:
    """A program that runs a project's scripts: whose scripts, after which verbs, and the short forms it has."""

    family: str
    verbs: frozenset[str] = frozenset()
    short: bool | frozenset[str] = True
    many: bool = False

    def names(self, words: Sequence[str]) -> tuple[str, ...]:
        """The scripts that these arguments ask for."""
        if words and words[0] in self.verbs:
            words = words[1:]
        elif not self._may_be_short(words[0] if words else ""):
            return ()
        return tuple(words if self.many else words[:1])

    def _may_be_short(self, word: str) -> bool:
        return self.short if isinstance(self.short, bool) else word in self.short


_RUN = frozenset({"run", "run-script"})
_PYTHON = Runner("python", _RUN, short=False)
RUNNERS: Mapping[str, Runner] = {
    "make": Runner("make", many=True),
    "gmake": Runner("make", many=True),
    "just": Runner("just"),
    "task": Runner("task"),
    "npm": Runner("npm", _RUN, short=frozenset({"test", "start", "stop", "restart"})),
    "pnpm": Runner("npm", _RUN),
    "yarn": Runner("npm", _RUN),
    "bun": Runner("npm", _RUN, short=False),
    "composer": Runner("composer", _RUN),
    "deno": Runner("deno", frozenset({"task"}), short=False),
    "cargo": Runner("cargo"),
    "poetry": _PYTHON,
    "uv": _PYTHON,
    "pdm": _PYTHON,
    "hatch": _PYTHON,
    "rye": _PYTHON,
    "poe": Runner("python"),
}
"""By the word that starts a command. A script's full name is its family and its own name: ``npm build``."""


def steps(command: str) -> tuple[str, ...]:
    """The single commands of a chain (``a && b``), without a prompt sign and leading assignments."""
    return tuple(step for part in _SEPARATORS.split(command) if (step := _bare(part)))


def scripts_of(step: str) -> tuple[str, ...]:
    """Full names of the scripts that one command runs (``make lint test`` → ``make lint``, ``make test``);
    none when it runs none, or names it by a placeholder."""
    program, *words = step.split() or [""]
    runner = RUNNERS.get(program)
    if runner is None:
        return ()
    names = runner.names(_arguments(words))
    if not all(_CONCRETE.fullmatch(name) for name in names):
        return ()
    return tuple(f"{runner.family} {name}" for name in names)


def runs_script(command: str) -> bool:
    """Whether a step of the command runs a script of the project."""
    return any(scripts_of(step) for step in steps(command))


def started_file(step: str) -> str | None:
    """The path of the file that one command starts (``bash scripts/x.sh`` → ``scripts/x.sh``), if it names one."""
    words, started = step.split(), False
    while words and words[0] in _INTERPRETERS:
        words, started = _arguments(words[1:]), True
    if not words:
        return None
    shape = r"\.[A-Za-z]\w*$" if started else r"\w\.[A-Za-z]\w{0,4}$"
    return words[0] if "/" in words[0] or re.search(shape, words[0]) else None


def starts_file(step: str) -> bool:
    """Whether one command is an interpreter with a file (``source .env``)."""
    return step.partition(" ")[0] in _INTERPRETERS and started_file(step) is not None


def entered_folder(step: str) -> str | None:
    """The folder of a ``cd`` step."""
    words = step.split()
    return words[1] if len(words) == 2 and words[0] == "cd" else None


def options(step: str) -> tuple[str, ...]:
    """The long options of one command, without values: those that its script must know."""
    return tuple(word.partition("=")[0] for word in step.split() if re.match(r"--[A-Za-z]", word))


def _bare(part: str) -> str:
    words = part.removeprefix("$ ").split()
    while words and _ASSIGNMENT.fullmatch(words[0]):
        words = words[1:]
    return " ".join(words)


def _arguments(words: Sequence[str]) -> list[str]:
    """The words that are neither options, nor their values, nor assignments; all after ``--`` belongs to the script."""
    kept: list[str] = []
    skip = False
    for word in words:
        if word == "--":
            break
        if not (skip or word.startswith("-") or _ASSIGNMENT.fullmatch(word)):
            kept.append(word)
        skip = word in _VALUED
    return kept


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
