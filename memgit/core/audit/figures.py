"""Amounts that memories give to names, against what the working tree defines these names to be.

Only a clear case is a contradiction: one amount in the sentence that could be meant, all definitions that count
agreeing with each other and none with it. Whatever is told as history or negated gives nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from memgit.core.decisions.contradictions import environments
from memgit.core.text.paragraphs import claim, present
from memgit.core.text.quantities import Quantity, quantities
from memgit.core.text.words import STOP_WORDS, stem
from memgit.core.verification.definitions import Definition, definitions
from memgit.core.verification.grounding import told
from memgit.model.store import Memory
from memgit.model.verification import Line

_SPAN = re.compile(r"`([^`\n]+)`")
_NAME = re.compile(r"(?:--)?[A-Za-z][\w.-]*[A-Za-z0-9]")
_SETTING = re.compile(r"(?P<name>[A-Za-z][\w.-]*\w)[\"']?\s*[:=]\s*(?P<value>\S.*)")
_PRODUCT = re.compile(
    r"\b(?P<name>[A-Z][A-Za-z+#]{1,20}|[a-z]{2,12})(?: version)? v?(?P<version>\d+(?:\.\d+){1,3})(?![\w.]*\w)"
)
_PAST = re.compile(
    r"\b(?:was|were|used to|previously|formerly|before|back then|had|until|till|from|instead of|rather than|not|never|"
    r"no longer|old|earlier|since|after|lower than|more than|less than|than|over|under|per)\s+(?:\w+\s+)?$",
    re.IGNORECASE,
)
_TIMES = re.compile(r"^\s*(?:times|st|nd|rd|th)\b|^\s*(?:of|out of)\b", re.IGNORECASE)
_BEHIND = re.compile(r"[^.;:(¦]{0,50}\(|[^.;¦]{0,30}[:,—–]\s|[^.;¦]{0,40}\.\s+(?:It|This|That|They)(?:'s|\s+\w+)\s+")
"""What may stand between an amount and the name behind it: ``30 minutes (`NAME`)``, ``180 kB. It is `NAME```."""

_BEFORE = re.compile(
    r"\s*\)?\s*(?:(?:is|are|=|:|defaults? to|(?:is |stays? )?(?:set|kept|fixed|capped|limited) (?:to|at)|stays? at"
    r"|of|at|to|holds|allows|gives|means|caps? \w+(?: \w+)? at)\s+)?"
    r"(?:now|currently|only|just|exactly|about|a|at most|at least)?\s*",
    re.IGNORECASE,
)
"""What may stand between a name and the amount behind it: ``NAME is 3``, ``NAME defaults to 3``."""

_FAR = 90
"""Characters between a name and an amount beyond which they need not belong together."""


@dataclass(frozen=True, slots=True)
class Figure:
    """An amount that a sentence gives to a name, or one of several that it may be. ``spellings`` are names that code
    may give to what the sentence says in words (``the deploy window is 30 minutes``)."""

    name: str
    amounts: tuple[Quantity, ...]
    sentence: str
    is_version: bool = False
    spellings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Agreement:
    """A figure that the tree has too."""

    figure: Figure
    definition: Definition


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A figure that the tree has otherwise: the amount that is wrong, and the definition that is right."""

    figure: Figure
    wrong: Quantity
    definition: Definition


def figures(memory: Memory) -> tuple[Figure, ...]:
    """Every amount that a memory gives to a name of code, to a thing in words, and every version of a product."""
    found = (figure for one in told(present(memory)) for figure in (*_settings(one), *_versions(one)))
    worded = islice((figure for sentence in present(memory) for figure in _worded(sentence)), _MOST_WORDED)
    return tuple(dict.fromkeys((*found, *worded)))


def words(figure: Figure) -> tuple[str, ...]:
    """What to look for in the tree to find definitions of a figure's name."""
    return _version_keys(figure.name) if figure.is_version else figure.spellings or (figure.name,)


