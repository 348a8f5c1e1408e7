"""Putting a new store in the place of the live one: wholly, or not at all.

A new store is built aside and brought to disk (or is at hand: a candidate's own folder, the copy of a former store),
then installed by the first way that works: an atomic exchange of the two folders; two renames; file by file in place
(a bind mount refuses the first two). The journal says what is under way, so that ``recover`` can finish or take back
whatever was cut short.
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
from memgit.errors import Damaged, MemgitError, StoreChanged, UsageError
from memgit.faults import point
from memgit.files import Journal, Unsupported
from memgit.memory.fingerprint import fingerprint
from memgit.memory.index_edit import refuse_other_index
from memgit.model.store import INDEX, StoreContent, StoreFile
from memgit.model.travel import Installed, Recovered
from memgit.stores.kinds import completed_or_raised, described
from memgit.stores.linked_index import text_behind


class Way(StrEnum):
    """How a store can be installed."""

    EXCHANGE = "exchange"
    RENAMES = "renames"
    IN_PLACE = "in place"


WAYS = (Way.EXCHANGE, Way.RENAMES, Way.IN_PLACE)
"""In the order in which they are tried."""


class Phase(StrEnum):
    """How far an installation is; each is in the journal before its first step is taken."""

    STAGING = "staging"  # the live store is untouched, the new one is being built
    COPYING = "copying"  # the live store is untouched and being copied, because it will be changed in place
    EXCHANGE = "exchange"
    RENAMES = "renames"
    IN_PLACE = "in place"
    INSTALLED = "installed"  # what is left to do concerns the vault and what lies beside the store


@dataclass(frozen=True)
class Job:
    """One installation, as the journal keeps it.

    ``old`` and ``new`` are the fingerprints of the store before and after. ``live_id`` and
    ``staged_id`` are device and inode of the two folders: they tell which is which even when an
    agent has written into one of them since. ``carried`` names what other tools keep in the store
    and the live store takes along. ``taken`` is the name under which the staged folder was at hand, and which it
    gets again when all is taken back. ``linked`` is the target of the link that the live store's index is, whose text
    stays. ``intent`` is the caller's, who gets it back from a recovery.
    """

    live: str
    staged: str
    superseded: str
    old: str
    new: str
    phase: Phase = Phase.STAGING
    way: str = ""
    live_id: tuple[int, int] | None = None
    staged_id: tuple[int, int] | None = None
    carried: tuple[str, ...] = ()
    taken: str = ""
    linked: str = ""
    intent: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Job:
        """Read a journal entry back. Raises Damaged if it is none of ours."""
        with described():
            return cls(
                **{
                    **entry,
                    "phase": Phase(entry["phase"]),
                    "live_id": _pair(entry["live_id"]),
                    "staged_id": _pair(entry["staged_id"]),
                    "carried": tuple(entry["carried"]),
                }
            )


def _pair(value: Any) -> tuple[int, int] | None:
    return None if value is None else (int(value[0]), int(value[1]))


@dataclass(frozen=True)
class Installer:
    """Installs stores. ``read`` gives the content of any folder; ``ways`` are tried in order.

    ``aside`` is the folder in which new and superseded stores lie; without one they lie beside the
    live store, or next to the journal where that place cannot be written.
    """

    read: Callable[[Path], StoreContent]
    journal: Journal
    ways: tuple[Way, ...] = WAYS
    aside: Path | None = None

    def in_place(self, aside: Path) -> Installer:
        """The same installer, writing file by file into the folder that is there; what it makes lies in ``aside``."""
        return replace(self, ways=(Way.IN_PLACE,), aside=aside)

    # --- installing ---

    def install(
        self,
        live: Path,
        before: StoreContent,
        content: StoreContent,
        intent: Mapping[str, Any],
        at_hand: Sequence[Path] = (),
        /,
    ) -> Installed:
        """Make the live store ``content``, which has been ``before``.

        ``at_hand`` are folders of memgit's own that nobody needs afterwards: one that already is ``content`` goes live
        itself, so that nothing is written twice. The journal stays open with ``intent`` until ``close``, so that the
        caller's own record of the change can be completed after a crash too. Raises StoreChanged if the live store is
        no longer ``before``, UsageError or MemgitError if it cannot be written, WrongState if its index is a link and
        is to hold another text; then nothing has changed. Raises Unfinished if an error could be neither completed nor
        taken back.
        """
        live = Path(os.path.realpath(live))
        refuse_unwritable(live)
        refuse_other_index(str(live), before, content)
        job = self._job(live, before, content, intent)
        try:
            self.journal.write(asdict(job))
            installed = self._carry_out(job, before, content, at_hand)
        except (MemgitError, OSError) as error:
            installed = self._after(error)
        return replace(installed, notes=(*installed.notes, *_read_back(live, content)))

    @staticmethod
    def refuse_unwritable(live: Path) -> None:
        """Raise before anything is begun if the live store cannot be replaced by this user."""
        refuse_unwritable(Path(os.path.realpath(live)))

    def begin(self, intent: Mapping[str, Any]) -> None:
        """Open the journal for a change that leaves the live store as it is."""
        self.journal.write(asdict(Job("", "", "", "", "", Phase.INSTALLED, intent=intent)))

    def close(self) -> None:
        """Say that everything that the journal's intent asked for is done."""
        self.journal.close()

    def _job(self, live: Path, before: StoreContent, content: StoreContent, intent: Mapping[str, Any]) -> Job:
        place = self._place(live)
        return Job(
            live=str(live),
            staged=str(files.free_name(place / f".{live.name}.memgit-staged")),
            superseded=str(files.free_name(place / f"{live.name}-superseded")),
            old=fingerprint(before),
            new=fingerprint(content),
            carried=(*before.foreign, *before.special),
            linked=os.fsdecode(before.index.link) if before.index else "",
            intent=intent,
        )

    def _place(self, live: Path) -> Path:
        if self.aside is not None:
            return self.aside
        return self.journal.path.parent if live.exists() and not os.access(live.parent, os.W_OK) else live.parent

    def _carry_out(self, job: Job, before: StoreContent, content: StoreContent, at_hand: Sequence[Path]) -> Installed:
        live = Path(job.live)
        if content.exists:
            job = self._staged(job, content, at_hand)
        if fingerprint(self.read(live)) != job.old:
            raise StoreChanged(
                f"{live} was written to a moment ago; nothing has been changed.", "Run the command again."
            )
        job = replace(job, live_id=_identity(live), staged_id=_identity(Path(job.staged)))
        for way in self._possible(job):
            try:
                return _INSTALL[way](self, job, before)
            except Unsupported:
                continue
        raise MemgitError(f"{live} can be replaced neither by exchange nor by renames nor in place.")

    def _staged(self, job: Job, content: StoreContent, at_hand: Sequence[Path]) -> Job:
        """The job once its new store lies staged and on disk. Raises Damaged if it is not what it should be."""
        for folder in {Path(job.live).parent, Path(job.staged).parent}:
            folder.mkdir(parents=True, exist_ok=True)
        for folder in at_hand:
            if (taking := self._take(job, content, folder)) is not None:
                return taking
        self._build(job, content)
        return job

    def _take(self, job: Job, content: StoreContent, folder: Path) -> Job | None:
        """Stage a folder that already is the new store; it stays where it is, and None is returned, if it is not."""
        if folder.is_symlink() or not folder.is_dir() or folder.is_mount():
            return None
        taking = replace(job, taken=str(folder))
        self.journal.write(asdict(taking))
        if self._takes(taking, content):
            return taking
        self.journal.write(asdict(job))
        return None

    def _takes(self, job: Job, content: StoreContent) -> bool:
        """Looked at only under its new name, where nobody else writes; another file system keeps it where it is."""
        folder, staged = Path(job.taken), Path(job.staged)
        try:
            files.rename_noreplace(folder, staged)
        except Unsupported:
            return False
        if not _is_wholly(self.read(staged), content):
            files.rename_noreplace(staged, folder)
            return False
        files.take_modes(staged, content, like=Path(job.live))
        files.sync_tree(staged)
        files.fsync_dir(staged.parent)
        return True

    def _build(self, job: Job, content: StoreContent) -> None:
        staged = Path(job.staged)
        # Whoever makes a new content refuses names that collide; a former store must come back as it was.
        files.build_tree(staged, content, like=Path(job.live), apart=content.files)
        if fingerprint(self.read(staged)) != job.new:
            raise Damaged(f"The file system did not keep what was written to {staged}; the store is untouched.")

    def _possible(self, job: Job) -> Iterator[Way]:
        """A folder of another tool that is a mount point can not be carried by a rename."""
        carried = [Path(job.live, name) for name in job.carried]
        fixed = any(path.is_mount() for path in carried)
        for way in self.ways:
            if way is Way.EXCHANGE and not (job.live_id and job.staged_id):
                continue
            if way is Way.IN_PLACE or not fixed:
                yield way

    def _by_exchange(self, job: Job, _: StoreContent) -> Installed:
        job = self._enter(job, Phase.EXCHANGE, Way.EXCHANGE)
        files.exchange(Path(job.staged), Path(job.live))
        return self._finish_swap(job)

    def _by_renames(self, job: Job, _: StoreContent) -> Installed:
        job = self._enter(job, Phase.RENAMES, Way.RENAMES)
        if job.live_id:
            files.rename_noreplace(Path(job.live), Path(job.superseded))
        notes = self._move_in(job) if job.staged_id else ()
        return self._finish_swap(job, notes)

    def _move_in(self, job: Job) -> tuple[str, ...]:
        """The second rename. A store that an agent made in the gap is put aside, not overwritten."""
        notes = self._make_way(Path(job.live))
        point("rename")
        files.rename(Path(job.staged), Path(job.live))
        return notes

    def _make_way(self, live: Path) -> tuple[str, ...]:
        if not _holds_anything(live):
            return ()
        late = files.free_name(self._place(live) / f"{live.name}-late")
        files.rename_noreplace(live, late)
        return (f"While the store was being replaced something made another one in its place; it is kept as {late}.",)

    def _in_place(self, job: Job, before: StoreContent) -> Installed:
        job = self._enter(job, Phase.COPYING, Way.IN_PLACE)
        if before.exists:
            files.build_tree(Path(job.superseded), before, like=Path(job.live), apart=before.files)
        job = self._enter(job, Phase.IN_PLACE, Way.IN_PLACE)
        return self._finish_in_place(job)

    def _enter(self, job: Job, phase: Phase, way: Way) -> Job:
        job = replace(job, phase=phase, way=way.value)
        self.journal.write(asdict(job))
        return job

    # --- the second half of each way; a recovery enters here ---

    def _finish_swap(self, job: Job, notes: tuple[str, ...] = ()) -> Installed:
        """The new store is live: carry over what other tools keep, give the old one its name."""
        live, superseded = Path(job.live), Path(job.superseded)
        old = superseded if superseded.exists() else Path(job.staged)
        left = self._carry_over(old, live, job.carried) if job.live_id else ()
        if job.live_id and old != superseded:
            files.rename_noreplace(old, superseded)
        if job.linked:
            _keep_link(live / INDEX, superseded / INDEX, job.linked)
        for folder in {live.parent, superseded.parent}:
            files.fsync_dir(folder)
        return self._report(self._enter(job, Phase.INSTALLED, Way(job.way)), (*notes, *left))

    def _carry_over(self, old: Path, live: Path, names: tuple[str, ...]) -> tuple[str, ...]:
        left = []
        for name in names:
            source, target = old / name, live / name
            if not os.path.lexists(source) or not target.parent.is_dir():
                continue
            try:
                files.rename_noreplace(source, target)
            except FileExistsError:
                left.append(
                    f"{name} was made anew in the store meanwhile; the former one stays in the superseded copy."
                )
        return tuple(left)

    def _finish_in_place(self, job: Job) -> Installed:
        before, content = self._both(job)
        kept = self._converge(Path(job.live), before, content)
        job = self._enter(job, Phase.INSTALLED, Way.IN_PLACE)
        files.remove_tree(Path(job.staged))
        return replace(self._report(job), kept=kept)

    def _both(self, job: Job) -> tuple[StoreContent, StoreContent]:
        """The store before and after, from the two copies. A store that goes leaves an empty folder in place."""
        copies = Path(job.superseded), Path(job.staged)
        before, content = (self.read(path) if path.is_dir() else StoreContent() for path in copies)
        return before, content

    def _converge(self, live: Path, known: StoreContent, want: StoreContent) -> tuple[str, ...]:
        """Make a store ``want`` that is ``known``, or anything between the two; what is neither is kept and named."""
        live.mkdir(mode=files.PRIVATE_FOLDER, parents=True, exist_ok=True)
        now = self.read(live)
        foreign = {path for path in now.files if _is_third(path, now, known, want)}
        leftovers = {path for path in foreign if files.is_aside(path)}
        _remove(live, leftovers | (now.files.keys() - want.files.keys() - foreign))
        _remove_folders(live, known, want)
        _make_folders(live, want)
        for path, file in want.files.items():
            if path not in foreign and not _is_there(now.files.get(path), file):
                files.put_file(live / path, file)
        files.sync_tree(live)
        return tuple(sorted(foreign - leftovers))

    def _report(self, job: Job, notes: tuple[str, ...] = ()) -> Installed:
        """What was done, after another look at the old store: an open file may have been written to since."""
        if not job.way:
            return Installed("")
        superseded = Path(job.superseded)
        if not superseded.is_dir():
            return Installed(job.way, notes=notes)
        old = self.read(superseded)
        late = old if fingerprint(old) != job.old else None
        return Installed(job.way, superseded, late=late, notes=notes)

    # --- recovering ---

    def recover(self) -> Recovered | None:
        """Finish or take back an installation that was cut short; None if there is none.

        An installation that is finished leaves the journal open for the caller, who completes its
        intent and calls ``close``. Safe to cut short and run again.
        """
        entry = self.journal.read()
        if entry is None:
            return None
        job = Job.of(entry)
        match job.phase:
            case Phase.STAGING:
                return self._take_back(job)
            case Phase.COPYING:
                files.remove_tree(Path(job.superseded))
                return self._take_back(job)
            case Phase.EXCHANGE | Phase.RENAMES:
                return self._recover_swap(job)
            case Phase.IN_PLACE:
                return self._recover_in_place(job)
            case Phase.INSTALLED:
                if job.way == Way.IN_PLACE:
                    files.remove_tree(Path(job.staged))
                return _recovered(job, self._report(job))

    def _recover_swap(self, job: Job) -> Recovered:
        live = Path(job.live)
        same = _identity(live) == job.live_id
        if not same and self._is(live, job.staged_id, job.new):
            return _recovered(job, self._finish_swap(job))
        if same or self._is(live, job.live_id, job.old):
            return self._take_back(job)
        superseded = Path(job.superseded)
        if not self._is(superseded, job.live_id, job.old):
            return self._take_back(job, (f"{live} was replaced by something else meanwhile; it is left as it is.",))
        notes = self._make_way(live)
        files.remove_folder(live)
        files.rename_noreplace(superseded, live)
        files.fsync_dir(live.parent)
        return self._take_back(job, notes)

    def _is(self, folder: Path, identity: tuple[int, int] | None, expected: str) -> bool:
        """Whether a folder is the one that was meant: by its inode, or by what it holds if it was copied."""
        if not folder.is_dir():
            return identity is None and not os.path.lexists(folder)
        return identity is not None and (_identity(folder) == identity or fingerprint(self.read(folder)) == expected)

    def _recover_in_place(self, job: Job) -> Recovered:
        try:
            return _recovered(job, self._finish_in_place(job))
        except OSError:
            before, content = self._both(job)
            kept = self._converge(Path(job.live), content, before)
            files.remove_tree(Path(job.superseded))
            return self._take_back(job, tuple(f"{path} was written meanwhile and is left as it is." for path in kept))

    def _take_back(self, job: Job, notes: tuple[str, ...] = ()) -> Recovered:
        """The live store is the old one: remove what was built, close the journal."""
        staged = Path(job.staged)
        if self._is(staged, job.live_id, job.old) and job.live_id and job.old != job.new:
            files.rename_noreplace(staged, files.free_name(Path(job.superseded)))
        elif job.taken and staged.is_dir():
            files.rename_noreplace(staged, files.free_name(Path(job.taken)))
        else:
            files.remove_tree(staged)
        self.journal.close()
        return _recovered(job, None, notes)

    def _after(self, error: MemgitError | OSError) -> Installed:
        remedy = "Make room or mend the file system, then run `memgit recover`."
        return completed_or_raised(error, self.recover, _unchanged, remedy)


