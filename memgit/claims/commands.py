"""What a command in a memory stands on: scripts that the project's build files define, and files it starts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
