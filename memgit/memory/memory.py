"""A memory file read, and written again with no byte changed that a decision does not name."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from itertools import chain, count
from typing import TypeVar

from memgit.memory.frontmatter import Fields, Parts, quoted, read_fields, split, with_description
from memgit.model.decision import Draft
from memgit.model.store import INDEX, FrontmatterState, Memory, StoreContent, StoreFile, StoreStatus
from memgit.model.times import time_of_seconds, time_of_text
from memgit.text.markdown import BOM

# --- naming ---
# Names as file names are written, and as people read them.


def slug(text: str, separator: str = "-") -> str:
    """Lower-case letters and digits of any script, words joined by ``separator``; may be empty."""
    plain = unicodedata.normalize("NFC", text).lower()
    kept = "".join(char if _is_word(char) else " " for char in unicodedata.normalize("NFC", plain))
    return separator.join(kept.split())


def _is_word(char: str) -> bool:
    """Marks belong to words too: without them Thai and Devanagari names would fall apart."""
    return char.isalnum() or unicodedata.category(char).startswith("M")


def titled(name: str) -> str:
    """A slug as a title, each word capitalised; a text of several words is a title already."""
    if re.search(r"\s", name.strip()):
        return " ".join(name.split())
    return " ".join(word[:1].upper() + word[1:] for word in re.split(r"[-_]+", name.strip()) if word)


# --- age ---
# When a memory was written, as a day.


def written(memory: Memory) -> datetime | None:
    """When a memory was last written, by its own word, else by its file; None where neither tells."""
    return memory.modified or (time_of_seconds(memory.mtime_ns / 1e9) if memory.mtime_ns > 0 else None)


def written_on(memory: Memory) -> str:
    """The day, for people."""
    moment = written(memory)
    return f"{moment:%Y-%m-%d}" if moment else "day unknown"


# --- dialect ---
# How a store writes its memories: the majority of its own files decides, else the agent's contract.

NAME_LIMIT = 80
"""Characters of a new file name, ``.md`` included."""

BYTE_LIMIT = 240
"""Bytes of a new file name: file systems allow 255, and a vault's temporary names need some."""


class NameStyle(StrEnum):
    """What stands under ``name``."""

    KEBAB = "kebab"  # retry-budget
    TITLE = "title"  # Retry budget
    STEM = "stem"  # the file's own name


@dataclass(frozen=True, slots=True)
class Dialect:
    """A store's habits. The defaults are what the agent is told to write today.

    ``keys`` orders name, description and type, and is empty where a memory is its text alone; ``nested`` puts the
    type under ``metadata``. ``separator`` joins the words of a file name, ``prefixed`` begins it with the type.
    """

    nested: bool = True
    keys: tuple[str, ...] = ("name", "description", "type")
    separator: str = "-"
    prefixed: bool = False
    names: NameStyle = NameStyle.KEBAB
    newline: str = "\n"
    final_newline: bool = True
    blank_line: bool = True

    def name(self, draft: Draft) -> str:
        """The draft's name as this store would write it."""
        match self.names:
            case NameStyle.KEBAB:
                return slug(draft.name, "-") or draft.name
            case NameStyle.TITLE:
                return titled(draft.name) if re.fullmatch(r"[\w-]+", draft.name) else draft.name
            case NameStyle.STEM:
                return draft.id.rpartition("/")[2] or file_stem(draft, self)


def dialect_of(memories: Iterable[Memory], *, indexed: bool = True) -> Dialect:
    """What most memories of a store do; a tie is decided by the agent's contract.

    Where no index names them (``indexed``) and none has a frontmatter, a new one gets none either.
    """
    habits = [_Habits.of(memory) for memory in memories]
    written = [habit for habit in habits if habit.keys]
    default = Dialect()
    return Dialect(
        nested=_most((habit.nested for habit in written if habit.nested is not None), default.nested),
        keys=_most((habit.keys for habit in written if len(habit.keys) == len(default.keys)), default.keys)
        if indexed or written
        else (),
        separator=_most((habit.separator for habit in habits if habit.separator), default.separator),
        prefixed=_most((habit.prefixed for habit in habits if habit.prefixed is not None), default.prefixed),
        names=_most((habit.names for habit in habits if habit.names is not None), default.names),
        newline=_most((habit.newline for habit in habits), default.newline),
        final_newline=_most((habit.final_newline for habit in habits), default.final_newline),
        blank_line=_most((habit.blank_line for habit in written), default.blank_line),
    )


