"""The keys of ``memgit.toml``: what each takes, and who may set it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

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
    Key(
        "prune.near", Amount(0.5, 1), 0.88, "MEMGIT_PRUNE_NEAR", "Share of words that copies have in common.", _REMOVES
    ),
    Key("prune.alike", Amount(0.5, 1), 0.84, "MEMGIT_PRUNE_ALIKE", "Nearness of one lesson told twice.", _REMOVES),
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
