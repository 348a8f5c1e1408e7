"""Words for what is proposed: built from the user's or the memories' own sentences by listed clean-ups, nothing else."""

# ruff: noqa: E501, SIM905 - word lists and patterns read best as text
from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

from memgit.core.text.details import details, missing
from memgit.miners.offline.anatomy import Kept, anatomy, sentences
from memgit.miners.offline.tongues import spoken, tongue_of
from memgit.miners.offline.words import FUNCTION_WORDS, tokens
from memgit.model.decision import Draft
from memgit.model.store import Memory

_OPENING = spoken(
    "wording: opening",
    # Interjections, address and hand-overs before the clause itself.
    r"^(?:(?:and|but|so|also|then|btw|by the way|ok|okay|k|yes|yeah|yep|yup|no(?=\s*[,.:;!–—-])|nope|nah|noo+|ugh|argh|oh|ah|oh no|hm+|hey|wait|"
    r"stop(?=\s*[,.:;!–—])|well|look|listen|seriously|right|sorry|please|pls|plz|again|once more|one more(?: thing)?|one thing|no no|"
    r"first of all|fyi|for the record|for future reference|just so you know|heads up|note to self|note|reminder|again|"
    r"remember(?: that)?|keep in mind(?: that)?|(?:i(?:'ve)? )?(?:already )?told you(?: already| before| last time)?(?: that)?(?: (?:at|in|with|about|for|on) [^:,.]{2,30}(?=:))?|"
    r"(?:as|like) i (?:said|told you)(?: before| last time)?|i said(?: that)?|how (?:often|many times)[^?]*\?|"
    r"same as (?:last time|before)|in general|generally)\b"
    r"[\s,.:;!\-–—]*)+",
)
_TOPIC = spoken(
    "wording: topic",
    r"^(?:an?|another|the) (?:letter|mail|e-?mail|message|note|call|word|update|news|announcement) (?:from [^:]{2,40}? )?"
    r"(?:about|on|regarding) (?P<topic>[^:]{3,60}): ",
)
_SOURCE = spoken("wording: source", r"^(?:news )?from [^:]{2,50}?(?: today| just now)?(?:,? btw)?: ")
_FILLERS = spoken(
    "wording: fillers",
    r"(?:,? ?\b(?:pls|plz|please|btw|ofc|tbh|imo|fwiw|lol|thx|thanks|ty)\b(?= |[,.;!]|$)|[!]+$|\s?👍)",
)
_TAIL = spoken("wording: tail", r"[,;]? (?:ok|okay|right|you know that|yes|no)\?*$")
_MONTHS = "January February March April May June July August September October November December".split()
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_MONTH_DAY = re.compile(
    rf"\b(?P<month>{'|'.join(f'{m[:3]}(?:{m[3:]})?' for m in _MONTHS)})\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:|,? \d{{4}})",
    re.IGNORECASE,
)
_DAY_MONTH = re.compile(
    rf"\b(?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{'|'.join(f'{m[:3]}(?:{m[3:]})?' for m in _MONTHS)})\b"
    r"(?!,? \d{4})",
    re.IGNORECASE,
)
_WORDS_OF_RULE = 5
_NAME_LENGTH = 48
DESCRIPTION_LENGTH = 140


def plain_rule(text: str, said: datetime | None) -> str:
    """A user's sentence as a plain one: fillers and address removed, dates made absolute, capital and full stop set."""
    cut = _OPENING.sub("", text)
    cut = _TOPIC.sub(lambda match: f"{match['topic']}: ", cut)
    cut = _SOURCE.sub("", cut)
    cut = _OPENING.sub("", cut)
    cut = _TAIL.sub("", _FILLERS.sub("", cut))
    cut = absolute_dates(cut, said) if said else cut
    return sentence(re.sub(r"\s+", " ", cut).strip(" ,;:-–—"))


def sentence(text: str) -> str:
    """The text with a capital letter at its start, a full stop at its end and a capital I."""
    text = re.sub(r"\bi\b(?=['’ ])(?!\.)", "I", text.strip())
    if not text:
        return ""
    first = capitalised(text)
    return first if first[-1] in ".!?" or first.endswith(('."', ".)")) else f"{first.rstrip(',;:')}."


def capitalised(text: str) -> str:
    """The text with a capital letter at its start, unless it starts with a name from code."""
    return text if _is_code(text) else text[:1].upper() + text[1:]


def _is_code(text: str) -> bool:
    """Whether the first word is a name from code, whose capitals matter."""
    return bool(re.match(r"[\w.]*[_./(][\w.(/]*|`", text.split(" ", 1)[0]))


def absolute_dates(text: str, said: datetime) -> str:
    """Words for days that hold only on the day they were said, as dates of the calendar."""
    for pattern, day in _RELATIVE:
        text = pattern.sub(lambda match, day=day: _iso(day(said, match)), text)  # type: ignore[misc]
    text = _MONTH_DAY.sub(lambda match: _full(match, said), text)
    return _DAY_MONTH.sub(lambda match: _full(match, said), text)


def _iso(day: datetime) -> str:
    return day.strftime("%Y-%m-%d")


def _full(match: re.Match[str], said: datetime) -> str:
    month = next(n for n, name in enumerate(_MONTHS, 1) if name.lower().startswith(match["month"].lower()[:3]))
    year = said.year + 1 if month < said.month - 6 else said.year
    return f"{_MONTHS[month - 1]} {int(match['day'])}, {year}"


