"""Whether a document of the project says by now what a memory says: then the memory is noise at recall."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memgit.claims.sources import instructs
from memgit.claims.telling import Told, telling
from memgit.model.decision import Seen
from memgit.model.store import INDEX, Memory
from memgit.text.details import details, missing
from memgit.text.language import DEFAULT, language, lexicon
from memgit.text.words import sentences, terms

HELD = 0.75
"""Share of a statement's words that one passage must hold, its names and amounts beside that."""
WORD_FOR_WORD = 0.9

_LONGEST = 900  # characters of a passage that are looked at together
_LARGEST = 200_000  # characters of a document
_ALL = 1_500_000  # characters of all documents that are looked at, instructions first
_FEW = 4
"""Words below which a statement says too little to be looked for."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Consecutive lines of a document under one heading: the number of the first, and its text."""

    path: str
    number: int
    text: str

    @property
    def where(self) -> str:
        return f"tree:{self.path}:{self.number}"


@dataclass(frozen=True, slots=True)
class Absorbed:
    """The document that holds what a memory says: the lines to cite, and the statements that it does not hold."""

    path: str
    cited: tuple[Seen, ...]
    beyond: tuple[Told, ...]

    @property
    def place(self) -> str:
        return self.cited[0].where.removeprefix("tree:")


class Library:
    """The documents of a tree, by path, ready to be asked what they hold."""

    def __init__(self, documents: Iterable[tuple[str, str]]) -> None:
        self._texts: dict[str, str] = {}
        room = _ALL
        for path, text in sorted(documents, key=lambda each: (not instructs(each[0]), each[0].count("/"))):
            if room <= 0:
                break
            self._texts[path] = text[:_LARGEST]
            room -= len(text)
        self._passages = tuple(passage for path, text in self._texts.items() for passage in _passages(path, text))
        self._holding: defaultdict[str, list[int]] = defaultdict(list)
        for number, passage in enumerate(self._passages):
            for term in set(terms(passage.text)):
                self._holding[term].append(number)

    def absorbs(self, memory: Memory, least: float = HELD) -> Absorbed | None:
        """The document that has every statement that a memory makes before it gives reasons; a document that names the
        memory points to it and takes nothing over."""
        claims = _claims(memory)
        if not claims:
            return None
        held: dict[str, list[Passage]] = {}
        for number, claim in enumerate(claims):
            found = {passage.path: passage for passage in self._with(claim.text, least)}
            held = {path: [*held.get(path, []), found[path]] for path in found if number == 0 or path in held}
            if not held:
                return None
        others = (path for path in held if path.rpartition("/")[2] != memory.path.rpartition("/")[2])  # no copies of it
        path = next((path for path in others if not _points_to(self._texts[path], memory)), None)
        if path is None:
            return None
        labelled = (one for one in telling(memory) if one.is_labelled)
        beyond = tuple(one for one in labelled if all(each.path != path for each in self._with(one.text, least)))
        cited = tuple(Seen(*_best(passage, claim.text)) for passage, claim in zip(held[path], claims, strict=True))
        return Absorbed(path, cited[:3], beyond)

    def _with(self, text: str, least: float) -> Iterator[Passage]:
        """The passages that state a text."""
        own = set(terms(text))
        shared = Counter(number for term in own for number in self._holding.get(term, ()))
        for number, count in sorted(shared.items(), key=lambda each: (-each[1], each[0]))[:20]:
            if count >= least * len(own) and states(self._passages[number].text, text, least):
                yield self._passages[number]


def states(text: str, claim: str, least: float = HELD) -> bool:
    """Whether a text has the words of a claim, its names and amounts, and does not deny it."""
    own = set(terms(claim))
    held = own & set(terms(text))
    return len(held) >= least * len(own) and not any(missing(details(claim), text)) and not _denies(claim, text)


def restates(text: str, memory: Memory, least: float = HELD) -> bool:
    """Whether a text, looked at by itself, says all that a memory states before it gives reasons."""
    claims = _claims(memory)
    return bool(claims) and all(states(text, claim.text, least) for claim in claims)


def _claims(memory: Memory) -> list[Told]:
    return [one for one in telling(memory) if one.field == "body" and not one.is_labelled and _says_something(one.text)]


def _denies(claim: str, text: str) -> bool:
    """Whether the sentence of a text that is nearest to a claim says no where that says yes, or the reverse."""
    own = set(terms(claim))
    nearest = max(sentences(text), key=lambda each: len(own & set(terms(each.text))), default=None)
    words = lexicon(language(claim) or DEFAULT)
    return nearest is not None and bool(words.found("negation", claim)) != bool(words.found("negation", nearest.text))


def _says_something(text: str) -> bool:
    return len(set(terms(text))) >= _FEW


def _points_to(text: str, memory: Memory) -> bool:
    """Whether a document names a memory or an index of memories."""
    return any(name in text for name in (INDEX, memory.path, f"[[{memory.id}]]", f"`{memory.id}`")) or bool(
        re.search(r"[-_]", memory.id) and memory.id in text
    )


def _passages(path: str, text: str) -> Iterator[Passage]:
    lines: list[str] = []
    first, size = 1, 0
    for number, line in enumerate(text.split("\n"), start=1):
        if lines and (re.match(r"#{1,6}\s", line) or size > _LONGEST):
            yield Passage(path, first, "\n".join(lines))
            lines, size, first = [], 0, number
        if not lines:
            first = number
        lines.append(line[:_LONGEST])
        size += len(line)
    if lines:
        yield Passage(path, first, "\n".join(lines))


def _best(passage: Passage, claim: str) -> tuple[str, str]:
    """The line of a passage that shares most with a claim: where it is and what it says."""
    own = set(terms(claim))
    rows = enumerate(passage.text.split("\n"), start=passage.number)
    number, line = max(rows, key=lambda row: (len(own & set(terms(row[1]))), -row[0]))
    return f"tree:{passage.path}:{number}", line.strip()
