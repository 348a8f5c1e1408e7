"""Guidance that a user gave in a general form, or gave again, and that no memory holds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from memgit.miners.offline.corpus import Corpus
from memgit.miners.offline.facts import Dimension, values
from memgit.miners.offline.finding import Finding, Unclear, quoted
from memgit.miners.offline.guards import objection, taken_back
from memgit.miners.offline.prose import Statement, sibling
from memgit.miners.offline.reasons import reasons
from memgit.miners.offline.wording import body_of, describe, name_of, plain_rule
from memgit.miners.offline.words import content
from memgit.model.decision import Draft, Intent
from memgit.model.session import Origin

HELD = 0.55
"""Share of a statement's weighted words from which on a memory counts as holding it, or as close enough to leave it."""


@dataclass(frozen=True, slots=True)
class Form:
    """One way in which people state something lasting. ``alone`` forms need no correction around them."""

    name: str
    type: str
    alone: bool
    pattern: re.Pattern[str]


def _form(name: str, kind: str, *alternatives: str, alone: bool = False) -> Form:
    return Form(name, kind, alone, re.compile("|".join(f"(?:{part})" for part in alternatives), re.IGNORECASE))


_LEAD = r"^(?:(?:and|but|so|also|no|nope|ok|please|pls|ugh|again|btw|oh|well|yes|oh no|twice no|no no)\b[\s,.:;!–—-]*)*"
_PRONOUN = r"(?:it|this|that|these|those|they|he|she|i|we|you|there|one|which|what|who|everything|something)\b"
_PLACE = r"(?:board|channel|project|tracker|wiki|folder|dashboard|drive|sheet|vault|repo|repository|queue|space|calendar|inbox)"

_NOT_A_THING = (
    r"(?!idea|problem|worries|matter|rush|way\b|one\b|longer|need|it\b|that\b|this\b|action|thanks|more\b|not\b|wait|reason|"
    r"doubt|change|difference|news|luck|hurry|error|\w+ (?:yet|so far|left|found)\b)"
)

