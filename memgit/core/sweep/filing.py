"""What each memory is: classified once, with a header that says so; or a question where nothing tells."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from memgit.memory.shapes import key_of
from memgit.model.store import FrontmatterState, Memory
from memgit.text.words import STOP_WORDS

# --- taxonomy ---
# What kinds of memories there are, and what each kind means for a memory: where it lives, and how it ends.


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


# --- header ---
# The line in front of a curated memory, and the mark of one that another has superseded.
#
# @type=semantic:lesson @created=2026-06-28 @salience=4 @refs=bd-12,worktree-path @tags=memory,curation
# [superseded 2026-07-01 by worktree-default]
# the fact itself

ORDER = ("type", "created", "salience", "refs", "tags")
"""Fields in the order in which they are written; any further ones follow as they were."""

_FIELD = re.compile(r"@([A-Za-z][\w-]*)\s*[=:]\s*(\S*)(?:[ \t]+|(?=\n)|\Z)")
_TOMBSTONE = re.compile(r"\[superseded (\d{4}-\d\d-\d\d) by ([^\]\n]+)\][ \t]*(?:\n|\Z)")
_UNSAFE = re.compile(r"[\s\"\\<>&\x00-\x1f]")


@dataclass(frozen=True, slots=True)
class Marked:
    """A memory's text taken apart: the fields in front, the mark of what superseded it (day and key), the fact."""

    fields: Mapping[str, str] = field(default_factory=dict)
    superseded: tuple[str, str] | None = None
    body: str = ""

    @property
    def salience(self) -> int:
        """1 to 5; 0 where it is not said."""
        text = self.fields.get("salience", "")
        return int(text) if text in ("1", "2", "3", "4", "5") else 0

    def listed(self, name: str) -> tuple[str, ...]:
        """A field that holds several words."""
        return tuple(filter(None, self.fields.get(name, "").split(",")))

    def with_fields(self, **given: str) -> Marked:
        """The same with other values; an empty one takes its field away."""
        return replace(self, fields={name: value for name, value in {**self.fields, **given}.items() if value})

    def text(self) -> str:
        """The whole text, with its header in the normal form."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        names = sorted(self.fields, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name))
        if names:
            yield " ".join(f"@{name}={self.fields[name]}" for name in names)
        if self.superseded:
            day, key = self.superseded
            yield f"[superseded {day} by {key}]"
        yield self.body


def marked(text: str) -> Marked:
    """Take a text apart. A header is read leniently (``@type: x``, any order) and must stand at the very start."""
    fields: dict[str, str] = {}
    at = 0
    while found := _FIELD.match(text, at):
        fields.setdefault(found[1].lower(), found[2])
        at = found.end()
    rest = text[at:].removeprefix("\n") if at else text
    tombstone = _TOMBSTONE.match(rest)
    superseded = (tombstone[1], tombstone[2]) if tombstone else None
    return Marked(fields, superseded, rest[tombstone.end() :] if tombstone else rest)


def united(own: Marked, others: Iterable[Marked], gone: Collection[str] = ()) -> Marked:
    """``own`` with the references and tags of all, and with the fields of others that it has none of itself.

    ``gone`` are keys that nothing shall refer to any more.
    """
    others = tuple(others)
    fields = {name: value for each in reversed(others) for name, value in each.fields.items()} | dict(own.fields)
    listed = {name: [word for each in (own, *others) for word in each.listed(name)] for name in ("refs", "tags")}
    kept = {name: listing(tuple(word for word in words if word not in gone)) for name, words in listed.items()}
    return replace(own, fields=fields).with_fields(**kept)


def listing(words: tuple[str, ...]) -> str:
    """Words as a field's value: what would end the header for those who look for it in printed JSON is left out."""
    return ",".join(dict.fromkeys(word for word in words if not _UNSAFE.search(word) and "," not in word))


_DAY = re.compile(r"(?<!\d)(20\d\d)-?([01]\d)-?([0-3]\d)(?!\d)")
_BEAD = re.compile(r"\bbd-[a-z0-9]+(?:\.\d+)?\b")
_CHECKABLE = re.compile(
    r"[\w./-]+\.[A-Za-z]\w{0,4}:\d+|\bbd-[a-z0-9]+\b|\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b"
    r"|^\s*\$ \S+|`[^`\n]+`[^\n]*(?:exit(?:s|ed)?|prints?|printed|returns?|pass(?:es|ed)?|fail(?:s|ed)?)",
    re.IGNORECASE | re.MULTILINE,
)
MOST_TAGS = 4


