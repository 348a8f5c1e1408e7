"""What makes a sentence guidance that lasts: signs for and against, each worth points, each named."""

# ruff: noqa: E501 - one pattern a line reads best
from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memgit.miners.offline.prose import Statement
from memgit.miners.offline.speech import LEAD, Speech, speech
from memgit.miners.offline.tongues import spoken, tongue_of
from memgit.miners.offline.words import content, spelled
from memgit.model.session import Origin

ENOUGH = 4
"""Points from which on a sentence is laid down; one less is noticed and shown."""

OWN = 2
"""Points that the sentence must have in itself."""

_BRIEF = 6  # words

_VERBS = (
    r"use|run|keep|put|write|leave|ask|show|check|avoid|stick|name|call|make|add|commit|open|send|start|say|give|tell|explain|read|"
    r"test|format|document|sign|tag|log|quote|round|sort|pin|wrap|grep|treat|return|store|assume|mention|skip|ignore|split|squash|"
    r"rebase|review|prefer|answer|spell|describe|state|list|bump|update|file|report|measure|cite|link|stop|wait|get|let|go|do|try|take|"
    r"build|deploy|release|merge|push|generate|regenerate|copy|mock|refactor|rename|delete|remove|touch|edit|change|move|import|install"
)
_DEICTIC = r"(?:it|this|that|these|those|them|here|there|one of them|the (?:first|second|third|last|other|rest|two))"
_VAGUE_SUBJECT = (
    r"(?:it|this|that|these|those|they|he|she|i|i'm|we|we're|you|you're|there|one|which|what|who|something|someone)\b"
)


@dataclass(frozen=True, slots=True)
class Sign:
    """A pattern in a sentence and the points it gives."""

    name: str
    points: int
    speech: Speech


def named_sign(name: str, points: int, *alternatives: str) -> Sign:
    return Sign(name, points, speech(*alternatives))


_REPORTED = (
    # What follows always/never in a report or complaint, not in a rule.
    r"(?!mind\b|again\b|ever\b|had\b|was\b|were\b|been\b|did\b|got\b|saw\b|seen\b|heard\b|finds?\b|works?\b|happens?\b|thought\b|knew\b|the same\b|"
    r"fails?\b|a\b|ends? up|gets? (?:me|us)\b|comes? back|shows? up\b|runs? (?:green|red|out)|breaks?\b|forgets?\b|worked\b|\w+ed\b)"
)

_SOME_IN_A_PLACE = r"(?!to\b|it\b|that\b|this\b|these\b|those\b|them\b|the\b|a\b|an\b|you\b|any of\b)(?:[\w-]+ ){1,2}in (?:the|our|any|every) (?!\w+ (?:yet|now)\b)\w+"

