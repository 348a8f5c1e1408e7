"""Where two texts that look alike contradict each other, or speak of siblings: what must never be merged.

No similarity score tells a paraphrase from a contradiction (measured: contradictions are the more similar pairs),
so differing values, environments and polarity are looked for by rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memgit.core.text.details import Detail, DetailKind, comparable, details, missing
from memgit.text.markdown import sentences
from memgit.text.words import content_words


def conflicts(left: str, right: str) -> tuple[str, ...]:
    """Why two texts must not be taken for one: each reason names what stands against what."""
    return (*_differing_details(left, right), *differing_environments(left, right), *opposed(left, right))


_ENVIRONMENTS = {
    spelling: name
    for name, spellings in {
        "production": "production prod live",
        "staging": "staging stage preprod",
        "development": "development dev local",
        "test": "testing qa",
        "canary": "canary",
        "Linux": "linux",
        "macOS": "macos mac",
        "Windows": "windows",
        "frontend": "frontend",
        "backend": "backend",
        "GPU": "gpu",
        "CPU": "cpu",
    }.items()
    for spelling in spellings.split()
}
_SENTENCES = 120
"""A memory is one fact; of a longer text only so many sentences are compared with each other."""

_NEGATIONS = re.compile(
    r"\b(?:not|no|never|none|cannot|without|neither|nor|avoid\w*|forbid\w*|ban|banned|alone|nie|niemals|nicht|nichts|nix|niemand|kein\w*)\b|n['’]t\b",
    re.IGNORECASE,
)
_CONTRAST = re.compile(r"(?:,? (?:and )?not |,? instead of |,? rather than )[^,.;]*", re.IGNORECASE)
_CHANGE = re.compile(
    r"\b(?:no longer|any ?more|moved|renamed|removed|dropped|replaced|switched|migrated|deprecated|retired|back on"
    r"|from now on|as of now|used to"
    r"|nicht mehr|ab jetzt|ab sofort|umbenannt|umgestellt|umgezogen|umgestiegen|ersetzt|abgel(?:ö|oe)st|abgeschafft)\b",
    re.IGNORECASE,
)
_DAYS = frozenset(
    (
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "montag",
        "dienstag",
        "mittwoch",
        "donnerstag",
        "freitag",
        "samstag",
        "sonntag",
    )
)
_OPPOSITES = tuple(
    (frozenset(left.split()), frozenset(right.split()))
    for left, right in (
        ("enable enabled enables on", "disable disabled disables off"),
        ("allow allowed allows permit permitted", "deny denied forbidden block blocked refuse refused"),
        ("before", "after"),
        ("include included includes", "exclude excluded excludes"),
        ("required mandatory", "optional"),
        ("minimum least min", "maximum most max"),
        ("public", "private"),
        ("ascending", "descending"),
        ("tabs", "spaces"),
        ("squash", "rebase"),
        ("always", "never sometimes"),
        ("manual manually", "automatic automatically"),
        ("strict", "lenient"),
    )
)


def _differing_details(left: str, right: str) -> Iterator[str]:
    only_left, only_right = missing(details(left), right), missing(details(right), left)
    for one in only_left:
        for other in only_right:
            if one.kind in _VALUES and comparable(one, other) and _of_one_thing(one, other, left, right):
                yield f"{one.kind} {one.text} against {other.text}"


def _of_one_thing(one: Detail, other: Detail, left: str, right: str) -> bool:
    """True for the same unit anywhere, and for bare values where sentences of one topic hold them."""
    if one.unit and one.unit == other.unit:
        return True
    mine = [sentence for sentence in sentences(left) if one.text in sentence]
    theirs = [sentence for sentence in sentences(right) if other.text in sentence]
    return any(_aligned(here, there) for here in mine for there in theirs)


_VALUES = (DetailKind.NUMBER, DetailKind.VERSION, DetailKind.DATE)


def differing_environments(left: str, right: str) -> Iterator[str]:
    """The environments, platforms and sides of two texts, where each names some that the other does not."""
    here, there = environments(left), environments(right)
    if here - there and there - here:
        yield f"{', '.join(sorted(here - there))} against {', '.join(sorted(there - here))}"


def environments(text: str) -> frozenset[str]:
    """The environments, platforms and sides that a text names, each by one name."""
    return frozenset(_ENVIRONMENTS[word] for word in re.findall(r"\w+", text.lower()) if word in _ENVIRONMENTS)


def opposed(left: str, right: str) -> Iterator[str]:
    """The pairs of sentences on one topic of which one says no where the other says yes."""
    for one in sentences(left)[:_SENTENCES]:
        for other in sentences(right)[:_SENTENCES]:
            if _aligned(one, other) and _opposed(one, other):
                yield f'"{_short(one)}" against "{_short(other)}"'


def _aligned(one: str, other: str, share: float = 0.6) -> bool:
    """True when two sentences are on one topic: the shorter one's words are mostly in the other."""
    here, there = content_words(one), content_words(other)
    smaller, larger = sorted((len(here), len(there)))
    if smaller < 2:
        return bool(here & there) and larger <= 2
    return len(here & there) >= max(2, share * smaller)


def _opposed(one: str, other: str) -> bool:
    return _one_negates(one, other) or _one_reports_a_change(one, other) or _opposite_words(one, other)


def _one_negates(one: str, other: str) -> bool:
    here, there = _CONTRAST.sub(" ", one), _CONTRAST.sub(" ", other)
    return bool(_NEGATIONS.search(here)) != bool(_NEGATIONS.search(there)) and _aligned(here, there, 0.7)


def _one_reports_a_change(one: str, other: str) -> bool:
    return bool(_CHANGE.search(one)) != bool(_CHANGE.search(other))


def _opposite_words(one: str, other: str) -> bool:
    here, there = set(re.findall(r"\w+", one.lower())), set(re.findall(r"\w+", other.lower()))
    days, other_days = here & _DAYS, there & _DAYS
    if days - other_days and other_days - days:
        return True
    return any(
        (here & first and there & second and not there & first)
        or (here & second and there & first and not here & first)
        for first, second in _OPPOSITES
    )


def _short(sentence: str) -> str:
    flat = " ".join(sentence.split())
    return flat if len(flat) <= 60 else f"{flat[:59]}…"
