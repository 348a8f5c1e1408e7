"""Recorded sessions: which a project has, what they come to, and what was said in them.

Claude Code's, and Codex's where it is used too: both belong to a project by the directory that they were recorded in.
"""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from memgit.core.passes.plan import newest_first, tokens_of_bytes
from memgit.core.prune.recalls import Recalls
from memgit.evidence.turns import Entry, resolve
from memgit.model.session import Message, OrphanStore, Provenance, Session, Survey
from memgit.model.times import time_of_seconds
from memgit.ports import Progress
from memgit.sessions.cache import Known, Learned, TranscriptCache, figures_of, learn, learn_all, open_cache
from memgit.sessions.orphans import orphan_stores
from memgit.sessions.pool import (
    Git,
    Head,
    Listing,
    Places,
    Stamp,
    TranscriptFile,
    list_rollouts,
    list_transcripts,
    live_worktrees,
    read_head,
)
from memgit.sessions.reader import LONGEST_LINE, Reading, recalls


class ClaudeTranscripts:
    """Reads the transcripts under ``projects_dir`` (``…/.claude/projects``), and those under ``rollouts``
    (``…/.codex/sessions``) where that is given; satisfies ``ports.Transcripts``.

    ``key`` gives the name of a directory's key folder, ``git`` runs git on the project's repository. ``cache_dir``
    holds what was read before (None: nothing is kept on disk). ``stores`` are paths of memory stores in use, which
    are therefore no orphans.
    """

    def __init__(
        self,
        projects_dir: str,
        *,
        key: Callable[[str], str],
        git: Git,
        cache_dir: str | None = None,
        stores: Iterable[str] = (),
        rollouts: str | None = None,
    ) -> None:
        self._projects_dir = projects_dir
        self._rollouts = rollouts
        self._key = key
        self._git = git
        self._stores = tuple(stores)
        self._cache = open_cache(cache_dir)
        self._elsewhere: Mapping[str, frozenset[str]] = {}

    def survey(self, project: str, progress: Progress) -> Survey:
        """The pool of the project at ``project``: the absolute path of its work tree, or of the directory without git.

        Sessions of other projects in the same key folder are reported and not read.
        """
        project = os.path.realpath(project) if Path(project).exists() else project
        try:
            return self._survey(project, progress)
        except sqlite3.Error as error:  # a damaged or locked cache must not cost the survey
            self._leave_cache(error)
            return self._survey(project, progress)

    def messages(self, session: Session) -> tuple[Message, ...]:
        """The kept messages of one session, oldest first; from the cache when the agent has deleted the file.

        What another session of the last survey owns (a fork copies the records it starts from) is left out.
        """
        try:
            entries = self._entries(session.path)
        except sqlite3.Error as error:
            self._leave_cache(error)
            entries = self._entries(session.path)
        resolved = resolve(entries, self._elsewhere.get(session.path, frozenset()))
        return tuple(_message(session.id, entry) for entry in resolved.kept)

    def recalls(self, sessions: Sequence[Session], store: str) -> Recalls:
        """When tools were last called for the memories of the store at a path."""
        return recalls(sessions, store)

    def _survey(self, project: str, progress: Progress) -> Survey:
        listing = self._listing()
        heads = self._heads(listing.files, progress)
        live = live_worktrees(self._git, project)
        places = Places(project, self._key, live, heads)
        shelf = _Shelf(progress)
        own = {file: None for file in listing.files if places.provenance(file) is Provenance.PROJECT}
        self._read_all(own, shelf)
        places.add_recorded(pair for known in shelf.known.values() for pair in known.reading.worktrees)
        pool = [file for file in listing.files if places.provenance(file)]
        self._read_all([file for file in pool if file not in own], shelf)
        self._cache.forget_missing()
        sessions, notes = self._sessions(pool, shelf, places)
        return Survey(
            known=bool(pool) or self._key(project) in listing.folders,
            sessions=tuple(newest_first(sessions)),
            worktrees=places.worktrees(pool),
            orphans=self._orphans(listing, places, pool, live.main or project),
            foreign=places.foreign(listing.files),
            notes=(*listing.notes, *shelf.notes, *notes),
        )

    def _listing(self) -> Listing:
        claude = list_transcripts(self._projects_dir)
        codex = list_rollouts(self._rollouts) if self._rollouts else Listing()
        return Listing(claude.folders, (*claude.files, *codex.files), (*claude.notes, *codex.notes))

    def _heads(self, files: Sequence[TranscriptFile], progress: Progress) -> dict[str, Head]:
        kept = self._cache.heads()
        heads: dict[str, tuple[Stamp, Head]] = {}
        anew: dict[str, tuple[Stamp, Head]] = {}
        for number, file in enumerate(files):
            found = kept.get(file.path)
            if found and found[0] == file.stamp:
                heads[file.path] = found
                continue
            progress.step("looking for the project's sessions", number, len(files))
            try:
                heads[file.path] = anew[file.path] = (file.stamp, read_head(file.path))
            except OSError:
                heads[file.path] = (file.stamp, Head())
        self._cache.keep_heads(anew)
        return {path: head for path, (_, head) in heads.items()}

    def _read_all(self, files: Collection[TranscriptFile], shelf: _Shelf) -> None:
        """Bring what is known of the files up to date: from the cache, by their new ends, or by reading them whole."""
        shelf.total += sum(file.stamp.size for file in files)
        unknown = []
        for file in files:
            known = self._cache.find(file.path)
            if known is None:
                unknown.append(file)
                continue
            try:
                self._put(shelf, file, self._renew(file.path, known))
            except OSError as error:
                self._put(shelf, file, error)
        with closing(learn_all(unknown)) as reading:  # what breaks off here ends those who read along
            for file, learned in reading:
                self._put(shelf, file, learned)

    def _put(self, shelf: _Shelf, file: TranscriptFile, found: Known | Learned | OSError) -> None:
        shelf.size += file.stamp.size
        shelf.progress.step("reading transcripts", shelf.size, shelf.total)
        match found:
            case Known():
                shelf.known[file.path] = found
            case Learned():
                kept = self._keep(file.path, found)
                shelf.known[file.path] = replace(kept.known, reading=kept.reading)
            case FileNotFoundError():
                pass  # the agent has just deleted it
            case OSError():
                shelf.notes.append(f"{file.path} could not be read: {found.strerror}")

    def _renew(self, path: str, known: Known) -> Known | Learned:
        """What is known, if the file has not changed, or what it came to now. Raises OSError."""
        if known.is_current(Stamp.of(Path(path).stat())):
            return known
        return learn(path, known, lambda: self._cache.entries(path))

    def _entries(self, path: str) -> tuple[Entry, ...]:
        """All entries of a file as it is now; as it was when it was last read, where it can no longer be."""
        known = self._cache.find(path)
        try:
            found = self._renew(path, known) if known else learn(path, None, tuple)
            if isinstance(found, Learned):
                return self._keep(path, found).entries
        except OSError:
            pass
        return self._cache.entries(path)

    def _keep(self, path: str, found: Learned) -> Learned:
        """Keep what was learned; where another process has kept something since, what it added to is not what it was,
        and the file is read anew."""
        if self._cache.keep(path, found.known, found.prose, after=found.after):
            return found
        anew = learn(path, None, tuple)
        self._cache.keep(path, anew.known, anew.prose, after=None)
        return anew

    def _sessions(
        self, pool: Sequence[TranscriptFile], shelf: _Shelf, places: Places
    ) -> tuple[list[Session], list[str]]:
        notes: list[str] = []
        taken: list[TranscriptFile] = []
        for file in pool:
            known = shelf.known.get(file.path)
            if known is None:
                continue
            if _is_no_transcript(known.reading):
                notes.append(f"{file.path} is no transcript of the agent; it was passed over")
                continue
            if known.reading.too_long:
                limit = LONGEST_LINE >> 20
                notes.append(f"{file.path}: {known.reading.too_long} line(s) longer than {limit} MiB were passed over")
            if known.reading.wrappers:
                named = ", ".join(f"<{name}>" for name in known.reading.wrappers)
                notes.append(f"{file.path}: messages inside {named}, which no known client writes, are nobody's words")
            taken.append(file)
        self._elsewhere = _owned_elsewhere(self._cache.shared({file.path for file in taken}), shelf.known)
        return [self._session(file, shelf.known[file.path], places) for file in taken], notes

    def _session(self, file: TranscriptFile, known: Known, places: Places) -> Session:
        reading, figures = known.reading, known.figures
        if elsewhere := self._elsewhere.get(file.path):
            figures = figures_of(resolve(self._entries(file.path), elsewhere))
        return Session(
            id=file.id,
            path=file.path,
            provenance=places.provenance(file) or Provenance.PROJECT,
            started=reading.started,
            ended=reading.ended or time_of_seconds(file.stamp.mtime_ns / 1e9),
            tokens=tokens_of_bytes(figures.size),
            messages=figures.messages,
            records=dict(Counter(reading.records) + Counter(figures.records)),
            broken_lines=reading.broken,
            cwd=reading.cwd,
            agent=file.agent,
            typed=tokens_of_bytes(figures.typed),
            whole=tokens_of_bytes(known.figures.size),
        )

    def _orphans(
        self, listing: Listing, places: Places, pool: Iterable[TranscriptFile], main: str
    ) -> tuple[OrphanStore, ...]:
        used = (*self._stores, str(Path(self._projects_dir, self._key(main), "memory")))
        worktrees = places.worktrees(pool)
        return orphan_stores(self._projects_dir, listing.folders, places.project, main, worktrees, used, self._key)

    def _leave_cache(self, error: sqlite3.Error) -> None:
        self._cache.abandon(error)
        self._cache = TranscriptCache()


