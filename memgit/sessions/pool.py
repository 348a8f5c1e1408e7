"""The transcript files under the agent's projects folder, and what the head of each tells cheaply."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from memgit.evidence.findings import printable_name
from memgit.model.session import Agent
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
