"""The keys of ``memgit.toml``: what each takes, and who may set it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import Any, Final, TypeVar

from memgit.errors import UsageError
from memgit.evidence.findings import printable_name

Value = int | float | str | tuple[str, ...]


# --- what a key takes ---


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number, not below ``least``."""

    least: int = 1


@dataclass(frozen=True, slots=True)
class Amount:
    """A number between two others."""

    least: float
    most: float


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of a few words."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text, of the form that ``shape`` describes; empty text stands for nothing."""

    shape: str = r"[^\x00-\x1f\x7f]*"
    called: str = "one line of text"


@dataclass(frozen=True, slots=True)
class Names:
    """A list of names."""


Takes = Whole | Amount | OneOf | Text | Names


def described(takes: Takes) -> str:
    """What a key takes, as it stands in a sentence."""
    match takes:
        case Whole(least):
            return f"a whole number from {least} up"
        case Amount(least, most):
            return f"a number from {least:g} to {most:g}"
        case OneOf(words):
            return f"one of {', '.join(words)}"
        case Text():
            return takes.called
        case Names():
            return "a list of names"


def taken(takes: Takes, value: object) -> Value | None:
    """The value as memgit uses it; None for one that is not taken."""
    match takes, value:
        case _, bool():
            return None
        case Whole(least), int():
            return value if value >= least else None
        case Amount(least, most), int() | float():
            return float(value) if least <= value <= most else None
        case OneOf(words), str():
            return value if value in words else None
        case Text(), str():
            return value if re.fullmatch(takes.shape, value) else None
        case Names(), list():
            return tuple(value) if all(isinstance(each, str) for each in value) else None
        case _:
            return None


def written(takes: Takes, text: str) -> object:
    """What a variable of the environment says, as a file would say it; the text itself where that cannot be."""
    try:
        match takes:
            case Whole():
                return int(text)
            case Amount():
                return float(text)
            case Names():
                return [each.strip() for each in text.split(",") if each.strip()]
            case _:
                return text
    except ValueError:
        return text


# --- the keys ---


@dataclass(frozen=True, slots=True)
class Key:
    """One thing that can be set, by the user or by a variable of the environment.

    A project's file comes with a clone: ``reserved`` says why it may not set the key, and of a ``bound`` it may only
    lower what the user set.
    """

    name: str
    takes: Takes
    default: Value
    variable: str
    says: str
    reserved: str = ""
    bound: bool = False


_COSTS = "it decides who reads your sessions and what that costs"
_RUNS = "it names a command that would be run"
_CONNECTS = "it decides where your sessions are sent and with which key"
_REMOVES = "it decides what may go from your store"
_GUARDS = "it decides how the store is guarded in every session"

_VARIABLE = Text(r"([A-Za-z_][A-Za-z0-9_]*)?", "the name of a variable, never a key itself")

