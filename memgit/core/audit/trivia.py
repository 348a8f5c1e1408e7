"""What should never have been saved: the state of one task, and what the repository tells by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime

from memgit.core.text.paragraphs import LONGEST, parts, present, prose, sentences
from memgit.model.store import Memory
from memgit.rulings.case import PROTECTED_TYPES

TRIVIA = "passing state"
"""The claim of a proposal that rests on this alone."""

MOSTLY = 0.5
"""Share of a memory's sentences that must tell of a passing state."""

_PASSING = re.compile(
    r"^\s*(?:[-*]\s*)?(?:\[[ xX]\]|todo\b|wip\b|(?:status|progress|next steps?|current task|remaining|left to do)\s*:)"
    r"|\b(?:working on|in the middle of|left off|pick(?:ed|ing)? up (?:at|from|where)|next step is|"
    r"still (?:have|need) to|(?:is|are) in progress|halfway through|so far done|done so far)\b"
    r"|\b(?:this|last|in this|the current) (?:session|conversation|chat)\b"
    r"|\b(?:pr|pull request|merge request|mr|ticket|branch|build|review)\b[^.]{0,40}\b(?:is|are|was) (?:still )?"
    r"(?:open|pending|waiting|in review|up for review|unmerged|running|not merged)\b"
    r"|\bwaiting (?:for|on) (?:ci|review|approval|the build|an answer|a reply|feedback)\b"
    r"|\b(?:today|tonight|this (?:morning|afternoon|evening)|just now|right now|tomorrow) (?:i|we|the user)\b"
    r"|\b(?:i|we) (?:just|today|now) (?:\w+ed|ran|wrote|began|started)\b",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"\b(?:always|never|must|should|every|whenever|prefer\w*|rule|convention|policy)\b", re.IGNORECASE
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?:{'|'.join(_MONTHS)})[a-z]{{0,6}}\.?"
_DATE = (
    r"(?P<date>\d{4}-\d\d-\d\d|\d{1,2}\.\d{1,2}\.\d{4}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH} \d{{4}}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}})"
)
_TOLD_AS_PAST = re.compile(r"\b(?:was|were|had|lasted|took|ran|went|stayed|war|waren|hatte)\b", re.IGNORECASE)
_BOUNDED = re.compile(
    rf"\b(?:until|till|through|by|ends?(?: on)?|expires?(?: on)?|due(?: on| by)?|deadline(?: is)?(?: on)?"
    rf"|valid (?:until|to)|planned for|scheduled for|frozen until|not before)\s*:?\s+(?:the\s+)?{_DATE}",
    re.IGNORECASE,
)
_ENTRY = re.compile(r"^\s*[-*]\s+`[^`\n]+`\s*(?:[—–:-]|is\b|holds\b|contains\b)", re.MULTILINE)
_LEAST_ENTRIES = 4


def passing(memory: Memory) -> str | None:
    """The sentence that shows that a memory tells of a passing state, where most of it does and nothing in it is
    meant to last. Memories of a person's wishes are never that."""
    if memory.type.lower() in PROTECTED_TYPES or any(part.label for part in parts(memory.body)):
        return None
    told = sentences(prose(memory.body[:LONGEST]))
    found = [sentence for sentence in told if is_passing(sentence)]
    if not found or len(found) < MOSTLY * len(told) or any(_LASTING.search(sentence) for sentence in told):
        return None
    return found[0]


def is_passing(sentence: str) -> bool:
    """Whether a sentence tells where some task stands."""
    return bool(_PASSING.search(sentence))


def is_over(sentence: str, now: datetime) -> date | None:
    """The day up to which something held by its own words, if that day has passed."""
    days = (_day(match["date"]) for match in _BOUNDED.finditer(sentence))
    return next((day for day in days if day and day < now.date()), None)


def over(memory: Memory, now: datetime) -> tuple[str, date] | None:
    """The sentence of a memory whose own end has passed, and when that was."""
    found = ((sentence, is_over(sentence, now)) for sentence in present(memory) if not _TOLD_AS_PAST.search(sentence))
    return next(((sentence, day) for sentence, day in found if day), None)


def lists_files(memory: Memory) -> tuple[str, ...]:
    """The lines of a memory that is nothing but a listing of the project's files, none if it says more than that."""
    if memory.type.lower() in PROTECTED_TYPES or any(part.label for part in parts(memory.body)):
        return ()
    lines = tuple(_text_lines(memory.body))
    entries = tuple(line for line in lines if _ENTRY.match(line))
    return entries if len(entries) >= _LEAST_ENTRIES and len(lines) - len(entries) <= 1 else ()


def shows(line: str) -> bool:
    """Whether a line by itself shows that a memory need not be kept: it tells of a passing state, names its own end, or
    is an entry of a listing."""
    return is_passing(line) or bool(_BOUNDED.search(line)) or bool(_ENTRY.match(line))


def _text_lines(body: str) -> Iterator[str]:
    return (line for line in body.split("\n") if line.strip() and not line.startswith("#"))


def _day(text: str) -> date | None:
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    month = re.search(rf"\b({'|'.join(_MONTHS)})", text, re.IGNORECASE)
    try:
        if month:
            return date(numbers[1], _MONTHS.index(month[1].lower()) + 1, numbers[0])
        year, number, day = numbers if "-" in text else reversed(numbers)
        return date(year, number, day)
    except ValueError:
        return None
