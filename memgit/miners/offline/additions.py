"""Guidance, facts and places that a user laid down and that no memory holds."""

# ruff: noqa: E501 - one pattern a line reads best
from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import lru_cache

from memgit.miners.offline.anatomy import is_later
from memgit.miners.offline.corpus import Corpus, Match
from memgit.miners.offline.facts import Dimension, value_conflicts, values
from memgit.miners.offline.finding import Finding, Unclear, quoted
from memgit.miners.offline.guards import objection, reversals, taken_back, turns_down
from memgit.miners.offline.news import updates
from memgit.miners.offline.prose import Statement, sibling
from memgit.miners.offline.reasons import reasons
from memgit.miners.offline.signs import ENOUGH, OWN, against_of, own_points, points, without_lead
from memgit.miners.offline.speech import LEAD, Speech, speech
from memgit.miners.offline.tongues import spoken, tongue_of
from memgit.miners.offline.wording import body_of, describe, name_of, plain_rule, sentence
from memgit.miners.offline.words import CALENDAR, content
from memgit.model.decision import Draft, Intent
from memgit.model.session import Origin

HELD = 1.15
"""How well a memory fits a statement from which on it counts as holding it, or as too close to add beside it."""


HELD_LATER = 0.9
"""The same for a memory that was written after the statement."""


@dataclass(frozen=True, slots=True)
class Form:
    """A way in which people state something lasting, and the type of memory that it makes."""

    name: str
    type: str
    speech: Speech


def named_form(name: str, kind: str, *alternatives: str) -> Form:
    return Form(name, kind, speech(*alternatives))


_PLACE = (
    r"(?:board|channel|project|tracker|wiki|folder|dashboard|drive|sheet|repo|repository|queue|space|calendar|section|page|schedule|"
    r"key|label|tab|list|group)"
)
_PATH = r"`?[\w.~-]*(?:/[\w-]+)+/?`?"
_THINGS = r"(?!it\b|this\b|that\b|he\b|she\b|i\b|we\b|you\b|there\b|which\b|what\b|everything's\b)(?:[\w'/ -]|\.(?=\w)){3,60}?"
_IDENTIFIER = r"(?:[`\"'“][^`\"'”]{2,40}[`\"'”]|[a-z\d]+(?:[-_/.][\w]+)+|(?-i:[A-Z]{2,}\b))"

