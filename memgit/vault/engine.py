"""libgit2 as the vault uses it: its process-wide settings, and the few calls that write.

Measured with libgit2 1.9: the setting that makes it sync is read when a repository is opened (for refs) and again
when an object is written, so it is set before every opening and the two kinds of writing use repositories of their
own. Reading a damaged loose object may never return, so nothing here reads one that was not checked before.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

import pygit2
from pygit2.enums import ConfigLevel, ObjectType, RepositoryOpenFlag

from memgit.errors import Damaged, MemgitError
from memgit.files import can_sync_at_once, private
from memgit.vault.gitobjects import AUTHOR

FAILURES = (pygit2.GitError, OSError, ValueError, KeyError)
"""What libgit2's calls raise when they could not do what they were asked."""

KINDS: Mapping[str, ObjectType] = {
    "blob": ObjectType.BLOB,
    "tree": ObjectType.TREE,
    "commit": ObjectType.COMMIT,
    "tag": ObjectType.TAG,
}

for _level in (ConfigLevel.PROGRAMDATA, ConfigLevel.SYSTEM, ConfigLevel.XDG, ConfigLevel.GLOBAL):
    pygit2.settings.search_path[_level] = ""  # a user's git config, broken or not, never reaches a vault


def version() -> str:
    """Which libgit2 this is, and through which pygit2."""
    from importlib import metadata  # here: it takes as long to load as pygit2's own Python

    return f"{pygit2.LIBGIT2_VERSION} (pygit2 {metadata.version('pygit2')})"


def object_writer(git_dir: Path) -> pygit2.Repository:
    """A repository for writing objects: unsynced where one call can sync them all, else synced one by one."""
    return _open(git_dir, synced=not can_sync_at_once())


def packed_objects(git_dir: Path) -> pygit2.Odb:
    """The objects in packs, and no loose one."""
    odb = pygit2.Odb()
    odb.add_backend(pygit2.OdbBackendPack(str(git_dir / "objects")), 1)
    return odb


def write_object(repository: pygit2.Repository, kind: str, data: bytes) -> str:
    pygit2.settings.enable_fsync_gitdir(not can_sync_at_once())  # read anew at every writing
    with private():
        return str(repository.write(KINDS[kind], data))


def commit_onto(git_dir: Path, ref: str, tree: str, parents: Sequence[str], message: str, time: datetime) -> str:
    """Commit and move ``ref`` from the first parent to the commit, synced, if it still stands there.

    Raises `GitError` or `OSError` when it does not, or when that could not be done. The ref may have moved all the
    same (the last sync failed), so look before reporting.
    """
    author = pygit2.Signature(*AUTHOR, int(time.timestamp()), 0)
    with private():
        return str(_open(git_dir, synced=True).create_commit(ref, author, author, message, tree, list(parents)))


def set_refs(git_dir: Path, targets: Mapping[str, str | None]) -> None:
    """Create, move and (where the target is None) delete refs, synced, each against the value just read."""
    repository = _open(git_dir, synced=True)
    with private():
        for name, target in targets.items():
            _set_ref(repository, name, target)


def _set_ref(repository: pygit2.Repository, name: str, target: str | None) -> None:
    try:
        reference = repository.references[name]
    except KeyError:
        if target is not None:
            repository.references.create(name, target)
    except pygit2.GitError:  # the file holds no ref any more
        (Path(repository.path) / name).unlink()
        _set_ref(repository, name, target)
    else:
        if target is None:
            reference.delete()
        elif str(reference.target) != target:
            reference.set_target(target)


def write_pack(git_dir: Path, oids: Sequence[str]) -> None:
    """Write one synced pack with these objects, which the caller has checked. Removes nothing."""
    repository = _open(git_dir, synced=True)
    builder = pygit2.PackBuilder(repository)
    for oid in oids:
        builder.add(pygit2.Oid(hex=oid))
    with private():
        builder.write()


def _open(git_dir: Path, *, synced: bool) -> pygit2.Repository:
    pygit2.settings.enable_fsync_gitdir(synced)
    try:
        repository = pygit2.Repository(str(git_dir), RepositoryOpenFlag.NO_SEARCH | RepositoryOpenFlag.BARE)
        repository.references.get("refs/memgit/no-such-ref")  # reads the setting for refs now
    except pygit2.GitError as cause:
        raise _explained(git_dir, cause) from cause
    return repository


def _explained(git_dir: Path, cause: pygit2.GitError) -> MemgitError:
    if "owned" not in str(cause):
        return Damaged(
            f"the vault {git_dir} cannot be opened as a git repository: {cause}", "Run `memgit check --full`"
        )
    owner = git_dir.stat().st_uid
    return MemgitError(
        f"the vault {git_dir} belongs to user {_user(owner)} (uid {owner}) and you are uid {os.geteuid()}",
        "Run memgit as that user, or give the folder to yours",
    )


def _user(uid: int) -> str:
    try:
        import pwd

        return pwd.getpwuid(uid).pw_name
    except (ImportError, KeyError):
        return "unknown"
