"""What keeps a statement from being a lasting one: named patterns, each with the reason it gives."""

# ruff: noqa: E501 - one pattern a line reads best
from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from memgit.miners.offline.prose import Statement
from memgit.miners.offline.tongues import guard, spoken
from memgit.miners.offline.words import content

_WHEN = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|tonight|today|monday|next (?:week|month)"
_SCOPE = (
    r"pr|mr|pull request|merge request|release|branch|time|one|commit|ticket|run|week|weekend|sprint|session|demo|"
    r"deploy|hotfix|patch|round|build|test|issue|task|file|change|case|migration|meeting|talk|presentation|incident"
)

QUESTION = guard(
    "it is a question",
    r"\?[\"')\s]*$",
    r"^(?:(?:ok|and|so|but|hm+|wait|also|btw),? )*(?:is|are|was|were|does|did|can|could|should|shall|would|will|has|have|"
    r"may|might|isn't|aren't|don't|doesn't|can't|couldn't|shouldn't|wouldn't|won't) "
    r"(?:the|it|this|that|these|those|we|you|i|they|there|he|she|anyone|someone|somebody|your|our|my|a|an)\b",
    r"^(?:(?:ok|and|so|but|hm+|wait|also|btw),? )*do (?:we|you|i|they)\b",
    r"^(?:(?:ok|and|so|but|hm+|wait|also|btw),? )*(?:what|which|why|how|where|who|whose)\b(?!ever)",
    r", (?:so |and |but )?(?:why|how come|where (?:does|do|is|are|did)|what (?:is|does|do)|who (?:is|does|did))\b[^,]*$",
    r"\b(?:wondering|any idea|no idea|not sure|i wonder|do you know|can you (?:tell|check|find|explain))\b",
)
HYPOTHETICAL = guard(
    "it is hypothetical",
    r"\b(?:what if|suppose|supposing|imagine|in theory|theoretically|hypothetically|one day|some ?day|say we)\b",
    r"\b(?:(?<!\bi )would|would(?! (?:rather|prefer|like|appreciate)\b)|could|might|maybe|perhaps|possibly|probably|presumably|i guess|i think|i suppose|i assume)\b",
    r"\bif\b.{0,60}\b(?:ever|were|had)\b",
    r"\b(?:thinking (?:about|of)|considering|toying with|tempted|was hoping|let's see|we(?:'ll| will) see|proposal|idea:)\b",
    r"\b(?:should we|shall we|we should(?! (?:always|never)))\b",
    r"\bwhen we (?:get|have|find) (?:time|round)\b",
    r"\b(?:nothing(?:'s| is| has been| was)?|not|n't|not yet|yet to be) (?:\w+ )?(?:decided|agreed|settled|final|official)\b|\bundecided\b|"
    r"\bstill (?:open|under discussion|being discussed)\b|\b(?:talk|talks|talking|talked) (?:about|of)\b",
)
ONE_OFF = guard(
    "it is meant for one occasion",
    rf"\b(?:for|in|on|with|during) (?:just |only )?(?:this|that|the next|the current|today's|tonight's|tomorrow's) (?:\w+ )?(?:{_SCOPE})\b",
    rf"(?<!since )(?<!from )(?<!as of )\b(?:this|these) (?:\w+ )?(?:{_SCOPE})s?\b",
    r"(?<!not )\b(?:just|only) (?:for|on|in|until|till) (?!(?:the|our) \w+s\b|you\b|me\b|us\b|them\b)",
    r"\bfor (?:\w+ ){1,4}only\b",
    r"\b(?:on|for) \w+day only\b",
    r"\b(?:this time|this once|just this|just once|for once|only once|one[- ]off|just today|for today|for tonight|for now|"
    r"right now|temporar(?:y|ily)|for the time being|for the moment|in the meantime|meanwhile|as an exception)\b",
    rf"\b(?:until|till|by|before) (?:next |this )?(?:{_WHEN}|later|i(?:'m| am)|we(?:'re| are))\b",
    r"\b(?:today|tonight|tomorrow|this (?:morning|afternoon|evening)) (?:only|we|i|you)\b",
    r"\b(?:put|switch|turn|change|set|move)(?:s|ed)? (?:it|that|this|them) back\b",
    r"\bwhile (?:i(?:'m| am)|we(?:'re| are)|he(?:'s| is)|she(?:'s| is)|they(?:'re| are))\b",
    r"(?<!since )(?<!from )(?<!as of )\bthis (?:week|sprint|time|once|round)\b(?!'s)",
    r"\bfor (?:v|release )?\d+\.\d+(?:\.\d+)?\b",
)
QUOTED = guard(
    "it gives somebody else's words",
    r"\b(?:he|she|they|someone|somebody|everyone|people|\w+ team|\w+ group|support|marketing|legal|product|boss|manager|"
    r"colleague|blog|article|readme|docs?|page|post|book|mail|letter|vendor|agency|board)"
    r" (?:also |still |always |just )?(?:says?|said|writes?|wrote|claims?|claimed|thinks?|thought|asks?|asked|told|tells|"
    r"suggests?|suggested|reckons?|insists?|argues?|wants?|wanted|recommends?|recommended|keeps? saying)\b",
    r"\b(?-i:[A-Z][a-z]+) (?:says|said|writes|wrote|claims|claimed|thinks|asks|asked|told|suggested|reckons|insists|argues|wants)\b",
    r"\b(?!i\b|nothing\b|nobody\b|you\b)\w+ told (?:us|me)\b|\b(?:according to|apparently|rumou?r|i(?:'ve)? heard|i(?:'ve read| read (?:that|somewhere|about|in))|supposedly|allegedly|quote:|in (?:his|her|their) words)\b",
)
SARCASM = guard(
    "it is not meant seriously",
    r"(?:^|\W)(?:yeah,? (?:sure|right)|sure,? (?:why not|let's)|oh,? (?:great|sure|wonderful|brilliant|fantastic)|great idea|"
    r"brilliant|genius|of course,? let's|right,? because|because that(?:'s| is| has) (?:always|gone|worked)|"
    r"what could (?:possibly )?go wrong|as if|haha+|lol|lmao|rofl|just kidding|kidding|j/k|joking|/s|"
    r"while we're at it,? (?:let's|why)|ha)(?:\W|$)",
    r"🙄|😏|😂|🤣|🙃|😜|;-?\)|:-?\)",
)
ELSEWHERE = guard(
    "it is about another project",
    r"\bat (?:work|my (?:last|old|previous|other|day)|the (?:last|old|previous) (?:job|company|place))\b",
    r"(?<!is )(?<!are )(?<!went )(?<!moved )\b(?:in|on|at|for|of|from|over in) (?:the|my|our|that|an?) ?(?:other|old|previous|another|different|side|private|client's) "
    r"(?:\w+ )?(?:repo(?:sitory)?|projects?|team|service|codebase|company|job|app|product|client|shop)\b",
    r"\b(?:other|another|different) (?:world|project|repo|company|codebase|story|universe)\b",
    r"\b(?:not (?:in )?this (?:repo|project|one|codebase)|not (?:about )?us|not ours?|nothing to do with us|elsewhere|"
    r"(?:the )?(?:other|another) (?:group|team|department|company|customer|office|lab)'s|ours? (?:not|isn't|is not|stays?)|"
    r"my (?:side|pet|hobby) project|previous (?:job|company|employer)|last job|old job)\b",
)
PAST = guard(
    "it tells of the past",
    r"^(?!.*\b(?:now|no longer|any ?more|these days|nowadays|from now on)\b).*\b(?:used to|back then|at the time|in those days|once upon|previously|formerly)\b",
)
DISOWNED = spoken(
    "guards: disowned",
    r"\b(?:that's|that is|those are|is|are|it's) (?:about|for|from|on) .{0,60}\bnot (?:about )?(?:us|ours|this)\b|"
    r"\bthat's not (?:us|ours|for us|about us)\b|\b(?:don't|do not) (?:apply|concern) (?:to )?us\b",
)
_TAKES_THAT_BACK = spoken(
    "guards: takes that back",
    r"^\W*(?:(?:hm+|ok|no|oh|ah|meh|sorry|wait|nah|actually),? )*(?:forget (?:it|that|what i (?:just )?said)|"
    r"never ?mind|ignore (?:that|what i said)|undo that|revert that|i was wrong|my (?:mistake|bad)|cancel that|disregard)\b|"
    r"\b(?:scratch that|strike that|forget what i (?:just )?said|i take (?:it|that) back|on second thou?ghts?|changed my mind)\b",
)
_PUTS_BACK = spoken(
    "guards: puts back",
    r"\b(?:(?:put|set|turn|switch|move|change) (?:\w+ ){1,3}back|that was (?:only |just )?for (?:the|a|one|that)|"
    r"take (?:it|that) (?:back )?out again|like before|as (?:it was )?before|back to (?:how|what|the way) it was)\b",
)
"""Words of a return to what was, which say themselves what returns."""