FORMS = (
    named_form(
        "who the user is", "user",
        r"\bi(?:'ve| have)? (?:did|done|been doing|worked (?:with|in|on|as)|been (?:writing|working|using|running)|used|wrote|taught) "
        r"(?:\w+ ){1,6}for (?:about |over |almost )?(?:\w+ ){1,2}(?:years|decades)\b",
        r"\bi(?:'m| am) (?:new to|not used to|fairly new|quite new|[\w-]*[ -]?blind|deaf|dyslexic|a native|self-taught)\b|^(?:and |but )?new to \w+",
        r"\b(?:is|are) (?:all |quite |still |pretty |completely )?(?:new|foreign) (?:for|to) me\b",
        r"\bi (?:come|came) from (?:a |an )?(?!the (?:office|meeting))\w+\b(?! (?:to|the|and) (?:meeting|office))",
        r"\bmy (?:background|native language|first language|day job|mother tongue|main language) (?:is|was)\b|\bisn't my (?:first|native) language\b",
        r"\bi(?:'m| am) (?:a|an|the only|the one) (?!bit\b|fan\b|little\b|lot\b|idiot\b)(?:[\w-]+ ){0,3}(?:engineer|developer|dev|scientist|designer|admin|"
        r"dba|sre|analyst|manager|programmer|researcher|student|teacher|writer|tester|consultant|accountant|physicist|biologist|"
        r"chemist|mathematician|statistician|economist|lawyer|nurse|doctor|librarian|architect|electrician|maintainer|person)\b(?! who)",
        r"\bi(?:'ve| have) never (?:written|used|touched|done|worked with|learned|programmed|seen) (?:any |a |an )?(?!it\b|that\b|this\b|the\b)\w+",
        r"\bi (?:barely|hardly|don't really) (?:know|speak|read) (?!what|why|how|if|whether|the\b|that|this)\w+",
        r"\bnormally i (?:write|use|work)\b|\bi (?:normally|usually|mostly) (?:write|use|work (?:in|with))\b",
        r"\bi know (?:\w+ ){1,3}(?:inside out|well|by heart)\b|\bi know inside out\b",
        r"\bi (?:only |mostly )?(?:do|work on|maintain) (?:this|the project|it) (?:only |mostly |alone|in my|on my|in the evenings|at weekends)",
    ),
    named_form(
        "preference", "feedback",
        r"\bi (?:always |really |generally |strongly |much )?(?:prefer|hate|can't stand|dislike|detest) (?!it\b|that\b|this\b|to (?:say|admit))",
    ),
    named_form(
        "decision", "project",
        r"\bwe(?:'ve| have)? (?:decided|agreed|settled on)\b(?! (?:later|to (?:look|think|wait)))",
        r"\b(?:it(?:'s| is| was| has been) (?:decided|agreed)|the decision is|decision: )",
    ),
    named_form(
        "where things go", "reference",
        LEAD + rf"{_THINGS} (?:go|goes|belong|belongs|live|lives|land|lands|are (?:kept|tracked|filed|documented|reported)|"
        rf"is (?:kept|tracked|documented)|get filed|get reported) (?:in|on|to|into|under|at) (?:\S+ ){{0,4}}?{_PLACE}\b",
        LEAD + rf"(?!the\b|my\b|your\b|these\b|those\b|all\b){_THINGS} (?:go|belong|are kept) (?:in|into|to|under) {_PATH}(?!\.\w|\w)",
        LEAD + rf"{_THINGS} (?:go|goes|land|lands|are posted|get posted|are announced) (?:in|on|to|into) `?#[a-z][\w-]+",
        LEAD + rf"{_THINGS} (?:is|are|live|lives|go|goes|sits?|belongs?) (?:\w+ )?(?:in|on|at|under|to|with) (?:the |our )?[\w. -]{{2,40}}, \w+ {_IDENTIFIER}",
        LEAD + rf"{_THINGS} (?:is|are|live|lives|sits?) (?:all )?(?:in|on|under|at) (?:the |our )?{_PLACE} (?:called |named )?{_IDENTIFIER}",
        rf"\b(?:they're|they are|those are|these are|it's all|\w+s are|\w+s live|\w+ (?:is|lives)) (?:all |kept )?(?:in|on|at|under) (?:the |our )?`?[\w./-]+`?"
        rf"(?: \w+)?, (?:in |on |under |at )?(?:the )?{_PLACE}\b",
        r"\b(?:is|are|live|lives|it's|they're) (?:all |kept )?(?:in|on|under) (?:the |our )?(?:confluence|jira|linear|notion|grafana|sentry|wiki|slack|teams|"
        r"sharepoint|google drive|shared drive|pagerduty|bugzilla|trello|asana|datadog|kibana|figma|miro|intranet|vault|youtrack|redmine|gitlab|github)\b(?=.{3,})",
        r"\b(?:is|are|live|lives|it's|they're) (?:all |kept )?(?:in|on) (?:the |our )?[\w -]{3,30} under [\w`'-]+",
        r"\b(?:ask|talk to|go to|check with|belongs to|owned by) (?-i:[A-Z][a-z]+)(?: (?:about|for|when|if|before)\b|$|[.,])",
        r"\b(?-i:[A-Z][a-z]+) (?:owns|is responsible for|is the one (?:who|for)|runs the|looks after)\b",
    ),
)  # fmt: skip
"""Facts that are recognised by their form alone; guidance is weighed by signs."""

