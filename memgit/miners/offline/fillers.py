"""A later statement of the user that puts another thing in a place that a memory fills: a tool, a path, a language.

"Releases are built with tycho" against "releases are built with nevo now": the same words before the same
small word, and another thing after it.
"""

# ruff: noqa: E501, SIM905 - word lists and patterns read best as text
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from memgit.miners.offline.anatomy import is_later, sentences
from memgit.miners.offline.corpus import Corpus, Entry
from memgit.miners.offline.exchanges import subject_of
from memgit.miners.offline.facts import NEGATION, SIBLING_GROUPS, Dimension, sides, values
from memgit.miners.offline.finding import Finding, quoted
from memgit.miners.offline.news import FOR_GOOD
from memgit.miners.offline.prose import Statement, sibling
from memgit.miners.offline.renames import replaced
from memgit.miners.offline.tongues import spoken
from memgit.miners.offline.words import FUNCTION_WORDS, content

_THING = r"(?:`[^`\n]+`|[\w@~./:+#-]*[\w/])"
_KINDS = "branch|team|channel|queue|folder|bucket|server|board|project|repo|host|list|table|group|space|share|user|kernel|theme|region|account|profile|registry|cluster|database|font|image|model"
_HEAD = rf"(?: (?:the |our )?(?:{_KINDS}))?"
_LINK = rf"\b(?P<link>(?:with|to|against|in|into|via|through|by|on|at|from|under|as|over){_HEAD}|is|are)"
_NAMED = "named"  # a name of code, whatever stands before it
_SPAN = re.compile(r"`[^`\n]+`")
_ANY = ""  # where a change of things is spoken of, no small word need be the same
_ALL = "alone"  # nothing is said of it, so that the old thing must be said to be gone
_ALONE = spoken(
    "fillers: alone",
    rf"^\W*(?:(?:no|nope|nah|use)\b\W*)*(?P<thing>{_THING}(?: [\w-]+(?=!|,? (?:pls|please|now)))?)(?:,? (?:pls|please|now|instead))*[.!]*$",
)
_IS_IT = spoken("fillers: is it", rf"^\W*(?:(?:no|nope|nah)\b\W*)*(?:it'?s|use|run) (?P<thing>{_THING}) (?:now|since|these days|nowadays|instead)\b")  # fmt: skip
_LINKED = spoken("fillers: linked", _LINK)
_HELD = spoken(
    "fillers: held",
    # What is held is no word before a noun: it ends its phrase.
    rf"{_LINK} (?:the |a |an |our )?(?P<thing>{_THING})(?=\s*[,.;:()]|\s*$|\s+(?:for|in|on|before|after|and|or|by|with|each|once|when|at|to|"
    r"from|of|as|not|never|on|during|while|until|because|since|if|unless|without)\b)",
)
_IS_DONE = spoken("fillers: is done", r"^(?:is|are) \w+ed$")  # "are installed" names nothing
_GIVEN = spoken(
    "fillers: given",
    # What is given ends where the sentence does, or where it says since when.
    rf"{_LINK} (?:the |our )?(?P<thing>{_THING}(?: (?!now\b|since\b|from\b|these\b|instead\b)[\w-]+)?)"
    r"(?= (?:now|since|from now on|from here on|these days|nowadays|instead|as of)\b|\s*[,.;:!]|\s*$)",
)
_CHANGED = spoken(
    "fillers: changed",
    rf"\b(?:(?:switched|moved|migrated|changed|converted|went)(?: over)?(?: (?:the |our |all )?[\w-]+(?: [\w-]+)?)?? to|(?:we|you|they) (?:all )?(?:use|have|do|send|run|ship|take)|we(?:'re| are) (?:all )?on) (?:the )?(?:(?:{_KINDS}) )?(?P<thing>{_THING})(?! \w+ing\b)",
)
_DEPARTED = (
    r"(?:(?:is|are|was|were|has|got|went|'s) (?:\w+ )?(?:gone|dead|history|out|retired|deprecated|replaced|dropped|"
    r"removed|cancell?ed|discontinued|shut down|switched off|read[- ]only|unmaintained|expired|too \w+|not \w+|no longer|finished|over)|(?:contract |licen[sc]e |support )?(?:ended|expired|died|left|retired)|(?:doesn't|does not) (?:exist|work)|(?:isn't|aren't) \w+|no longer|any ?more)"
)
_LEFT = r"(?:dropped|left|ditched|stop(?:ped)? (?:using|paying for)|(?:we're|we are|are) off|got rid of|done with|away from|no longer (?:with|on|at|using)|no more|no)"
_WENT = spoken(
    "fillers: went",
    r"\b(?:got|was|were|been) (?:removed|retired|dropped|shut down|switched off|deprecated|discontinued|replaced)\b|\b(?:is|are) (?:gone|dead|history|retired|unmaintained)\b",
)
_NO_THINGS = frozenset(
    """place time times week month year day days today tomorrow tonight yesterday noon midnight night morning evening
    weekend general future practice production prod staging stage order line itself themselves hand hold track mind sync
    monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays""".split()
)
"""Words that follow a small word without naming a thing that could stand in another's place."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A small word, what stands before it and what fills the place after it; what is given has its clause with it."""

    link: str
    before: frozenset[str]
    thing: str
    clause: str = ""