def _unchanged(error: Exception) -> MemgitError:
    return MemgitError(f"The store could not be replaced: {error}. It is unchanged.")


_INSTALL: Mapping[Way, Callable[[Installer, Job, StoreContent], Installed]] = {
    Way.EXCHANGE: Installer._by_exchange,
    Way.RENAMES: Installer._by_renames,
    Way.IN_PLACE: Installer._in_place,
}


def refuse_unwritable(live: Path) -> None:
    """Raise before anything is touched if the live store cannot be replaced by this user."""
    if not os.path.lexists(live):
        return
    if not live.is_dir():
        raise UsageError(f"{live} is not a folder.", "Name the folder that holds the memories with --store.")
    facts = live.stat()
    if hasattr(os, "geteuid") and facts.st_uid != os.geteuid():
        raise MemgitError(
            f"{live} belongs to user {facts.st_uid}, and this is user {os.geteuid()}.",
            "Run memgit as the user whose agent writes the store.",
        )
    if _read_only_system(live):
        raise MemgitError(f"{live} is on a file system that is mounted read-only.", "Remount it, or copy the store.")
    if not facts.st_mode & stat.S_IWUSR or not os.access(live, os.W_OK):
        raise MemgitError(f"{live} is read-only.", f"Make it writable first: chmod u+w {live}")


