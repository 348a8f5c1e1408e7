"""Whether what is cited states anything lasting of the user's own.

Narrow on purpose: what is refused here is refused to every miner and host, however well it understood. Each pattern is
a plain sign, in the same sentence and line as the quote; a proposal stands as soon as one of its quotes shows none.
"""

# ruff: noqa: E501 - one pattern a line reads best
from __future__ import annotations

import re

from memgit.core.decisions.case import Case
from memgit.core.sessions.quotes import Place, locate
from memgit.core.text.signs import sign
from memgit.model.decision import Kind, Proposal, Said
from memgit.model.history import PassKind

_WORK = r"pr|mr|pull request|merge request|release|branch|commit|ticket|run|sprint|session|demo|deploy|hotfix|build|test|issue|task|meeting|round|patch"
_SIGNS = (
    sign(
        "is a question",
        r"^(?!\W*(?:(?:so|and|but|ok|also|btw),? )*(?:can|could|would|will) you\b).*\?[\"')\s]*$",
        r"^\W*(?:(?:so|and|but|ok|also|btw),? )*(?:can|could|would|do|does|did|is|are|was|were|should|shall) (?:we|i|it|that|this|there|they)\b",
    ),
    sign("only announces what follows", r":\s*$"),
    sign(
        "only supposes",
        r"\b(?:what if|suppose(?!d)|supposing|imagine|some ?day|in theory|theoretically|hypothetically|irgendwann|i wonder)\b",
        r"\b(?:was w(?:ä|ae)re,? wenn|mal angenommen|angenommen,|stell dir (?:mal )?vor|rein theoretisch|hypothetisch|eines tages|mal sehen)\b",
        r"\bif (?:we|i|you|they|it|he|she) ever\b|\b(?:thinking about|toying with|considering)\b|\bone day (?:we|i|it|they|this|that|the)\b",
    ),
    sign(
        "is meant for one occasion",
        rf"\b(?:for|in|on|with) (?:just |only )?(?:this|that|today's|tonight's|tomorrow's) (?:\w+ )?(?:{_WORK}|time|week|weekend)\b",
        r"\b(?:on|for) (?:\w+ )?\w+day only\b|^\W*today (?:you|we|i) (?:can|may|don't|do not)\b|\bonly for (?:the|this|that) (?:response|one|first|next|open)\b",
        r"\b(?:just|only) (?:this once|this time|once|for (?:today|tonight|now|this|once))\b|\bjust for \S+\b|\bfor \S+ only\b",
        r"\b(?:for now|for once|this once|this (?:one )?time|for the time being|for the moment|as an exception|one[- ]off|temporarily|ausnahmsweise|nur heute|exceptionnellement)\b",
        r"(?<!since )(?<!from )(?<!as of )(?<!starting )(?<!after )\b(?:tonight|tomorrow|heut(?:e)? (?:abend|nacht))\b",
        r"\b(?:diesmal|dieses (?:eine )?mal|nur (?:kurz|dieses mal)|f(?:ü|ue)r heute|vor(?:ü|ue)bergehend|vorerst|bis morgen)\b",
        rf"\bf(?:ü|ue)r diese[nsm]? (?:einen? )?(?:{_WORK}|lauf|abend|woche|wochenende|termin)\b",
        r"\buntil (?:noon|tonight|tomorrow|later|i(?:'m| am)|we(?:'re| are)|(?:the|he|she|that|they)\b.{0,20}(?:\bis|\bare|'s) (?:done|through|back|fixed|over|gone))",
    ),
    sign(
        "gives somebody else's words",
        r"^\W*(?:(?!i\b|we\b|you\b)[\w']+\W+){1,5}(?:says?|said|writes?|wrote|claims?|claimed|told us|insists?)\b[^\"“„]{0,20}[\"“„]",
        r"^\W*(?:(?!ich\b|wir\b|du\b)[\w']+\W+){1,5}(?:sagt|sagte|meint|meinte|schreibt|schrieb|behauptet|behauptete)\b[^\"“„]{0,20}[\"“„]",
        r"\b(?:from|by|says?|said|wrote|writes|quote)\b[^\"“„]{0,60}[\"“„][^\"”“]{0,200}[\"”“]",
        r"^\W*(?:(?:btw|and|also|but|so),? )*(?!i\b|we\b|you\b)(?:(?:somebody|someone|a|an|the|one|our|\w+'s) )?[\w']+ (?:also |in the chat |just )*(?:asks?|asked|wonders|wondered) (?:if|whether|for|about|us)\b",
    ),
    sign(
        "is not meant seriously",
        r"🙄|😏|😂|🤣|🙃|😜|(?:^|\W)(?:haha+|lol|lmao|rofl|just kidding|j/k|/s)(?:\W|$)",
        r"\bwhat could (?:possibly )?go wrong\b|^\W*(?:ja,? |na )?klar,? (?:der|die|das|und|warum nicht|ab jetzt)\b|\b(?:super|tolle|geniale) idee,|^\W*(?:yeah,? (?:sure|right),|great idea\b|sure,? let's\b|oh,? (?:great|sure|wonderful|brilliant)\b|(?:great|super|brilliant),? (?:and|advertis))",
    ),
    sign(
        "is about another project",
        r"\b(?:in|at|for|from|over in) (?:the|my|our|an?) ?(?:other|old|previous|another|different|side) (?:\w+ )?(?:repo(?:sitory)?|projects?|team|group|codebase|company|job|app|crate|package)\b",
        r"\b(?:im|in dem|in der|dr(?:ü|ue)ben im) (?:anderen|alten|vorigen) (?:\w+[- ])?(?:repo|projekt|team|firma|job|app)\b|\bderen baustelle\b",
        r"\b(?:my|our) other (?:\w+ )?(?:repo(?:sitory)?|project|crate|package|app|library|codebase)\b|\bmy (?:side|pet|hobby) project\b|\b(?:last|old|previous) (?:job|employer)\b",
    ),
    sign(
        "is pasted output",
        r"^\W*\d{4}-\d\d-\d\d[T ]\d\d:\d\d|^\W*\d\d:\d\d:\d\d\b|^\S+\.\w{1,5}:\d+(?::\d+)?:? ",
        r"(?:^|\s)\w+=\S+\s(?:.*\s)?\w+=\S+|^\s*(?:at |File \")\S+|\b(?:DEBUG|TRACE|WARN|ERROR|FATAL)\b.{0,4}[-:\]]|\b\w+(?:Error|Exception)\b:? ",
    ),
)
_QUOTED = re.compile(r"[\"“”„][^\"“”„]{12,}[\"“”]")
_KINDS = frozenset({Kind.ADD, Kind.REPLACE, Kind.UPDATE, Kind.DROP})


def unsettled(proposal: Proposal, case: Case) -> str | None:
    """Why nothing can rest on what the user is cited with, or None where one of the quotes states something."""
    if case.kind is not PassKind.CURATE or proposal.kind not in _KINDS:
        return None
    places = [locate(one, case.digests) for one in proposal.evidence if isinstance(one, Said)]
    reasons = [objection(place) for place in places if isinstance(place, Place)]
    return f"What is cited {reasons[0]}." if reasons and all(reasons) else None


def objection(place: Place) -> str:
    """Why the statement around a quote is none that lasts, as the end of a sentence; empty where nothing shows it."""
    if place.line.startswith(">"):
        return "gives somebody else's words"
    plain = _QUOTED.sub('"…"', place.statement)
    if 2 * len(plain) < len(place.statement):
        return "gives somebody else's words"
    return next((sign.reason for sign in _SIGNS if sign.pattern.search(plain)), "")