def new_filler(corpus: Corpus, statement: Statement) -> Finding | None:
    """The replacement of what fills a memory's place, where one memory and one place can be meant."""
    slots = (*(_given(statement.text) if _is_news(statement.text) else ()), *_alone(statement))
    found = _fillers(corpus, statement, slots)
    alike = {key: one for key, one in found.items() if one[2].link in (one[1].link, _ANY, _ALL)}
    found = alike or found  # another small word counts only where nothing stands after the same one
    if len(found) != 1:
        return None
    entry, held, given = next(iter(found.values()))
    old = held.thing.strip("`")
    finding = replaced(entry.memory, statement, old, given.thing.strip("`"))
    beside = [sibling(statement, text) for text in statement.paragraph if _names(text, old) and text != statement.text]
    return replace(finding, evidence=(*finding.evidence, *(quoted(one) for one in beside if _is_gone(old, one))))


def _fillers(
    corpus: Corpus, statement: Statement, slots: Sequence[Slot]
) -> dict[tuple[str, str, str], tuple[Entry, Slot, Slot]]:
    """What may take the place of what a memory holds, by the memory's id, the old thing and the new one."""
    return {
        (entry.memory.id, held.thing.strip("`"), given.thing.strip("`")): (entry, held, given)
        for given in slots
        for entry in corpus.entries
        if is_later(statement.time, entry.memory) and _free(given.thing, entry)
        for held in _held(entry)
        if _same_place(given, held, entry, statement)
    }


def _is_news(text: str) -> bool:
    """Whether a sentence says that something holds from now on, or that something went, so that another came."""
    return bool(FOR_GOOD.search(text) or _WENT.search(text) or _THAT_WENT.search(text))


def _given(text: str) -> Iterator[Slot]:
    for match in _CHANGED.finditer(text):
        if _is_thing(match["thing"]):
            yield Slot(_ANY, content(text) - content(match["thing"]), match["thing"])
    for clause in re.split(r"[,;!?] | - |\. ", text):
        for match in _GIVEN.finditer(clause):
            if _is_thing(match["thing"]) and not NEGATION.search(clause):
                yield Slot(_link(match), content(clause[: match.start()]), match["thing"], clause)


def _alone(statement: Statement) -> Iterator[Slot]:
    """What opens an answer and is all that its sentence says ("mlflow, please")."""
    if not statement.before or statement.order > 1:
        return
    match = _IS_IT.match(statement.text) or (None if statement.order else _ALONE.match(statement.text))
    if match and _is_thing(match["thing"]):
        yield Slot(_ALL, frozenset(), match["thing"])


@lru_cache(maxsize=20_000)
def _held(entry: Entry) -> tuple[Slot, ...]:
    """The filled places of a memory's description and first sentence: what it is mainly about."""
    return tuple(_slots(entry))


def _slots(entry: Entry) -> Iterator[Slot]:
    lines = (entry.memory.description, *sentences(entry.claim.removeprefix(entry.memory.description))[:1])
    for line in lines:
        for match in _HELD.finditer(line):
            if _is_thing(match["thing"]) and not (NEGATION.search(line) or _IS_DONE.search(match.group())):
                yield Slot(_link(match), content(line[: match.start()]), match["thing"])
        for match in _SPAN.finditer(line):
            if _is_thing(match.group()) and not NEGATION.search(line):
                yield Slot(_NAMED, content(line[: match.start()]), match.group())


def _link(match: re.Match[str]) -> str:
    link = re.sub(r" (?:the|our)\b", "", match["link"].lower())
    return re.sub(r"^(in|on)to\b", r"\1", link)


