"""The only writer of ordinary files: build aside, bring to disk, rename or exchange; and the journal.

Every step that changes something passes a fault point, so that tests can cut it short there.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import re
import shutil
import stat
import sys
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from memgit.errors import Damaged, UsageError
from memgit.faults import point
from memgit.memory.file_names import folders_above
from memgit.model.store import StoreContent, StoreFile

PRIVATE_FOLDER = 0o700
_ASIDE = ".memgit-aside"
_AT_FDCWD = -100
_NOREPLACE, _EXCHANGE = 1, 2  # Linux, renameat2(2)
_DARWIN_FLAG = {_NOREPLACE: 4, _EXCHANGE: 2}  # macOS, renamex_np(2): RENAME_EXCL, RENAME_SWAP
_NO_SUCH_CALL = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})
_CANNOT = _NO_SUCH_CALL | {errno.EBUSY, errno.EXDEV, errno.EACCES, errno.EPERM, errno.EROFS}


class Unsupported(OSError):
    """This system or file system cannot do it here; another way must be taken."""


# --- single files -------------------------------------------------------------------------------------------------


def write_atomic(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Replace or create one file; after a crash it holds the old bytes or the new ones, both on disk.

    What dead processes were writing there goes.
    """
    remove_half_written(path.parent, path.name)
    _replace(path, path.with_name(f".{path.name}.{os.getpid()}.tmp"), data, mode)


def replace_file(path: Path, data: bytes) -> None:
    """The same for a file that one process at a time writes, under a lock: what a dead one left is written over."""
    aside = path.with_name(f"{path.name}.new")
    aside.unlink(missing_ok=True)
    _replace(path, aside, data, 0o600)


def replace_json(path: Path, facts: Mapping[str, Any]) -> None:
    """The same for a file of JSON."""
    replace_file(path, (json.dumps(facts, indent=1) + "\n").encode())


def read_json(path: Path) -> dict[str, Any]:
    """What a small file of JSON says; nothing where there is none, or none that can be read."""
    try:
        facts = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}


def remove_half_written(folder: Path, name: str | None = None) -> None:
    """Remove what ``write_atomic`` left of a file of this name (of any, where memgit alone writes) when it was killed.

    What another process may still be writing stays; so does what cannot be removed.
    """
    half = re.compile(rf"\.{'.+' if name is None else re.escape(name)}\.(\d+)\.tmp")
    with suppress(OSError):
        for left in list(folder.glob(".*.tmp")):
            if (found := half.fullmatch(left.name)) and not _runs(int(found[1])):
                left.unlink(missing_ok=True)


def _replace(path: Path, aside: Path, data: bytes, mode: int) -> None:
    try:
        _create(aside, data, mode)
        point(f"rename:{path.name}")
        aside.replace(path)
        point(f"{path.name}: renamed")
    except OSError:
        with suppress(OSError):
            aside.unlink()
        raise
    fsync_dir(path.parent)


def _create(path: Path, data: bytes, mode: int) -> None:
    """Write a file that must not exist yet, and bring it to disk."""
    point(f"create:{path.name}")
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        if hasattr(os, "fchmod"):
            os.fchmod(descriptor, stat.S_IMODE(mode))
        point(f"fsync:{path.name}")
        os.fsync(descriptor)


def put_file(path: Path, file: StoreFile) -> None:
    """Make ``path`` the given file or link, in one rename; mode and time are as the file says."""
    aside = path.with_name(aside_name(path.name))
    with suppress(FileNotFoundError):
        aside.unlink()  # left by a run that was cut short, under the same lock
    _place(aside, file)
    point("put-file")
    aside.replace(path)


def aside_name(name: str) -> str:
    """What ``put_file`` calls a file before it has its name: recognisable when a crash leaves it behind."""
    return f".{name[:200]}{_ASIDE}"


def is_aside(path: str) -> bool:
    """Whether a store's file is such a leftover."""
    return path.endswith(_ASIDE)


def remove_file(path: Path) -> None:
    """Remove one file or link that may be gone already."""
    point("remove-file")
    path.unlink(missing_ok=True)


# --- folders ------------------------------------------------------------------------------------------------------


def build_tree(folder: Path, content: StoreContent, *, like: Path | None = None, apart: Collection[str] = ()) -> None:
    """Write a whole store as a new folder, which appears under its name complete and on disk.

    Bytes, modes, links and empty folders are exact; a file's time is set where it is known
    (``mtime_ns`` is not 0). Folders get the modes that they have under ``like``, else 0700.
    ``apart`` are paths known to live side by side on the target; any others that differ only by
    case or Unicode form raise UsageError, because some file systems would make one of them.
    """
    _refuse_outside(content)
    refuse_collisions(content, apart)
    unfinished = _unfinished(folder)
    remove_tree(unfinished)  # left by a run that was cut short
    try:
        _build(unfinished, content, like)
        rename_noreplace(unfinished, folder)
    except OSError:
        with suppress(OSError):
            remove_tree(unfinished)
        raise
    fsync_dir(folder.parent)