SIGNS = (
    named_sign(
        "it holds from now on", 4,
        r"\b(?:from now on|from here on(?: out)?|going forward|henceforth|in (?:the )?future\b|as a rule|by default we|for all future)",
    ),
    named_sign(
        "it says what something means", 2,
        r"(?<!that )(?<!which )(?<!it )(?<!this )\bmeans? (?!that (?:we|you|i)\b|to\b|i\b|we\b|you\b)\w+",
        r"\b(?:stands? for|counts? as|(?:doesn't|don't|does not|do not) count|by design|on purpose|(?:is|are) (?:normal|expected|intended)\b|"
        r"(?:isn't|is not|aren't|are not) (?:the same (?:as|thing)|missing|wrong|an error|a bug|a mistake|real)|two different things)",
        r"\b(?:day|week|month|year|shift|quarter|season|cycle)s? (?:runs?|goes?|starts?|ends?|begins?|closes?) (?:from|at|on|with|to|in)\b",
    ),
    named_sign(
        "it asks politely not to", 1,
        LEAD + rf"(?:please |pls )(?:don't|do not|never|stop|no) (?!worry|bother|forget)(?!{_DEICTIC}\b)\w+",
        r"(?:^|\bso |\bbut )no (?!need|the\b)[\w -]{4,60}(?:please|pls)\b",
    ),
    named_sign(
        "it says what a thing of a kind gets", 1,
        LEAD + r"an? (?!bit\b|few\b|little\b|lot\b)[\w' -]{3,60}? (?:gets|needs|has to|must|goes|lives|comes with|doesn't|waits|starts|ends)\b",
    ),
    named_sign(
        "it says how things of a kind are", 2,
        LEAD + r"(?!the\b|this\b|that\b|these\b|those\b|it\b|was\b|is\b|has\b|does\b|yes\b|thanks\b|looks\b|works\b|sounds\b|things\b|tests\b|(?:my|your|his|her|its|our|their)\b)"
        r"(?:[\w-]+ )?[a-z-]{2,}(?<!s)(?<!u)s (?:(?:from|of|for|in) (?:the |our )?[\w-]+ )?(?:are (?!still\b|broken\b|red\b|green\b|down\b|gone\b|ok\b|fine\b|missing\b|slow\b|wrong\b|not\b|in\b|on\b|there\b|\w+ing\b)|have |must |need |carry |end |start |come )\w+",
    ),
    named_sign(
        "it says how many go with each", 2,
        r"\b(?:one|a single) [\w-]+ (?:per|for each|for every) \w+",
    ),
    named_sign(
        "it is said of all of a kind", 2,
        LEAD + r"(?!the\b|this\b|that\b|these\b|those\b|it\b|he\b|she\b|i\b|they\b|he's\b)[\w-]+ (?:is|are) (?:always|never) \w+",
        r"\bi(?:'d| would) prefer (?:all|every|any) [\w-]+ (?:to|in|with|without|on)\b",
        r"\bin general\b|\bacross the board\b|\blike (?:all )?the (?:others|rest|other \w+s)\b",
    ),
    named_sign(
        "it says what is done and what is not", 1,
        r"\bwe \w+(?: \w+){0,3},? (?:and |but )?(?:we )?(?:don't|do not|never|not)\b",
    ),
    named_sign(
        "it is asked of each of a kind", 2,
        LEAD + r"(?:every|each|any|all|no) (?!time\b|day\b|night\b|week\b|of\b|one\b)[\w'/ -]{3,60}? (?:needs?|must|ha(?:s|ve) to|is to|are to)(?! (?:the|a look)\b)\b",
        LEAD + r"an? (?!bit\b|few\b|little\b|lot\b)[\w'/ -]{3,60}? (?:must|has to|should)(?! have\b| be (?:fine|ok|there|gone|enough)\b)\b",
        LEAD + r"(?:anything|everything|whatever|whoever|anyone|everyone) (?!comes next\b)[\w'/ -]{3,60}? (?:(?:is|gets) (?:\w+ed|\w{4,}(?= by\b)) (?:by|with|before|after|first|in|on|as)|needs|must|has to)\b",
        LEAD + r"(?!this\b|its\b|was\b|is\b|has\b|does\b|that's\b|let's\b|tests\b|things\b|\w+ss\b|\w+us\b)[a-z-]{3,}s (?:must|should)(?: not|n't| never| always)? (?!be (?:fine|ok|there|gone|done|green|back)\b|have\b|work\b|pass\b|now\b)\w+",
        r"\byou (?:should|must|may) (?:not|never|always) (?!see\b|get\b|have\b|need\b|notice\b)\w+ (?!it\b|this\b|that\b|these\b|those\b|them\b|the\b|my\b)(?:[\w-]+ )?[a-z-]{3,}(?<!s)s\b",
    ),
    named_sign(
        "it asks for more or less of a kind", 1,
        LEAD + r"(?:\w{3,}er|more|fewer|less) [\w-]+s?,? (?:please|pls)\b",
    ),
    named_sign(
        "it is what we never do", 1,
        rf"\bwe (?:always|never) {_REPORTED}[a-z]+",
    ),
    named_sign(
        "it is about the next time", 2,
        r"\b(?:next time|for the future|in future|another time|the next time)\b",
    ),
    named_sign(
        "it goes for each case of its kind", 1,
        r"\bwhen(?:ever)? you (?!'re\b|are\b|have\b|'ve\b|get\b|see (?:it|this|that)\b)\w+",
        r"\b(?:before|after) you (?!'re\b|are\b|have\b|'ve\b)\w+",
        r"\b(?:one|a) (\w+) (?:is|gets|has|means) (?:one|a|its own) \w+\b",
        r"\b(?:such|that kind of|this kind of|these kinds of|things like (?:that|this)|stuff like (?:that|this)) ?\w*",
        r"\b(?:over|under|above|below|longer than|more than|larger than) \d+ \w+",
    ),
    named_sign(
        "it says how things are to look", 2,
        LEAD + r"(?!the\b|this\b|that\b|these\b|those\b|it\b)(?:[\w-]+ ){0,2}[\w-]{3,}(?<!s)s (?:are (?:written |named |indented |formatted |always )?)?(?:in|with|without) (?!the\b|this\b|it\b)[\w -]+?(?:,? (?:please|pls)|$|,|\.)",
        r"\b(?:are|is) (?:written|named|indented|formatted|spelled|spelt|quoted|sorted|capitali[sz]ed) (?:in|with|without|by|as|like|two|four|alphabetically)\b",
    ),
    named_sign(
        "it is not allowed", 2,
        r"\b(?:not|n't) (?:be )?allowed\b|\b(?:is|are) forbidden\b|\b(?:is|are) read[- ]only for\b|\bi don't (?:want|need|like) (?!to\b|it\b|that\b|this\b|any of\b)(?:\w+ )?\w+s\b",
        rf"\bi (?:don't|do not) want {_SOME_IN_A_PLACE}",
    ),
    named_sign(
        "it allows of no exception", 1,
        r"\b(?:not even|doesn't matter (?:how|if|what|who|whether)|no matter (?:how|what|who|if)|no exceptions?|without exception|"
        r"under no circumstances|whatever (?:it|the \w+) (?:is|costs|takes)|also (?:if|when|for|in|on))\b",
    ),
    named_sign(
        "it says what is done in each case of a kind", 2,
        LEAD + r"(?:if|when|whenever|wherever|where) (?:something|anything|someone|somebody|anyone|an? (?!look\b)\w+) [^,]{3,60}?(?:, |,? (?=it's |it is |it gets |it goes |use |we |you ))"
        r"(?:then )?(?:it's|it is|it gets|it goes|it has to|it must|it should|it needs to|use|we|you|they|make|put|write|ask|add|tell me)\b",
    ),
    named_sign(
        "it is called decided", 2,
        r",? (?:done|period|full stop|end of story|end of discussion|final)[.!]*$",
    ),
    named_sign(
        "it is called a rule", 2,
        r"\bthat's how (?:the rest|we|everyone|everything|all|the others|the team)\b|\blike the rest of\b|\bwe (?:always )?do (?:it )?(?:that|this|it) (?:way|like)\b",
        r"\b(?:that's|it's|that is|it is) (?:the|our|my|a|house) (?:rule|policy|convention|habit|standard|agreement)\b|\bhouse rules?\b|\brule of thumb\b",
    ),
    named_sign(
        "it is about the assistant's kind of work", 1,
        r"(?<!the )(?<!these )(?<!those )(?<!no )\b(?:answers|replies|explanations|summaries|commit messages|commits|pull requests|prs|comments|plans|"
        r"questions|branch names|diffs|changelog entries|docstrings|todos|tests)\b(?! (?:are|were|fail|pass|is)\b)",
    ),
    named_sign(
        "it is to be remembered", 4,
        LEAD + r"(?:remember|keep in mind|note to self|for future reference|write (?:this|that) down|make a note|take note|memori[sz]e)\b"
        r"(?! (?:when|the time|how|last|me|him|her|them|it\b))",
    ),
    named_sign(
        "an order for always or never", 3,
        LEAD + rf"(?:always|never|don't ever|do not ever) (?!the\b|an?\b){_REPORTED}[a-z]+",
    ),
    named_sign(
        "always or never", 2,
        rf"^[^,]{{3,40}}, (?:always|never|don't ever|do not ever) {_REPORTED}[a-z]+",
        r"\b(?:no|none|nothing|nobody|never|not|n't)\b.*,? ever[.!]*$",
        rf"\b(?:you|we|one|nobody|everyone|people|must|should|to|has to|have to|ever) (?:always|never) {_REPORTED}[a-z]+",
        r"(?<!\bit )(?<!\bthat )(?<!\bthis )\b(?:is|are|gets?|goes?|go|does|do|stays?) (?:always|never) \w+",
        LEAD + r"(?!it\b|that\b|this\b|i\b|he\b|she\b)[\w' -]+ (?:always|never) (?:goes?|gets?|stays?|belongs?|comes?|leaves?|touch(?:es)?|is|are)\b",
        r", (?:always|never|every time|without exception)[.!]*$",
    ),
    named_sign(
        "it ends a habit", 2,
        r"\b(?:don't|do not|doesn't|does not|isn't|aren't|never|not|no) (?!need\b)[\w' -]{3,60} any ?more\b",
        r"\bno more (?!than\b)\w{4,}",
        LEAD + r"(?:stop|quit) \w+ing\b",
        r"\byou keep \w+ing\b",
    ),
    named_sign(
        "it says whose job it is", 3,
        r"\b(?:is|are) (?:mine|my (?:call|job|decision|part|business)|up to me|for me to \w+|not yours?\b|not your (?:call|job|decision|business))",
        r"\byou (?:only |just )?\w+(?: \w+)? and (?:stop|wait)\b",
        r"\bleave (?:the |all )?(?!it\b|that\b|this\b)[\w -]{3,30} to me\b",
        r"\bi (?:do|press|merge|push|deploy|release|send|publish|tag|approve|sign|run) (?:the \w+|\w+s|every \w+) myself\b",
        r"\b(?:hands off|off[- ]limits|not yours to)\b",
        r"\bask (?:me )?(?:first|before)\b",
        r"\bbe asked (?:first|before)\b",
        r"\bnot without (?:me|asking|my)\b|\bwithout (?:first )?(?:asking|checking(?: it| that)? with|talking to|consulting|telling) me\b",
    ),
    named_sign(
        "it forbids", 1,
        LEAD + rf"(?:please |pls )?(?:don't|do not|never|stop|quit|avoid) (?!worry|bother|know|think|care|forget|you\b|need|have\b|want\b|mind\b|understand|see\b)(?!{_DEICTIC}\b)\w+",
        LEAD + r"(?:please |pls )?no (?!the\b|these\b|idea|problem|worries|matter|rush|way\b|one\b|longer|need|it\b|that\b|this\b|action|thanks|more\b|not\b|"
        r"wait|reason|doubt|change|difference|news|luck|hurry|errors?\b|rows?\b|override|\w+ (?:yet|so far|left|found|either)\b)[a-z`][\w`/.' -]{2,}",
        r"\bnobody (?:touches|edits|merges|pushes|deploys|changes|writes|runs)\b",
        r"\b(?:must|may|can|should)(?:n't| not) be \w+",
        r"\b(?:isn't|is not|aren't|are not) (?:allowed|permitted|to be \w+ed|ok(?:ay)?|an option|touched|edited|for)\b",
        r"\bwe (?:don't|do not) (?!need|have|know|want|do\b|it\b|that\b|this\b|them\b)\w+",
        rf"\bi (?:don't|do not) want (?:to \w+|any|\w+s\b|{_SOME_IN_A_PLACE})",
        r"\b(?:nothing|nobody|no one|no [\w-]+) (?:[\w'-]+ ){0,8}?(?:may|must|is allowed to|are allowed to)\b",
    ),
    named_sign(
        "it orders", 1,
        LEAD + rf"(?:please |pls )?(?:just |only |always |rather )?(?:{_VERBS})\b(?! (?:ahead|on\b|for it|again|back|out\b|off\b)) (?!{_DEICTIC}\b)\S+",
        LEAD + r"(?:for|with|in|on|when|whenever|before|after|if|once|as soon as|any time) [^,]{3,60}, (?:please |pls |always |never |you |just )?"
        rf"(?:{_VERBS}|don't|do not)\b",
        r"\b(?:i want|i need|i'd like|i expect) (?:to (?:see|read|know|be asked|review)|every|all|each|my|an?)\b",
        r"\bi(?:'d| would) rather (?:you|have|see|read|get|be)\b",
        r"\bi(?:'d| would) prefer (?:all|every|any|no|you (?:to|always|never|not))\b",
    ),
    named_sign(
        "it states how things are done", 1,
        LEAD + rf"(?!{_VAGUE_SUBJECT})[\w'`./ -]{{3,60}}? (?:needs?|must|has to|have to|gets? (?!an? |the )\w+|goes?|go|belongs?|stays?|comes?|lives?|is (?:only )?\w+ed|are (?:only )?\w+ed|are (?:in|kept|written|done|sent)|"
        r"waits? for|starts? (?:with|at|from)|ends? with|doesn't (?:get|go|need)|don't (?:get|go))\b",
        r"\b(?:first,? then|first and then|only (?:after|once|when|if)|not (?:until|before)|never before|before (?:you|we|any)|unless)\b",
        LEAD + r"(?:under|below|above|over|within) [\d.]+\S* ?[^,]{2,40} we (?:don't|do|stop|never)\b",
        LEAD + r"(?:anything|everything|whatever|every \w+|each \w+|all \w+)[\w' -]{0,40}? gets?\b",
        r"\bit's ['\"]?\w+['\"]?,? (?:and )?(?:not|never) ['\"]?\w+",
        r"\bwe (?:only|usually|keep|name|deploy|release|review|squash|rebase|ship|call|pin|log|store|generate|version|say|write|use|round|tag) (?!it\b|that\b|this\b|them\b)\w+",
        r"\b(?:is|are|it's) (?:called |named )?['\"`]?[\w-]+['\"`]?, (?:not|never) ['\"`]?[\w-]+",
        r"\b(?:instead of|rather than|, not (?!now|yet|this|that|sure))",
    ),
    named_sign(
        "it speaks of a whole kind", 1,
        LEAD + r"(?:an?|every|each|any|all|no|whatever|whoever|anything|anyone|nobody|anybody|nothing) (?!bit\b|few\b|little\b|lot\b)[a-z]",
        LEAD + r"(?:please |pls )?(?!this\b|was\b|is\b|has\b|does\b|yes\b|thanks\b|looks\b|works\b|sounds\b|\w+ss\b|\w+us\b)[a-z-]{3,}s (?:always |never |only )?(?:go|get|are|need|must|have|belong|live|stay|come|in|for|of|don't|aren't|with)\b",
        LEAD + r"(?!\w+ed\b)[a-z]+ing (?!\w+ ?$)[\w' -]{0,40}(?:goes|is|needs|gets|happens|stays|comes)\b",
        r"\b(?:anything|everything|whatever|whenever|wherever|every time|each time|every|any|all) (?!day\b|night\b|single\b|week\b|of (?:it|that|this|them)\b)\w+",
        LEAD + rf"(?:please |pls )?(?:don't |do not |never |always |stop )?(?:{_VERBS}|\w+ing) (?:(?!the\b|this\b|these\b|those\b)\w+ ){{0,2}}(?!the\b|this\b|these\b|those\b)[a-z-]{{3,}}(?<!s)s\b",
        LEAD + r"(?:please |pls )?no [a-z-]{3,}s\b",
    ),
)  # fmt: skip
"""What speaks for lasting guidance."""

