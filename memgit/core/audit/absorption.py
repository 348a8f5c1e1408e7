"""Whether a document of the project says by now what a memory says: then the memory is noise at recall."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memgit.core.text.details import DetailKind, details, missing
from memgit.core.text.paragraphs import claim
from memgit.core.text.words import content_words
from memgit.model.decision import Seen
from memgit.model.store import Memory

COVERED = 0.56
"""Share of a memory's weighted words that one section of a document must hold. Measured on labelled memories: what is
absorbed reaches 0.58 when it is worded anew and 0.8 when it is not, what only shares a subject stays below 0.5."""

SAME_RULE = 0.8
"""The same share for a rule of the user's, which only an instruction file can take over."""

_INSTRUCTIONS = re.compile(
    r"(?:^|/)(?:CLAUDE(?:\.local)?\.md|AGENTS\.md|GEMINI\.md|CONTRIBUTING(?:\.\w+)?|copilot-instructions\.md)$"
    r"|(?:^|/)\.?(?:claude|cursor|github)/(?:rules|instructions)/|(?:^|/)\.cursorrules$",
    re.IGNORECASE,
)
_DOCUMENT = re.compile(
    r"(?:^|/)(?:README|ARCHITECTURE|HACKING|DEVELOPMENT|DECISIONS|FINDINGS|STYLE\w*|CONVENTIONS|NOTES)(?:\.\w+)?$"
    r"|(?:^|/)(?:docs?|documentation|adrs?|decisions|rfcs?|runbooks?|handbook)/.*\.(?:md|mdx|mdc|rst|adoc|txt)$",
    re.IGNORECASE,
)
_LONGEST = 1500  # characters of a section that are looked at together
_LARGEST = 400_000  # characters of a document
_SHOWN = 3  # lines of a document that are cited
_LEAST_WORDS = 4
_LEAST_SHARED = 5
"""Words that a section and a memory must share where it does not hold nearly all of them."""
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|cannot|without|nor|avoid\w*|forbid\w*|forbidden|don['’]?t|nie|nicht|kein\w*)\b|n['’]t\b",
    re.I,
)
_CLAUSE = re.compile(r"(?<=[.!?;:,])\s+|\n+")


def is_document(path: str) -> bool:
    """Whether a file of the tree is one that people and agents read to learn how things are done."""
    return bool(_INSTRUCTIONS.search(path) or _DOCUMENT.search(path))


def instructs(path: str) -> bool:
    """Whether a file is read by agents or contributors as rules to follow."""
    return bool(_INSTRUCTIONS.search(path))


@dataclass(frozen=True, slots=True)
class Section:
    """Consecutive lines of a document under one heading. ``lines`` are those with text, by number."""

    path: str
    lines: tuple[tuple[int, str], ...]

    @property
    def text(self) -> str:
        return "\n".join(text for _, text in self.lines)


@dataclass(frozen=True, slots=True)
class Absorbed:
    """The section that holds what a memory says: the lines to cite, and the share of its words that are there."""

    path: str
    cited: tuple[Seen, ...]
    share: float

    @property
    def place(self) -> str:
        return self.cited[0].where.removeprefix("tree:")


class Library:
    """The documents of a tree, ready to be asked what they hold."""

    def __init__(self, documents: Mapping[str, str]) -> None:
        self.sections = tuple(section for path, text in documents.items() for section in _sections(path, text))
        self._words = tuple(content_words(_plain(section.text)) for section in self.sections)
        counts = Counter(word for words in self._words for word in words)
        self._total = max(1, len(self.sections))
        self._weights = {word: math.log(1 + self._total / (1 + count)) for word, count in counts.items()}
        self._postings: dict[str, list[int]] = {}
        for number, words in enumerate(self._words):
            for word in words:
                self._postings.setdefault(word, []).append(number)

    def absorbs(self, memory: Memory, least: float = COVERED) -> Absorbed | None:
        """The section that says what a memory claims, its names and numbers included, and does not deny it."""
        said = claim(memory)
        words = content_words(_plain(said))
        if len(words) < _LEAST_WORDS:
            return None
        near = ((number, share) for number, share in self._shares(words).items() if share >= least)
        for number, share in sorted(near, key=lambda item: (-item[1], item[0])):
            section = self.sections[number]
            enough = share >= SAME_RULE or len(words & self._words[number]) >= _LEAST_SHARED
            if enough and _holds_details(said, section.text) and not _denies(said, section.text):
                return Absorbed(section.path, tuple(_cited(section, words)), share)
        return None

    def _shares(self, words: frozenset[str]) -> Mapping[int, float]:
        """How much of the words, by weight, each section holds that has any of them."""
        rare = math.log(1 + self._total)
        total = sum(self._weights.get(word, rare) for word in words) or 1.0
        held: defaultdict[int, float] = defaultdict(float)
        for word in sorted(words & self._weights.keys()):
            for number in self._postings[word]:
                held[number] += self._weights[word] / total
        return held


def states(text: str, memory: Memory, least: float = SAME_RULE) -> bool:
    """Whether a quoted text, looked at by itself, says what a memory claims."""
    said = claim(memory)
    words = content_words(_plain(said))
    shared = len(words & content_words(_plain(text)))
    return bool(words) and shared >= least * len(words) and _holds_details(said, text) and not _denies(said, text)


def _plain(text: str) -> str:
    """A text with the parts of its names apart."""
    return _BETWEEN_PARTS.sub(" ", text)


_BETWEEN_PARTS = re.compile(r"[`_/.\-]")


def _holds_details(said: str, text: str) -> bool:
    """Numbers, versions and dates must all be there; of names in code, all but a few."""
    wanted = [detail for detail in details(said) if detail.kind is not DetailKind.NAME]
    gone = missing(wanted, text)
    amounts = [detail for detail in gone if detail.kind is not DetailKind.SPAN]
    spans = [detail for detail in wanted if detail.kind is DetailKind.SPAN]
    return not amounts and len(gone) <= 0.34 * len(spans)


def _denies(said: str, text: str) -> bool:
    """Whether a clause of the text says no where the memory's own clause on the same says yes, or the reverse."""
    clauses = [(content_words(_plain(clause)), clause) for clause in _CLAUSE.split(text)]
    for clause in _CLAUSE.split(said):
        words = content_words(_plain(clause))
        best = max(clauses, key=lambda other: len(words & other[0]), default=None)
        if len(words) < 3 or best is None or len(words & best[0]) < 0.7 * len(words):
            continue
        if bool(_NEGATION.search(clause)) != bool(_NEGATION.search(best[1])):
            return True
    return False


def _sections(path: str, text: str) -> Iterator[Section]:
    lines: list[tuple[int, str]] = []
    size = 0
    for number, line in enumerate(text[:_LARGEST].split("\n"), start=1):
        begins = bool(re.match(r"#{1,6}\s", line))
        if lines and (begins or size > _LONGEST):
            yield Section(path, tuple(lines))
            lines, size = [], 0
        if line.strip():
            lines.append((number, line.strip()))
            size += len(line)
    if lines:
        yield Section(path, tuple(lines))


def _cited(section: Section, words: frozenset[str]) -> Iterator[Seen]:
    """The lines of a section that share most with the memory, the best first."""
    best = sorted(section.lines, key=lambda line: -len(words & content_words(_plain(line[1]))))[:_SHOWN]
    yield from (Seen(f"tree:{section.path}:{number}", text) for number, text in best)
