"""What a store of memories is: its files, byte for byte, and the memories read from them."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from memgit.model.times import shell_word

INDEX = "MEMORY.md"
"""File name of the index, at the top of a store."""


class StoreStatus(StrEnum):
    """The shape in which a store was found."""

    PRESENT = "present"  # memories and an index
    ABSENT = "absent"  # no such directory
    EMPTY = "empty"  # a directory without memories
    INDEX_LESS = "index-less"  # memories without an index


@dataclass(frozen=True, slots=True)
class StoreFile:
    """One file of a store.

    ``path`` is relative to the store with ``/`` between parts; bytes of a name that are not UTF-8
    are lone surrogates, as ``os.fsdecode`` gives them. ``data`` is the content, or the target of a
    symbolic link. ``mode`` is the whole ``st_mode``. ``mtime_ns`` is no part of a store's identity.

    An index that is a link to an ordinary file is read through it: ``data``, ``mode`` and time are that file's, and
    ``link`` is the target. No vault keeps that, and no copy has it: it is how the live store comes by the text.
    """

    path: str
    data: bytes
    mode: int = 0o100644
    mtime_ns: int = 0
    link: bytes = b""

    @property
    def is_link(self) -> bool:
        return stat.S_ISLNK(self.mode)

    def holding(self, data: bytes, mtime_ns: int = 0) -> StoreFile:
        """An ordinary file in the place of this one that holds something else: what is put into a link would be its
        target."""
        return StoreFile(self.path, data, stat.S_IFREG | 0o644 if self.is_link else self.mode, mtime_ns)


@dataclass(frozen=True, slots=True)
class StoreContent:
    """Everything a store holds: the value that is snapshot, compared, changed and installed.

    ``files`` is keyed and sorted by path. ``folders`` are the empty ones. ``foreign`` names the
    dot-folders that other tools keep in the store (``.git``, ``.obsidian``, ``.extract``): never
    read, never copied. ``special`` names what is neither file, folder nor link (sockets, pipes). ``hashes`` keeps
    what has been computed of it: a content never changes, so they do not either. ``indexed`` is false for shapes of
    store that have no index: nothing lists their memories but the store itself, so none is missing and none is made.
    ``roots`` are the paths of its folder, as it was found and where it really is: links may lead into it by them.
    """

    files: Mapping[str, StoreFile] = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    special: tuple[str, ...] = ()
    exists: bool = True
    indexed: bool = True
    roots: tuple[str, ...] = field(default=(), compare=False)
    hashes: dict[str, str] = field(default_factory=dict, init=False, compare=False, repr=False)

    @property
    def index(self) -> StoreFile | None:
        return self.files.get(INDEX)

    @property
    def index_text(self) -> bytes:
        """What agents read as the index; nothing where there is none, or a link that leads to none."""
        return b"" if self.index is None or self.index.is_link else self.index.data


ABSENT = StoreContent(exists=False)


class FrontmatterState(StrEnum):
    """How far a memory's frontmatter could be read."""

    OK = "ok"
    LENIENT = "lenient"  # invalid YAML, read line by line
    NONE = "none"  # there is none
    UNPARSED = "unparsed"  # there is a block, and nothing could be read from it


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory: the fact in a file, and what could be read from its frontmatter.

    ``id`` is the path without ``.md``; ``data`` the file's bytes; ``body`` the text after the
    frontmatter, decoded with replacement, line ends folded to LF, without a BOM or blank lines around
    it. ``type`` is kept as
    written (unknown types exist) and empty where there is none; ``pinned`` is true when the
    memory says ``pinned: true`` at the top level or under ``metadata``.
    """

    id: str
    path: str
    data: bytes
    body: str
    name: str = ""
    description: str = ""
    type: str = ""
    frontmatter: FrontmatterState = FrontmatterState.NONE
    problem: str = ""
    modified: datetime | None = None
    origin_session: str | None = None
    mtime_ns: int = 0
    pinned: bool = False

    @property
    def text(self) -> str:
        """Description and body: what similarity and screening look at."""
        return f"{self.description}\n{self.body}"


FOLDERS = frozenset({"directory", "prose", "notes", "codex"})
"""The shapes of stores that are folders of Markdown files."""

EXPORTS = (".jsonl", ".ndjson")
"""How files end that hold a record in each line, as tools export what they keep elsewhere."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """Where a store is, and which rule found it.

    ``path`` is absolute; ``rule`` is a phrase for people (``--store``, ``user settings
    (autoMemoryDirectory)``, ``git common directory``). ``others`` are further non-empty stores that
    could have been meant, each with the rule that leads to it. ``needs_confirmation`` says why the
    store must not be used without the user's word (a cloned project's settings named it).
    """

    path: str
    rule: str
    shape: str = "directory"
    others: tuple[tuple[str, str], ...] = ()
    needs_confirmation: str | None = None

    @property
    def is_folder(self) -> bool:
        """Whether the store's files are its memories: only then can a candidate be moved into its place by hand."""
        return self.shape in FOLDERS

    @property
    def is_named(self) -> bool:
        """Whether it is found only where it is named: a command that leaves ``--store`` away works on another."""
        return self.rule == "--store" or not self.is_folder

    @property
    def address(self) -> str:
        """What ``--store`` takes for it."""
        return self.path if self.is_folder else f"{self.shape}:{self.path}"

    def said(self, command: str) -> str:
        """A command as it is typed for this store, which it names where memgit would work on another."""
        return f"{command} --store {shell_word(self.address)}" if self.is_named else command
