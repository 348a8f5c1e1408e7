"""What a memory tells, sentence by sentence and in place: a value that is found wrong is mended where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property, lru_cache

from memgit.model.decision import Draft, Seen
from memgit.model.store import Memory
from memgit.model.verification import Line
from memgit.text.amounts import Amount, amounts
from memgit.text.language import DEFAULT, Lexicon, language, lexicon
from memgit.text.markdown import Region, regions
from memgit.text.words import sentences

LONGEST = 20_000
"""Characters of a body that are looked at for claims: a memory is one fact, and a dumped log is none."""

SPAN = re.compile(r"(?<!`)(?P<tick>`{1,2})(?!`)(?P<it>[^`\n]{1,300})(?P=tick)(?!`)")
_WRAP = re.compile(r"(?<=\S)\n(?=[ \t]*[^\s#|>*+\-~`\d])")
_STRUCK = re.compile(r"~~[^~\n]+~~")
_ARROW = re.compile(r"->|=>|[→⇒➜⟶⟹➔]")
_LABEL = re.compile(r"^[ \t>]*\*\*(?P<label>[^*\n]{2,40}?):?\*\*:?", re.MULTILINE)
_REASON, _USE = "why", "how to apply"
"""The labels under which a memory tells, by the agent's own contract, why things came to be so and what follows."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Another text for one stretch of a memory's ``body`` or ``description``."""

    field: str
    start: int
    end: int
    new: str


@dataclass(frozen=True)
class Told:
    """A sentence of a memory: the field and the place in it where it begins. ``is_reason`` where it tells why things
    came to be so, ``is_labelled`` where it tells that or what follows from it, and not what is so."""

    field: str
    start: int
    text: str
    words: Lexicon
    is_reason: bool = False
    is_labelled: bool = False

    @cached_property
    def spans(self) -> tuple[re.Match[str], ...]:
        """Its code spans."""
        return tuple(SPAN.finditer(self.text))

    @cached_property
    def plain(self) -> str:
        """The sentence with its code spans blanked, every character in its place."""
        return SPAN.sub(lambda span: "¦" * len(span[0]), self.text)

    @cached_property
    def amounts(self) -> tuple[Amount, ...]:
        """The amounts that it gives outside of code spans."""
        return amounts(self.plain, self.words)

    @cached_property
    def is_over(self) -> bool:
        """Whether it tells of what was: by a word for that in its language or in English, or by an arrow."""
        if _ARROW.search(self.plain):
            return True
        return any(words.found("gone", self.plain) for words in (self.words, lexicon(DEFAULT)))

    @cached_property
    def tells_of_change(self) -> bool:
        """Whether it tells that something became another, so that an amount in it may be the old one."""
        return self.is_over or bool(self.words.found("change", self.plain))

    def edit(self, start: int, end: int, new: str) -> Edit:
        """Another text for a stretch of the sentence."""
        return Edit(self.field, self.start + start, self.start + end, new)


@lru_cache(maxsize=20_000)
def telling(memory: Memory) -> tuple[Told, ...]:
    """The sentences of a memory: of its description, then of its body without code blocks, comments and what is struck
    through. A paragraph may be wrapped."""
    words = lexicon(language(memory.text) or DEFAULT)
    body = _visible(memory.body[:LONGEST])
    said = (Told("description", one.start, one.text, words) for one in sentences(_visible(memory.description)))
    return (*said, *_of_body(body, words))


def _of_body(body: str, words: Lexicon) -> Iterator[Told]:
    labels = [(found.start(), found["label"].strip().lower()) for found in _LABEL.finditer(body)]
    for one in sentences(_WRAP.sub(" ", body)):
        label = next((label for at, label in reversed(labels) if at <= one.start), "")
        yield Told("body", one.start, one.text, words, label == _REASON, label in (_REASON, _USE))


def _visible(text: str) -> str:
    """A text with its code blocks, comments and struck words blanked, every character in its place."""
    lines = text.split("\n")
    kept = zip(lines, regions(lines), strict=True)
    shown = "\n".join(line if region is Region.TEXT else " " * len(line) for line, region in kept)
    return _STRUCK.sub(lambda struck: " " * len(struck[0]), shown)


def reworded(draft: Draft, edits: Iterable[Edit]) -> Draft:
    """The draft with these stretches replaced and nothing else touched. Of two that overlap the first counts."""
    texts = {"body": draft.body, "description": draft.description}
    taken: list[Edit] = []
    for edit in edits:
        if all(edit.field != other.field or edit.end <= other.start or other.end <= edit.start for other in taken):
            taken.append(edit)
    for edit in sorted(taken, key=lambda each: -each.start):
        text = texts[edit.field]
        texts[edit.field] = text[: edit.start] + edit.new + text[edit.end :]
    return replace(draft, body=texts["body"], description=texts["description"])


# --- found ---
# What a look at the tree came to for one claim of a memory.


class State(StrEnum):
    """What became of a claim."""

    HOLDS = "holds"
    MOVED = "moved"  # the thing is there under another name, by a commit
    GONE = "gone"
    DIFFERS = "differs"  # the tree gives another value: a question, never an answer


@dataclass(frozen=True, slots=True)
class Found:
    """One claim and what the tree shows of it: ``line`` is the evidence on one line and ``seen`` as it can be looked
    up, ``edits`` are how the memory would say it, ``day`` is when it became so, where history
    tells, ``place`` the line that gives another value, ``sentence``
    where the sentence begins that makes the claim."""

    state: State
    line: str
    seen: tuple[Seen, ...] = ()
    edits: tuple[Edit, ...] = ()
    day: str = ""
    place: Line | None = None
    sentence: int = -1
