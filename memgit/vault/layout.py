"""The folder of a vault: a bare git repository written by hand, and memgit's own files in it.

Written by hand because git's own ``init`` follows templates and defaults of the machine (hash and ref formats among
them), and because every file here can simply be written again when creating a vault was cut short.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from memgit import files
from memgit.errors import Damaged, MemgitError
from memgit.faults import point
from memgit.vault.refs import STORE

EXPORT = "export.git"
"""In memgit's folder of a vault: the repository that a bundle is written from; gone when that is done."""
LEFT = "renewal.json"
"""In memgit's folder of a vault that replaces another: what is left to do then. With it, the vault is proven."""
HEAD = f"ref: {STORE}\n".encode()
_CONFIG = b"""[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
\tsharedRepository = 0600
[gc]
\tauto = 0
[maintenance]
\tauto = false
"""
_FOLDERS = ("objects/info", "objects/pack", "refs/heads", "refs/memgit")
_SLUG = 40  # characters of a store's path in its vault's name


@dataclass(frozen=True, slots=True)
class About:
    """Whose vault it is: the store's path, and the file that bears witness of its head."""

    store: str
    witness: str


def vault_folder(data_home: Path, store: str) -> Path:
    """The folder of a store's vault: a readable slug of its path and a hash of its real path."""
    real = os.path.realpath(store)
    digest = hashlib.sha256(os.fsencode(real)).hexdigest()[:8]
    words = re.sub(r"[^A-Za-z0-9]+", "-", "-".join(Path(real).parts[-3:])).strip("-").lower()
    return data_home / f"{words[-_SLUG:].strip('-') or 'store'}-{digest}"


def renewed_folder(folder: Path) -> Path:
    """Where a vault that replaces another is built, and where an exchange of the two leaves the old one."""
    return folder.with_name(f".{folder.name}.renewed")


def bridge(folder: Path) -> None:
    """Put a proven new vault in its place if replacing the old one was cut short between two renames.

    Needs no lock: whichever process comes first does it.
    """
    new = renewed_folder(folder)
    if not os.path.lexists(folder) and (new / "memgit" / LEFT).is_file():
        with contextlib.suppress(FileNotFoundError, FileExistsError):
            files.rename_noreplace(new, folder)


@contextlib.contextmanager
def explained(folder: Path, failures: tuple[type[Exception], ...] = (OSError,)) -> Iterator[None]:
    """Turn a failure to write a vault into an error that says where and what to do."""
    try:
        yield
    except failures as cause:
        raise MemgitError(
            f"the vault {folder} cannot be written: {getattr(cause, 'strerror', None) or cause}",
            "Make room or make the folder writable, then try again; what was recorded before is safe",
        ) from cause


def prepare(folder: Path) -> None:
    """Create the folder of the vault and that of memgit's own files, where the lock is."""
    with explained(folder):
        files.ensure_private_folder(folder / "memgit")
        point("vault folder created")


def lay_out(folder: Path) -> None:
    """Create what is missing of a vault's repository; what is there and whole stays as it is."""
    with explained(folder):
        for name in _FOLDERS:
            files.ensure_private_folder(folder / name)
            point(f"{name}: created")
        if _read(folder / "HEAD") != HEAD:
            files.replace_file(folder / "HEAD", HEAD)
        if b"repositoryformatversion" not in _read(folder / "config"):
            files.replace_file(folder / "config", _CONFIG)
        files.fsync_dir(folder)
        files.fsync_dir(folder.parent)


def is_laid_out(folder: Path) -> bool:
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir()


def write_about(private: Path, about: About) -> None:
    facts = {"schema": "memgit.vault/1", **asdict(about)}
    with explained(private.parent):
        files.replace_json(private / "store.json", facts)


def read_about(private: Path) -> About:
    """Whose vault it is. Raises `Damaged` when that cannot be read."""
    try:
        facts = json.loads((private / "store.json").read_bytes())
        return About(facts["store"], facts["witness"])
    except (OSError, ValueError, KeyError, TypeError) as cause:
        raise Damaged(
            f"the file {private / 'store.json'}, which says whose vault this is, cannot be read",
            "Run `memgit snapshot` for the store; it writes the file again",
        ) from cause


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
