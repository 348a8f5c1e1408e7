"""The parts of a memory: its claim, why it holds, how to apply it; and sentences."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from memgit.miners.offline.facts import NEGATION, code_spans, values
from memgit.miners.offline.words import content
from memgit.model.store import Memory

_LABEL = re.compile(r"^\*\*(?P<label>[^*\n]{2,40}?):?\*\*:?[ \t]*", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)\s+(?=[\"'`(\[*_]*[A-Z0-9`])")
LONGEST_CLAIM = 4_000
"""Characters of a claim that are looked at: a memory is one fact, and a dumped log is none."""

_ITEM = re.compile(r"^(?:[-*+]|\d+[.)])\s+(?=\S)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Anatomy:
    """A memory's body in parts: what stands before any bold label, and labelled parts in order, LF line ends."""

    claim: str
    labelled: tuple[tuple[str, str], ...]

    def part(self, label: str) -> str:
        return " ".join(text for name, text in self.labelled if name.lower() == label.lower())


def anatomy(body: str) -> Anatomy:
    """Cut a body at its bold labels (``**Why:**``, ``**How to apply:**``, …)."""
    marks = list(_LABEL.finditer(body))
    ends = [*(mark.start() for mark in marks[1:]), len(body)] if marks else []
    labelled = tuple(
        (mark["label"].rstrip(":"), body[mark.end() : end].strip()) for mark, end in zip(marks, ends, strict=True)
    )
    return Anatomy(body[: marks[0].start()].strip() if marks else body.strip(), labelled)


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a memory's prose; list items and paragraphs end one."""
    pieces = (
        piece for block in re.split(r"\n\s*\n|\n(?=[-*+] |\d+[.)] )", text) for piece in _SENTENCE_END.split(block)
    )
    return tuple(re.sub(r"\s+", " ", piece).strip() for piece in pieces if piece.strip())


def claim_of(memory: Memory) -> str:
    """What the memory asserts: its description and what its body says before any Why."""
    return f"{memory.description}\n{anatomy(memory.body).claim}"[:LONGEST_CLAIM]


def items(body: str) -> tuple[str, ...]:
    """The entries of a body that is a list, else its paragraphs: what could stand in files of their own."""
    if len(_ITEM.findall(body)) >= 2:
        return tuple(part.strip() for part in _ITEM.split(body)[1:] if part.strip())
    blocks = (block.strip() for block in re.split(r"\n\s*\n", body))
    return tuple(block for block in blocks if block and not block.startswith("#"))


class Kept:
    """Sentences that are kept, filed under their content words, so that one more is held only against those that hold
    its rarest word."""

    def __init__(self, sentences: Iterable[str] = ()) -> None:
        self._sentences: set[str] = set()
        self._by_word: defaultdict[str, list[str]] = defaultdict(list)
        for sentence in sentences:
            self.add(sentence)

    def add(self, sentence: str) -> None:
        self._sentences.add(sentence)
        for word in content(sentence):
            self._by_word[word].append(sentence)

    def contains(self, sentence: str) -> bool:
        """Whether all that a sentence says (content words, values, spans, yes or no) stands in one kept sentence.

        One without content words must be there as it is, unless it says nothing at all.
        """
        if sentence in self._sentences:
            return True
        words = content(sentence)
        if not words:
            return bool(self._sentences) and not _details(sentence) and not _denies(sentence)
        fewest = min((self._by_word.get(word, []) for word in words), key=len)
        return any(_says_all(other, sentence) for other in fewest)


def _says_all(other: str, sentence: str) -> bool:
    alike = content(sentence) <= content(other) and _denies(sentence) == _denies(other)
    return alike and _details(sentence) <= _details(other)


def _denies(text: str) -> bool:
    return bool(NEGATION.search(text))


@lru_cache(maxsize=1000)
def _details(text: str) -> frozenset[str]:
    return frozenset(value.amount for value in values(text)) | code_spans(text)


def written(memory: Memory) -> datetime | None:
    """When a memory was last written: its ``modified`` key, else the file's time, else unknown."""
    if memory.modified is not None:
        return memory.modified if memory.modified.tzinfo else memory.modified.replace(tzinfo=UTC)
    return datetime.fromtimestamp(memory.mtime_ns / 1e9, UTC) if memory.mtime_ns else None


def is_later(said: datetime | None, memory: Memory) -> bool:
    """Whether something was said after the memory was written; unknown times are no proof."""
    since = written(memory)
    if said is None:
        return False
    return since is None or (said if said.tzinfo else said.replace(tzinfo=UTC)) > since
