"""Signs that something is otherwise than it was: in a sentence, beside it, or as an answer to the assistant."""

# ruff: noqa: E501 - one pattern a line reads best
from __future__ import annotations

from memgit.miners.offline.prose import Statement
from memgit.miners.offline.tongues import spoken
from memgit.miners.offline.words import content

_FOR_GOOD = (
    r"now|no longer|any ?more|from now on|from here on|since (?!when)|moved|switched|migrated|converted|renamed|replaced|dropped|"
    r"these days|nowadays|instead|gone|took over|takes over"
)
FOR_GOOD = spoken("news: for good", rf"\b(?:{_FOR_GOOD})\b")
"""Signs that a thing has taken another's place for good."""

UPDATE = spoken(
    "news: update",
    rf"\b(?:{_FOR_GOOD}|not any longer|raised|lowered|bumped|upgraded|pushed|postponed|rescheduled|delayed|brought forward|"
    r"increased|decreased|reduced|extended|shortened|doubled|halved|(?:cut|made) (?:it )?(?:to|an?|\d\S*)|went (?:up|down|to|from|over|back)|changed|got (?!an? )|gave us|moves?|switch(?:es)?|goes (?:up|down|over)|back (?:on|to|at)|used to|"
    r"as of|from (?:this|next|the next) (?:week|month|year|quarter|release|sprint|\w+day)|from (?:today|tomorrow)|from \S+ \d[\w.]* on(?:ward)?s?|"
    r"decided|(?:that's what )?we(?:'ll)? (?:stay|stick) (?:with|at|to)|is settled|by now|meanwhile|up to|down to|finally|last night|new policy|starting|"
    r"this year|has become|became|stale|outdated|out of date|that's old)\b",
)
"""The same, and signs that a value was changed."""

_CHANGED_BESIDE = spoken(
    "news: changed beside",
    r"\b(?:changed|raised|lowered|moved|swapped|upgraded|migrated|switched|pushed|postponed|extended|shortened|agreed|decided|is history|are history|is gone|"
    r"(?:was|were) (?:shut down|switched off)|too (?:\w+)|new \w+|not any ?(?:more|longer)|any ?more|no longer|is old|are old|stale|outdated|out of date)\b",
)
_EPISODE = spoken(
    "news: episode",
    r"\b(?:took|ran|was|were|lasted|had|failed|did|happened|got|needed|saw|cost|went)\b|"
    r"\b(?:my|this|that|one) (?:\w+ )?\w{3,}ed (?:after|at|in|with|on|for|by)\b",
)
_OBSERVED = spoken(
    "news: observed",
    r"\bthere(?:'s| is| are)\b|\b(?:find|figure) out why\b|\bcheck why\b|[,.;] (?:but )?(?:why|how come)$|\b(?:strange|weird)\b|"
    r"\bthat'?s (?:a|the) bug\b",
)
STATES = spoken(
    "news: states",
    r"\b(?:is|are|'s|'re|its|takes?|has|have|runs?|needs?|lasts?|costs?|goes?|go|gives?|gets?|allows?|stays?|starts?|ends?|means?|comes?|"
    r"lives?|uses?|listens?|keeps?|do|does)\b",
)
IS_NOW = spoken("news: is now", r"\b(?:is|are|'s|'re|its|runs?) (?:on|at|up to|down to|set to|currently|already)\b")
HANGING = spoken(
    "news: hanging",
    r"(?:^|[,;] |\b(?:no|yes|not any ?more),? )(?:it'?s|that'?s|they're|they are|we're|(?:it|that|they|we) (?:is|are|got|do|does|went|[a-z]+s))\b",
)
"""A clause about what "it" or "they" stands for: the subject is in what was said before."""

_CORRECTION = spoken(
    "news: correction",
    r"^\W*(?:(?:no|nope|nah|wrong|not any ?(?:more|longer)|careful|hm+ no|thats?'?s? (?:old|stale|outdated|wrong|not right))\b|"
    r"(?:\S+ ){1,2}actually\b|actually\b)",
)
_ACCEPTS = spoken("news: accepts", r"^\W*(?:yes|yep|yeah|yup|right|exactly|correct|true)\b")
_OFFERS = spoken(
    "news: offers",
    r"\b(?:should i|shall i|do you want|would you like|want me to|i could|how about|what about|i(?:'d| would) (?:suggest|propose|set|use|take|go))\b",
)
_OFFERED = 600  # characters at the end of the assistant's message


def updates(text: str) -> bool:
    """Whether a sentence itself says that something is otherwise than it was."""
    return bool(UPDATE.search(text))


def words_of_change(text: str) -> frozenset[str]:
    """The stems of the words by which a sentence says so."""
    return content(" ".join(match.group() for match in UPDATE.finditer(text)))


def tells_an_episode(text: str) -> bool:
    """Whether a sentence tells what happened once, and nothing in it speaks of a change."""
    return bool(_OBSERVED.search(text)) or (bool(_EPISODE.search(text)) and not updates(text))


def changed_beside(statement: Statement) -> bool:
    """Whether the sentence before or after tells that things have changed."""
    beside = (*statement.preceding[-1:], *statement.following[:1])
    return any(_CHANGED_BESIDE.search(text) for text in beside)


def corrects(statement: Statement) -> bool:
    """Whether the user's message contradicts what the assistant had just said."""
    return bool(statement.before) and any(
        _CORRECTION.search(text) for text in statement.paragraph[: statement.position + 1]
    )


def accepts(statement: Statement) -> bool:
    """Whether the user's sentence says yes to what the assistant had just said or asked."""
    return bool(statement.before) and bool(_ACCEPTS.search(statement.text))


def is_offered(before: str) -> bool:
    """Whether the assistant's message ends with an offer: a number in reply to it is an order, not how things are."""
    return bool(_OFFERS.search(before[-_OFFERED:]))
