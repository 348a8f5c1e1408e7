"""Which of the agent's transcripts belong to one project, and which source led to each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from memgit.model.session import Provenance, Worktree
from memgit.sessions.pool import Head, TranscriptFile
from memgit.sessions.worktrees import Home, Homes, LiveWorktrees

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
