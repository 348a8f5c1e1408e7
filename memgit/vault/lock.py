"""One lock per vault, given by the operating system: a process that dies holds nothing any more."""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from memgit.errors import VaultLocked
from memgit.faults import point
from memgit.files import private, read_json, try_lock
from memgit.vault.layout import explained

_PAUSE = 0.02  # seconds between two tries
_LITTER = ("tmp_*", "pack_git2_*", ".tmp-*")  # what writing a pack leaves when it is cut short
_HALF_WRITTEN = ("*.new", "memgit/*.new")


@dataclass
class _Held:
    """The lock as this process holds it. ``depth`` counts the ``with`` blocks inside each other."""

    process: int = field(default_factory=os.getpid)
    turn: threading.RLock = field(default_factory=threading.RLock)
    depth: int = 0
    descriptor: int = -1


_held: dict[str, _Held] = {}
_registry = threading.Lock()


@contextlib.contextmanager
def locked(path: Path, git_dir: Path, holder: Mapping[str, str], wait: float) -> Iterator[bool]:
    """Hold the lock file ``path`` while the block runs; blocks of one thread may be inside each other, and the value
    says whether this one is outermost.

    ``holder`` is what others are told about us. Raises `VaultLocked` after ``wait`` seconds, naming the holder, and
    `MemgitError` when the vault cannot be written.
    """
    mine = _of_this_process(path)
    if not mine.turn.acquire(timeout=wait):
        raise _locked(path)
    try:
        if mine.depth == 0:
            mine.descriptor = _take(path, wait)
            _after_taking(mine.descriptor, git_dir, holder)
        mine.depth += 1
        try:
            yield mine.depth == 1
        finally:
            mine.depth -= 1
            if mine.depth == 0:
                _release(mine.descriptor)
    finally:
        mine.turn.release()


def clear_locks(git_dir: Path) -> None:
    """Remove what a killed git or libgit2 left to keep others out. Only under the vault's lock."""
    for left in (*git_dir.glob("*.lock"), *(git_dir / "refs").rglob("*.lock")):
        left.unlink(missing_ok=True)


def clear_litter(git_dir: Path, older_than: float = 0.0) -> None:
    """Remove half-written objects and packs last touched so many seconds ago.

    Only under the vault's lock, when its last holder died, or with an age that no living writer's files have.
    """
    latest = time.time() - older_than
    for pattern in _LITTER:
        for left in (*git_dir.glob(f"objects/{pattern}"), *git_dir.glob(f"objects/*/{pattern}")):
            _remove(left, latest)
    for left in git_dir.glob("objects/pack/pack-*"):
        if not left.with_suffix(".pack").exists():  # nothing can be read with an index alone
            _remove(left, latest)


def clear_half_written(git_dir: Path) -> None:
    """Remove small files that a killed memgit was about to put in place. Only under the vault's lock."""
    for pattern in _HALF_WRITTEN:
        for left in git_dir.glob(pattern):
            left.unlink(missing_ok=True)


def _remove(left: Path, latest: float) -> None:
    with contextlib.suppress(FileNotFoundError):
        if left.is_file() and left.stat().st_mtime <= latest:
            left.unlink()


def _of_this_process(path: Path) -> _Held:
    with _registry:
        held = _held.get(str(path))
        if held is None or held.process != os.getpid():  # after a fork the lock is the parent's
            held = _held[str(path)] = _Held()
        return held


def _take(path: Path, wait: float) -> int:
    deadline = time.monotonic() + wait
    while True:
        descriptor = _open(path)
        if try_lock(descriptor) and _is_still(path, descriptor):
            return descriptor
        os.close(descriptor)
        if time.monotonic() >= deadline:
            raise _locked(path)
        time.sleep(_PAUSE)


def _open(path: Path) -> int:
    with explained(path.parent.parent), private():
        return os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)


def _is_still(path: Path, descriptor: int) -> bool:
    """False when the file was replaced while we waited for it."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _after_taking(descriptor: int, git_dir: Path, holder: Mapping[str, str]) -> None:
    try:
        with explained(git_dir):
            died = os.fstat(descriptor).st_size > 0  # who releases the lock empties it
            clear_locks(git_dir)
            if died:
                clear_litter(git_dir)
                clear_half_written(git_dir)
            os.ftruncate(descriptor, 0)
            os.lseek(descriptor, 0, os.SEEK_SET)
            os.write(descriptor, json.dumps(dict(holder)).encode())
            point("locked")
    except BaseException:
        os.close(descriptor)
        raise


def _release(descriptor: int) -> None:
    with contextlib.suppress(OSError):
        os.ftruncate(descriptor, 0)
    os.close(descriptor)


def _locked(path: Path) -> VaultLocked:
    return VaultLocked(
        f"another memgit is writing to the vault {path.parent.parent.name}{_named(path)}",
        "Wait until it is done and try again; when that process ends, however it ends, the lock is free",
    )


def _named(path: Path) -> str:
    facts = read_json(path)
    said = [f"{key} {facts[key]}" for key in ("pid", "host", "command", "since") if key in facts]
    return f" ({', '.join(said)})" if said else ""
