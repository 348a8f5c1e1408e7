"""Why and how, where the user gave them beside a rule, in the user's own sentences."""

# ruff: noqa: E501 - one pattern a line reads best
from __future__ import annotations

from dataclasses import dataclass

from memgit.miners.offline.guards import objection
from memgit.miners.offline.prose import Statement, sibling
from memgit.miners.offline.tongues import spoken
from memgit.miners.offline.wording import plain_rule

_REASON = spoken(
    "reasons: reason",
    r"\b(?:because|since|so that|otherwise|or else|had (?:exactly )?(?:that|this)|took (?:me|us)|cost (?:me|us)|lost|broke|"
    r"ended up|last (?:time|week|month|year)|burn(?:ed|t)|complain\w*|we had|i had|went (?:down|wrong)|can't (?:review|read|see)|"
    r"nobody|that way)\b",
)
_ALTERNATIVE = spoken(
    "reasons: alternative",
    r"^(?:an?|just|use|put|take|make|call|write|run|ask|say|keep|instead|only|you|then|rather)\b",
)
_PROHIBITS = spoken("reasons: prohibits", r"\b(?:no|not|never|don't|doesn't|do not|stop|without)\b")
_MOST = 2


@dataclass(frozen=True, slots=True)
class Reasons:
    """Sentences for Why and for How to apply, cleaned; both may be empty."""

    why: tuple[str, ...]
    how: tuple[str, ...]


def reasons(statement: Statement) -> Reasons:
    """The reasons and the alternative that stand beside a rule in its own paragraph."""
    around = [*statement.preceding[-1:], *statement.following]
    usable = [text for text in around if not objection(sibling(statement, text))]
    why = [text for text in usable if _REASON.search(text)]
    how = [
        text
        for text in statement.following
        if text in usable and text not in why and _ALTERNATIVE.search(text) and _PROHIBITS.search(statement.text)
    ]
    return Reasons(_cleaned(why, statement), _cleaned(how, statement))


def _cleaned(texts: list[str], statement: Statement) -> tuple[str, ...]:
    return tuple(plain_rule(text, statement.time) for text in texts[:_MOST])