_NEEDS_OCCASION = (
    "where things go",
)  # such a sentence opens many a task, too: something must have been said before it

_DATED = spoken(
    "additions: dated",
    # What a date in the future is said of: things that end, begin, change hands.
    r"\b(?:runs?|switched off|turned off|shut (?:down|off)|goes? (?:live|away|offline|down)|ends?|expires?|retired?|removed|closes?|freezes?|"
    r"frozen|moves?|migrates?|deprecated|released?|due|launch(?:es)?|cut over|starts?|begins?|sunset|stops?|kept|available|supported|"
    r"end of life|eol|deadline|leaves?|valid|in force|goes|audit|freeze|last day)\b",
)
_FAR = timedelta(days=7)
_HANGING = spoken("additions: hanging", r"^(?:it|they|that|this|these|those|he|she)(?:'s|'re| )\b")


def additions(corpus: Corpus, said: Sequence[Statement]) -> Iterator[Finding | Unclear]:
    """What users laid down and no memory holds, in the users' words, oldest first."""
    back = reversals(said)
    lasting = [
        statement
        for statement in said
        if statement.origin is not Origin.PROGRAM
        and not (objection(statement) or turns_down(statement) or taken_back(statement, back))
    ]
    yield from _facts(corpus, lasting, said)
    yield from _guidance(corpus, lasting, said)


def _facts(corpus: Corpus, lasting: Sequence[Statement], said: Sequence[Statement]) -> Iterator[Finding | Unclear]:
    """Facts known by their form: about the user (one memory per session), dates, decisions, places."""
    about_users: dict[str, Finding] = {}
    for statement in lasting:
        form = form_of(statement)
        if form is None or is_held(corpus, statement):
            continue
        if form.name == _DATE and _moved_again(statement, said):
            yield Unclear(statement, "it gives a date, but another one was spoken of later")
            continue
        found = _finding(form, statement)
        if found is None:
            yield Unclear(statement, "the clean-ups make no plain rule of it")
        elif form.type == "user":
            about_users[statement.session] = _joined(about_users.get(statement.session), found)
        else:
            yield found
    yield from about_users.values()


def _guidance(corpus: Corpus, lasting: Sequence[Statement], said: Sequence[Statement]) -> Iterator[Finding | Unclear]:
    """The weightiest sentence of each message, when enough signs speak for it: the others are its reasons."""
    best: dict[tuple[str, int], tuple[int, tuple[str, ...], Statement]] = {}
    of_facts = {(one.session, one.turn, one.paragraph) for one in lasting if form_of(one) is not None}
    for statement in lasting:
        if (statement.session, statement.turn, statement.paragraph) in of_facts:
            continue  # it is the fact's own surroundings
        score, names = points(statement, said)
        place = (statement.session, statement.turn)
        if score >= ENOUGH - 1 and (place not in best or score > best[place][0]):
            best[place] = (score, names, statement)
    for score, names, statement in best.values():
        if is_held(corpus, statement):
            continue
        if rival := _rival(corpus, statement):
            yield Unclear(statement, f"it may correct {rival}, but not plainly enough to change it")
            continue
        found = (
            _finding(Form("; ".join(names), _kind(names), Speech(None, None)), statement) if score >= ENOUGH else None
        )
        yield found or Unclear(statement, "it may be a rule, but not plainly one that lasts")


def _rival(corpus: Corpus, statement: Statement) -> str:
    """The memory that gives another value for something that a statement of change speaks of, too."""
    if not updates(statement.text):
        return ""
    return next(
        (
            match.entry.memory.id
            for match in corpus.matches(statement.text)
            if len(match.shared) >= 2 and value_conflicts(statement.text, match.entry.claim)
        ),
        "",
    )


