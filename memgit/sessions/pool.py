"""The transcript files under the agent's projects folder, and what the head of each tells cheaply."""

from __future__ import annotations

import io
import json
import os
import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Protocol

from memgit.errors import ToolFailed
from memgit.evidence.findings import printable_name
from memgit.model.session import Agent, Provenance, Worktree
from memgit.model.times import time_of_seconds
from memgit.reading import beginning
from memgit.sessions.codex import CODEX, PATTERN, is_rollout
from memgit.sessions.reader import blocks
from memgit.sessions.records import CLAUDE, Format, decode_line, records_in

_HEAD = 1 << 18  # bytes searched for worktree records at the start of a foreign transcript
_FAR = 1 << 26  # bytes in which a directory is looked for; no client writes as much before it names one
_TAIL = 1 << 18  # and at its end, where the client repeats its side records
_MARK = b"worktree-state"


@dataclass(frozen=True, slots=True)
class Stamp:
    """What changes when a file does: who puts its time back (``rsync``, say) does not put back when that was done."""

    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        return cls(status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


@dataclass(frozen=True, slots=True)
class TranscriptFile:
    """One top-level ``*.jsonl`` of a key folder, or a rollout of Codex, which is in none (``folder`` is empty). ``id``
    is the session's: the file's stem, whatever no text may hold escaped."""

    path: str
    folder: str
    stamp: Stamp

    @property
    def id(self) -> str:
        return printable_name(os.fsencode(Path(self.path).stem).decode("utf-8", "backslashreplace"))

    @property
    def agent(self) -> Agent:
        return Agent.CODEX if is_rollout(self.path) else Agent.CLAUDE


@dataclass(frozen=True, slots=True)
class Listing:
    """All key folders by name, their transcripts, and sentences about what was passed over."""

    folders: tuple[str, ...] = ()
    files: tuple[TranscriptFile, ...] = ()
    notes: tuple[str, ...] = ()


def list_transcripts(projects_dir: str) -> Listing:
    """List what is under the projects folder; sub-agents' files are no sessions.

    A link is followed only where it stays inside the projects folder.
    """
    top = Path(projects_dir)
    folders: list[str] = []
    files: dict[str, TranscriptFile] = {}
    notes: list[str] = []
    for folder in _children(top, notes):
        if not folder.is_dir() or not _stays_inside(folder, top, notes):
            continue
        folders.append(folder.name)
        for path in _children(folder, notes):
            if path.suffix == ".jsonl" and not path.name.startswith("agent-") and _stays_inside(path, top, notes):
                _add(path, folder.name, files, notes)
    return Listing(tuple(folders), tuple(files.values()), tuple(notes))


def list_rollouts(sessions_dir: str) -> Listing:
    """List what Codex recorded, in folders by day. A link is followed only where it stays inside."""
    top = Path(sessions_dir)
    files: dict[str, TranscriptFile] = {}
    notes: list[str] = []
    for path in sorted(top.glob(PATTERN)):
        if _stays_inside(path, top, notes):
            _add(path, "", files, notes)
    return Listing((), tuple(files.values()), tuple(notes))


def format_of(path: str) -> Format:
    """How a transcript is written, by its name."""
    return CODEX if is_rollout(path) else CLAUDE


def _children(folder: Path, notes: list[str]) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except FileNotFoundError:
        return []
    except OSError as error:
        notes.append(f"{folder} could not be listed: {error.strerror}")
        return []


def _stays_inside(path: Path, top: Path, notes: list[str]) -> bool:
    if not path.is_symlink() or _real(path).is_relative_to(_real(top)):
        return True
    notes.append(f"{path} is a link that leads out of the {top.name} folder; it was not read")
    return False


def _add(path: Path, folder: str, files: dict[str, TranscriptFile], notes: list[str]) -> None:
    real = _real(path) if path.is_symlink() else path
    try:
        if real.is_file():
            files.setdefault(str(real), TranscriptFile(str(real), folder, Stamp.of(real.stat())))
    except FileNotFoundError:
        return  # the agent has just deleted it
    except OSError as error:
        notes.append(f"{path} could not be looked at: {error.strerror}")


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))  # Path.resolve raises on a loop of links


