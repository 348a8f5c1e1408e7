"""File names that git takes for its own on some file system."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

_IGNORED_BY_HFS = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
_SHORT_NAME = re.compile(r"gi[0-9a-z]*~[0-9]")


def taken_for_git(name: str) -> bool:
    """Whether a name could be ``.git``, or one of the files that begin so, by case, hidden signs or a short form."""
    return _folded(name).startswith(".git") or _SHORT_NAME.match(_folded(name)) is not None


def is_git_folder(name: str) -> bool:
    """Whether some file system takes a name for ``.git`` itself."""
    plain = _folded(name).partition(":")[0].rstrip(". ")
    return plain == ".git" or _SHORT_NAME.fullmatch(plain) is not None


def _folded(name: str) -> str:
    return _IGNORED_BY_HFS.sub("", name).casefold()


def folders_above(path: str) -> Iterator[str]:
    """The folders of a store in which a path lies, the innermost first."""
    while path := path.rpartition("/")[0]:
        yield path


# --- filesystem ---
# What a file system, or a folder that something else keeps in step, cannot promise to a history of memories.

_NETWORK = re.compile(
    r"nfs\d?|cifs|smb\w*|9p|afs|ceph|glusterfs|lustre|davfs|fuse\.(?:sshfs|rclone|s3fs|glusterfs|davfs)"
)
_MEMORY = {"tmpfs", "ramfs"}
_SYNCED = re.compile(
    r"(?:dropbox|onedrive|icloud ?drive|google ?drive|nextcloud|owncloud|pcloud|seafile|syncthing)(?:[ -].*)?"
    r"|mobile documents|cloudstorage|com~apple~clouddocs",
    re.IGNORECASE,
)
"""What folders are called that programs keep in step with other machines, or in which systems keep such folders."""
_ESCAPE = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class Mount:
    """A mounted file system: where, of which kind, and which folder of it (not ``/``: a bind mount or a subvolume)."""

    point: str
    kind: str
    root: str = "/"


def mounts(mountinfo: str) -> Iterator[Mount]:
    """The mounts that Linux lists in ``/proc/self/mountinfo``; lines of another form are passed over."""
    for line in mountinfo.splitlines():
        fields, _, rest = line.partition(" - ")
        known = fields.split(" ")
        if len(known) > 4 and rest:
            yield Mount(_plain(known[4]), rest.split(" ")[0], _plain(known[3]))


def mount_of(path: str, listed: Iterator[Mount]) -> Mount | None:
    """The mount that an absolute path lies on: the deepest, and of several at one place the last."""
    found: Mount | None = None
    for mount in listed:
        if PurePath(path).is_relative_to(mount.point) and (found is None or len(mount.point) >= len(found.point)):
            found = mount
    return found


def is_synchronised(name: str) -> bool:
    """Whether a folder is named as one that another program keeps in step."""
    return _SYNCED.fullmatch(name) is not None


def concerns(path: str, mount: Mount | None, *, one_sync: bool = True) -> Iterator[str]:
    """What to know of a place, in sentences. ``one_sync`` says whether one call brings a file system to disk."""
    kind = mount.kind if mount else ""
    if _NETWORK.fullmatch(kind):
        yield f"{path} is on a network file system ({kind}): locks and syncing may promise more than they keep."
    if kind in _MEMORY:
        yield f"{path} is on a file system in memory ({kind}): it is empty after a restart."
    if mount and mount.point == path:
        yield f"{path} is a mount point: its content is replaced file by file, not in one step."
    if synced := next((part for part in PurePath(path).parts if is_synchronised(part)), None):
        yield f"{path} lies in {synced!r}, which another program keeps in step: it may bring back old files."
    if not one_sync:
        yield f"{path}: this system cannot bring a file system to disk in one call, so writing is slower."


def _plain(name: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 8)), name)