def _read_only_system(live: Path) -> bool:
    return hasattr(os, "statvfs") and bool(os.statvfs(live).f_flag & os.ST_RDONLY)


def _recovered(job: Job, installed: Installed | None, notes: tuple[str, ...] = ()) -> Recovered:
    return Recovered(job.intent, job.new, installed, notes)


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        facts = folder.stat()
    except FileNotFoundError:
        return None
    return facts.st_dev, facts.st_ino


def _holds_anything(folder: Path) -> bool:
    return folder.exists() and any(folder.iterdir())


def _is_third(path: str, now: StoreContent, known: StoreContent, want: StoreContent) -> bool:
    """Whether a file is neither as it was nor as it shall be: somebody else wrote it."""
    return not any(_same(now.files[path], side.files.get(path)) for side in (known, want))


def _same(one: StoreFile, other: StoreFile | None) -> bool:
    return other is not None and (one.data, one.mode) == (other.data, other.mode)


def _is_there(found: StoreFile | None, wanted: StoreFile) -> bool:
    """Whether a file is as it shall be; that an index stands behind a link is no difference."""
    return found == wanted or (found is not None and bool(found.link) and found.data == wanted.data)


def _keep_link(index: Path, former: Path, target: str) -> None:
    """Make the index the link again that it was, and that of the former store's copy a file with its text: from there
    the link may lead elsewhere. Can be cut short and done again."""
    if not index.is_symlink():
        files.put_file(index, StoreFile(INDEX, os.fsencode(target), stat.S_IFLNK | 0o777))
    if former.is_symlink() and (found := text_behind(str(index))):
        data, status = found
        files.put_file(former, StoreFile(INDEX, data, status.st_mode, status.st_mtime_ns))