@dataclass
class _Shelf:
    """What one survey has read so far, by path; what could not be read; the bytes done of those there are."""

    progress: Progress
    known: dict[str, Known] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    size: int = 0
    total: int = 0


def _message(session: str, entry: Entry) -> Message:
    assert entry.role is not None, "only what somebody said is kept"
    return Message(session, entry.record, entry.time, entry.role, entry.text, entry.origin, entry.taken_back)


def _is_no_transcript(reading: Reading) -> bool:
    return not reading.transcript and bool(reading.foreign_lines or reading.broken)


def _owned_elsewhere(shared: Mapping[str, set[str]], known: Mapping[str, Known]) -> dict[str, frozenset[str]]:
    """For each file the record ids that it shares with an older one, which owns them."""
    copies: dict[str, set[str]] = {}
    for uuid, paths in shared.items():
        for path in sorted(paths, key=lambda path: _age(path, known[path].reading))[1:]:
            copies.setdefault(path, set()).add(uuid)
    return {path: frozenset(uuids) for path, uuids in copies.items()}


def _age(path: str, reading: Reading) -> tuple[datetime, datetime, str]:
    """Sorts the older session first. A fork starts with the same record, and goes on longer."""
    return (reading.started or _FAR, reading.ended or _FAR, path)


_FAR = datetime.max.replace(tzinfo=UTC)
