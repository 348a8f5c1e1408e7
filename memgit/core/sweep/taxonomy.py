"""What kinds of memories there are, and what each kind means for a memory: where it lives, and how it ends."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Life(StrEnum):
    """How a memory of a kind lives and ends."""

    DURABLE = "durable"  # stays; tellings of one fact are consolidated
    REFERENCE = "reference"  # points to a document; belongs into a deferred bead
    LATEST = "latest"  # only the newest one counts
    RETIRED = "retired"  # consolidated into a durable fact, then retired


@dataclass(frozen=True, slots=True)
class Kind:
    """A memory's kind, written ``class:subtype``."""

    group: str
    subtype: str
    life: Life

    def __str__(self) -> str:
        return f"{self.group}:{self.subtype}"


KINDS: Mapping[str, Kind] = {
    subtype: Kind(group, subtype, life)
    for group, life, subtypes in (
        ("semantic", Life.DURABLE, ("lesson", "root-cause", "pattern", "correction")),
        ("semantic", Life.REFERENCE, ("research", "design", "decision")),
        ("episodic", Life.LATEST, ("continuation",)),
        ("episodic", Life.RETIRED, ("done", "cleanup", "review")),
    )
    for subtype in subtypes
}

OTHER_NAMES: Mapping[str, str] = {
    "stress-test": "design",
    "plan-stress-test": "design",
    "spec": "design",
    "bug": "root-cause",
    "sdd": "lesson",
    "gotcha": "lesson",
    "upstream": "research",
    "docs": "pattern",
    "adr": "decision",
    "handoff": "continuation",
    "fix": "root-cause",
}
"""Words that memories are filed under, with the kind that comes nearest."""

PROCEDURAL = frozenset({"procedural", "procedure", "how-to", "howto", "workflow", "runbook"})
"""Words of instructions, which belong into a skill."""

_WORDS = sorted({*KINDS, *OTHER_NAMES, *PROCEDURAL}, key=len, reverse=True)
_OPENING = re.compile(rf"(?:{'|'.join(map(re.escape, _WORDS))})(?![A-Za-z0-9])")
_STEPS = re.compile(r"^\s*\d+[.)]\s", re.MULTILINE)
_FEWEST_STEPS = 3


def kind_named(text: str) -> Kind | None:
    """The kind that a word means, in any spelling: ``Semantic/Lesson``, ``root_cause``, ``bug``."""
    word = _folded(text)
    return KINDS.get(OTHER_NAMES.get(word, word))


def word_of(text: str) -> str:
    """The word of the taxonomy that a key or a text begins with; empty if there is none."""
    found = _OPENING.match(text.lstrip(" \t[(*#").lower().replace("_", "-"))
    return found[0] if found else ""


def is_procedural(word: str, body: str) -> bool:
    """Whether a memory tells how something is done, by the word it is filed under or by its numbered steps."""
    return _folded(word) in PROCEDURAL or len(_STEPS.findall(body)) >= _FEWEST_STEPS


def _folded(text: str) -> str:
    last = re.split(r"[:/]", text.strip().strip("[]()*").lower())[-1]
    return re.sub(r"[\s_]+", "-", last.strip())