def _read_back(live: Path, content: StoreContent) -> tuple[str, ...]:
    """What agents read as the index now, held against what was decided: a sentence where it is something else."""
    if content.index is None or content.index.is_link:
        return ()
    found = text_behind(str(live / INDEX))
    if found is None:
        return (f"{live / INDEX} cannot be read as an index now; `memgit check` looks at it, `memgit undo` goes back.",)
    same = found[0] == content.index.data
    return () if same else (f"{INDEX} holds something else already: it was written to as this was done.",)


def _is_wholly(found: StoreContent, content: StoreContent) -> bool:
    """Whether a folder is a store to the last detail: times that are known and empty folders too, and nothing else."""
    times = ((file.mtime_ns, found.files[path].mtime_ns) for path, file in content.files.items() if path in found.files)
    return (
        fingerprint(found) == fingerprint(content)
        and found.folders == content.folders
        and not (found.foreign or found.special)
        and not any(file.link for file in found.files.values())
        and all(wanted in (0, has) for wanted, has in times)
    )


def _remove(live: Path, paths: set[str]) -> None:
    for path in sorted(paths):
        files.remove_file(live / path)


def _remove_folders(live: Path, known: StoreContent, want: StoreContent) -> None:
    for name in reversed(files.folders(known)):
        if name not in set(files.folders(want)):
            files.remove_folder(live / name)


def _make_folders(live: Path, want: StoreContent) -> None:
    for name in files.folders(want):
        if not (live / name).is_dir():
            files.make_private_folder(live / name)
