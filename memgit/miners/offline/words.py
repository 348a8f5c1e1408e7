"""Words: tokens, stems and the weights of what carries meaning in a text."""

# ruff: noqa: E501, SIM905 - word lists and patterns read best as text
from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

from memgit.miners.offline.tongues import tongue_of

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+(?:[.,:]\d+)*")
"""Runs of letters (with an apostrophe inside) and runs of digits; code names fall into their parts."""

_CAMEL = re.compile(r"(?<=[a-z][a-z])(?=[A-Z])")

FUNCTION_WORDS = frozenset(
    """a an the this that these those it its it's they them their theirs he she him her his hers we us our ours you
    your yours i i'm i've i'll i'd me my mine who whom whose which what when where why how
    and or but nor so yet if then than as while because since until till though although unless whether
    of in on at by for with without from to into onto over under above below between among through during before
    after about against off out up down across along around near per via
    is are was were be been being am do does did done doing have has had having can could will would shall should
    may might must need needs get gets got let lets
    not no never n't don't doesn't didn't isn't aren't wasn't weren't won't can't cannot couldn't shouldn't wouldn't
    there here now just only also too very more most less least much many few some any each every all both either
    neither zero one two three four five six seven eight nine ten eleven twelve other another such same own again still already even ever always once
    yes yeah yep ok okay please pls thanks thx well oh ah
    thing things way time times lot kind bit something anything nothing everything someone anyone everybody
    make makes made making take takes took taken go goes went going gone come comes came use uses used using
    say says said put puts want wants know knows see sees look looks keep keeps kept give gives given
    like really actually simply however therefore whatever that's there's what's let's""".split()
)
"""English words that carry grammar or too little meaning to say what a text is about."""

_SYNONYMS = {
    "prod": "production", "stage": "staging", "stg": "staging", "repo": "repository", "repos": "repository",
    "config": "configuration", "configs": "configuration", "env": "environment", "envs": "environment",
    "db": "database", "dbs": "database", "docs": "documentation", "doc": "documentation", "msg": "message",
    "pr": "pullrequest", "prs": "pullrequest", "dep": "dependency", "deps": "dependency", "dev": "development",
    "dir": "directory", "dirs": "directory", "cert": "certificate", "certs": "certificate", "perf": "performance",
    "k8s": "kubernetes", "bill": "charge", "bills": "charge", "billed": "charge", "emojis": "emoji",
    "withdrawn": "withdraw", "sent": "send", "built": "build", "written": "write", "wrote": "write", "ran": "run",
    "broken": "break", "broke": "break", "lost": "lose", "bought": "buy", "kept": "keep", "left": "leave",
    "held": "hold", "sold": "sell", "found": "find", "paid": "pay", "shown": "show", "met": "meet",
    "chosen": "choose", "drawn": "draw", "grown": "grow", "driven": "drive", "spoken": "speak",
    "frozen": "freeze", "froze": "freeze", "shut": "shut", "children": "child", "people": "person",
}  # fmt: skip
"""Everyday short forms and irregular forms of one word, folded together before stemming."""

_SUFFIXES = (
    "izations", "ization", "ations", "ation", "ements", "ement", "ments", "ment", "ingly", "edly", "ings", "ing",
    "ions", "ion", "ors", "or", "ers", "er", "ably", "ible", "able", "ness", "ed", "es", "ly", "al", "s", "e",
)  # fmt: skip

_SHORTEST = {"s": 3, "es": 3, "ed": 3, "e": 3, "ing": 3}  # letters that must remain; 4 for the others


_BARE_CONTRACTION = re.compile(
    r"\b(?P<verb>do|does|did|is|are|was|were|wo|ca|should|would|could|has|have)nt\b", re.IGNORECASE
)


def spelled(text: str) -> str:
    """The text with the apostrophes that quick typists leave out of "don't" and its like."""
    return _BARE_CONTRACTION.sub(lambda match: f"{match['verb']}n't", text)


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A rough root of a lower-case English word, the same for its common forms; other words stay near themselves.
    Other languages have roots of their own."""
    word = _SYNONYMS.get(word, word).removesuffix("'s").removesuffix("’s")
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST.get(suffix, 4) and not word.endswith("ss"):
            word = word[: -len(suffix)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
        word = word[:-1]  # stopped → stop
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word


def tokens(text: str) -> list[str]:
    """The lower-case words and numbers of a text, in order."""
    return [match.group().lower().replace("’", "'") for match in WORD.finditer(_CAMEL.sub(" ", text))]


def telling_words(text: str) -> list[str]:
    """The words that carry meaning, in order; numbers are left out (facts are compared elsewhere)."""
    tongue = tongue_of(text)
    empty = FUNCTION_WORDS | tongue.function_words if tongue else FUNCTION_WORDS
    return [word for word in tokens(text) if word not in empty and not word[0].isdigit() and len(word) > 1]


@lru_cache(maxsize=20_000)
def content_stems(text: str) -> tuple[str, ...]:
    """The stems of the words that carry meaning, in order."""
    tongue = tongue_of(text)
    root = tongue.stem if tongue else stem
    return tuple(root(word) for word in telling_words(text))


@lru_cache(maxsize=20_000)
def content(text: str) -> frozenset[str]:
    """The distinct content stems of a text."""
    return frozenset(content_stems(text))


CALENDAR = content(
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday"
)
"""Stems of months and days: two texts that share one speak of a time, not of one thing."""


class Weights:
    """How telling each stem is among a collection of texts: the rarer, the heavier (inverse document frequency)."""

    def __init__(self, texts: Iterable[str]) -> None:
        documents = [content(text) for text in texts]
        self._counts: Mapping[str, int] = Counter(word for document in documents for word in document)
        total = max(1, len(documents))
        self._weights = {word: math.log(1 + total / (1 + count)) for word, count in self._counts.items()}
        self._of_unknown = math.log(1 + total)

    def __getitem__(self, word: str) -> float:
        return self._weights.get(word, self._of_unknown)

    def frequency(self, word: str) -> int:
        """In how many of the texts the stem occurs."""
        return self._counts.get(word, 0)

    def mass(self, words: Iterable[str]) -> float:
        """The summed weight of distinct stems."""
        weight, unknown = self._weights.get, self._of_unknown
        return sum([weight(word, unknown) for word in set(words)])
