"""What each memory is: classified once, with a header that says so; or a question where nothing tells."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from memgit.core.sweep.header import Marked, listing, marked
from memgit.core.sweep.taxonomy import KINDS, Kind, Life, is_procedural, kind_named, word_of
from memgit.memory.shapes import key_of
from memgit.model.store import FrontmatterState, Memory
from memgit.text.words import STOP_WORDS

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