def _build(unfinished: Path, content: StoreContent, like: Path | None) -> None:
    make_private_folder(unfinished)
    for name in folders(content):
        make_private_folder(unfinished / name)
    for file in content.files.values():
        _place(unfinished / file.path, file)
    if like is not None:
        take_modes(unfinished, content, like)
    sync_tree(unfinished)


def take_modes(folder: Path, content: StoreContent, like: Path) -> None:
    """Give a store and its folders the modes that those of the same names have under ``like``."""
    for name in (*folders(content), ""):
        if (like / name).is_dir():
            (folder / name).chmod(stat.S_IMODE((like / name).stat().st_mode))


def copy_file(source: Path, target: Path) -> None:
    """Copy the bytes of a file for oneself, to be thrown away soon: readable by its owner only, not brought to disk."""
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    shutil.copyfile(source, target)


def copy_tree(source: Path, target: Path) -> None:
    """Copy a folder, which appears under its new name complete and on disk; links stay links."""
    unfinished = _unfinished(target)
    remove_tree(unfinished)
    point("copy-folder")
    shutil.copytree(source, unfinished, symlinks=True)
    sync_tree(unfinished)
    rename_noreplace(unfinished, target)
    fsync_dir(target.parent)


def make_private_folder(folder: Path) -> None:
    """Make a folder that only its owner can enter; it must not exist yet. Missing parents are made too."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    point("make-folder")
    folder.mkdir(mode=PRIVATE_FOLDER)


def ensure_private_folder(folder: Path) -> None:
    """Make a folder, and those above it, that only their owner can enter; one that is there stays as it is."""
    with private():
        folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)


@contextmanager
def private() -> Iterator[None]:
    """Let what is created meanwhile be readable by its owner only, whatever the caller's umask says."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def _unfinished(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.memgit-unfinished")


def folders(content: StoreContent) -> list[str]:
    """Every folder of a store, parents before children."""
    needed = {folder for path in content.files for folder in folders_above(path)} | _with_parents(content.folders)
    return sorted(needed, key=lambda name: (name.count("/"), name))


def _place(path: Path, file: StoreFile) -> None:
    if file.is_link:
        point("make-link")
        path.symlink_to(os.fsdecode(file.data))
    else:
        _write_new(path, file)
    if file.mtime_ns and (not file.is_link or os.utime in os.supports_follow_symlinks):
        os.utime(path, ns=(file.mtime_ns, file.mtime_ns), follow_symlinks=not file.is_link)


def _write_new(path: Path, file: StoreFile) -> None:
    point("write-file")
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    except FileExistsError:
        raise UsageError(
            f"The file system takes {path.name!r} for the name of another file in the same folder.",
            "Rename one of the two; they differ only by case or Unicode form.",
        ) from None
    with os.fdopen(descriptor, "wb") as out:
        out.write(file.data)
        if hasattr(os, "fchmod"):
            os.fchmod(descriptor, stat.S_IMODE(file.mode))


def refuse_collisions(content: StoreContent, apart: Collection[str] = ()) -> None:
    """Raise UsageError naming two paths that differ only by case or Unicode form, unless ``apart`` holds both."""
    known = _with_parents(apart)
    seen: dict[str, str] = {}
    for path in sorted(_with_parents((*content.files, *content.folders))):
        other = seen.setdefault(_folded(path), path)
        if other != path and not (other in known and path in known):
            raise UsageError(
                f"{other!r} and {path!r} differ only by case or Unicode form, and some file systems keep only one.",
                "Rename one of the two.",
            )


def _refuse_outside(content: StoreContent) -> None:
    for path in (*content.files, *content.folders):
        if {"", ".", ".."}.intersection(path.split("/")):
            raise Damaged(
                f"{path!r} would lie outside of the store; nothing was written.", "Run `memgit check --full`."
            )


def _with_parents(paths: Iterable[str]) -> set[str]:
    return {each for path in paths for each in (path, *folders_above(path))}


