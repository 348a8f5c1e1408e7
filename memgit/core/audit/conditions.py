"""States that a memory tells of (something is broken, pending, worked around), and the commits that ended them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memgit.core.text.paragraphs import present
from memgit.core.text.words import content_words
from memgit.model.store import Memory
from memgit.model.verification import Change

_BROKEN = re.compile(
    r"\b(?:is|are|remains?|still) (?:\w+ )?(?:broken|failing|flaky|crashing|buggy|down|not working|unreliable)\b"
    r"|\b(?:does|do)(?:n['’]t| not) work\b|\bfails (?:on|with|when|for|in|every|since)\b|\bhas a bug\b"
    r"|\bcrash(?:es)? (?:on|when|the|in|with)\b|\bknown (?:bug|issue)\b",
    re.IGNORECASE,
)
_PENDING = re.compile(
    r"\b(?:is|are|remains?|still) (?:\w+ )?(?:pending|missing|unfinished|incomplete|blocked|unmerged|outstanding)\b"
    r"|\b(?:is|are|has|have)(?:n['’]t| not) (?:yet )?(?:been )?"
    r"(?:done|merged|implemented|released|fixed|migrated|ported|added)\b"
    r"|\bnot yet (?:\w+ )?(?:done|merged|implemented|released|fixed|migrated|ported|supported|available)\b",
    re.IGNORECASE,
)
_WORKAROUND = re.compile(
    r"\bwork[- ]?around\b|\buntil (?:it|this|that)(?:'s| is) (?:fixed|resolved|merged)\b|\bas a stopgap\b", re.I
)
_ENDED = re.compile(
    r"\b(?:fix(?:e[sd])?|resolv\w+|repair\w*|finish\w*|complet\w+|land(?:s|ed)?|merg\w+|implement\w*|add(?:s|ed)?|restor\w+"
    r"|unblock\w*|migrat\w+|port(?:s|ed)?|support\w*|stop(?:s|ped)? (?:the )?\w+ing|make \w+ (?:reliable|deterministic)"
    r"|(?:remove|drop|delete)[sd]? (?:\w+ ){0,4}work[- ]?around)\b",
    re.IGNORECASE,
)
_VERBS = content_words(
    "fix fixed fixes resolve repair finish complete land merge implement add restore unblock migrate port support "
    "broken failing flaky pending missing blocked workaround currently still yet not bug crash crashes test tests "
    "known issue new old migration rewrite change work use"
)
_NAME = re.compile(r"`([^`\n]+)`|\b([\w-]*[a-z][A-Z_]\w*|\w+_\w+|[\w-]+\.\w{1,4})\b")
_ALIKE = 0.5
"""Share of the telling words of a state that the commit's subject must have, where it shares no name of code."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A state that a memory tells of, and the commit that ended it."""

    sentence: str
    change: Change


def states(memory: Memory) -> tuple[str, ...]:
    """The sentences of a memory that tell of a state which somebody will end."""
    shapes = (_BROKEN, _PENDING, _WORKAROUND)
    return tuple(sentence for sentence in present(memory) if any(shape.search(sentence) for shape in shapes))


def ended(told: Iterable[str], changes: Sequence[Change]) -> Ended | None:
    """The first of the ``states`` of a memory that one of these commits (those since it was written, newest first)
    ended."""
    return next(_ended(told, changes), None)


def _ended(told: Iterable[str], changes: Sequence[Change]) -> Iterator[Ended]:
    for sentence in told:
        words, names = content_words(sentence) - _VERBS, _names(sentence)
        for change in changes:
            if _ENDED.search(change.subject) and _is_about(change.subject, sentence, words, names):
                yield Ended(sentence, change)


def _is_about(subject: str, sentence: str, words: frozenset[str], names: frozenset[str]) -> bool:
    shared = words & (content_words(subject) - _VERBS)
    if names & _names(f"{subject} " + " ".join(f"`{word}`" for word in re.findall(r"[\w./-]+", subject))):
        return bool(shared)
    if _WORKAROUND.search(sentence) and _WORKAROUND.search(subject):
        return len(shared) >= min(2, len(words))
    return len(shared) >= min(2, len(words)) and len(shared) >= _ALIKE * len(words)


def _names(text: str) -> frozenset[str]:
    return frozenset((match[1] or match[2]).strip("()").lower() for match in _NAME.finditer(text))