T = TypeVar("T", bound=Hashable)


def _most(votes: Iterable[T], default: T) -> T:
    ranked = Counter(votes).most_common()
    winners = [vote for vote, number in ranked if number == ranked[0][1]]
    return default if default in winners or not winners else winners[0]


@dataclass(frozen=True, slots=True)
class _Habits:
    """One memory's vote; None (or an empty string) where it has no opinion."""

    keys: tuple[str, ...]
    nested: bool | None
    separator: str
    prefixed: bool | None
    names: NameStyle | None
    newline: str
    final_newline: bool
    blank_line: bool

    @classmethod
    def of(cls, memory: Memory) -> _Habits:
        parts = split(memory.data)
        values = read_fields(parts.block).values
        stem = memory.id.rpartition("/")[2]
        keys = tuple("type" if key == "metadata" else key for key in values)
        return cls(
            keys=tuple(dict.fromkeys(key for key in keys if key in ("name", "description", "type"))),
            nested=("type" not in values) if memory.type else None,
            separator="-" if "-" in stem else "_" if "_" in stem else "",
            prefixed=re.match(rf"{re.escape(memory.type)}[_-]", stem) is not None if memory.type else None,
            names=_name_style(memory.name, stem),
            newline="\r\n" if b"\r\n" in memory.data else "\n",
            final_newline=memory.data.endswith(b"\n"),
            blank_line=parts.body.startswith((b"\n", b"\r\n")),
        )


def _name_style(name: str, stem: str) -> NameStyle | None:
    """A kebab name that is also the stem says no more than that it is a slug, so it votes for the contract."""
    if not name:
        return None
    if re.fullmatch(r"[^\W_]+(-[^\W_]+)*", name) and name == name.lower():
        return NameStyle.KEBAB
    return NameStyle.STEM if name == stem else NameStyle.TITLE


def file_stem(draft: Draft, dialect: Dialect) -> str:
    """The file name a draft asks for, without ``.md``; empty if no letter of its name can stand in one."""
    words = slug(draft.name, dialect.separator)
    kind = slug(draft.type, dialect.separator)
    if dialect.prefixed and kind and words and not words.startswith(kind + dialect.separator):
        words = f"{kind}{dialect.separator}{words}"
    return _shortened(words, len(".md")).rstrip(dialect.separator)


def new_path(draft: Draft, dialect: Dialect, taken: Collection[str]) -> str:
    """A path for a new memory that no path of ``taken`` equals, also where case or Unicode form do not count.

    Never the index, a hidden file or a name that Windows keeps for a device; ``memory-N`` when the
    draft's name has no letters.
    """
    occupied = {_folded(path) for path in taken} | {_folded(INDEX)} | _DEVICES
    stem = file_stem(draft, dialect)
    numbered = (_numbered(stem or "memory", dialect.separator, number) for number in count(2 if stem else 1))
    return next(path for path in chain([f"{stem}.md"] if stem else [], numbered) if _folded(path) not in occupied)


_DEVICES = frozenset(f"{name}.md" for name in ["con", "prn", "aux", "nul"]) | frozenset(
    f"{port}{number}.md" for port in ("com", "lpt") for number in range(1, 10)
)


def _numbered(stem: str, separator: str, number: int) -> str:
    ending = f"{separator}{number}.md"
    return _shortened(stem, len(ending)).rstrip(separator) + ending


def _shortened(stem: str, ending: int) -> str:
    cut = stem[: NAME_LIMIT - ending]
    return cut.encode()[: BYTE_LIMIT - ending].decode("utf-8", "ignore")


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


# --- copies ---
# Copies that programs which synchronise, and people who are careful, make beside a file; told by their names.