AGAINST = (
    named_sign(
        "it sets a task", -4,
        r", (?:please |pls |so |and |then )*(?:add|fix|change|do|look|start|go|update|make|move|remove) (?:it|them|that|those|this|at|with|ahead|both)\b",
        r"\b(?:all|both|each|any) (?:of (?:the|these|those|them)|the|two|three|four|five|\d+)\b|\b(?:two|three|some) of them\b",
        r"\bbefore (?:i|we) (?:merge|push|deploy|release|go|commit)\b|\bsince (?:yesterday|\w+day)\b",
        r"\bneeds? (?:the (?:new|same|other|missing|second)|another)\b",
        r"\bthat's (?:the|a) (?:bug|problem|error|cause|mistake)\b",
        r"\bwhen you (?:run|do|change|touch|start|move|merge|fix) (?:the|it|this|that)\b",
    ),
    named_sign(
        "it only concludes", -3,
        r"\bmust (?:have (?:been|\w+ed)|be (?:somewhere|some|the|in|on|wrong|broken|here|there|\w+ing))\b",
    ),
    named_sign(
        "it is said of one thing at hand", -2,
        r"\b(?:in|on|for|of|with|from|by) (?:that|this|these|those) (?!kind\b|way\b|sort\b|project\b|repo\b|week\b|month\b|year\b)[a-z]\w+",
    ),
    named_sign(
        "it leaves things as they are", -3,
        r"\b(?:stays?|leave|remains?|keep (?:it|that|them)) (?:what|as|how|like|the way) (?:it|they|that) (?:is|are|was|were)\b|\bas (?:it is|they are|before)\b",
    ),
    named_sign(
        "it points at what is before the two of them", -2,
        rf"^(?:[^,;]*?\s)?(?:{_VERBS}|(?!\w*thing\b)\w+ing|with|for|to|of|did|do) (?:it|this|that|these|those|them)\b(?! (?:kind|sort|way))",
        r"\bthere\b(?! (?:is|are)\b)",
        r"\b(?:right here|over there|above|below this|the (?:first|second|third|last|other) (?:one|two))\b",
        r"^(?:it|this|that|these|those)(?:'s| is| are| was| were)\b",
        r"^[^,;]*\b(?:it|this|these|those|them|him|her)[.!]*$",
        r"\b(?:same|like) (?:thing |story |mistake )?(?:as )?(?:with |for )?(?:last|before|the|in)\b",
    ),
    named_sign(
        "it tells what happened or is happening", -2,
        r"^(?:[^,;:]*?\s)?(?:was|were|did|had|went|came|saw|found|ran|broke|failed|took|got|made|said|thought|gave|tried|just|already)\b",
        r"^(?:[^,;:]*?\s)?(?:i|we|you|they|he|she)(?:'ve| have| had|'m| am|'re| are) \w+(?:ed|ing|en)\b",
        r"\b(?:yesterday|last night|this (?:morning|afternoon|week)|an hour ago|earlier today|so far|yet)\b",
        r"\bi(?:'ll| will)\b",
    ),
    named_sign(
        "it is the next step", -2,
        r"\b(?:then tell me|and then (?:tell|show|send|push|merge|commit)|go ahead|do it|next up|next:|one more thing|for a start|first of all|"
        r"let's|let us|can you|could you|you can|i need|we need|now (?:do|run|add|make|put|the|for)|when (?:it's|that's|you're) (?:done|through|finished|ready)|"
        r"once (?:it's|that's|you're) (?:done|through|finished|ready|merged|in))\b",
        LEAD + r"(?:commit|push|merge|deploy|run|fix|revert|drop|start) (?:it|both|all|the)\b",
        LEAD + r"(?:every|each|all|both|an?|no|any) [\w -]{2,30} (?:is|are|was|were|has|have|had|works?|looks?|seems?|fails?|shows?|fine|good|ok)\b",
    ),
)  # fmt: skip
"""What speaks against it."""