def _last(said: datetime, match: re.Match[str]) -> datetime:
    wanted = [day.lower() for day in _DAYS].index(match["day"].lower())
    return said - timedelta(days=(said.weekday() - wanted) % 7 or 7)


_RELATIVE: tuple[tuple[re.Pattern[str], Callable[[datetime, re.Match[str]], datetime]], ...] = (
    (re.compile(r"\b(?:today|this (?:morning|afternoon|evening)|tonight)\b", re.I), lambda said, _: said),
    (re.compile(r"\b(?:yesterday|last night)\b", re.I), lambda said, _: said - timedelta(days=1)),
    (re.compile(r"\btomorrow\b", re.I), lambda said, _: said + timedelta(days=1)),
    (re.compile(rf"(?<=\bsince )(?:last )?(?P<day>{'|'.join(_DAYS)})\b(?!s)", re.I), _last),
    (re.compile(rf"\blast (?P<day>{'|'.join(_DAYS)})\b", re.I), _last),
)


def name_of(text: str) -> str:
    """A short kebab-case name from the telling words of a rule's main clause; what it forbids is named as forbidden."""
    clauses = [clause for clause in _CLAUSE.split(text) if len(_telling(clause)) >= _FEWEST_TELLING]
    main = next((clause for clause in clauses if not _ASIDE.match(clause)), clauses[0] if clauses else text)
    words = _telling(main) or _telling(text) or [word for word in tokens(text) if word.isascii() and word.isalnum()]
    denied = ["no"] if _FORBIDS.match(main) else []
    return "-".join((denied + words)[:_WORDS_OF_RULE])[:_NAME_LENGTH].strip("-") or "note"


_CLAUSE = re.compile(r"[,;:]\s|\.\s|\s[-–—]\s|\(")
_ASIDE = spoken(
    "wording: aside", r"^\W*(?:when|if|for|at|from|in|on|before|after|since|as|while|whenever|once|to|with)\b"
)
_FORBIDS = spoken("wording: forbids", r"^\W*(?:no|never|don't|do not|nobody|nothing|stop)\b")
_FEWEST_TELLING = 2
_UNTELLING = FUNCTION_WORDS | {"nobody", "stop"}


def _telling(text: str) -> list[str]:
    """The words of a text that say what it is about, names with figures whole, each once."""
    tongue = tongue_of(text)
    untelling = _UNTELLING | tongue.function_words if tongue else _UNTELLING
    found = re.findall(r"[a-z0-9]+(?:['’][a-z]+)?", text.lower().translate(_PLAIN_LETTERS))
    return list(dict.fromkeys(word for word in found if word.isalnum() and word not in untelling and len(word) > 1))


_PLAIN_LETTERS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
"""Names of memories are names of files, too: as typed without umlauts."""


def describe(text: str) -> str:
    """A rule as a description: one line, without its full stop, cut at a clause where it is long."""
    line = re.sub(r"\s+", " ", text).strip().rstrip(".")
    if len(line) <= DESCRIPTION_LENGTH:
        return line
    cut = max(line.rfind(mark, 0, DESCRIPTION_LENGTH) for mark in (", ", "; ", ": ", " - "))
    return line[:cut] if cut > 30 else line[: line.rfind(" ", 0, DESCRIPTION_LENGTH)]


def body_of(rule: str, why: Sequence[str] = (), how: Sequence[str] = ()) -> str:
    """A memory's body: the rule, and why and how where the conversation gives them."""
    parts = [rule]
    if why:
        parts.append(f"**Why:** {' '.join(why)}")
    if how:
        parts.append(f"**How to apply:** {' '.join(how)}")
    return "\n\n".join(parts)


def merged(members: Sequence[Memory]) -> Draft:
    """One memory that holds all sentences of its members; only what another sentence wholly contains is left out.

    The longest member survives; the others' sentences follow its own, claim to claim, why to why.
    """
    ordered = sorted(members, key=lambda member: (-len(member.body), member.id))
    keeper = ordered[0]
    parts = [anatomy(member.body) for member in ordered]
    claims = [parts[0].claim, *_new_sentences(parts[0].claim, [part.claim for part in parts[1:]])]
    claims += _telling_titles(ordered)
    labels = dict.fromkeys(label for part in parts for label, _ in part.labelled)
    blocks = [_joined(claims)]
    for label in labels:
        texts = [text for part in parts for name, text in part.labelled if name == label]
        blocks.append(f"**{label}:** {_joined([texts[0], *_new_sentences(texts[0], texts[1:])])}")
    return Draft(keeper.name, keeper.description, keeper.type, "\n\n".join(blocks), keeper.id)


def _telling_titles(ordered: Sequence[Memory]) -> list[str]:
    """The titles of those that do not survive, as sentences, where they alone name something."""
    held = "\n".join([ordered[0].description, *(member.body for member in ordered)])
    titles = (member.description for member in ordered[1:])
    return [sentence(title) for title in titles if missing(details(title), held)]


def _new_sentences(first: str, others: Iterable[str]) -> list[str]:
    kept = Kept(sentences(first))
    added = []
    for text in others:
        for one in sentences(text):
            if not kept.contains(one):
                added.append(capitalised(one))
                kept.add(one)
    return added


def _joined(texts: Sequence[str]) -> str:
    return " ".join(text for text in texts if text)


def rewritten(memory: Memory, exchange: Callable[[str], str]) -> Draft:
    """The memory with its description and body exchanged, but for what its Why tells of the past."""
    body = "\n\n".join(block if block.startswith("**Why") else exchange(block) for block in memory.body.split("\n\n"))
    return Draft(memory.name, exchange(memory.description), memory.type, body, memory.id)