FORMS = (
    _form(
        "from now on", "feedback",
        r"\b(?:from now on|from here on(?: out)?|going forward|henceforth|in (?:the )?future,)",
        alone=True,
    ),
    _form(  # an order or habit, not a complaint ("it always fails") nor a report ("I never saw it")
        "always or never", "feedback",
        _LEAD + r"(?:[^,]{3,40}, )?(?:always|never|don't ever) (?!mind\b|again\b|ever\b|had\b|was\b|been\b|did\b|got\b|saw\b|heard\b|"
        r"find\b|works?\b|happen|thought|knew|the same|a )(?!\w+ed\b)[a-z]+",
        r"\b(?:you|we|one|nobody|everyone|must|should|to be|may|has to|have to) (?:always|never) (?!had\b|was\b|been\b|did\b|got\b|saw\b)(?!\w+ed\b)[a-z]+",
        r"\b(?<!it )(?<!that )(?<!this )(?:is|are|gets?) (?:always|never) (?:\w+ed|\w+en|done|built|sent|run|kept|made|put|cut|set)\b",
        alone=True,
    ),
    _form(
        "asked to remember", "feedback",
        _LEAD + r"(?:remember|keep in mind|note to self|for future reference|write (?:this|that) down|make a note|take note|memori[sz]e)\b"
        r"(?! (?:when|the time|how|last|me|him|her|them))",
        alone=True,
    ),
    _form(
        "who the user is", "user",
        r"\bi(?:'ve| have)? (?:did|done|been doing|worked (?:with|in|on|as)|been (?:writing|working|using|running)|used|wrote|taught) "
        r"(?:\w+ ){1,6}for (?:about |over |almost )?(?:\w+ ){1,2}(?:years|decades)\b",
        r"\bi(?:'m| am) (?:new to|not used to|fairly new|colou?r ?blind|dyslexic|a native)\b",
        r"\b(?:is|are) (?:all |quite |still |pretty )?(?:new|foreign) (?:for|to) me\b",
        r"\bi (?:come|came) from (?:a |an )?(?!the (?:office|meeting))\w+ (?:background|world|shop|land|side)\b",
        r"\bmy (?:background|native language|first language|day job|mother tongue) (?:is|was)\b",
        r"\bi(?:'m| am) (?:a|an) (?!bit\b|fan\b|little\b|lot\b|idiot\b)(?:[\w-]+ ){0,3}(?:engineer|developer|scientist|designer|admin|dba|sre|"
        r"analyst|manager|programmer|researcher|student|teacher|writer|tester|consultant|accountant|physicist|biologist|lawyer|nurse)\b",
        r"\bi (?:barely|hardly|don't really) (?:know|speak|read) (?!what|why|how|if|whether|the\b|that|this)\w+",
        alone=True,
    ),
    _form(
        "preference", "feedback",
        r"\bi (?:always |really |generally |strongly |much )?(?:prefer|hate|can't stand|dislike|detest) (?!it\b|that\b|this\b|to (?:say|admit))",
        alone=True,
    ),
    _form(
        "decision", "project",
        r"\bwe(?:'ve| have)? (?:decided|agreed|settled on)\b(?! (?:later|to (?:look|think|wait)))",
        r"\b(?:it(?:'s| is| was| has been) (?:decided|agreed)|the decision is|decision: )",
        alone=True,
    ),
    _form(
        "where things go", "reference",
        _LEAD + rf"(?!{_PRONOUN}|the \w+ (?:goes|go) )[\w' -]{{3,60}}? (?:go|goes|belong|belongs|live|lives|are (?:kept|tracked|filed|documented)|"
        rf"is (?:kept|tracked|documented)|get filed) (?:in|on|to|into|under|at) (?:\S+ ){{0,4}}?{_PLACE}\b",
    ),
    _form(
        "where to look", "reference",
        rf"\b(?:they're|they are|those are|these are|it's all|\w+s are|\w+s live) (?:all )?(?:in|on|at|under) (?:the )?`?[\w./-]+`?(?: \w+)?, (?:in |on |under |at )?(?:the )?{_PLACE}\b",
    ),
    _form(
        "how things go", "feedback",
        _LEAD + rf"(?!{_PRONOUN}|the\b|text\b)[\w' -]{{3,50}}? (?:goes|go|belongs?|stays?|comes?|get|gets) (?:in|into|to|under|on|through|via|before|after|first|last) "
        r"(?:(?:its|their|a|an|one|the same|separate|the) )?(?:own |separate |same )?[\w-]+",
    ),
    _form(
        "whose job", "feedback",
        r"\b(?:is|are) (?:mine|my (?:call|job|decision|part|business)|up to me|for me to \w+|not yours?|not your (?:call|job|decision|business))\b",
        r"\byou (?:only |just )?\w+ (?:\w+ )?and (?:stop|wait|ask)\b",
        r"\bleave (?:the |that |this |all )?[\w ]{3,30} to me\b",
        r"\bi (?:do|press|merge|push|deploy|release|send|publish|tag|approve|sign) (?:that|those|these|the \w+|\w+s|every \w+) myself\b",
    ),
    _form(
        "not any more", "feedback",
        r"\b(?:don't|do not|doesn't|does not|isn't|aren't|never|not|no) (?!need\b)[\w' -]{3,60} any ?more\b",
        r"\bno more \w{4,}",
    ),
    _form(
        "prohibition", "feedback",
        _LEAD + rf"(?:pls|please) no {_NOT_A_THING}[a-z`][\w`' -]{{2,60}}[.!]*$",
        _LEAD + rf"no {_NOT_A_THING}[a-z`][\w`' -]{{2,60}},? (?:pls|please)[.!]*$",
        _LEAD + rf"no {_NOT_A_THING}[a-z`][\w`' -]{{2,40}} (?:in|on|without|for|at|from) \w[\w`' -]{{2,60}}(?:[.!,]|$)",
        _LEAD + r"(?:don't|do not|stop|quit) (?!worry|bother|know|think|care|touch (?:it|that)|forget|you\b|need|have\b|want\b|mind\b|it\b)\w+ "
        r"(?:\w+ing\b|[a-z`][\w`-]*s\b|any\b|an? )(?!.*\b(?:it|that|this|them)$)",
    ),
    _form(
        "for every case", "feedback",
        _LEAD + r"(?:an?|every|each|any|all|whatever|whoever|anything|anyone|nobody|anybody) (?:[\w'`./-]+ ){1,8}?(?:needs?|gets?|has to|have to|must|may|"
        r"can(?:not|'t| only)|goes?|is|are|doesn't|does not|don't|isn't|aren't|stays?|comes?|belongs?|starts?|ends?)\b",
    ),
    _form(
        "in which order", "feedback",
        r"\b(?:first,? (?:and )?then|only (?:after|once|when)|not (?:until|before)|never before)\b",
        _LEAD + r"(?:when|whenever|before|after|once|as soon as|under|below|above|over|with) (?:[^,]{3,60}), (?:we|you|don't|do not|ask|run|use|check|"
        r"stop|say|show|write|tell|explain|put|add|make|keep) ",
        _LEAD + r"(?:under|below|above|over) [\d.]+\S* [^,]{2,40} we (?:don't|do|stop|never)\b",
    ),
    _form(
        "this and not that", "feedback",
        r"\buse [^,.]{2,40}?,? (?:and )?(?:not|never|instead of|rather than) (?!now|yet|this|that)\w+",
    ),
    _form(
        "our habit", "feedback",
        r"\bwe (?:don't|do not|only|usually|keep|name|deploy|release|review|squash|rebase|ship|call|pin|log|store|generate|version) "
        r"(?!need|have|know|want|do\b|it\b|that\b|this\b|them\b|a\b)\w+",
    ),
)  # fmt: skip
"""Tried in order; the first that fits names and types the addition."""

