"""A store's content as git objects, and back, exactly."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import dataclass

from memgit.errors import Damaged, MemgitError
from memgit.model.store import ABSENT, StoreContent, StoreFile
from memgit.vault import manifest as manifests
from memgit.vault.gitobjects import FILE, FOLDER, LINK, PROGRAM, Commit, Entry, object_id
from memgit.vault.manifest import Manifest, manifest_of
from memgit.vault.names import store_path, tree_path
from memgit.vault.objects import Objects

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
    return Snapshot(tree, objects.write("blob", manifests.encode(manifest_of(content))))


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
        return manifests.decode(objects.read(oid, "blob"))
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
