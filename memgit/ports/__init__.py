"""Where things vary: the interfaces that flows use and adapters satisfy. Only ``wiring`` knows both sides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from memgit.core.prune.recalls import Recalls
    from memgit.files import Journal
    from memgit.model.decision import Candidate, Decision, MinerReply, Proposal
    from memgit.model.session import Digest, Message, Session, Survey
    from memgit.model.store import Memory, Resolution, StoreContent
    from memgit.model.travel import Installed, Recovered
    from memgit.model.verification import Absence, Change, Line

Clock = Callable[[], datetime]
"""Gives the present moment, with a time zone."""


class Progress(Protocol):
    """Hears what is being done; a console shows it, tests ignore it."""

    def step(self, what: str, done: int = 0, total: int | None = None) -> None:
        """Say that ``what`` is under way, ``done`` of ``total`` units (bytes, files, batches)."""


class StoreReader(Protocol):
    """Reads one live store. There is no method that writes."""

    @property
    def resolution(self) -> Resolution: ...

    def read(self) -> StoreContent:
        """Everything the store holds, read twice where a writer was seen in between."""

    def fingerprint(self) -> str:
        """The content hash of the live store, or ``absent``."""


class Beads(Protocol):
    """The beads of a project, beside the memories that it keeps. Every method raises ToolFailed."""

    def state(self) -> str:
        """Where the database's own history is, on one line; empty where it says nothing."""

    def kinds(self) -> frozenset[str]:
        """The types that a bead may have here; empty where nobody tells."""

    def beads(self, label: str) -> Sequence[Mapping[str, Any]]:
        """The beads with a label, whatever their status: ``id``, ``title``, ``status``, ``description``."""

    def titled(self, title: str) -> Sequence[Mapping[str, Any]]:
        """The beads of exactly this title, whatever their status."""

    def create(self, arguments: Sequence[str], body: str) -> None:
        """File a bead with these arguments and this text."""

    def close(self, bead: str, reason: str) -> None:
        """Close a bead, with the reason."""


class StoreInstaller(Protocol):
    """Makes a live store what was decided: wholly, or not at all, after a recovery at the latest.

    What differs between shapes of stores is only here and in ``StoreReader``: between the two, every store is files.
    """

    @property
    def journal(self) -> Journal:
        """Says what is under way."""

    def read(self, folder: Path, /) -> StoreContent:
        """What a folder holds that is laid out as a store is in the vault: a candidate, a copy."""

    def refuse_unwritable(self, live: Path) -> None:
        """Raise before anything is begun if this user cannot change the store at ``live``."""

    def install(
        self,
        live: Path,
        before: StoreContent,
        content: StoreContent,
        intent: Mapping[str, Any],
        at_hand: Sequence[Path] = (),
        /,
    ) -> Installed:
        """Make the live store ``content``, which has been ``before``; the journal stays open with ``intent`` until
        ``close``. ``at_hand`` are folders that nobody needs afterwards, one of which may be the new store.

        Raises StoreChanged if it is no longer ``before``, UsageError or MemgitError if it cannot be written; then
        nothing has changed. Raises Unfinished if an error could be neither completed nor taken back.
        """

    def in_place(self, aside: Path) -> StoreInstaller:
        """The same, changing memory by memory what is there instead of replacing it whole."""

    def begin(self, intent: Mapping[str, Any]) -> None:
        """Open the journal for a change that leaves the live store as it is."""

    def close(self) -> None:
        """Say that everything that the journal's intent asked for is done."""

    def recover(self) -> Recovered | None:
        """Finish or take back an installation that was cut short; None if there is none. Can be cut short itself."""


class Transcripts(Protocol):
    """Reads what the agent recorded for a project."""

    def survey(self, project: str, progress: Progress) -> Survey:
        """The pool of sessions with their figures, worktrees and orphan stores."""

    def messages(self, session: Session) -> tuple[Message, ...]:
        """The kept messages of one session, oldest first."""

    def recalls(self, sessions: Sequence[Session], store: str) -> Recalls:
        """When tools were last called for the memories of a store, as far as these sessions show."""


class WorkingTree(Protocol):
    """The project's tracked files and untracked files that git does not ignore, and their history."""

    @property
    def root(self) -> str: ...

    def files(self) -> Sequence[str]:
        """Their paths, relative to the root, ``/`` between parts; only files that exist."""

    def find(self, spans: Iterable[str]) -> Mapping[str, str]:
        """Where each span first stands as text, bounded by letters and digits: span → ``path:line``."""

    def scripts(self) -> Mapping[str, str]:
        """Scripts that the project's own build files define, as family and name (``make deploy``, ``npm build``):
        script → the file that defines it."""

    def lines(self, path: str) -> int | None:
        """How many lines one of the files has; None when it cannot be read."""

    def text_at(self, where: str) -> str | None:
        """The line that evidence ``tree:<path>:<line>`` names, or the whole file without a line; what a
        ``commit:<hash>`` says and did; None when there is none."""

    def absent(self, paths: Sequence[str]) -> Mapping[str, Absence]:
        """Why each path is not among the files: git's ignore rules, a sparse checkout, its history, other branches."""

    def names_absent(
        self, names: Sequence[str], scripts: Sequence[str], since: datetime | None, /
    ) -> Mapping[str, Absence]:
        """The same for names in code and scripts (named as `scripts` names them) that stand nowhere in it, as far as
        other branches and, where a time is given, the commits after it know. History is read once for all of them."""

    def documents(self) -> Iterator[tuple[str, str]]:
        """The documents among the files with their texts, but for copies of memories."""

    def occurrences(self, words: Iterable[str]) -> Mapping[str, tuple[Line, ...]]:
        """The lines that hold each word, bounded by letters and digits, the first few dozen of each."""

    def since(self, line: Line, /) -> Change | None:
        """The commit that brought a line as it is."""

    def files_gone_since(self, time: datetime, /) -> int:
        """How many files commits after a time moved or deleted; 0 where history cannot be read."""


class Miner(Protocol):
    """Proposes changes from one batch. Never sees another batch, and may be asked for several at once."""

    @property
    def name(self) -> str: ...

    def mine(self, digest: Digest, memories: Sequence[Memory]) -> MinerReply:
        """What the batch gave, or why it gave nothing. Raises ToolFailed when who mines cannot be reached."""


class Decider(Protocol):
    """Weighs all candidates against the whole store. Facts and doubts (``rulings``) look at what it wants."""

    @property
    def name(self) -> str: ...

    def decide(
        self, memories: Sequence[Memory], digests: Sequence[Digest], candidates: Sequence[Candidate], /
    ) -> tuple[Proposal, ...]:
        """What is to be settled. Raises ToolFailed when who decides cannot be reached."""

    def reconsider(
        self, memories: Sequence[Memory], proposals: Sequence[Proposal], decisions: Sequence[Decision], /
    ) -> Sequence[Proposal]:
        """The proposals after a look at what stands against each: ``decisions`` are what became of them, in order."""