_OBJECTS = spoken(
    "signs: objects",
    # The user is plainly put out by what the assistant did.
    r"\b(?:told you|i said|like i said|as i said|that's (?:wrong|not (?:right|how|what)))\b|\bnot like that\b|\bwhy (?:did|do|are|would) you\b|"
    r"\byou(?:'ve)? (?:just |actually |even )?(?:changed|removed|added|put|committed|pushed|merged|deleted|submitted|edited|used|ran|wrote|made|"
    r"broke|touched|dropped|bumped|renamed|rewrote|moved|skipped|installed|deployed|restarted|applied|mocked|hardcoded|squashed)\b|"
    r"\byou're making me\b|\byou keep\b|\bi can't (?:review|read|use|follow)\b|\bhow (?:often|many times)\b|\bsame (?:thing|story|mistake) as\b|"
    r"^\W*(?:oh no|ugh|argh|stop|noo+|wait,? (?:you|what)|whoa|hang on,? (?:you|no))\b|\bno!|\?\?|!!|\bshould(?:n't| not) have\b|\bnot yours\b|"
    r"\b(?:that's|it's|it is|that is) (?:\w+ ){1,3}again\b|^\W*(?:not )?again\b|\bplease (?:stop|don't|never)\b|\bpls (?:stop|don't|never|no)\b|"
    r"\btake (?:it|that|the \w+) (?:back )?out\b|\bput (?:it|that) back\b|\bundo (?:it|that)\b|\brevert (?:it|that)\b|\bnot what i (?:asked|meant|wanted)\b",
)
_DECLINES = spoken(
    "signs: declines",
    r"^\W*(?:and |but )?(?:no|nope|nah|not quite|not really|rather not|wrong|careful|hm+ no)\b|\b(?:but|and),? (?:pls|please|no)\b|\bbut\b.*\b(?:pls|please)\b|\binstead\b|"
    r"\bnext time\b|\bactually\b|\bsupposed to\b|\byou know (?:that|this)\b|\bno need to guess\b|\bi don't want\b|\brather you\b|\blast time\b",
)
_BECAUSE = spoken(
    "signs: because",
    r"\b(?:because|since|so that|otherwise|or else|or (?:the|it|we|i|they)|that's how|that way|the reason)\b|, (?:i|it|we|they|the|that|else|nobody|so|half|everyone|people|there|you)\b",
)
_REASON_BESIDE = spoken(
    "signs: reason beside",
    r"^(?:the|it|we|they|half|otherwise|nobody|everyone|people|that way)\b(?!.*\?)|^i (?:want|read|need|like|can't|have to)\b|"
    r"\b(?:because|otherwise|had (?:exactly )?(?:that|this)|took (?:me|us)|cost (?:me|us)|lost|broke|ended up|last (?:time|week|month|year)|burn(?:ed|t)|"
    r"complain\w*|went down|nobody|can't)\b",
)
_AGAIN = spoken(
    "signs: again",
    r"\b(?:again|same (?:thing|story|mistake)? ?as|told you|i said|like i said|as i said|last time|how (?:often|many times)|once more)\b",
)


