"""How a store writes its memories: the majority of its own files decides, else the agent's contract."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, count
from typing import TypeVar

from memgit.core.memories.frontmatter import read_fields, split
from memgit.core.memories.naming import slug, titled
from memgit.model.decision import Draft
from memgit.model.store import INDEX, Memory

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