def _kind(names: Sequence[str]) -> str:
    """Orders to the assistant are feedback; what something means is a fact of the project."""
    orders = {"it orders", "it forbids", "an order for always or never", "it ends a habit"}
    return "project" if "it says what something means" in names and not orders & set(names) else "feedback"


@lru_cache(maxsize=20_000)
def form_of(statement: Statement) -> Form | None:
    """The form in which a statement gives a fact that lasts; None for guidance and for talk of the day."""
    if _is_dated(statement):
        return Form(_DATE, "project", Speech(None, None))
    if _explains(statement):
        return Form("why something is no mistake", "project", Speech(None, None))
    return next((form for form in _forms_of(statement.text) if _has_form(statement, form)), None)


def _forms_of(text: str) -> tuple[Form, ...]:
    tongue = tongue_of(text)
    return tongue.forms if tongue else FORMS


def _has_form(statement: Statement, form: Form) -> bool:
    clauses = dict.fromkeys((statement.text, *statement.text.split(", ")))
    if not any(form.speech.found(clause) for clause in clauses) or (
        form.name in _NEEDS_OCCASION and not statement.before
    ):
        return False
    return form.name not in _OF_THE_MOMENT or not any(
        sign.speech.found(statement.text) for sign in against_of(statement.text)
    )


_OF_THE_MOMENT = ("preference",)  # likes and dislikes are spoken of what is at hand, too


_NO_MISTAKE = spoken(
    "additions: no mistake",
    # What the assistant took for a fault is none; the next sentence says why.
    r"\b(?:aren't|isn't|are not|is not|not|nothing is|none of (?:that|them|those) (?:is|are)) (?:a |an |really |actually )?(?:duplicates?|errors?|bugs?|"
    r"mistakes?|broken|wrong|missing|lost|corrupt|gaps?|outliers?)\b|"
    r"\b(?:that's|that is|those are|it's|they're|this is) (?:quite |perfectly |all |completely )?(?:normal|intended|expected|on purpose|by design|"
    r"as it should be)\b",
)
_STANDING = spoken(
    "additions: standing",
    r"^(?:the|our|an?|all|every|each) (?!other\b|first\b|second\b|last\b|next\b|new\b|old\b)[\w' -]{3,50}?"
    r"(?:s|don't|doesn't|always|never|only|have|are|keep|send|come|run) \w+",
)


def _explains(statement: Statement) -> bool:
    """Whether a statement tells how things stand, right after the user said that they are no mistake."""
    said, _, rest = statement.text.partition(", ")
    if _NO_MISTAKE.search(said):
        told = rest if _STANDING.search(rest) or _KIND.search(rest) else ""
    else:
        before = statement.preceding[-1:]
        told = statement.text if any(map(_NO_MISTAKE.search, before)) and _STANDING.search(statement.text) else ""
    return (
        bool(statement.before)
        and len(told.split()) >= _TELLING
        and not any(sign.speech.found(told) for sign in against_of(told))
    )


_KIND = spoken("additions: kind", r"^(?:[\w-]+ )?[a-z-]{2,}(?<!s)s (?:are|have|come|keep|don't|always|never) \w+")
_TELLING = 6  # words


_DATE = "a date that matters"


_MOVES = spoken(
    "additions: moves",
    r"\b(?:moved|moves|extended|extension|postponed|pushed|delayed|rescheduled|brought forward|shifted|now|later|earlier|instead|longer)\b",
)


_POSTPONES = spoken(
    "additions: postpones", r"\b(?:moved|extended|postponed|pushed|delayed|rescheduled|brought forward|shifted)\b"
)


def _moved_again(statement: Statement, said: Sequence[Statement]) -> bool:
    """Whether a later statement gives another date for it: on one of its words, or by moving what only it can mean."""
    at = said.index(statement)
    return any(
        _on_one_thing(statement, other)
        or (_MOVES.search(other.text) and not _moves_another(statement, other, said[:place]))
        for place, other in enumerate(said)
        if place > at and (_days(other.text) - _days(statement.text) or _POSTPONES.search(other.text))
    )