KEYS: Final[tuple[Key, ...]] = (
    Key(
        "pass.token-budget",
        Whole(),
        150_000,
        "MEMGIT_TOKEN_BUDGET",
        "Prose tokens that a pass reads, newest first.",
        bound=True,
    ),
    Key("pass.session-cap", Whole(), 100, "MEMGIT_SESSION_CAP", "Sessions that a pass reads at the most.", bound=True),
    Key("pass.miner", Text(), "offline", "MEMGIT_MINER", "Who proposes changes.", _COSTS),
    Key("pass.decider", Text(), "", "MEMGIT_DECIDER", "Who decides; nothing: who proposes.", _COSTS),
    Key("pass.model", Text(), "", "MEMGIT_MODEL", "The model to ask; nothing: that of your own settings.", _COSTS),
    Key("pass.parallel", Whole(), 4, "MEMGIT_PARALLEL", "Batches mined at a time.", _COSTS),
    Key("pass.index", OneOf(("own", "frontmatter")), "own", "MEMGIT_INDEX", "Where index lines are from."),
    Key("api.url", Text(), "", "MEMGIT_API_URL", "Where the miner api asks; nothing: the provider.", _CONNECTS),
    Key("api.key-name", _VARIABLE, "", "MEMGIT_API_KEY_NAME", "The variable that holds its key.", _CONNECTS),
    Key("api.price-in", Amount(0, 10_000), 0.0, "MEMGIT_API_PRICE_IN", "US$ for a million tokens read.", _COSTS),
    Key("api.price-out", Amount(0, 10_000), 0.0, "MEMGIT_API_PRICE_OUT", "US$ for a million written.", _COSTS),
    Key("api.max-cost", Amount(0, 100_000), 0.0, "MEMGIT_API_MAX_COST", "US$ of one run; 0: no bound.", _COSTS),
    Key("api.max-tokens", Whole(0), 0, "MEMGIT_API_MAX_TOKENS", "Tokens of one run; 0: no bound.", _COSTS),
    Key("prune.pins", Names(), (), "MEMGIT_PINS", "Memories that a prune or an audit leaves alone."),
    Key("prune.window", Whole(0), 180, "MEMGIT_PRUNE_WINDOW", "Days between two tellings of one lesson.", _REMOVES),
    Key("prune.orphan-days", Whole(), 30, "MEMGIT_PRUNE_ORPHAN_DAYS", "Days without recall: an orphan.", _REMOVES),
    Key("prune.alike", Amount(0, 1), 0.3, "MEMGIT_PRUNE_ALIKE", "How likely two tell one lesson, to be asked about."),
    Key(
        "hooks.guard",
        OneOf(("off", "strict")),
        "off",
        "MEMGIT_GUARD",
        "Hold prompts back from a store in doubt.",
        _GUARDS,
    ),
    Key(
        "hooks.nudge",
        OneOf(("found", "block", "context", "message", "off")),
        "found",
        "MEMGIT_NUDGE",
        "How a session is reminded to record.",
        _GUARDS,
    ),
    Key("hooks.every", Whole(), 3, "MEMGIT_NUDGE_EVERY", "Turns between two reminders.", _GUARDS),
    Key(
        "hooks.questions",
        OneOf(("on", "off")),
        "on",
        "MEMGIT_QUESTIONS",
        "Look for questions when a session ends.",
        _GUARDS,
    ),
    Key("look.pager", Text(), "", "MEMGIT_PAGER", "The pager for long answers; empty: $PAGER.", _RUNS),
    Key("look.difftool", Text(), "", "MEMGIT_DIFFTOOL", "The program that `diff --tool` starts.", _RUNS),
)

BY_NAME: Final[Mapping[str, Key]] = {key.name: key for key in KEYS}

# --- layers ---
# The values in force, from the strongest source down: environment, project's file, user's file, default.
#
# An option on the command line is stronger than all of them; whoever has one does not ask here.

T = TypeVar("T")


class Owner(StrEnum):
    """Whose file it is. A project's comes with a clone, so it may say less."""

    USER = "user"
    PROJECT = "project"


@dataclass(frozen=True, slots=True)
class File:
    """A configuration file: whose, where, and its bytes (None where there is none)."""

    owner: Owner
    path: str
    data: bytes | None


@dataclass(frozen=True, slots=True)
class Setting:
    """A key's value and what it is from: a file's path, a variable's name, or ``default``."""

    key: Key
    value: Value
    source: str = "default"


@dataclass(frozen=True)
class Configuration:
    """Every key's value, and the files that were looked for."""

    settings: Mapping[str, Setting]
    files: tuple[File, ...] = ()

    def of(self, name: str, kind: type[T]) -> T:
        """The value of a key, whose type the caller knows."""
        value = self.settings[name].value
        assert isinstance(value, kind), name
        return value

    def given(self, name: str) -> bool:
        """Whether anybody has set a key."""
        return self.settings[name].source != "default"