_STRONG = ("an order for always or never", "it is said of all of a kind")
"""Signs with which a brief sentence needs no support beside it."""


def points(statement: Statement, said: Sequence[Statement]) -> tuple[int, tuple[str, ...]]:
    """How much speaks for a statement being lasting guidance, and the names of the signs.

    What stands around a sentence only strengthens what it says itself: with less than ``OWN`` points of
    its own it gets none.
    """
    own = _own_signs(statement.text)
    if sum(score for _, score in own) < OWN:
        return 0, ()
    around = _around(statement, said)
    if (
        not any(name in _STRONG for name, _ in own)
        and not any(score > 0 for _, score in around)
        and len(statement.text.split()) < _BRIEF
    ):
        around.append(("it is brief and stands alone", -1))
    found = [*own, *around]
    return sum(score for _, score in found), tuple(name for name, _ in found)


def own_points(text: str) -> int:
    """What a sentence itself says for and against its being lasting guidance."""
    return sum(score for _, score in _own_signs(text))


def _own_signs(text: str) -> list[tuple[str, int]]:
    """The signs in a sentence: for it, in any of its clauses; against it, in the sentence as it begins."""
    text = without_lead(spelled(text))
    parts = _CLAUSES.split(text)
    clauses = [text, *(part for part in parts if len(parts) > 1 and len(part.split()) >= _CLAUSE_WORDS)]
    found = [sign for sign in signs_of(text) if any(sign.speech.found(clause) for clause in clauses)]
    found += [sign for sign in against_of(text) if sign.speech.found(text)]
    return [(sign.name, sign.points) for sign in found]


