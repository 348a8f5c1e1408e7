"""A store's content as git objects, and back, exactly."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import unquote_to_bytes

from memgit.errors import Damaged, MemgitError
from memgit.memory.file_names import taken_for_git
from memgit.model.store import ABSENT, StoreContent, StoreFile
from memgit.vault.gitobjects import FILE, FOLDER, LINK, PROGRAM, Commit, Entry, object_id
from memgit.vault.objects import Objects

# --- manifest ---
# What a git tree cannot say of a store: whole modes, times, empty folders, what was left out.
#
# Written as JSON with one line per file, so that versions of it pack well and read well in ``git show``.

SCHEMA = "memgit.manifest/1"


@dataclass(frozen=True, slots=True)
class Manifest:
    """``modes`` are whole ``st_mode``, ``mtimes`` nanoseconds, both by the file's path in the store; ``roots`` where
    its folder was."""

    exists: bool = True
    indexed: bool = True
    folders: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    special: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    modes: Mapping[str, int] = field(default_factory=dict)
    mtimes: Mapping[str, int] = field(default_factory=dict)

    @property
    def identity(self) -> tuple[object, ...]:
        """What makes two stores with the same tree different ones; times do not."""
        return self.exists, self.folders, self.modes


def manifest_of(content: StoreContent) -> Manifest:
    return Manifest(
        exists=content.exists,
        indexed=content.indexed,
        folders=content.folders,
        foreign=content.foreign,
        special=content.special,
        roots=content.roots,
        modes={path: file.mode for path, file in content.files.items()},
        mtimes={path: file.mtime_ns for path, file in content.files.items()},
    )


def encode(manifest: Manifest) -> bytes:
    facts = {
        "schema": SCHEMA,
        "exists": manifest.exists,
        **({} if manifest.indexed else {"indexed": False}),
        "folders": list(manifest.folders),
        "foreign": list(manifest.foreign),
        "special": list(manifest.special),
        **({"roots": list(manifest.roots)} if manifest.roots else {}),
    }
    head = json.dumps(facts)[:-1]
    rows = (f"{json.dumps(path)}: [{mode}, {manifest.mtimes.get(path, 0)}]" for path, mode in manifest.modes.items())
    files = ",\n".join(rows)
    return f'{head}, "files": {{\n{files}\n}}}}\n'.encode()


@lru_cache(maxsize=2)
def decode(data: bytes) -> Manifest:
    """Read a manifest. Raises `ValueError` when it is none. One change reads the same ones again and again."""
    try:
        facts: dict[str, Any] = json.loads(data)
        files: dict[str, list[int]] = facts["files"]
        return Manifest(
            exists=facts["exists"],
            indexed=facts.get("indexed", True),
            folders=tuple(facts["folders"]),
            foreign=tuple(facts["foreign"]),
            special=tuple(facts["special"]),
            roots=tuple(facts.get("roots", ())),
            modes={path: row[0] for path, row in files.items()},
            mtimes={path: row[1] for path, row in files.items()},
        )
    except (KeyError, TypeError, IndexError, AttributeError) as cause:
        raise ValueError(f"no manifest: {cause!r}") from cause


# --- names ---
# File names that git refuses or treats specially, written so that it takes them, and back.
#
# A name is percent-escaped when git could take it for one of its own (``.git``, ``GIT~1``, ``.gitmodules``), when it
# is not UTF-8, or when it looks like an escaped name itself; so every name has one spelling in a tree, and every
# spelling one name.

_EMPTY = "%00"  # no file name holds a NUL
_ORDINARY = re.compile(r"(?:[A-Za-z0-9_-][A-Za-z0-9_. -]*/)*[A-Za-z0-9_-][A-Za-z0-9_. -]*")
"""What nearly all names and paths are: nothing in them is to be escaped, nothing is escaped."""


def tree_path(path: str) -> str:
    """The path under which a tree holds a file of a store."""
    if _ORDINARY.fullmatch(path):
        return path
    return "/".join(map(tree_name, path.split("/")))


def store_path(path: str) -> str:
    """The file of a store that a tree holds under this path."""
    if _ORDINARY.fullmatch(path):
        return path
    return "/".join(map(store_name, path.split("/")))


def tree_name(name: str) -> str:
    """One name as it stands in a tree."""
    if _ORDINARY.fullmatch(name):
        return name
    if _refused(name) or _looks_escaped(name):
        return _escaped(name)
    return name


def store_name(name: str) -> str:
    """The name that ``name`` in a tree stands for."""
    plain = _unescaped(name)
    return plain if plain != name and tree_name(plain) == name else name


def _refused(name: str) -> bool:
    return name in ("", ".", "..") or not _is_text(name) or any(map(taken_for_git, name.split("\\")))


def _is_text(name: str) -> bool:
    try:
        return "\0" not in name and bool(name.encode())
    except UnicodeEncodeError:
        return False


def _looks_escaped(name: str) -> bool:
    plain = _unescaped(name)
    return plain != name and tree_name(plain) == name


def _unescaped(name: str) -> str:
    if name == _EMPTY:
        return ""
    return unquote_to_bytes(_bytes(name)).decode("utf-8", "surrogateescape")


def _escaped(name: str) -> str:
    """Escape the first character, percent signs, backslashes, and all that is not UTF-8."""
    if not name:
        return _EMPTY
    head, tail = _bytes(name[0]), _bytes(name[1:])
    return "".join(f"%{byte:02X}" for byte in head) + "".join(
        map(_escaped_rest, tail.decode("utf-8", "surrogateescape"))
    )


def _escaped_rest(char: str) -> str:
    if char in "%\\\0" or not _is_text(char):
        return "".join(f"%{byte:02X}" for byte in _bytes(char))
    return char


def _bytes(name: str) -> bytes:
    try:
        return name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return name.encode("utf-8", "surrogatepass")


_GITLINK = 0o160000
Nested = dict[str, "Entry | Nested"]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A store's content in the vault: the names of its tree and of its manifest."""

    tree: str
    manifest: str