_TAG = spoken("guards: tag", r",? (?:did you (?:see|notice|hear|know)(?: (?:that|it))?|remember|you know|you see)\?+$")
"""What makes no question of a statement that it ends."""
_QUOTED_SPEECH = re.compile(r"[\"“”][^\"“”]{12,}[\"“”]")

_ALWAYS_CHECKED = (QUESTION, HYPOTHETICAL, ONE_OFF, SARCASM, ELSEWHERE)
_CANNOT_STATE = (*_ALWAYS_CHECKED, QUOTED, PAST)
_NEIGHBOURS_COUNT = (ELSEWHERE, SARCASM)


@lru_cache(maxsize=20_000)
def objection(statement: Statement) -> str:
    """Why a statement cannot be taken as a lasting one of the user's own; empty when nothing speaks against it."""
    plain = _TAG.sub("", without_quotations(statement.text))
    for one in _CANNOT_STATE:
        if one.pattern.search(plain):
            return one.reason
    if not re.search(r"\w", plain) or len(plain) < len(statement.text) / 2:
        return QUOTED.reason
    if any(DISOWNED.search(sentence) for sentence in statement.message):
        return ELSEWHERE.reason
    if any(ELSEWHERE.pattern.search(sentence) for sentence in statement.preceding):
        return ELSEWHERE.reason
    if any(one.pattern.search(sentence) for one in _NEIGHBOURS_COUNT for sentence in _neighbours(statement)):
        return "what stands beside it takes the force from it"
    return ""