def signs_of(text: str) -> tuple[Sign, ...]:
    """What speaks for lasting guidance in the language of a text."""
    tongue = tongue_of(text)
    return tongue.signs if tongue else SIGNS


def against_of(text: str) -> tuple[Sign, ...]:
    """What speaks against it in the language of a text."""
    tongue = tongue_of(text)
    return tongue.against if tongue else AGAINST


def without_lead(text: str) -> str:
    """A sentence without the clause that only says that a rule follows ("that's one thing I care about: …")."""
    return _LEADS_UP.sub("", text)


_LEADS_UP = spoken(
    "signs: leads up",
    r"^\W*(?:\w+,? ){0,3}?(?:it|that|this|here)(?:'s| is) (?:a|an|one|my|our|the) (?:[\w-]+ )?(?:thing|rule|principle|wish|request|policy)\b[^:]{0,40}: ",
)
_CLAUSES = spoken("signs: clauses", r"(?:, |: |; | [-–—] )(?:and |but |so |only |just |or )*|\s(?:but|so) ", flags=0)
_CLAUSE_WORDS = 3


def _around(statement: Statement, said: Sequence[Statement]) -> list[tuple[str, int]]:
    """The signs that stand beside a statement: an objection, a reason, a repetition, a start without anything before."""
    signs = []
    if not statement.before:
        signs.append(("it opens the session, as a task does", -2))
    elif any(_OBJECTS.search(text) for text in statement.message):
        signs.append(("it objects to what was done", 2))
    elif any(_DECLINES.search(text) for text in statement.paragraph):
        signs.append(("it declines what was offered", 1))
    if _BECAUSE.search(statement.text) or any(_REASON_BESIDE.search(text) for text in _beside(statement)):
        signs.append(("a reason is given", 1))
    if content(statement.text) & content(" ".join(match.group() for match in _DID.finditer(statement.before[-_ACT:]))):
        signs.append(("it is about what the assistant just did", 1))
    if repeated(statement, said):
        signs.append(("it is said again", 2))
    if any(_DECIDED.search(text) for text in statement.following[:1]):
        signs.append(("it is called decided", 1))
    return signs


_DID = spoken(
    "signs: did",
    r"(?:^|(?<=[.!?\n] )|(?<=\n))(?:Done\W+|Ok\W+)?(?:I|I've|I have|And I|It|This|That) [^.!?\n]*",
    flags=re.MULTILINE,
)
_ACT = 1_500  # characters at the end of the assistant's message


def _beside(statement: Statement) -> tuple[str, ...]:
    return (*statement.preceding[-1:], *statement.following[:1])


_DECIDED = spoken("signs: decided", r"^(?:it's|it is|that's|that is) (?:all )?(?:decided|settled|agreed|final)\b")


def repeated(statement: Statement, said: Sequence[Statement]) -> bool:
    """Whether the user says it in another turn, too, with words of repetition; what programs send does not count."""
    words = content(statement.text)
    return any(
        len(words & content(other.text)) >= min(2, len(words)) and any(_AGAIN.search(text) for text in other.message)
        for other in said
        if words
        and other.origin is not Origin.PROGRAM
        and (other.session, other.turn) != (statement.session, statement.turn)
    )
