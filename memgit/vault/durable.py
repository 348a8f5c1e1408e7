"""Small private files of the vault that survive a power cut: written aside, synced, renamed."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from memgit.errors import MemgitError
from memgit.faults import point


@contextlib.contextmanager
def private() -> Iterator[None]:
    """Let what is created meanwhile be readable by its owner only, whatever the caller's umask says."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


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


def make_folder(path: Path) -> None:
    """Create a private folder with its parents; an existing one is left as it is."""
    with private():
        path.mkdir(mode=0o700, parents=True, exist_ok=True)


def replace(path: Path, data: bytes) -> None:
    """Give a file new content such that a crash at any moment leaves the old or the new one."""
    aside = path.with_name(f"{path.name}.new")
    with private(), aside.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    point(f"{path.name}: written aside")
    aside.replace(path)
    point(f"{path.name}: renamed")
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable, where the system can."""
    if os.name != "posix":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def can_sync_at_once() -> bool:
    """Whether one call makes everything written to a filesystem durable (Linux); else each object must be synced."""
    return _syncfs() is not None


def sync_filesystem(path: Path) -> None:
    """Make everything written to the filesystem of ``path`` durable. Raises `OSError` when that fails."""
    syncfs = _syncfs()
    if syncfs is None:
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        if syncfs(descriptor):
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code), str(path))
    finally:
        os.close(descriptor)


@functools.cache
def _syncfs() -> ctypes._NamedFuncPointer | None:
    if not sys.platform.startswith("linux"):
        return None
    return getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
