"""The parts of a memory's body, and what of it claims something about the present."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memgit.core.text.literal import Region, regions
from memgit.model.store import Memory

_LABEL = re.compile(r"^\*\*(?P<label>[^*\n]{2,40}?):?\*\*:?[ \t]*", re.MULTILINE)
_HISTORY = re.compile(r"why|reason|background|history|context|because", re.IGNORECASE)
_END = re.compile(
    r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!vs\.)\s+(?=[^a-z\s])|\n\s*\n|\n(?=\s*[-*+•] |\s*\d+[.)] )"
)

LONGEST = 20_000
"""Characters of a body that are looked at for claims: a memory is one fact, and a dumped log is none."""

LONGEST_SENTENCE = 800

LONGEST_CLAIM = 4_000
"""Characters of what a memory asserts that are compared."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a body under one bold label (empty before the first), and where it starts in the body."""

    label: str
    text: str
    start: int

    @property
    def is_history(self) -> bool:
        """Whether it tells why things are so: what was the case then may no longer be, and need not."""
        return bool(_HISTORY.search(self.label))


def parts(body: str) -> tuple[Part, ...]:
    """A body cut at its bold labels (``**Why:**``, ``**How to apply:**``, …)."""
    marks = list(_LABEL.finditer(body))
    first = Part("", body[: marks[0].start()] if marks else body, 0)
    ends = [*(mark.start() for mark in marks[1:]), len(body)]
    labelled = (Part(m["label"], body[m.end() : end], m.end()) for m, end in zip(marks, ends, strict=False))
    return tuple(part for part in (first, *labelled) if part.text.strip())


def claim(memory: Memory) -> str:
    """What a memory asserts: its description, and what its body says before any label."""
    first = next((part.text.strip() for part in parts(memory.body[:LONGEST]) if not part.label), "")
    return f"{memory.description}\n\n{first}"[:LONGEST_CLAIM] if first else memory.description[:LONGEST_CLAIM]


def present(memory: Memory) -> tuple[str, ...]:
    """The sentences that speak of how things are: all but those under a label of history and in fenced code."""
    return _present(memory.description, memory.body)


@lru_cache(maxsize=200_000)
def _present(description: str, body: str) -> tuple[str, ...]:
    """Kept for each memory of a store: a dozen rules go over all of them, one after the other."""
    told = (
        sentence for part in parts(body[:LONGEST]) if not part.is_history for sentence in sentences(prose(part.text))
    )
    return tuple(dict.fromkeys((*sentences(description[:LONGEST_CLAIM]), *told)))


def prose(text: str) -> str:
    """A text without its fenced code and comments."""
    if not any(mark in text for mark in _MARKS):
        return text
    lines = text.split("\n")
    return "\n".join(line for line, region in zip(lines, regions(lines), strict=True) if region is Region.TEXT)


_MARKS = ("```", "~~~", "<!--")
"""What begins fenced code and comments."""


def sentences(text: str) -> tuple[str, ...]:
    """The sentences and list items of a text, each on one line and cut where it is no sentence any more. A lower-case
    letter begins none."""
    return tuple(flat for piece in _END.split(text) if (flat := " ".join(piece.split())[:LONGEST_SENTENCE]))
