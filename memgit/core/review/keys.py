"""The keys of a review: what each does, and the plain command that does the same."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from memgit.core.review.state import Action, Filter, Jump, Narrow, Next, Previous, Rule, TakeBack
from memgit.model.decision import Approval
from memgit.rulings.approval import Ruling


class Wish(Enum):
    """What a face does itself: it asks for something first, shows something, or ends."""

    REJECT = "reject"  # and ask for the reason
    EDIT = "edit"
    JUMP = "jump"  # and ask where to
    NARROW = "narrow"  # and ask for what
    MORE = "more"
    HELP = "help"
    ADOPT = "adopt"
    LEAVE = "leave"


@dataclass(frozen=True, slots=True)
class Key:
    """One key. ``command`` is what to type instead, without ``memgit``; ID and M1 stand for pass and decision."""

    letter: str
    does: str
    command: str = ""

    @property
    def brief(self) -> str:
        """What it does, without what is said further of it."""
        return re.split(r"[,;:]| \(", self.does)[0]


KEYS = (
    Key("a", "take it: approve it", 'approve ID "approve M1"'),
    Key("r", "reject it, with a reason; it is not asked again", 'approve ID "reject M1 - REASON"'),
    Key("e", "edit the text, which approves it", 'approve ID "approve M1 with edit: TEXT"'),
    Key("d", "later: defer it", 'approve ID "defer M1"'),
    Key("n", "next, without an answer"),
    Key("p", "previous"),
    Key("g", "go to a decision: g M3"),
    Key("f", "filter by state, kind or memory: f open merge"),
    Key("u", "undo the last answer"),
    Key("m", "more: the whole text, page by page", "show ID"),
    Key("y", "adopt what stands (at the end)", "adopt ID, or adopt ID --only M1"),
    Key("q", "quit; the answers are kept", "approve ID REPLY"),
    Key("?", "this help"),
)

_BARE: dict[str, Action | Wish] = {
    "a": Rule(Ruling(Approval.APPROVED)),
    "d": Rule(Ruling(Approval.DEFERRED)),
    "n": Next(),
    "": Next(),
    "p": Previous(),
    "u": TakeBack(),
    "r": Wish.REJECT,
    "e": Wish.EDIT,
    "g": Wish.JUMP,
    "f": Wish.NARROW,
    "m": Wish.MORE,
    "y": Wish.ADOPT,
    "q": Wish.LEAVE,
    "?": Wish.HELP,
    "h": Wish.HELP,
}


def understood(typed: str) -> Action | Wish | None:
    """What a line means: a key, and behind ``r``, ``g`` and ``f`` what they ask for. None where it means nothing."""
    letter, _, rest = " ".join(typed.split()).partition(" ")
    if not rest:
        return _BARE.get(letter.lower())
    match letter.lower():
        case "r":
            return rejected(rest)
        case "g":
            return Jump(rest)
        case "f":
            return narrowed(rest)
        case _:
            return None


def rejected(reason: str) -> Rule:
    """Turning a decision down for a reason, on one line."""
    return Rule(Ruling(Approval.REJECTED, reason=" ".join(reason.split())))


def narrowed(words: str) -> Narrow:
    """Going through those only that fit all the words; ``all`` or nothing means everything."""
    wanted = tuple(word for word in words.split() if word.lower() != "all")
    return Narrow(Filter(wanted))