def _folded(path: str) -> str:
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def remove_tree(path: Path) -> None:
    """Remove a folder that memgit made, or began to make or to remove; none is fine.

    It loses its name before its content, so that nobody takes a half of it for a whole. Refuses what memgit never
    makes: a link, a root, a home, a mount point.
    """
    if path.is_symlink() or path.parent == path or path == Path.home() or path.is_mount():
        raise UsageError(f"{path} is not a folder that memgit made; it is left alone.")
    doomed = _unfinished(path)
    _remove_nameless(doomed)
    if path.exists():
        point("doom-folder")
        rename(path, doomed)
        _remove_nameless(doomed)


def is_left(path: Path) -> bool:
    """Whether ``remove_tree`` has something to do: the folder is there, or what is left of one."""
    return path.is_dir() or _unfinished(path).exists()


def _remove_nameless(folder: Path) -> None:
    if folder.exists():
        point("remove-folder")
        shutil.rmtree(folder)
        fsync_dir(folder.parent)


def remove_leftovers(folder: Path, store: str) -> None:
    """Remove from ``folder`` what memgit was making or removing beside the store of this name when it was cut short.

    Only under the lock of the store's vault. What cannot be removed stays for the next time.
    """
    name = re.escape(store)
    beside = rf"{name}-(?:candidate|superseded)(?:-\d+)?(?:-session-digest)?"
    made = re.compile(rf"\.(?:{beside}|\.{name}\.memgit-staged(?:-\d+)?)\.memgit-unfinished")
    report = re.compile(rf"\.({name}-candidate(?:-\d+)?-REPORT\.md)\.\d+\.tmp")
    with suppress(OSError):
        for each in list(folder.iterdir()):
            if made.fullmatch(each.name):
                _remove_nameless(each)
            elif found := report.fullmatch(each.name):
                remove_half_written(folder, found[1])


def _runs(process: int) -> bool:
    """Whether another process may still be at work; where asking is not possible, it may."""
    if process == os.getpid():
        return False
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def remove_folder(path: Path) -> None:
    """Remove a folder if it is empty; anything in it stays."""
    with suppress(FileNotFoundError, NotADirectoryError):
        try:
            point("remove-empty-folder")
            path.rmdir()
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.EBUSY):
                raise


def free_name(path: Path) -> Path:
    """``path``, or the first of ``path-2``, ``path-3`` … that nothing has."""
    return next(name for name in _numbered(path) if not os.path.lexists(name))


def _numbered(path: Path) -> Iterator[Path]:
    yield path
    number = 2
    while True:
        yield path.with_name(f"{path.name}-{number}")
        number += 1


# --- renames ------------------------------------------------------------------------------------------------------


def exchange(one: Path, other: Path) -> None:
    """Swap two names in one atomic step. Raises Unsupported where that cannot be done."""
    point("exchange")
    _renameat2(one, other, _EXCHANGE)


def rename_noreplace(source: Path, target: Path) -> None:
    """Rename; FileExistsError if the target exists. Without kernel support a check precedes the rename."""
    point("rename")
    try:
        _renameat2(source, target, _NOREPLACE)
    except Unsupported as error:
        if error.errno not in _NO_SUCH_CALL:
            raise
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from None
        rename(source, target)


def rename(source: Path, target: Path) -> None:
    """Rename, onto an empty folder too.

    Raises Unsupported for a mount point, another file system, or a parent that may not be changed.
    """
    try:
        source.rename(target)
    except OSError as error:
        if error.errno in _CANNOT:
            raise Unsupported(*error.args) from error
        raise


def _renameat2(source: Path, target: Path, flag: int) -> None:
    name = {"linux": "renameat2", "darwin": "renamex_np"}.get(sys.platform, "")
    call = getattr(_libc(), name, None) if name else None
    if call is None:
        raise Unsupported(errno.ENOSYS, "no atomic exchange on this system", str(source))
    ends = os.fsencode(source), os.fsencode(target)
    if sys.platform == "darwin":
        failed = call(*ends, ctypes.c_uint(_DARWIN_FLAG[flag]))
    else:
        failed = call(_AT_FDCWD, ends[0], _AT_FDCWD, ends[1], ctypes.c_uint(flag))
    if failed:
        code = ctypes.get_errno()
        kind = Unsupported if code in _CANNOT else OSError
        raise kind(code, os.strerror(code), str(source), None, str(target))


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


# --- durability ---------------------------------------------------------------------------------------------------


def fsync_dir(folder: Path) -> None:
    """Bring a folder's entries to disk (a no-op where folders cannot be opened)."""
    if os.name == "nt":
        return
    point("fsync-folder")
    _fsync(folder)


def sync_tree(folder: Path) -> None:
    """Bring a whole folder to disk: its file system in one call, or file by file where there is no such call."""
    point("sync-tree")
    if can_sync_at_once():
        sync_file_system(folder)
    else:
        _sync_each(folder)