def judge(figure: Figure, memory: Memory, lines: Mapping[str, Sequence[Line]]) -> Agreement | Contradiction | None:
    """What the lines that hold a figure's words say of it; None where they leave it open."""
    found = [one for word in words(figure) for one in definitions(word, lines.get(word, ()))]
    defined = _of_its_environment(found, environments(claim(memory)))
    agreeing = next((one for one in defined if any(amount.equals(one.amount) for amount in figure.amounts)), None)
    if agreeing and (agreeing.counts or not figure.spellings):
        return Agreement(figure, agreeing)
    counting = [one for one in defined if one.counts]
    if figure.spellings and len({one.name for one in counting}) != 1:
        return None
    if not counting or any(not one.amount.equals(counting[0].amount) for one in counting):
        return None
    possible = [amount for amount in figure.amounts if amount.could_be(counting[0].amount)]
    if len({amount.value for amount in possible}) != 1 or not _comparable(possible[0], counting[0].amount):
        return None
    if _in_another_unit(possible[0], figure.sentence, counting[0].name):
        return None
    return Contradiction(figure, possible[0], counting[0])


def _comparable(claimed: Quantity, defined: Quantity) -> bool:
    """A version stands against a version only, a measured amount not against a bare number of another kind."""
    return claimed.is_version == defined.is_version or not (claimed.is_version and defined.dimension)


_PHYSICAL = re.compile(
    r"\s?(?P<unit>[munpkMGT\u00b5\u03bc]?(?:A|Ah|V|VA|W|Wh|Hz|m|g|\u03a9|Pa|N|Nm|J|F|H|K|\u00b0C|\u00b0F|C|L|l|dB|bps|px|rpm|fps|bar))(?!\w)"
)


def _in_another_unit(amount: Quantity, sentence: str, name: str) -> bool:
    """Whether a physical amount is told in a unit that the name of the value does not end in (``1.4 A`` beside
    ``LIMIT_MA``): such units are not converted, so nothing can be said of the two."""
    found = _PHYSICAL.match(sentence, sentence.find(amount.text) + len(amount.text))
    own = re.split(r"[_.\-]|(?<=[a-z])(?=[A-Z])", name)[-1]
    return found is not None and found["unit"].lower() != own.lower()


def _of_its_environment(found: Sequence[Definition], wanted: frozenset[str]) -> list[Definition]:
    """Of a memory on one environment, the definitions of that; else all that name no other."""
    if not wanted:
        return list(found)
    own = [one for one in found if one.environments & wanted]
    return own or [one for one in found if not one.environments]


def _settings(sentence: str) -> Iterator[Figure]:
    for span in _SPAN.finditer(sentence):
        if setting := _SETTING.fullmatch(span[1]):
            if amounts := quantities(setting["value"]):
                yield Figure(setting["name"], amounts[:1], sentence)
        elif _NAME.fullmatch(span[1]) and _is_of_code(span[1]) and (amounts := tuple(_near(sentence, span))):
            yield Figure(span[1], amounts, sentence)


_MOST_WORDED = 12
"""Things told in words of one memory that are looked for: each has many spellings."""

_TOLD_IN_WORDS = re.compile(
    r"(?P<one>[A-Za-z][a-z]{2,})[ -](?P<two>[a-z]{3,})(?:[ -](?P<three>[a-z]{3,}))?\s+"
    r"(?:is|are|=|of|stays? at|(?:is |are )?(?:set|kept|fixed|capped|limited) (?:to|at))\s+"
    r"(?:now |currently |only |exactly |at most |at least )?(?=[\w])"
)
_GIVING = ("is ", "are ", "= ", "of ", "stay", "set ", "kept ", "fixed ", "capped ", "limited ")
"""What a sentence must hold for that, plainly."""

_MEASURED = {
    "time": ("ms", "milliseconds", "s", "sec", "secs", "seconds", "min", "mins", "minutes", "hours", "days"),
    "size": ("kb", "mb", "gb", "bytes"),
    "percent": ("percent", "pct"),
}


def _worded(sentence: str) -> Iterator[Figure]:
    """``The deploy window is 30 minutes``: an amount right behind two or three words that may be a name in code."""
    if "`" in sentence or not any(verb in sentence for verb in _GIVING):
        return
    told_of = tuple(_TOLD_IN_WORDS.finditer(sentence))
    amounts = quantities(sentence) if told_of else ()
    if len(amounts) != 1:
        return
    for found in told_of:
        name = [part.lower() for part in found.groups() if part and part.lower() not in STOP_WORDS]
        if sentence.startswith(amounts[0].text.split(" ")[0], found.end()) and len(name) >= 2:
            yield Figure(" ".join(name), amounts, sentence, spellings=tuple(_spelled(name, amounts[0])))