_CORRECTION = re.compile(
    # Signs that the user objects to what the assistant did or said.
    r"^\W*(?:no|nope|nah|noo+|ugh|argh|oh no|oh dear|wait|stop|hey|hang on|not again|again|twice no|wrong)\b|"
    r"\b(?:and|but),? (?:pls|please|no)\b|\bagain\b|\btold you\b|\bi said\b|\b(?:like|as) i said\b|\bthat's (?:wrong|not (?:right|how|what|it))\b|"
    r"\bnot like that\b|\bwhy (?:did|do|are|is|would) you\b|\byou (?:just |actually )?(?:changed|removed|added|put|committed|pushed|merged|"
    r"deleted|submitted|edited|used|ran|did|wrote|made|broke|touched)\b|\byou're making me\b|\bi can't (?:review|read|use|follow)\b|"
    r"\b(?:pls|please) (?:don't|no|stop|never)\b|\b(?:same|exactly) (?:thing )?as\b|\bhow (?:often|many times)\b|\?\?|!!|"
    r"\byou know (?:that|this)\b|\b(?:should|shouldn't|should not) have\b|\bsupposed to\b|\bnext time\b|\bnot yours\b|\binstead\b|"
    r"\bno need to guess\b|\bi don't want\b|\brather you\b|\blast time\b|\bremember\?|\bhad (?:exactly )?that\b",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"\b(?:again|same (?:thing|story|mistake)? ?as|told you|i said|like i said|as i said|last time|how (?:often|many times)|once more|still)\b",
    re.IGNORECASE,
)
_DATED = re.compile(
    # What a date in the future is said of: things that end, begin, change hands.
    r"\b(?:runs?|switched off|turned off|shut (?:down|off)|goes? (?:live|away|offline|down)|ends?|expires?|retired?|removed|closes?|freezes?|"
    r"frozen|moves?|migrates?|deprecated|released?|due|launch(?:es)?|cut over|starts?|begins?|sunset|stops?|kept|available|supported|"
    r"end of life|eol|deadline|leaves?|valid|in force)\b",
    re.IGNORECASE,
)
_FAR = timedelta(days=7)