def can_sync_at_once() -> bool:
    """Whether one call brings everything written to a file system to disk (Linux)."""
    return _syncfs() is not None


def sync_file_system(path: Path) -> None:
    """Bring everything written to the file system of ``path`` to disk; nothing where no call does that."""
    if (call := _syncfs()) is None:
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        if call(descriptor):
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code), str(path))
    finally:
        os.close(descriptor)


@cache
def _syncfs() -> ctypes._NamedFuncPointer | None:
    return getattr(_libc(), "syncfs", None) if sys.platform == "linux" else None


def _sync_each(folder: Path) -> None:
    for parent, _, names in os.walk(folder, topdown=False):
        for name in names:
            path = Path(parent, name)
            if not path.is_symlink():
                _fsync(path)
        if os.name != "nt":
            _fsync(Path(parent))


def _fsync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# --- the journal --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Journal:
    """One small JSON file that says what is being done to a live store; there only while it is being done."""

    path: Path

    def read(self) -> dict[str, Any] | None:
        """What is under way, or None. Raises Damaged where the file is no journal."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return None
        try:
            entry = json.loads(data)
        except ValueError:
            entry = None
        if not isinstance(entry, dict):
            raise Damaged(
                f"The journal {self.path} cannot be read.",
                "Compare the live store with `memgit status`, then move this file away.",
            )
        return entry

    def write(self, entry: Mapping[str, Any]) -> None:
        """Replace the journal; it is on disk when this returns. Names that are not UTF-8 survive."""
        replace_json(self.path, entry)

    def close(self) -> None:
        """Remove the journal: what it spoke of is done."""
        point("close-journal")
        self.path.unlink(missing_ok=True)
        with suppress(OSError):  # all is done: a journal that comes back has nothing left to do
            fsync_dir(self.path.parent)


# --- notebooks ----------------------------------------------------------------------------------------------------


class Taken(OSError):
    """Another process holds it."""


@dataclass(frozen=True)
class Notebook:
    """A file of lines that one process at a time adds to. A line is on disk when ``add`` returns; one that was cut
    short as it was written goes when the file is opened again."""

    path: Path
    descriptor: int

    @classmethod
    def open(cls, path: Path) -> Notebook:
        """Hold the file, which is made if it is not there. Raises Taken while another process does."""
        if not path.parent.is_dir():
            make_private_folder(path.parent)
        while True:
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
            held = cls(path, os.open(path, flags, 0o600))
            if not try_lock(held.descriptor):
                os.close(held.descriptor)
                raise Taken(errno.EWOULDBLOCK, "held by another process", str(path))
            if held._is_in_place():
                held._drop_half_line()
                return held
            os.close(held.descriptor)  # it was removed by the process that held it before

    def lines(self) -> list[bytes]:
        """All lines, oldest first."""
        return self._bytes().split(b"\n")[:-1]

    def add(self, line: bytes) -> None:
        """Add one line. Raises OSError, and then nothing was added."""
        if not self._is_in_place():
            raise FileNotFoundError(errno.ENOENT, "it was moved or replaced meanwhile", str(self.path))
        size = os.fstat(self.descriptor).st_size
        try:
            point("notebook-line")
            if os.write(self.descriptor, line + b"\n") <= len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
            os.fsync(self.descriptor)
        except OSError:
            with suppress(OSError):
                os.ftruncate(self.descriptor, size)
            raise

    def clear(self) -> None:
        """Forget all lines."""
        point("clear-notebook")
        os.ftruncate(self.descriptor, 0)
        os.fsync(self.descriptor)

    def close(self) -> None:
        """Let go of the file, and remove it if nothing is in it."""
        if self._is_in_place() and not self._bytes():
            self.path.unlink(missing_ok=True)
        os.close(self.descriptor)

    def _bytes(self) -> bytes:
        os.lseek(self.descriptor, 0, os.SEEK_SET)
        with os.fdopen(os.dup(self.descriptor), "rb") as file:
            return file.read()

    def _is_in_place(self) -> bool:
        try:
            return os.path.samestat(self.path.stat(), os.fstat(self.descriptor))
        except FileNotFoundError:
            return False

    def _drop_half_line(self) -> None:
        data = self._bytes()
        os.ftruncate(self.descriptor, data.rfind(b"\n") + 1)


_BEYOND = 1 << 30


def try_lock(descriptor: int) -> bool:
    """Lock an open file for this process if nobody holds it. A process that ends, however it ends, lets go."""
    try:
        try:
            import fcntl
        except ImportError:  # Windows
            import msvcrt

            os.lseek(descriptor, _BEYOND, os.SEEK_SET)  # a locked byte cannot be read by others
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