@dataclass(frozen=True, slots=True)
class Head:
    """The first directory that a transcript records, and its worktree records as (original directory, worktree)."""

    cwd: str | None = None
    worktrees: tuple[tuple[str, str], ...] = ()


def read_head(path: str) -> Head:
    """Look at a transcript without reading it: its first records, and a byte search of head and tail."""
    with Path(path).open("rb") as file:
        data = file.read(_HEAD)
        cwd = _first_cwd(data, file, format_of(path))
        if file.seek(0, os.SEEK_END) > _HEAD:
            file.seek(max(_HEAD, file.tell() - _TAIL))
            data += b"\n" + file.read()
    return Head(cwd, tuple(dict.fromkeys(_worktrees(data))))


def _first_cwd(head: bytes, rest: BinaryIO, how: Format) -> str | None:
    """The first directory recorded, which nearly always stands in the first line or two."""
    for start, end in _lines(head):
        for record in decode_line(head[start:end], how=how).records:
            if record.cwd:
                return record.cwd
    if len(head) < _HEAD:
        return None
    rest.seek(0)
    records = (record for block in blocks(io.BytesIO(rest.read(_FAR))) for record in records_in(block.data, how))
    return next((record.cwd for record in records if record.cwd), None)


def _lines(data: bytes) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(data):
        end = data.find(b"\n", start)
        yield start, len(data) if end < 0 else end
        start = len(data) if end < 0 else end + 1


def _worktrees(data: bytes) -> Iterator[tuple[str, str]]:
    if _MARK not in data:
        return
    for line in data.split(b"\n"):
        if _MARK not in line:
            continue
        for record in decode_line(line).records:
            worktree = record.worktree_session
            if worktree and worktree.original_cwd and worktree.worktree_path:
                yield worktree.original_cwd, worktree.worktree_path


# --- worktrees ---
# Which recorded directories belong to a project: its root, its worktrees, and what lies inside them.


class Finished(Protocol):
    """How a program ended."""

    @property
    def code(self) -> int: ...
    @property
    def out(self) -> bytes: ...


Git = Callable[..., Finished]
"""``git(args, *, cwd)``: runs git on a project's repository; raises ``ToolFailed`` when it cannot be run."""

_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\|[A-Za-z]:\Z")
_WINDOWS_MOUNT = re.compile(r"/mnt/[A-Za-z](/|\Z)")  # WSL: a Windows drive, which folds case


def parts(path: str) -> tuple[str, ...]:
    r"""The segments of a recorded directory, so that ``/p/app`` and ``/p/app-old`` never mix.

    Windows paths (``C:\p``, ``c:/P``, ``\\?\C:\p``) compare by their letters alone, without case.
    """
    path = path.removeprefix("\\\\?\\")
    if _WINDOWS.match(path):
        path = path.replace("\\", "/").casefold()
    elif _WINDOWS_MOUNT.match(path):
        path = path.casefold()
    anchor = ("/",) if path.startswith("/") else ()
    return (*anchor, *(part for part in posixpath.normpath(path).split("/") if part not in ("", ".")))


@dataclass(frozen=True, slots=True)
class Home:
    """A directory whose sessions belong to the project, and the source that led to it."""

    path: str
    provenance: Provenance