def _is_thing(text: str) -> bool:
    measures = not re.search(r"[^\W\d]", text) or any(value.dimension is not Dimension.CODE for value in values(text))
    if text.startswith("`"):
        return not measures
    first = text.split(" ")[0].lower()
    return bool(content(text) or _is_coded(text)) and first not in FUNCTION_WORDS | _NO_THINGS and not measures


def _free(thing: str, entry: Entry) -> bool:
    return thing.strip("`").lower() not in entry.memory.text.lower()


def _same_place(given: Slot, held: Slot, entry: Entry, statement: Statement) -> bool:
    gone = _is_gone(held.thing.strip("`"), statement)
    if not (given.link in (held.link, _ANY, _ALL) or (gone and _stands_in(given, held))):
        return False
    if held.thing.strip("`").lower() == given.thing.strip("`").lower():
        return False
    if any(not sides(statement.text, group) <= sides(entry.memory.text, group) for group in SIBLING_GROUPS):
        return False
    shared = given.before & (held.before | content(entry.memory.description))
    if _is_coded(held.thing) and _is_coded(given.thing):
        shared |= content(re.sub(r"\W", " ", given.thing)) & content(re.sub(r"\W", " ", held.thing))
    if given.link == _ALL:
        return (gone or (_is_coded(held.thing) and _of_one_kind(held, given))) and _names(
            statement.before, held.thing.strip("`")
        )
    if given.link == _ANY:
        other = subject_of(statement.text) - entry.stems
        return bool(shared) and not other and (gone or _names(statement.before, held.thing.strip("`")))
    enough = len(shared) >= 2 or (len(shared) == 1 and (gone or given.before == shared == held.before))
    enough = enough or (gone and not given.before)  # "it goes through nevo now": what it is stands beside
    return enough and (gone or _of_one_kind(held, given))


def _stands_in(given: Slot, held: Slot) -> bool:
    """Whether a thing behind another small word is plainly a new one: of one look in code, or said to be so now."""
    if _names(given.clause, held.thing.strip("`")):
        return False  # the clause tells how the old one went
    if _is_coded(held.thing) or _is_coded(given.thing):
        return _of_one_kind(held, given)
    return bool(FOR_GOOD.search(given.clause))


def _of_one_kind(held: Slot, given: Slot) -> bool:
    """Whether two things are of one kind by their look; behind a preposition plain words are, too."""
    a, b = held.thing, given.thing
    if _is_coded(a) or _is_coded(b):
        return _is_coded(a) and _is_coded(b) and ("/" in a) == ("/" in b)
    if a.isupper() or b.isupper():
        return a.isupper() and b.isupper()
    return given.link not in ("is", "are")


def _is_coded(text: str) -> bool:
    return text.startswith("`") or bool(re.search(r"[/_~]|\w\.\w|\d", text))


def _names(text: str, thing: str) -> bool:
    return thing.lower() in text.lower() and bool(
        re.search(rf"(?<![\w-]){re.escape(thing)}(?![\w-])", text, re.IGNORECASE)
    )


_THAT_WENT = spoken(
    "fillers: that went",
    # Said of what the assistant had just named.
    r"\b(?:deleted|removed|dropped|retired|killed|shut down|got rid of) (?:that|this|it)(?: one)?(?=\W*(?:$|[,.;!]| (?:last|when|in|a|and)\b))|"
    r"\b(?:that|this)(?: one)?(?:'s| is) (?:long |all )?(?:gone|history|dead|retired|outdated|stale|out of date|the old (?:one|name|place))\b",
)


def fills_anew(entry: Entry, statement: Statement) -> bool:
    """Whether the message puts something else in a place that a memory fills: then the memory changes and stays."""
    news = [text for text in statement.message if FOR_GOOD.search(text) and not NEGATION.search(text)]
    links = {_link(match) for text in news for match in _LINKED.finditer(text)}
    return any(held.link in links for held in _held(entry))


def _is_gone(thing: str, statement: Statement) -> bool:
    """Whether the user says beside it that the old thing is out of use."""
    spoken = [text for text in statement.paragraph if thing.lower() in text.lower()]
    if not spoken:
        return _names(statement.before, thing) and any(_THAT_WENT.search(text) for text in statement.paragraph)
    name = re.escape(thing)
    pattern = re.compile(rf"(?<![\w-]){name}\b[^,.;]{{0,20}}\b{_DEPARTED}|\b{_LEFT} {name}\b", re.IGNORECASE)
    return any(pattern.search(text) for text in spoken)