_MADE_BY_HAND = r"copy|kopie|copie|copia|c[oó]pia|kopia|kopio|копия|コピー|复制|副本|複製"
_SUFFIX = re.compile(
    rf"(?:[ _-]*\(\d{{1,3}}\)| \d{{1,3}}"
    rf"|[-_. ]+(?:{_MADE_BY_HAND})(?:[-_ ]*\(?\d+\)?)?|[-_. ]*\((?:{_MADE_BY_HAND})[^()]*\)"
    r"|[.~_-]sync-conflict-[\w-]+|[-_ ]*\([^()]*conflict[^()]*\)|[-_. ]+conflict(?:ed)?(?:[-_. ][\w-]*)?"
    r"|[-_. ](?:bak|backup|orig|original|old)\d*|~)$",
    re.IGNORECASE,
)
_PREFIX = re.compile(rf"^(?:{_MADE_BY_HAND})(?: \(\d+\))? (?:of|von|de|di|van|от|) ?|^[~#]+", re.IGNORECASE)
_FOLDER = re.compile(r"(?:^|/)(?:archives?|backups?|old|attic|trash)/", re.IGNORECASE)


def is_copy(memory_id: str) -> bool:
    """Whether a file is named as somebody's copy of another, whether that is there or not."""
    stem = memory_id.rpartition("/")[2]
    return bool(_SUFFIX.search(stem) or _PREFIX.search(stem) or _FOLDER.search(memory_id))


def copied_from(memory_id: str, known: Collection[str]) -> str | None:
    """Of which of the ``known`` ids another one is a copy by its name; None where it is none of theirs."""
    folder, _, stem = memory_id.rpartition("/")
    stems = [stem]
    while (plain := _SUFFIX.sub("", _PREFIX.sub("", stems[-1])).rstrip(" -_.")) not in stems and plain:
        stems.append(plain)
    inside = (f"{folder}/{each}" if folder else each for each in stems[1:])
    above = (each for each in stems if _FOLDER.search(memory_id))
    return next((name for name in (*inside, *above) if name != memory_id and name in known), None)


def is_memory(file: StoreFile) -> bool:
    """True for Markdown files at any depth, but not the index and copies of it, links and hidden files (editors leave
    those)."""
    name = file.path.rpartition("/")[2]
    is_plain = name.endswith(".md") and not name.startswith(".") and file.path != INDEX and not file.is_link
    return is_plain and not is_copy_of_index(file.path)


def is_copy_of_index(path: str) -> bool:
    """True for a file that is named as a copy of the index: what it lists was listed once."""
    return _INDEX_ID in path and copied_from(path.removesuffix(".md"), (_INDEX_ID,)) is not None


_INDEX_ID = INDEX.removesuffix(".md")


def is_memory_of(content: StoreContent, file: StoreFile) -> bool:
    """The same in its store: where there is no index, a file of that name is a memory as well."""
    return is_memory(file) or (not content.indexed and file.path == INDEX and not file.is_link)


def memories(content: StoreContent) -> tuple[Memory, ...]:
    """All memories of a store, sorted by id."""
    found = (read_memory(file) for file in content.files.values() if is_memory_of(content, file))
    return tuple(sorted(found, key=lambda memory: memory.id))


def no_memories(content: StoreContent) -> tuple[str, ...]:
    """The paths of files that are neither memories nor the index: an index may point to them."""
    return tuple(path for path, file in content.files.items() if not is_memory_of(content, file) and path != INDEX)


def status(content: StoreContent) -> StoreStatus:
    """What a store holds. An index that is a link to nothing that can be read counts as none."""
    if not content.exists:
        return StoreStatus.ABSENT
    if not any(is_memory_of(content, file) for file in content.files.values()):
        return StoreStatus.EMPTY
    has_index = not content.indexed or (content.index is not None and not content.index.is_link)
    return StoreStatus.PRESENT if has_index else StoreStatus.INDEX_LESS


