"""Making a beads store what was decided: command by command, the least destructive first, each read back.

``bd`` overwrites and forgets without a word, so both stores lie beside the journal until all is done: whatever is cut
short is completed from them, or taken back where a command fails.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from memgit import files
from memgit.errors import MemgitError, StoreChanged, ToolFailed
from memgit.faults import point
from memgit.files import Journal
from memgit.memory.fingerprint import fingerprint
from memgit.model.store import StoreContent
from memgit.model.travel import Installed, Recovered
from memgit.stores.beads.bd import BeadsStore, values_of
from memgit.stores.kinds import completed_or_raised, described

WAY = "bd commands"

Values = Mapping[str, str]
"""The value of each memory by its key."""


class Phase(StrEnum):
    """How far an installation is."""

    STAGING = "staging"  # nothing has been written to the store
    COMMANDS = "commands"
    INSTALLED = "installed"


@dataclass(frozen=True)
class Job:
    """One installation, as the journal keeps it: the fingerprint of the store that shall be, and where both lie."""

    new: str = ""
    before: str = ""
    after: str = ""
    phase: Phase = Phase.INSTALLED
    kept: tuple[str, ...] = ()
    intent: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Job:
        """Read a journal entry back. Raises Damaged if it is none of ours."""
        with described():
            return cls(**{**entry, "phase": Phase(entry["phase"]), "kept": tuple(entry["kept"])})


@dataclass(frozen=True)
class BeadsInstaller:
    """Installs into one beads store. ``folder`` reads any folder that is laid out like a store."""

    store: BeadsStore
    folder: Callable[[Path], StoreContent]
    journal: Journal

    def read(self, folder: Path, /) -> StoreContent:
        """A candidate's folder: a file's mode and time are no part of this shape."""
        content = self.folder(folder)
        plain = {path: replace(file, mode=0o100644, mtime_ns=0) if not file.is_link else file
                 for path, file in content.files.items()}  # fmt: skip
        return replace(content, files=plain, folders=(), indexed=False)

    def refuse_unwritable(self, live: Path) -> None:
        """Raise if this user may not write the database."""
        if not live.stat().st_mode & stat.S_IWUSR or not os.access(live, os.W_OK):
            raise MemgitError(f"{live} is read-only.", f"Make it writable first: chmod u+w {live}")

    def in_place(self, aside: Path) -> BeadsInstaller:  # noqa: ARG002 - the port's signature
        """The same: it changes memory by memory in any case."""
        return self

    def install(
        self,
        live: Path,
        before: StoreContent,
        content: StoreContent,
        intent: Mapping[str, Any],
        _: Sequence[Path] = (),
        /,
    ) -> Installed:
        """Write what is new or other, then forget what goes; see ``StoreInstaller``."""
        self.refuse_unwritable(live)
        values_of(content)
        aside = self.journal.path.parent
        job = Job(
            new=fingerprint(content),
            before=str(files.free_name(aside / "beads-before")),
            after=str(files.free_name(aside / "beads-after")),
            phase=Phase.STAGING,
            intent=intent,
        )
        try:
            self.journal.write(asdict(job))
            self._stage(job, before, content)
            return self._installed(self._enter(job, Phase.COMMANDS))
        except (MemgitError, OSError) as error:
            return self._after(error)

    def begin(self, intent: Mapping[str, Any]) -> None:
        """Open the journal for a change that leaves the store as it is."""
        self.journal.write(asdict(Job(intent=intent)))

    def close(self) -> None:
        """Say that all is done: both copies go, the vault holds what they held."""
        entry = self.journal.read()
        if entry is not None:
            _clear(Job.of(entry))
        self.journal.close()

    def recover(self) -> Recovered | None:
        """Finish what was cut short, or take it back where a command fails; None if there is nothing.

        Raises what bd raises where neither is possible; then the journal stays and this can be run again.
        """
        entry = self.journal.read()
        if entry is None:
            return None
        job = Job.of(entry)
        match job.phase:
            case Phase.STAGING:
                return self._taken_back(job)
            case Phase.COMMANDS:
                return self._resumed(job)
            case Phase.INSTALLED:
                installed = Installed(WAY, kept=job.kept) if job.after else Installed("")
                return Recovered(job.intent, job.new, installed)

    def _stage(self, job: Job, before: StoreContent, content: StoreContent) -> None:
        for folder, store in ((job.before, before), (job.after, content)):
            files.build_tree(Path(folder), store, apart=store.files)
        if self.store.fingerprint() != fingerprint(before):
            raise StoreChanged(
                f"{self.store.resolution.path} was written to a moment ago; nothing has been changed.",
                "Run the command again.",
            )

    def _enter(self, job: Job, phase: Phase, kept: tuple[str, ...] = ()) -> Job:
        job = replace(job, phase=phase, kept=kept)
        self.journal.write(asdict(job))
        return job

    def _both(self, job: Job) -> tuple[Values, Values]:
        before, after = (values_of(self.read(Path(folder))) for folder in (job.before, job.after))
        return before, after

    def _installed(self, job: Job) -> Installed:
        job = self._enter(job, Phase.INSTALLED, self._converge(*self._both(job)))
        return Installed(WAY, kept=job.kept)

    def _resumed(self, job: Job) -> Recovered:
        try:
            return Recovered(job.intent, job.new, self._installed(job))
        except (MemgitError, OSError):
            before, after = self._both(job)
            kept = self._converge(after, before)
            return self._taken_back(job, tuple(f"{key} was written meanwhile and is left as it is." for key in kept))

    def _taken_back(self, job: Job, notes: tuple[str, ...] = ()) -> Recovered:
        _clear(job)
        self.journal.close()
        return Recovered(job.intent, job.new, None, notes)

    def _converge(self, known: Values, want: Values) -> tuple[str, ...]:
        """Make the store ``want`` that is ``known``, or anything between the two; keys that are neither are kept."""
        kept, now = [], self.store.bd.memories()
        for key, value in _steps(known, want):
            if now.get(key) == value:
                continue
            if now.get(key) != known.get(key):
                kept.append(key)
                continue
            self._put(key, value)
            now = self.store.bd.memories()
            if now.get(key) != value:
                self._put(key, known.get(key))
                raise ToolFailed(f"bd reported success, and {key[:80]!r} does not read back as it should.")
        return tuple(kept)

    def _put(self, key: str, value: str | None) -> None:
        point("before-bd")
        if value is None:
            self.store.bd.forget(key)
        else:
            self.store.bd.remember(key, value)
        point("bd")

    def _after(self, error: MemgitError | OSError) -> Installed:
        return completed_or_raised(
            error, self.recover, _unchanged, "Mend bd, then run `memgit recover`; it goes on where this stopped."
        )


def _unchanged(error: Exception) -> MemgitError:
    return MemgitError(f"The store could not be changed: {error}. It is as it was.")


def _steps(known: Values, want: Values) -> Iterator[tuple[str, str | None]]:
    """What is to be done, the least destructive first: new memories, changed ones, and only then what goes."""
    yield from ((key, want[key]) for key in sorted(want.keys() - known.keys()))
    yield from ((key, want[key]) for key in sorted(want.keys() & known.keys()) if want[key] != known[key])
    yield from ((key, None) for key in sorted(known.keys() - want.keys()))


def _clear(job: Job) -> None:
    for folder in filter(None, (job.before, job.after)):
        files.remove_tree(Path(folder))