def is_correction(statement: Statement) -> bool:
    """Whether the statement stands in a message that objects to what the assistant had just done or said."""
    return bool(statement.before) and any(_CORRECTION.search(text) for text in statement.message)


def additions(corpus: Corpus, said: Sequence[Statement]) -> Iterator[Finding | Unclear]:
    """What users laid down and no memory holds, in the users' words, oldest first."""
    for statement in said:
        if objection(statement) or taken_back(statement, said) or statement.origin is Origin.PROGRAM:
            continue
        form = form_of(statement, said)
        if form is None or _is_held(corpus, statement):
            continue
        found = _finding(form, statement)
        yield found if found is not None else Unclear(statement, "the clean-ups make no plain rule of it")


def form_of(statement: Statement, said: Sequence[Statement]) -> Form | None:
    """The general form in which a statement lays something down, or None when it is talk of the day."""
    if _is_dated(statement):
        return Form("dated fact", "project", True, _DATED)
    fitting = [form for form in FORMS if form.pattern.search(statement.text)]
    alone = [form for form in fitting if form.alone]
    if alone:
        return alone[0]
    return fitting[0] if fitting and (is_correction(statement) or repeats(statement, said)) else None


def repeats(statement: Statement, said: Sequence[Statement]) -> bool:
    """Whether the user says it again elsewhere, complaining that it is again; what programs send does not count."""
    words = content(statement.text)
    return any(
        len(words & content(other.text)) >= min(2, len(words)) and any(_AGAIN.search(text) for text in other.message)
        for other in said
        if other.origin is not Origin.PROGRAM and (other.session, other.turn) != (statement.session, statement.turn)
    )


def _is_dated(statement: Statement) -> bool:
    """Whether the statement gives a date more than a week ahead for something that ends, begins or changes."""
    if statement.time is None or not _DATED.search(statement.text):
        return False
    dates = [value for value in values(statement.text) if value.dimension is Dimension.DATE]
    return any(_days_ahead(value.amount, statement) > _FAR for value in dates)


def _days_ahead(amount: str, statement: Statement) -> timedelta:
    assert statement.time is not None
    month, day = (int(part) for part in amount.split("-"))
    try:
        date = statement.time.replace(month=month, day=day)
    except ValueError:
        return timedelta(0)
    return date - statement.time


def _is_held(corpus: Corpus, statement: Statement) -> bool:
    return any(
        match.whole >= HELD and (len(match.shared) >= 2 or len(content(statement.text)) <= 2)
        for match in corpus.matches(statement.text)
    )


_HANGING = re.compile(r"^(?:it|they|that|this|these|those|he|she)(?:'s|'re| )\b", re.IGNORECASE)


def _finding(form: Form, statement: Statement) -> Finding | None:
    rule = plain_rule(statement.text, statement.time)
    if _HANGING.search(rule):
        rule = _with_antecedent(rule, statement)
    if not rule or len(content(rule)) < 1 or len(rule.split()) < 2:
        return None
    given = reasons(statement)
    why = tuple(text for text in given.why if text not in rule)
    draft = Draft(name_of(rule), describe(rule), form.type, body_of(rule, why, given.how))
    return Finding(
        intent=Intent.NEW,
        claim=rule,
        why=f"The user laid this down ({form.name}), and no memory holds it.",
        evidence=(quoted(statement),),
        drafts=(draft,),
        said=statement,
    )


def _with_antecedent(rule: str, statement: Statement) -> str:
    """A rule that begins with a pronoun, after the sentence that says what it stands for; empty when there is none."""
    if not statement.preceding:
        return ""
    before = sibling(statement, statement.preceding[-1])
    if objection(before) or not content(before.text):
        return ""
    return f"{plain_rule(before.text, statement.time)} {rule}"