@lru_cache(maxsize=200_000)
def read_memory(file: StoreFile) -> Memory:
    """Read one file. Whatever its bytes are, this succeeds, and says how far the frontmatter was understood.

    A pass reads each of them a dozen times: as snapshot, before and after its changes, and for its report. They are
    kept, so that all these readings are one, and one value in memory.
    """
    parts = split(file.data)
    fields = read_fields(parts.block) if parts.has_frontmatter else Fields(FrontmatterState.NONE)
    return Memory(
        id=file.path.removesuffix(".md"),
        path=file.path,
        data=file.data,
        body=_body(parts.body),
        name=fields.top("name"),
        description=fields.top("description"),
        type=fields.either("type"),
        frontmatter=fields.state,
        problem=fields.problem,
        modified=time_of_text(fields.either("modified")),
        origin_session=fields.either("originSessionId") or None,
        mtime_ns=file.mtime_ns,
        pinned=fields.either("pinned").casefold() == "true",
    )


def _body(data: bytes) -> str:
    return _tidy(data.decode("utf-8", "replace").replace("\r\n", "\n"))


def _tidy(text: str) -> str:
    """A body without the blank lines around it: they belong to the file, not to the fact."""
    return _BLANK_LINES.sub("", text).rstrip()


_BLANK_LINES = re.compile(r"\A(?:[ \t]*\n)+")


def render_new(draft: Draft, dialect: Dialect) -> bytes:
    """A whole new file in the store's dialect; strict YAML reads back exactly the strings of the draft.

    The name is written in the store's style. What UTF-8 cannot hold (lone surrogates) becomes U+FFFD.
    """
    blank = "\n" if dialect.blank_line else ""
    body = _tidy(_unix(draft.body))
    if dialect.keys:
        body = "".join(f"{line}\n" for line in ("---", *_frontmatter(draft, dialect), "---")) + blank + body
    return _encoded(body + "\n" if dialect.final_newline else body, dialect.newline)


def _frontmatter(draft: Draft, dialect: Dialect) -> Iterator[str]:
    for key in dialect.keys:
        match key:
            case "name":
                yield f"name: {quoted(_valid(dialect.name(draft)))}"
            case "description":
                yield f"description: {quoted(_valid(draft.description))}"
            case "type" if draft.type and dialect.nested:
                yield "metadata:"
                yield f"  type: {quoted(_valid(draft.type))}"
            case "type" if draft.type:
                yield f"type: {quoted(_valid(draft.type))}"


def render_changed(memory: Memory, draft: Draft) -> bytes:
    """The memory's file with the draft's description and body; all else stays byte for byte.

    That is: key order, quotes, unknown keys, BOM, line ends, blank lines at the edges. A file without
    frontmatter, or with a block that could not be read, keeps it so and gets the new body only.
    """
    parts = split(memory.data)
    block = parts.block
    readable = memory.frontmatter in (FrontmatterState.OK, FrontmatterState.LENIENT)
    if readable and draft.description != memory.description:
        block = with_description(block, _valid(draft.description))
    return parts.opening + block + parts.closing + _changed_body(parts, memory, draft)


def _changed_body(parts: Parts, memory: Memory, draft: Draft) -> bytes:
    if _tidy(draft.body.replace("\r\n", "\n")) == memory.body:
        return parts.body
    body = _tidy(_unix(draft.body))
    newline = "\r\n" if b"\r\n" in memory.data else "\n"
    lead, trail = _edges(parts.body)
    if not lead and _needs_gap(parts, body):
        lead = newline.encode()
    return lead + _encoded(body, newline) + trail


def _needs_gap(parts: Parts, body: str) -> bool:
    """A fence that ends the file, or a body that would be taken for frontmatter, needs a line end between."""
    return not parts.closing.endswith(b"\n") if parts.has_frontmatter else body.startswith("---")


def _edges(body: bytes) -> tuple[bytes, bytes]:
    """The blank lines before a body and the white space after it."""
    lead = re.match(rb"(?:[ \t]*\r?\n)*", body)
    start = lead.end() if lead else 0
    return body[:start], body[max(start, len(body.rstrip())) :]


def _encoded(text: str, newline: str) -> bytes:
    return _valid(text).replace("\n", newline).encode().removeprefix(BOM)


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _valid(text: str) -> str:
    return _SURROGATES.sub("\ufffd", text)


_SURROGATES = re.compile(r"[\ud800-\udfff]")
