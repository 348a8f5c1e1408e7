"""Orders to the agent that reads a text, told by words of any language: they mark a text, and never decide of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from ahocorasick_rs import AhoCorasick

from memgit.evidence.masks import Span, lowered
from memgit.text.language import everywhere

_NEAR = 90
_APART = 40
_LONGEST = 4_000
_UNSPACED = re.compile(r"[\u3000-\u9fff\uac00-\ud7af]")
_SENTENCE = re.compile(r"[.!?。！？\n]")


def orders(text: str) -> Iterator[Span]:
    """Where such orders stand, and their kinds."""
    met = _met(text)
    for forget in met["forget"]:
        if not _is_denied(text, forget):
            yield *forget.span(), "instruction override"
    for verb in met["overrule"]:
        if not _is_denied(text, verb) and _overrules(text, verb):
            yield *verb.span(), "instruction override"
    yield from ((*match.span(), "concealment") for match in met["hide"])
    for comment in _COMMENT.finditer(text) if "<!--" in text else ():
        if _commands(comment["text"][:_LONGEST]):
            yield *comment.span(), "order in a comment"


_COMMENT = re.compile(r"<!--(?P<text>[\s\S]*?)(?:-->|\Z)")


@cache
def _search() -> tuple[AhoCorasick, list[str]]:
    """One search for the beginnings of all that may be an order, and the category of each."""
    begins = [(word.removesuffix("*"), name) for name in ("forget", "overrule", "hide") for word in everywhere(name)]
    return AhoCorasick([word for word, _ in begins]), [name for _, name in begins]


_AS_ONE = str.maketrans({"\n": " ", "\t": " ", "\r": " ", "’": "'"})


def _met(text: str) -> Mapping[str, list[re.Match[str]]]:
    search, names = _search()
    met: dict[str, list[re.Match[str]]] = {"forget": [], "overrule": [], "hide": []}
    found = search.find_matches_as_indexes(lowered(text).translate(_AS_ONE), overlapping=True)
    for name, start in sorted({(names[index], start) for index, start, _ in found}):
        if match := _any_of(name).match(text, start):
            met[name].append(match)
    return met


def _overrules(text: str, verb: re.Match[str]) -> bool:
    """Whether what was said before and orders stand near each other in a verb's sentence."""
    start, end = _sentence(text, verb)
    earlier = [match.span() for match in _any_of("earlier").finditer(text, start, end)]
    said = [match.span() for match in _any_of("orders").finditer(text, start, end)]
    return any(first[0] - _APART < second[1] and second[0] < first[1] + _APART for first in earlier for second in said)


def _sentence(text: str, verb: re.Match[str]) -> tuple[int, int]:
    before = [match.end() for match in _SENTENCE.finditer(text, max(0, verb.start() - _NEAR), verb.start())]
    after = _SENTENCE.search(text, verb.end(), min(len(text), verb.end() + _NEAR))
    start = before[-1] if before else max(0, verb.start() - _NEAR)
    return start, after.start() if after else min(len(text), verb.end() + _NEAR)


def _is_denied(text: str, verb: re.Match[str]) -> bool:
    """Whether one is told not to: "never forget …", "vergiss nicht …"."""
    before = re.findall(r"[^\W\d_]+(?:['’]\w+)?", text[max(0, verb.start() - 12) : verb.start()].lower())[-1:]
    after = re.findall(r"[^\W\d_]+", text[verb.end() : verb.end() + 12].lower())[:1]
    return not _words("negation").isdisjoint([*before, *after])


def _commands(comment: str) -> bool:
    """Whether a comment addresses the reader or tells him what to do: in the first word of one of its clauses."""
    clauses = [
        clause.strip().lower() for clause in re.split(r"[.,;:!?\n]|\s[-–—]\s|\b(?:and|then|und|dann|y|et)\b", comment)
    ]
    if len(comment.split()) < 3 and comment.isascii():
        return False
    first = clauses[0].removeprefix("to the ").removeprefix("note to ").strip()
    return first in _words("reader") or any(_begins(clause) for clause in clauses)


def _begins(clause: str) -> bool:
    if _any_of("order").match(clause.removeprefix("please ").strip()):
        return True
    return any(word in clause for word in _words("order") if _UNSPACED.search(word))


@cache
def _words(category: str) -> frozenset[str]:
    return frozenset(everywhere(category))


@cache
def _any_of(category: str) -> re.Pattern[str]:
    longest_first = sorted(everywhere(category), key=len, reverse=True)
    return re.compile("|".join(map(_word, longest_first)), re.IGNORECASE)


def _word(word: str) -> str:
    stem = r"\s+".join(map(re.escape, word.removesuffix("*").split())).replace("'", "['’]")
    if _UNSPACED.search(word):
        return stem
    end = "" if word.endswith("*") else r"(?!\w)"
    return rf"(?<!\w){stem}{end}"