class Homes:
    """The homes of one project. The first source that names a path wins; the deepest home owns a directory."""

    def __init__(self, homes: Iterable[Home]) -> None:
        unique: dict[tuple[str, ...], Home] = {}
        for home in homes:
            unique.setdefault(parts(home.path), home)
        self.all = tuple(unique.values())
        self._by_depth = sorted(unique.items(), key=lambda pair: len(pair[0]), reverse=True)
        self._owners: dict[str, Home | None] = {}

    def owner(self, cwd: str) -> Home | None:
        """The home that a session started in ``cwd`` belongs to."""
        if cwd not in self._owners:
            self._owners[cwd] = self._find(cwd)
        return self._owners[cwd]

    def _find(self, cwd: str) -> Home | None:
        place = parts(cwd)
        for outer, home in self._by_depth:
            if place[: len(outer)] == outer:
                return _unlisted_worktree(cwd, home) or (None if _in_nested_repository(cwd, home.path) else home)
        return None


def _unlisted_worktree(cwd: str, home: Home) -> Home | None:
    """The client makes its worktrees in ``.claude/worktrees/<name>``; one that git no longer lists is still one."""
    outer, place = parts(home.path), parts(cwd)
    depth = len(outer)
    if place[depth : depth + 2] != (".claude", "worktrees") or len(place) < depth + 3:
        return None
    return Home(_ancestor(cwd, len(place) - depth - 3), Provenance.MATCHED)


def _ancestor(path: str, levels: int) -> str:
    for _ in range(levels):
        path = re.sub(r"[\\/]+[^\\/]*[\\/]*\Z", "", path)
    return path


def _in_nested_repository(cwd: str, root: str) -> bool:
    """True when a directory between the two is a repository of its own: a submodule, or any project
    of a person whose home directory is under git."""
    levels = len(parts(cwd)) - len(parts(root))
    return any(Path(_ancestor(cwd, level), ".git").exists() for level in range(levels))


@dataclass(frozen=True, slots=True)
class LiveWorktrees:
    """What ``git worktree list`` says: the main checkout (or bare repository) and all checkouts."""

    main: str | None = None
    paths: tuple[str, ...] = ()


def live_worktrees(git: Git, root: str) -> LiveWorktrees:
    """Ask git for the worktrees of the repository at ``root``; nothing where there is no git."""
    listing = ["worktree", "list", "--porcelain"]
    try:
        result, end = git([*listing, "-z"], cwd=root), b"\0"
        if result.code != 0:  # git before 2.36 has no -z
            result, end = git(listing, cwd=root), b"\n"
    except (ToolFailed, OSError):
        return LiveWorktrees()
    if result.code != 0:
        return LiveWorktrees()
    entries = [entry.split(end) for entry in result.out.split(end + end) if entry]
    named = [(os.fsdecode(entry[0].removeprefix(b"worktree ")), b"bare" in entry) for entry in entries]
    return LiveWorktrees(named[0][0] if named else None, tuple(path for path, bare in named if not bare))


# --- places ---
# Which of the agent's transcripts belong to one project, and which source led to each.

_LONGEST_KEY = 200