def write_content(objects: Objects, content: StoreContent) -> Snapshot:
    """Store a content. Everything is hashed, and written only where no sound object of that name is there."""
    nested: Nested = {}
    names = blob_names(content)
    objects.write_blobs({names[path]: file.data for path, file in content.files.items()})
    for path, file in content.files.items():
        _place(nested, path, Entry(_entry_mode(file), names[path]))
    tree = _write_nested(objects, nested)
    return Snapshot(tree, objects.write("blob", encode(manifest_of(content))))


def blob_names(content: StoreContent) -> dict[str, str]:
    """The name that git gives to each file of a content, by path; worked out once for each content."""
    if "blobs" not in content.hashes:
        content.hashes["blobs"] = " ".join(object_id("blob", file.data) for file in content.files.values())
    return dict(zip(content.files, content.hashes["blobs"].split(), strict=True))


def read_content(objects: Objects, tree: str, manifest: str | None, like: StoreContent = ABSENT) -> StoreContent:
    """The content of a tree; without a manifest (a commit that another tool made) with git's modes and no times.

    What ``like`` holds under the same path and hash is taken from there, so that only what differs is read.
    Raises `Damaged` when an object of it cannot be read.
    """
    facts = read_manifest(objects, manifest) if manifest else Manifest()
    entries = _entries(objects, tree, facts)
    known = blob_names(like)
    files = {
        path: _file(objects, path, entry, facts, like.files[path] if known.get(path) == entry.oid else None)
        for path, entry in sorted(entries.items())
    }
    return StoreContent(files, facts.folders, facts.foreign, facts.special, facts.exists, facts.indexed, facts.roots)


def listing(objects: Objects, tree: str, manifest: str | None) -> dict[str, Entry]:
    """The paths of a content with the entry of each; no file is read. Raises as ``read_content`` does."""
    return _entries(objects, tree, read_manifest(objects, manifest) if manifest else Manifest())


def _entries(objects: Objects, tree: str, facts: Manifest) -> dict[str, Entry]:
    names = {tree_path(path): path for path in facts.modes}
    return {names.get(path) or store_path(path): entry for path, entry in walk(objects, tree)}


def read_manifest(objects: Objects, oid: str) -> Manifest:
    try:
        return decode(objects.read(oid, "blob"))
    except ValueError as cause:
        raise Damaged(f"the vault's manifest {oid} cannot be read ({cause})", "Run `memgit check --full`") from cause


def snapshot_of(commit: Commit) -> Snapshot | None:
    """Tree and manifest of a commit that memgit made."""
    return Snapshot(commit.tree, commit.manifest) if commit.manifest else None


def same_content(objects: Objects, one: Snapshot | None, other: Snapshot) -> bool:
    """Whether two snapshots hold the same store; times do not count."""
    if one is None or one.tree != other.tree:
        return False
    if one.manifest == other.manifest:
        return True
    return read_manifest(objects, one.manifest).identity == read_manifest(objects, other.manifest).identity


def walk(objects: Objects, tree: str, below: str = "") -> Iterator[tuple[str, Entry]]:
    """Every file of a tree with its path there."""
    for name, entry in objects.tree(tree).items():
        if entry.mode == FOLDER:
            yield from walk(objects, entry.oid, f"{below}{name}/")
        else:
            yield below + name, entry


def _place(nested: Nested, path: str, entry: Entry) -> None:
    *folders, name = tree_path(path).split("/")
    for folder in folders:
        below = nested.setdefault(folder, {})
        if isinstance(below, Entry):
            raise _clash(path)
        nested = below
    if name in nested:
        raise _clash(path)
    nested[name] = entry


def _clash(path: str) -> MemgitError:
    return MemgitError(f"{path!r} is a file and a folder at once", "Read the store again")


def _write_nested(objects: Objects, nested: Nested) -> str:
    return objects.write_tree(
        {
            name: below if isinstance(below, Entry) else Entry(FOLDER, _write_nested(objects, below))
            for name, below in nested.items()
        }
    )


def _entry_mode(file: StoreFile) -> int:
    if file.is_link:
        return LINK
    return PROGRAM if file.mode & 0o111 else FILE


def _file(objects: Objects, path: str, entry: Entry, facts: Manifest, like: StoreFile | None) -> StoreFile:
    if entry.mode == _GITLINK:  # another tool's: a commit of another repository, of which there is no object here
        return StoreFile(path, b"", entry.mode)
    data = like.data if like else objects.read(entry.oid, "blob")
    return StoreFile(path, data, _mode(entry, facts.modes.get(path)), facts.mtimes.get(path, 0))


def _mode(entry: Entry, recorded: int | None) -> int:
    """The recorded mode; git's own where none is recorded, or where it speaks of another kind of file."""
    if recorded is None or stat.S_ISLNK(recorded) != (entry.mode == LINK):
        return entry.mode
    return recorded