def configuration(files: Sequence[File], env: Mapping[str, str]) -> Configuration:
    """The values in force. ``files`` come weakest first. Raises UsageError naming the file or variable, and the key."""
    settings = {key.name: Setting(key, key.default) for key in KEYS}
    for file in files:
        settings |= {each.key.name: each for each in of_file(file) if _may(each, settings[each.key.name], file.owner)}
    settings |= {setting.key.name: setting for setting in of_environment(env)}
    return Configuration(settings, tuple(files))


def _may(wanted: Setting, held: Setting, owner: Owner) -> bool:
    """Whether a file's value counts: a project may not raise a bound."""
    raises = isinstance(wanted.value, int) and isinstance(held.value, int) and wanted.value > held.value
    return not (owner is Owner.PROJECT and wanted.key.bound and raises)


def of_environment(env: Mapping[str, str]) -> Iterator[Setting]:
    """What variables set; an empty one sets nothing. Raises UsageError."""
    for key in KEYS:
        if text := env.get(key.variable):
            value = taken(key.takes, written(key.takes, text))
            if value is None:
                raise UsageError(f"{key.variable} must be {described(key.takes)}.", f"Mend or unset {key.variable}.")
            yield Setting(key, value, key.variable)


def of_file(file: File) -> Iterator[Setting]:
    """What a file sets. Raises UsageError naming the file and the key."""
    for name, value in _entries(file):
        key = BY_NAME.get(name)
        if key is None:
            raise UsageError(f"{file.path}: there is no key {printable_name(name)}.", _instead(name))
        if file.owner is Owner.PROJECT and key.reserved:
            raise UsageError(
                f"{file.path}: a project may not set {name}, because {key.reserved}.",
                "Take it out there; only your own file may set it (`memgit config --path`).",
            )
        held = taken(key.takes, value)
        if held is None:
            raise UsageError(f"{file.path}: {name} must be {described(key.takes)}.", "Mend the value in that file.")
        yield Setting(key, held, file.path)


def _entries(file: File) -> Iterator[tuple[str, object]]:
    """The keys of a file, with the names of the tables that they stand in."""
    for table, inside in _document(file).items():
        if not isinstance(inside, dict):
            yield table, inside
            continue
        for name, value in inside.items():
            yield f"{table}.{name}", value


def _document(file: File) -> dict[str, Any]:
    import tomllib  # here: most users have no such file

    try:
        return tomllib.loads((file.data or b"").decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise UsageError(f"{file.path} is not UTF-8 text.", "Save it as UTF-8.") from None
    except (RecursionError, ValueError) as error:
        where = str(error)[:120] or "it is nested too deeply"
        raise UsageError(f"{file.path} is no TOML: {where}.", "`memgit config --example` shows a sound file.") from None


def _instead(name: str) -> str:
    """What was probably meant."""
    if name.partition(".")[0] == "store":
        return "A store is named with --store, never by a file."
    near = get_close_matches(name, BY_NAME, n=1)
    meant = f"Did you mean {near[0]}? " if near else ""
    return f"{meant}`memgit config` lists all keys."


def example() -> str:
    """A commented file with every key at its default."""
    lines = ["# memgit.toml: an option or a variable of the environment is stronger than this file."]
    table = ""
    for key in KEYS:
        section, _, name = key.name.partition(".")
        if section != table:
            lines += ["", f"[{section}]"]
            table = section
        alone = " Only in your own file." if key.reserved else ""
        lines += [f"# {key.says}{alone} {key.variable}", f"# {name} = {as_toml(key.default)}"]
    return "\n".join(lines)


def as_toml(value: Value) -> str:
    """A value as a file would say it."""
    match value:
        case str():
            escaped = value.replace("\\", "\\\\").replace('"', '\\"')
            return f'"{escaped}"'
        case tuple():
            return f"[{', '.join(map(as_toml, value))}]"
        case _:
            return str(value)