def _spelled(name: Sequence[str], amount: Quantity) -> Iterator[str]:
    """The names that code may give to a thing, with and without its unit."""
    for unit in ("", *_MEASURED.get(amount.dimension, ())):
        parts = [*name, *([unit] if unit else [])]
        yield from ("_".join(parts), "_".join(parts).upper(), "-".join(parts))
        yield parts[0] + "".join(part.capitalize() for part in parts[1:])
        yield "".join(part.capitalize() for part in parts)


def _is_of_code(name: str) -> bool:
    """Whether a name is one that code gives to a value, and no file, version or plain word."""
    return bool(re.search(r"_|[a-z][A-Z]|^[A-Z0-9]{3,}$|-", name)) and not re.search(r"\.[a-z]{1,4}$", name)


def _near(sentence: str, span: re.Match[str]) -> Iterator[Quantity]:
    """The amounts of a sentence that may be the value of the name in ``span``."""
    bare = _SPAN.sub(lambda match: "¦" * len(match[0]), sentence)
    for amount in quantities(bare):
        at = bare.find(amount.text)
        end = at + len(amount.text)
        if max(span.start() - end, at - span.end()) > _FAR or _PAST.search(bare[:at]) or _TIMES.match(bare[end:]):
            continue
        between = bare[end : span.start()] if at < span.start() else bare[span.end() : at]
        shape = _BEHIND if at < span.start() else _BEFORE
        if shape.fullmatch(between) or _is_counted_by(span[1], amount):
            yield amount


def _is_counted_by(name: str, amount: Quantity) -> bool:
    """Whether the name itself says what the amount counts or measures (``RETRY_BUDGET`` and three retries)."""
    words = {stem(word.lower()) for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}
    return bool(amount.unit) and amount.unit in words


_NOT_HERE = re.compile(
    r"\b(?:customers?|clients?|users?|other (?:team|repo\w*|project|tool|service)|their|elsewhere|upstream|vendor\w*"
    r"|laptops?|upgrad\w+|migrat\w+|plan\w*|next|will|drop\w*|was|were|used to|until|till|before|since|formerly"
    r"|previously|from|not|never|no longer|instead of|than|older|newer|or later|at least|below|above|broken|bug|fails?"
    r"|issue|released?)\b|\+",
    re.IGNORECASE,
)


def is_of_now_and_here(sentence: str) -> bool:
    """Whether a sentence that gives a value speaks of this project as it is: of nobody else's, no plan, no bound."""
    return not _NOT_HERE.search(sentence)


def _versions(sentence: str) -> Iterator[Figure]:
    """``Kubernetes 1.29``: a name and a version of at least two numbers, told as how things are."""
    bare = _SPAN.sub(" ", sentence)
    named = tuple(_PRODUCT.finditer(bare))
    for match in named if named and is_of_now_and_here(sentence) else ():
        if not _PAST.search(bare[: match.start()]):
            yield Figure(match["name"], (Quantity(match["version"], "", match["version"]),), sentence, is_version=True)


def _version_keys(product: str) -> tuple[str, ...]:
    """The keys under which files keep the version of a product: ``kubeVersion`` for Kubernetes, ``rust-version``."""
    name = product.lower()
    stems = [name[:length] for length in range(min(4, len(name)), len(name) + 1)]
    shapes = ("{}Version", "{}-version", "{}_version", "{}_VERSION")
    keys = [shape.format(stem.upper() if shape.isupper() else stem) for stem in stems for shape in shapes]
    keys += [f"{stem.upper()}_VERSION" for stem in stems] + [f"requires-{name}", f"{name}_requires", name]
    return tuple(dict.fromkeys(keys))


def all_words(wanted: Iterable[Figure]) -> tuple[str, ...]:
    """The words of many figures, each once."""
    return tuple(dict.fromkeys(word for figure in wanted for word in words(figure)))