class Places:
    """The homes of one project against the heads of all transcripts.

    A key folder's name cannot be read backwards (``a-b``, ``a/b`` and ``a_b`` share one), so that the
    directory recorded in a transcript decides, and the name only where there is none.
    """

    def __init__(self, project: str, key: Callable[[str], str], live: LiveWorktrees, heads: Mapping[str, Head]) -> None:
        self.project = project
        self._key = key
        self._heads = heads
        self._named = [Home(project, Provenance.PROJECT), *(Home(path, Provenance.LIVE) for path in live.paths)]
        self.homes = self._with_matched(self._named)

    def add_recorded(self, worktrees: Iterable[tuple[str, str]]) -> None:
        """Take in the worktrees that the project's own transcripts record creating."""
        recorded = [
            Home(path, Provenance.RECORDED) for original, path in worktrees if self.homes.owner(original) is not None
        ]
        self.homes = self._with_matched([*self._named, *recorded])

    def _with_matched(self, named: Sequence[Home]) -> Homes:
        known = Homes(named)
        pairs = (pair for head in self._heads.values() for pair in head.worktrees)
        matched = [Home(path, Provenance.MATCHED) for original, path in pairs if known.owner(original) is not None]
        return Homes([*named, *matched])

    def home(self, file: TranscriptFile) -> Home | None:
        """The home that a transcript belongs to, or None when it is another project's."""
        cwd = self._heads[file.path].cwd
        if cwd is not None:
            return self.homes.owner(cwd)
        return next((home for home in self.homes.all if self._key(home.path) == file.folder), None)

    def provenance(self, file: TranscriptFile) -> Provenance | None:
        """The source that led to a transcript; a session of the project kept under a foreign key was matched."""
        home = self.home(file)
        if home is None:
            return None
        if file.folder and home.provenance is Provenance.PROJECT and not self._is_under_key(file.folder, home):
            return Provenance.MATCHED
        return home.provenance

    def _is_under_key(self, folder: str, home: Home) -> bool:
        return folder.casefold().startswith(self._key(home.path)[:_LONGEST_KEY].casefold())

    def worktrees(self, pool: Iterable[TranscriptFile]) -> tuple[Worktree, ...]:
        """All worktrees of the project, those of the pool included that only their own sessions name."""
        homes = Homes([*self.homes.all, *(home for file in pool if (home := self.home(file)))])
        return tuple(
            Worktree(home.path, home.provenance) for home in homes.all if home.provenance is not Provenance.PROJECT
        )

    def foreign(self, files: Iterable[TranscriptFile]) -> tuple[tuple[str, str], ...]:
        """Transcripts in the project's own key folder that another project's sessions wrote, with their directory."""
        own = self._key(self.project)
        return tuple(
            (file.path, cwd)
            for file in files
            if file.folder == own and (cwd := self._heads[file.path].cwd) and self.home(file) is None
        )


# --- kept ---
# Which transcripts the agent still has of some sessions: when each was last written, what its deletion goes by, and
# where its session ran.

_NO_TIME = datetime.fromtimestamp(0, UTC)
_CWD = re.compile(rb'"cwd"\s*:\s*("(?:[^"\\]|\\.)*")')


@dataclass(frozen=True, slots=True)
class Kept:
    """One transcript that is there."""

    path: str
    written: datetime

    @property
    def cwd(self) -> str:
        """The directory that it was recorded in; empty where it does not say."""
        found = _CWD.search(beginning(self.path, _HEAD))
        try:
            return str(json.loads(found[1])) if found else ""
        except ValueError:
            return ""


def kept(projects_dir: str, sessions: Collection[str]) -> dict[str, Kept]:
    """The transcripts that are there of these sessions, whichever folder they are in."""
    wanted = {f"{session}.jsonl": session for session in sessions}
    found: dict[str, Kept] = {}
    for folder in _entries(projects_dir) if wanted else ():
        for entry in _entries(folder.path):
            if entry.name in wanted:
                found[wanted[entry.name]] = Kept(entry.path, time_of_seconds(entry.stat().st_mtime) or _NO_TIME)
    return found


def oldest(folder: str) -> datetime | None:
    """When the oldest transcript of a folder was last written; None where it holds none."""
    ages = [age for entry in _entries(folder) if entry.name.endswith(".jsonl") and (age := _age(entry))]
    return datetime.fromtimestamp(min(ages), UTC) if ages else None


def newest_directories(folder: str, most: int = 3) -> list[str]:
    """The directories that the newest transcripts of a folder were recorded in, each once."""
    paths = sorted((entry for entry in _entries(folder) if entry.name.endswith(".jsonl")), key=_age, reverse=True)
    found = (Kept(entry.path, _NO_TIME).cwd for entry in paths[:most])
    return list(dict.fromkeys(cwd for cwd in found if cwd))


def _age(entry: os.DirEntry[str]) -> float:
    try:
        return entry.stat().st_mtime
    except OSError:
        return 0.0


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