@dataclass(frozen=True, slots=True)
class Filed:
    """One memory with its text taken apart. ``kind`` is None where nothing tells, ``why`` says what told, and
    ``procedural`` ones tell how something is done."""

    memory: Memory
    key: str
    parts: Marked
    kind: Kind | None
    why: str
    procedural: bool = False

    @property
    def day(self) -> str:
        """When it was made, as far as header, key or text say; empty if they do not."""
        return self.parts.fields.get("created", "")

    @property
    def stands(self) -> bool:
        """Whether nothing has superseded it."""
        return self.parts.superseded is None

    def of(self, *lives: Life) -> bool:
        return self.kind is not None and self.kind.life in lives and not self.procedural


def filed(store: Iterable[Memory]) -> tuple[Filed, ...]:
    """Every memory of a store, with the header that it has or is to get."""
    store = tuple(store)
    keys = {memory.id: key_of(memory.path) or memory.id for memory in store}
    return tuple(_filed(memory, keys[memory.id], keys.values()) for memory in store)


def newest_continuation(store: Iterable[Filed]) -> Filed | None:
    """The latest of those that hand work on: by its day, then by its key, as readers of the store sort them."""
    found = (one for one in store if one.of(Life.LATEST) and one.stands)
    return max(found, key=lambda one: (one.day, one.key), default=None)


def checkable(text: str) -> bool:
    """Whether a text names something that anybody can check again: a line of a file, a bead, a commit, an output."""
    return bool(_CHECKABLE.search(text))


def _filed(memory: Memory, key: str, keys: Collection[str]) -> Filed:
    parts = marked(memory.body)
    if memory.frontmatter is not FrontmatterState.NONE:
        return Filed(memory, key, parts, None, "it has a frontmatter of its own")
    word, why = _word(parts, key)
    kind = kind_named(word)
    if is_procedural(word, parts.body):
        return Filed(memory, key, parts, None, "it tells how something is done", procedural=True)
    if kind is None:
        return Filed(memory, key, parts, None, f"{why} names no kind" if word else "nothing says what it is")
    return Filed(memory, key, headed(parts, kind, key, keys), kind, why)


def _word(parts: Marked, key: str) -> tuple[str, str]:
    """The word that it is filed under, and where that stands."""
    if typed := parts.fields.get("type"):
        return typed, f"its header ({typed})"
    if word := word_of(key):
        return word, f"its key ({word})"
    if word := word_of(parts.body):
        return word, f"its first word ({word})"
    return "", ""


def headed(parts: Marked, kind: Kind, key: str, keys: Collection[str] = ()) -> Marked:
    """The text with the header in its normal form; what it says already is kept."""
    found = _DAY.search(key) or _DAY.search(parts.body[:200])
    created = parts.fields.get("created") or ("-".join(found.groups()) if found else "")
    return parts.with_fields(
        type=str(kind),
        created=created,
        salience=str(parts.salience or _salience(kind, parts.body)),
        refs=parts.fields.get("refs") or listing(_references(parts.body, key, keys)),
        tags=parts.fields.get("tags") or listing(_tags(key)),
    )


def _salience(kind: Kind, body: str) -> int:
    if kind.life is Life.DURABLE:
        return 4 if checkable(body) or kind is KINDS["correction"] else 2
    return 3 if kind.life in (Life.REFERENCE, Life.LATEST) else 2


def _references(body: str, key: str, keys: Collection[str]) -> tuple[str, ...]:
    named = (
        other
        for other in keys
        if other != key and "-" in other and re.search(rf"(?<![\w-]){re.escape(other)}(?![\w-])", body)
    )
    return (*dict.fromkeys(_BEAD.findall(body)), *named)


def _tags(key: str) -> tuple[str, ...]:
    rest = key.lower().replace("_", "-")
    rest = rest[len(word_of(rest)) :]
    words = (word for word in re.findall(r"[^\W\d_]{3,}", rest) if word not in STOP_WORDS)
    return tuple(dict.fromkeys(words))[:MOST_TAGS]
