"""Whether the user says of something that it is over: without such a word a memory is not dropped."""

# ruff: noqa: E501 - one language a line reads best
from __future__ import annotations

import re

_ENDS = re.compile(
    r"\b(?:"
    # English: a verdict, an order to forget, an end
    r"(?<!what)(?<!what )(?:is|are|was|were|'s|that's|thats|all|just|plain|plainly) (?:\w+ )?(?:wrong|untrue|false|incorrect|nonsense|rubbish|bogus|garbage|a myth|a misunderstanding|obsolete|outdated|stale|superfluous|"
    r"unnecessary|useless|pointless|moot|history|retired|decommissioned|dismantled|abolished|discontinued)|(?:is|are) (?:all )?(?:over|gone)(?! \w+ing)|"
    r"nonsense|forget(?! (?:i|it)\b)|scrap (?:that|the|it|this)|ditch (?:that|the|it|this)|get rid of|got rid of|out of your|"
    r"(?:notes?|memor(?:y|ies)|rules?|entry|entries|thing|that|it) (?:can|should|may|must|has to|needs to) go(?! wrong)|(?:notes?|memor(?:y|ies)|rule) (?:of yours )?is wrong|"
    r"(?:delete|remove|drop|erase|kill|throw out|toss|bin|lose) (?:\w+ ){0,3}(?:notes?|memor(?:y|ies)|rule|entry)|"
    r"(?:never|not|n't|no longer) (?:\w+ )?(?:true|right|valid|needed|necessary|required|the case|relevant|apply|applies|exists?)|never (?:was|were)|"
    r"nothing to do with|no longer|(?:not|n't|never|no|none|nobody|without|neither) .{0,80}\bany ?more|neither .{0,60} is left|no need (?:to|for)|(?:don't|doesn't|do not|does not) need .{0,60}\b(?:any ?more|now)|"
    r"(?:was|were|been|got|is|are) (?:\w+ )?(?:shut down|switched off|turned off|withdrawn|revoked|repealed|cancelled|canceled)|has none|"
    # German
    r"falsch|quatsch|unsinn|bl(?:ö|oe)dsinn|stimmt (?:\w+ ){0,2}nicht|vergiss|(?:kann|k(?:ö|oe)nnen|muss|soll) (?:\w+ )?weg|(?:ist|sind) (?:\w+ )?weg|abgeschafft|abgeschaltet|nicht mehr|kein\w* .{0,40}\bmehr|"
    r"(?:ist|sind|wurde|wurden|haben wir) (?:\w+ ){0,5}(?:entfernt|eingestellt|stillgelegt|ausgemustert|gestrichen|eingestampft|rausgeworfen)|(?:ist|sind) geschichte|"
    r"(?:l(?:ö|oe)sch\w*|entfern\w*|streich\w*|wirf) (?:\w+ ){0,4}(?:notiz\w*|memor(?:y|ies)|regel|eintrag)|"
    r"veraltet|obsolet|(?:ü|ue)berholt|hinf(?:ä|ae)llig|unn(?:ö|oe)tig|(?:ü|ue)berfl(?:ü|ue)ssig|"
    # French, Spanish, Italian, Portuguese, Dutch
    r"(?:est|sont) (?:\w+ )?faux|oublie[rz]?|plus (?:besoin|valable|n(?:é|e)cessaire)|n'est plus|ne sert|p(?:é|e)rim(?:é|e)\w*|obsol(?:è|e)te|"
    r"es falso|olv(?:í|i)d\w+|ya no|no (?:es|era) (?:verdad|cierto)|obsoleto|dimentica\w*|non (?:è|e|serve) pi(?:ù|u)|sbagliat\w+|"
    r"esque(?:ç|c)\w+|n(?:ã|a)o (?:é|e|vale) mais|errado|onzin|vergeet|niet meer|achterhaald"
    r")(?!\w)",
    re.IGNORECASE,
)
_KNOWN_LETTERS = re.compile(r"[a-zà-öø-ÿß]", re.IGNORECASE)


def ends(text: str) -> bool:
    """Whether a text has a word for ending, forgetting or being wrong. Of scripts whose words nobody listed here
    nothing is asked."""
    letters = [sign for sign in text if sign.isalpha()]
    known = sum(1 for sign in letters if _KNOWN_LETTERS.match(sign))
    return 2 * known < len(letters) or bool(_ENDS.search(text))