def _moves_another(statement: Statement, move: Statement, earlier: Sequence[Statement]) -> bool:
    """Whether a date that moves was spoken of, by its words, before: then it is that one."""
    return any(_on_one_thing(other, move) for other in earlier if other != statement and _days(other.text))


def _on_one_thing(one: Statement, other: Statement) -> bool:
    return bool((content(one.text) - CALENDAR) & content(" ".join(other.paragraph)))


def _days(text: str) -> frozenset[str]:
    """The dates and days of a month that a text gives."""
    return frozenset(value.amount for value in values(text) if value.dimension in (Dimension.DATE, Dimension.DAY))


def _is_dated(statement: Statement) -> bool:
    """Whether the statement gives a date more than a week ahead for something that ends, begins or changes."""
    if statement.time is None or not _DATED.search(statement.text):
        return False
    dates = [value for value in values(statement.text) if value.dimension is Dimension.DATE]
    return any(_ahead(value.amount, statement) > _FAR for value in dates)


def _ahead(amount: str, statement: Statement) -> timedelta:
    """How far ahead of the statement a month and day is, within the year."""
    assert statement.time is not None
    month, day = (int(part) for part in amount.split("-"))
    try:
        return statement.time.replace(month=month, day=day) - statement.time
    except ValueError:
        return timedelta(0)


def is_held(corpus: Corpus, statement: Statement) -> bool:
    """Whether a memory holds what a statement says, or is so near that adding it beside would be doubtful.

    A memory written after the statement needs less likeness: who wrote it knew what had been said.
    """
    windows = (statement.text, " ".join((statement.text, *statement.following[:1])))
    return any(_holds(match, statement) for window in windows for match in corpus.matches(window))


def _holds(match: Match, statement: Statement) -> bool:
    if len(match.shared) < 2 and len(content(statement.text)) > 2:
        return False
    return match.fit >= (HELD if is_later(statement.time, match.entry.memory) else HELD_LATER)


def _finding(form: Form, statement: Statement) -> Finding | None:
    rule = sentence(without_lead(plain_rule(statement.text, statement.time)))
    if _HANGING.search(rule):
        rule = _with_antecedent(rule, statement)
    if len(content(rule)) < 1 or len(rule.split()) < 2:
        return None
    given = reasons(statement)
    why = tuple(text for text in given.why if text not in rule)
    claim = " ".join((rule, *(text for text in _beside(statement) if text not in (*why, *given.how))))
    draft = Draft(name_of(rule), describe(rule), form.type, body_of(claim, why, given.how))
    return Finding(
        intent=Intent.NEW,
        claim=rule,
        why=f"The user laid this down ({form.name}), and no memory holds it.",
        evidence=(quoted(statement),),
        drafts=(draft,),
        said=statement,
    )


def _beside(statement: Statement) -> tuple[str, ...]:
    """The next sentence, where it goes on saying what something means or what holds."""
    following = [sibling(statement, text) for text in statement.following[:1]]
    return tuple(
        plain_rule(one.text, one.time) for one in following if not objection(one) and own_points(one.text) >= OWN
    )


def _with_antecedent(rule: str, statement: Statement) -> str:
    """A rule that begins with a pronoun, after the sentence that says what it stands for; empty when there is none."""
    if not statement.preceding:
        return ""
    before = sibling(statement, statement.preceding[-1])
    if objection(before) or not content(before.text):
        return ""
    return f"{plain_rule(before.text, statement.time)} {rule}"


def _joined(first: Finding | None, second: Finding) -> Finding:
    """What one session says of its user, as one memory."""
    if first is None:
        return second
    body = f"{first.drafts[0].body}\n\n{second.drafts[0].body}"
    return replace(first, drafts=(replace(first.drafts[0], body=body),), evidence=(*first.evidence, *second.evidence))