def _neighbours(statement: Statement) -> tuple[str, ...]:
    return (*statement.preceding[-1:], *statement.following[:1])


def without_quotations(text: str) -> str:
    """The text with longer passages between quotation marks left out: they are somebody's words, perhaps nobody's."""
    return _QUOTED_SPEECH.sub('""', text)


@lru_cache(maxsize=20_000)
def is_reversal(text: str) -> bool:
    """Whether a sentence takes back what was said before it."""
    return bool(_TAKES_THAT_BACK.search(text) or _PUTS_BACK.search(text))


def reversals(said: Iterable[Statement]) -> tuple[Statement, ...]:
    """The statements that take something back."""
    return tuple(statement for statement in said if is_reversal(statement.text))


_NEXT = 2  # sentences of the next message in which "scratch that" may still mean the one before


def taken_back(statement: Statement, later: Iterable[Statement]) -> bool:
    """Whether the user takes a statement back in what follows of the session: right after it, or naming its words.

    ``later`` are reversals of any session; only those of the same one that stand after it count.
    """
    return any(
        _takes_back(other, statement)
        for other in later
        if other.session == statement.session and (other.turn, other.order) > (statement.turn, statement.order)
    )


def _takes_back(other: Statement, statement: Statement) -> bool:
    shared = content(statement.text) & content(other.text)
    beside = other.turn == statement.turn or (other.turn == statement.turn + 1 and other.order < _NEXT)
    if beside and (_TAKES_THAT_BACK.search(other.text) or not content(_PUTS_BACK.sub("", other.text))):
        return True
    return len(shared) >= (1 if other.turn <= statement.turn + 1 else 2)


_OFFER = spoken(
    "guards: offer",
    r"\b(?:should i|shall i|do you want|would you like|want me to|i could|i can\b|could also|we could|i would|i'd|would it|it would|could be|"
    r"suggest(?:ion)?|propose|proposal|recommend|how about|what about|alternatively|another option|option|makes? sense|is there a|do we)\b",
)
_TURNS_DOWN = spoken(
    "guards: turns down",
    r"^(?:(?:and|but|so|lol|ok|okay|please|pls|nope|nah|no)\b[\s,.:;!–—-]*)*no (?P<what>[\w'-]+(?: [\w'-]+){0,2})",
)
_BEYOND = spoken(
    "guards: beyond",
    r"\b(?:always|never|ever|any ?more|from now on|in general|generally|again|told you|i said|last time|next time|same as|rule|policy)\b",
)
_OFFERED = 1_500  # characters at the end of the assistant's message


def turns_down(statement: Statement) -> bool:
    """Whether a statement only says no to something that the assistant had just offered to do."""
    match = _TURNS_DOWN.search(statement.text)
    if match is None or any(_BEYOND.search(text) for text in statement.paragraph):
        return False
    offers = [part for part in re.split(r"(?<=[.?!])\s+", statement.before[-_OFFERED:]) if _OFFER.search(part)]
    return bool(content(match["what"]) & content(" ".join(offers)))
