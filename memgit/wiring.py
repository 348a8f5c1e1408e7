"""From settings to concrete adapters. The only module that reads the environment, the clock and the home folder.

Adapters are imported where they are built, so that a command pays only for what it uses.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from memgit.errors import MemgitError, UsageError, WrongState

if TYPE_CHECKING:
    from memgit.console.editor import Editor
    from memgit.core.configuration.layers import Configuration
    from memgit.core.prune.rules import Terms
    from memgit.core.store.catalogue import Listed
    from memgit.core.store.surroundings import Surroundings
    from memgit.demo import Example
    from memgit.files import Journal
    from memgit.flows.check import Part
    from memgit.flows.desk import Desk, Done
    from memgit.flows.doctor import Diagnosis, Fact, Mended
    from memgit.flows.every import LeftOut
    from memgit.flows.hook_lines import HookLines, Wishes
    from memgit.flows.prepare import Workshop
    from memgit.flows.record import PassBook
    from memgit.flows.redact import Reach
    from memgit.miners.model.conversation import Conversation
    from memgit.miners.model.port import Model
    from memgit.miners.model.purse import Purse
    from memgit.model.finding import Finding
    from memgit.model.passes import PassHeader
    from memgit.model.session import Limits
    from memgit.model.store import Resolution, StoreContent
    from memgit.model.verification import MemoryCheck
    from memgit.ports import Beads, Decider, Miner, Progress, StoreInstaller, StoreReader, WorkingTree
    from memgit.stores.beads import BeadsStore
    from memgit.stores.directory import DirectoryStore
    from memgit.stores.locate import ProjectPlace
    from memgit.vault import Vault
    from memgit.vault.moved import Stray

T = TypeVar("T")

NAME = "memgit-curator"
"""Folder name under the XDG directories; another tool on PyPI is called ``memgit``."""


PAGES = "pages"
"""Folder in the state folder for pages that were opened, and for notes of where others were written."""


# --- what the command line and the environment say ---


@dataclass(frozen=True)
class Settings:
    """Everything that is known before anything is looked at. ``store``, ``project`` and ``now`` are as typed."""

    env: Mapping[str, str]
    cwd: str
    store: str | None = None
    project: str | None = None
    now: str | None = None

    @classmethod
    def of_process(cls, store: str | None, project: str | None, now: str | None) -> Settings:
        """The settings of this process. Raises UsageError for a project that is no directory or a ``now`` that is
        no time."""
        here = os.path.realpath(project) if project else _current_directory()
        if not Path(here).is_dir():
            raise UsageError(f"{project} is no directory.", "Name an existing project with --project.")
        if now is not None:
            parse_time(now)
        return cls(dict(os.environ), here, store, project, now)

    @property
    def home(self) -> Path:
        return Path(self.env.get("HOME") or Path.home())

    @property
    def data_home(self) -> Path:
        """Where vaults are kept."""
        return self._own("MEMGIT_DATA_HOME", "XDG_DATA_HOME", ".local/share")

    @property
    def state_home(self) -> Path:
        """Where witnesses are kept: outside the vaults, so that one put back to an older state is noticed."""
        return self._own("MEMGIT_STATE_HOME", "XDG_STATE_HOME", ".local/state")

    @property
    def cache_home(self) -> Path:
        """Where parsed transcripts are kept; may be deleted at any time."""
        return self._own("MEMGIT_CACHE_HOME", "XDG_CACHE_HOME", ".cache")

    @property
    def config_home(self) -> Path:
        """Where the user's own ``memgit.toml`` is."""
        return self._own("MEMGIT_CONFIG_HOME", "XDG_CONFIG_HOME", ".config")

    @cached_property
    def configuration(self) -> Configuration:
        """What environment and files set. Read when first asked for, so that a broken file stops only what needs it."""
        from memgit import config_files
        from memgit.core.configuration.layers import configuration

        return configuration(config_files.files(self.config_home, Path(self.cwd)), self.env)

    def chosen(self, given: T | None, name: str, kind: type[T]) -> T:
        """What the command line says or, where it says nothing, the configuration."""
        return self.configuration.of(name, kind) if given is None else given

    def _own(self, own: str, xdg: str, default: str) -> Path:
        if named := self.env.get(own):
            return Path(named).expanduser().absolute()
        base = Path(self.env.get(xdg, ""))
        # The XDG specification: a relative path is to be ignored.
        return (base if base.is_absolute() else self.home / default) / NAME

    def rule(self, own: str, xdg: str) -> str:
        """How a folder of memgit's own was found."""
        return next((name for name in (own, xdg) if self.env.get(name)), "the default")

    @cached_property
    def clock(self) -> Callable[[], datetime]:
        if self.now is None:
            return lambda: datetime.now(UTC)
        moment = parse_time(self.now)
        return lambda: moment

    def session(self, named: str = "") -> str:
        """The agent's session that calls, or the one that is named; empty outside of any."""
        return named or self.env.get("CLAUDE_CODE_SESSION_ID", "")

    @property
    def who(self) -> dict[str, str]:
        """Who runs memgit, for the lock and the operation log; nothing else of the environment is kept."""
        facts = {"host": platform.node(), "pid": str(os.getpid()), "command": " ".join(sys.argv[1:])[:200]}
        session = self.env.get("CLAUDE_CODE_SESSION_ID")
        return facts | ({"session": session} if session else {})


def _current_directory() -> str:
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        raise UsageError("The current directory is gone.", "Go to one that exists, or name --project.") from None


def parse_time(text: str) -> datetime:
    """An ISO 8601 time; without a zone it is UTC. Raises UsageError naming what was given."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text!r} is no time.", "Give an ISO 8601 time, like 2026-11-29T12:00:00Z.") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


OFFLINE = "offline"


@dataclass(frozen=True)
class Choices:
    """What a pass lets its caller choose. None is what the caller left to the configuration."""

    token_budget: int | None = None
    session_cap: int | None = None
    miner: str | None = None
    index: str | None = None
    remove_most: bool = False
    mask_personal: bool = False
    decider: str | None = None
    model: str | None = None
    parallel: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None

    @property
    def mines(self) -> str:
        """Who proposes."""
        return self.miner or OFFLINE

    @property
    def decides(self) -> str:
        """Who decides: the one who proposes, unless another is chosen."""
        return self.decider or self.mines

    @property
    def limits(self) -> Limits:
        from memgit.model.session import Limits

        given = {"token_budget": self.token_budget, "session_cap": self.session_cap}
        return Limits(**{name: value for name, value in given.items() if value is not None})

    @property
    def index_from_frontmatter(self) -> bool:
        if self.index not in (None, "own", "frontmatter"):
            raise UsageError(f"--index {self.index} is unknown.", "Choose own or frontmatter.")
        return self.index == "frontmatter"

    def filled(self, configured: Configuration) -> Choices:
        """These choices with what the configuration says where nothing was chosen."""
        left: dict[str, Any] = {
            field: configured.settings[name].value for field, name in CONFIGURED.items() if getattr(self, field) is None
        }
        return replace(self, **left)


CONFIGURED: Mapping[str, str] = {
    "token_budget": "pass.token-budget",
    "session_cap": "pass.session-cap",
    "miner": "pass.miner",
    "decider": "pass.decider",
    "model": "pass.model",
    "parallel": "pass.parallel",
    "index": "pass.index",
}
"""Each choice that a file may make, with its key there."""


# --- adapters ---


@dataclass(frozen=True)
class Site:
    """One project and its store: what the settings lead to, looked up once."""

    settings: Settings

    @cached_property
    def place(self) -> ProjectPlace:
        from memgit import process
        from memgit.stores.locate import place

        return place(self.settings.cwd, self.settings.env, str(self.settings.home), process.git)

    @cached_property
    def resolution(self) -> Resolution:
        from memgit import process
        from memgit.stores.locate import locate

        settings = self.settings
        found = locate(settings.cwd, settings.env, str(settings.home), settings.store, process.git)
        if found.needs_confirmation:
            raise UsageError(
                f"The store {found.path} was not used. {found.needs_confirmation}",
                f"If it is the right one, say so with --store {found.path}",
            )
        _refuse_own_folders_in(Path(os.path.realpath(found.path)), settings)
        return found

    @cached_property
    def store(self) -> StoreReader:
        match self.resolution.shape:
            case "beads":
                return self._beads
            case "sqlite":
                from memgit.stores.sqlite import SqliteStore

                return SqliteStore(self.resolution)
            case _:
                from memgit.stores.directory import DirectoryStore

                return DirectoryStore(self.resolution)

    @cached_property
    def _beads(self) -> BeadsStore:
        from memgit import process
        from memgit.stores.bd import Bd
        from memgit.stores.beads import BeadsStore

        return BeadsStore(self.resolution, Bd(self.resolution.path, process.run))

    @property
    def live(self) -> Path:
        """The store's real path."""
        return Path(os.path.realpath(self.resolution.path))

    @cached_property
    def vault_folder(self) -> Path:
        from memgit.vault import vault_folder
        from memgit.vault.layout import bridge

        folder = vault_folder(self.settings.data_home, str(self.live))
        bridge(folder)
        return folder

    def vault(self) -> Vault:
        """The store's vault. Raises WrongState where nothing was ever recorded of it."""
        from memgit.vault import Vault

        if not self.vault_folder.exists():
            raise WrongState(
                f"Nothing is recorded yet of {self.live}.",
                "`memgit curate` runs a first pass; `memgit snapshot` only records the store as it is.",
            )
        return Vault.open(self.vault_folder, clock=self.settings.clock, who=self.settings.who)

    @cached_property
    def made_vault(self) -> Vault:
        """The store's vault, made if it is not there."""
        from memgit.vault import Vault

        return Vault.create(
            self.vault_folder, str(self.live), clock=self.settings.clock, who=self.settings.who, witness=self._witness
        )

    @property
    def book(self) -> PassBook:
        from memgit.flows.record import PassBook

        return PassBook(lambda: self.made_vault, self.beside, self._recover)

    def _recover(self) -> tuple[str, ...]:
        """Finish what an earlier command left cut short; what was done about it, in sentences."""
        from memgit.flows.desk import recover

        desk = self.desk_or_none()
        done = recover(desk) if desk else None
        return (done.did, *done.notes) if done else ()

    # --- looking after the vault ---

    def record_findings(self, full: bool, seconds: float | None) -> Iterator[Finding]:
        """What is wrong with the vault, looked at by another process with a time limit."""
        from memgit import apart
        from memgit.flows.check import no_record

        if not self.vault_folder.exists():
            yield from self.strays_found() or no_record()
            return
        limit = seconds or (apart.THOROUGH if full else apart.QUICK)
        yield from apart.findings(replace(self.resolution, path=str(self.live)).address, full, limit)
        yield from self.strays_found()

    def surroundings(self, content: StoreContent) -> Surroundings:
        """Which store the project's agents use and why, further ones, and what is left of the transcripts cited."""
        from memgit.core.memories.memory import memories
        from memgit.core.store.surroundings import Surroundings, cited
        from memgit.sessions.kept import kept
        from memgit.stores.elsewhere import misplaced
        from memgit.stores.rules import retention, switched_off
        from memgit.stores.used import known_projects, other_stores, readers, used

        settings, place, home = self.settings, self.place, str(self.settings.home)
        path, rule = used(place, settings.cwd, settings.env, home)
        days, chosen = retention(settings.env, home)
        store = memories(content)
        there = kept(place.projects_dir, cited(store).keys())
        homes, keys = known_projects(place)
        whose = readers(str(self.live), self.resolution.shape)
        return Surroundings(
            store=str(self.live),
            used=path,
            rule=rule,
            off=switched_off(settings.cwd, settings.env, home),
            others=() if whose else other_stores(place, self.resolution.others, {str(self.live), path}),
            days=days,
            chosen=chosen,
            written={session: each.written for session, each in there.items()},
            misplaced=tuple(
                misplaced(store, homes, keys, {session: each.cwd for session, each in there.items()}, home)
            ),
            readers=whose,
        )

    def place_findings(self, content: StoreContent) -> Iterator[Finding]:
        """What there is to know of that."""
        from memgit.core.memories.memory import memories
        from memgit.core.store.surroundings import surrounding_findings

        yield from surrounding_findings(self.surroundings(content), memories(content), self.settings.clock())

    def record_parts(self, *, full: bool) -> Iterable[Part]:
        """The parts of that look, in this process; of a vault that cannot be opened too."""
        from memgit.errors import Damaged
        from memgit.flows.check import Part, no_record, record_parts
        from memgit.vault import Vault

        try:
            desk = self.desk_or_none()
        except Damaged:
            desk = self._desk(Vault(self.vault_folder, clock=self.settings.clock, who=self.settings.who))
        return record_parts(desk, full=full) if desk else (Part("record", no_record),)

    def diagnosis(self) -> Diagnosis:
        """Where everything is, what is wrong with it, and what mends it."""
        from memgit.flows.doctor import Diagnosis, idle_hooks, places_at_risk
        from memgit.vault.durable import can_sync_at_once

        places = {"store": self.live, "vault": self.vault_folder, "witness": self.settings.state_home}
        findings = (
            *_configuration_faults(self.settings),
            *idle_hooks(hook_lines(self.settings)),
            *places_at_risk(places, one_sync=can_sync_at_once()),
            *self.record_findings(full=False, seconds=None),
        )
        return Diagnosis(tuple(self._facts()), findings)

    def _facts(self) -> Iterator[Fact]:
        from memgit.flows.doctor import Fact, hooks_fact, size_of
        from memgit.stores.rules import retention

        settings, found = self.settings, self.resolution
        yield from versions()
        yield Fact("project", self.place.root, "--project" if settings.project else "the folder it was called in")
        yield Fact("store", found.path, found.rule)
        if str(self.live) != found.path:
            yield Fact("store's real path", str(self.live), "links followed")
        yield Fact("agent's projects", self.place.projects_dir, "the agent's own setting or its default")
        days, chosen = retention(settings.env, str(settings.home))
        yield Fact("transcripts", f"deleted after {days} days", "your settings" if chosen else "the agent's default")
        yield hooks_fact(hook_lines(settings))
        yield Fact("vaults", str(settings.data_home), settings.rule("MEMGIT_DATA_HOME", "XDG_DATA_HOME"))
        yield Fact("witnesses", str(settings.state_home), settings.rule("MEMGIT_STATE_HOME", "XDG_STATE_HOME"))
        yield Fact("cache", str(settings.cache_home), settings.rule("MEMGIT_CACHE_HOME", "XDG_CACHE_HOME"))
        yield from _configuration_facts(settings)
        yield Fact("vault", str(self.vault_folder), "from the store's real path")
        if self.vault_folder.exists():
            yield size_of(self.vault_folder)

    def mend(self) -> Mended:
        """Repair the vault, after a copy of it was put beside it. Raises WrongState where there is none."""
        from memgit.flows.doctor import mend
        from memgit.vault.repair import repair

        if not self.vault_folder.exists():
            raise WrongState(f"Nothing is recorded yet of {self.live}.", "There is nothing to repair.")
        settings, folder = self.settings, self.vault_folder
        return mend(
            folder,
            lambda: [each for each in self.record_findings(full=True, seconds=None) if each.damage],
            lambda: repair(folder, clock=settings.clock, who=settings.who, live=self.store.read()),
        )

    def relink(self, source: str | None) -> Done:
        """Let the store have the vault of the place from which it was moved. Raises WrongState where none fits."""
        from memgit.flows.desk import Done
        from memgit.vault.moved import move

        stray = chosen(self._strays(), source, self.live)
        aside = move(stray, self.vault_folder, str(self.live), self._witness, self.settings.clock, self.settings.who)
        notes = (f"The vault that was begun here is kept as {aside}.",) if aside else ()
        did = f"Linked {self.live} to the history of {stray.store} ({stray.operations} operations)."
        return Done(did, "", notes=notes)

    def _strays(self) -> tuple[Stray, ...]:
        from memgit.vault.moved import strays

        content = self.store.read()
        return strays(self.settings.data_home, self.store.fingerprint(), self.vault_folder) if content.files else ()

    def strays_found(self) -> tuple[Finding, ...]:
        """The vaults that a moved store may have had, as findings."""
        from memgit.model.finding import Area, Finding

        return tuple(
            Finding(
                Area.VAULT,
                f"The store holds what {stray.store} held, which is gone; it was probably moved from there.",
                f"`memgit relink --from {shlex.quote(stray.store)}` gives it its {stray.operations} operations back.",
            )
            for stray in self._strays()
        )

    @property
    def _witness(self) -> Path:
        return self.settings.state_home / f"{self.vault_folder.name}.json"

    @property
    def beside(self) -> Path:
        """The path that the names of a pass's files are derived from: never inside a project, nor where the client of
        an agent takes each folder for one of its own."""
        from memgit.stores.rules import is_among_others

        inside = self.live.is_relative_to(self.place.root) and self.place.common_dir is not None
        if not self.resolution.is_folder:
            return self.vault_folder / "memgit" / self.resolution.shape
        apart = inside or self.resolution.shape == "codex" or is_among_others(str(self.live))
        return self.vault_folder / "memgit" / self.live.name if apart else self.live

    def tree(self, *apart: Path) -> WorkingTree:
        """The working tree without memgit's own files, a store that lies in it, and what else is to be ``apart``."""
        from memgit.tree.known import FOLDER, KnownTrees
        from memgit.tree.open import open_tree

        beside = self.live.parent.glob(f"{self.live.name}-*")
        known = KnownTrees(self.settings.cache_home / FOLDER)
        return open_tree(self.place.root, [self.live, *beside, self.settings.data_home, *apart], known)

    def desk(self) -> Desk:
        """All that a lifecycle verb works with. Raises WrongState where nothing is recorded yet."""
        return self._desk(self.vault())

    def new_desk(self) -> Desk:
        """The same, with a vault made if it is not there."""
        return self._desk(self.made_vault)

    def desk_or_none(self) -> Desk | None:
        """The same, or None where nothing is recorded yet."""
        try:
            return self.desk()
        except WrongState:  # also a vault whose making was cut short
            return None

    def _desk(self, vault: Vault) -> Desk:
        from memgit.files import Journal
        from memgit.flows.desk import Desk
        from memgit.sessions.live import live_sessions
        from memgit.stores.locate import config_dir

        config = Path(config_dir(self.settings.env, str(self.settings.home)))
        return Desk(
            store=self.store,
            vault=vault,
            installer=self._installer(Journal(vault.private / "journal.json")),
            clock=self.settings.clock,
            free_paths=self.book.free_paths,
            sessions=lambda: live_sessions(config, self.place.root, self.settings.env),
            narrow=self._narrow,
            drops=lambda header: _drops(vault, header),
            caller=self.settings.env.get("CLAUDE_CODE_SESSION_ID"),
        )

    def _installer(self, journal: Journal) -> StoreInstaller:
        def read(folder: Path) -> StoreContent:
            return folder_of_memories(folder, self.resolution.shape).read()

        match self.resolution.shape:
            case "beads":
                from memgit.stores.beads_install import BeadsInstaller

                return BeadsInstaller(self._beads, read, journal)
            case "sqlite":
                from memgit.stores.sqlite_install import SqliteInstaller

                return SqliteInstaller(journal)
            case _:
                from memgit.stores.install import Installer

                return Installer(read, journal, aside=None if self.beside == self.live else self.beside.parent)

    def _narrow(self, desk: Desk, header: PassHeader, only: Sequence[str], without: Sequence[str]) -> PassHeader:
        from memgit.flows.approve import narrow

        return narrow(desk, header, only, without, self.verdicts)

    def files_gone_since(self, time: datetime) -> int:
        """How many files of the project commits after a time moved or deleted; 0 where nobody can say."""
        try:
            return self.tree().files_gone_since(time)
        except MemgitError:  # a status does not fail over a broken repository
            return 0

    def verdicts(self, content: StoreContent) -> Mapping[str, MemoryCheck]:
        """The working tree's verdict for each memory of a store."""
        from memgit.flows.views import verified

        return verified(content, self.tree())


def _configuration_facts(settings: Settings) -> Iterator[Fact]:
    """The files of settings; what is wrong with them is a finding, for a doctor does not fall ill itself."""
    from memgit.flows.doctor import Fact

    try:
        for file in settings.configuration.files:
            yield Fact(f"{file.owner} configuration", file.path, "none there" if file.data is None else "read")
    except UsageError:
        yield Fact("configuration", "cannot be used")


def _configuration_faults(settings: Settings) -> Iterator[Finding]:
    from memgit.model.finding import Area, Finding

    try:
        _ = settings.configuration
    except UsageError as error:
        yield Finding(Area.PLACE, error.message, error.hint)


def _refuse_own_folders_in(store: Path, settings: Settings) -> None:
    """Nothing may be written into the store that is read, not even memgit's own records."""
    for own in (settings.data_home, settings.state_home, settings.cache_home):
        if Path(os.path.realpath(own)).is_relative_to(store):
            raise UsageError(
                f"memgit's own folder {own} lies in the store {store}.",
                "Set MEMGIT_DATA_HOME, MEMGIT_STATE_HOME and MEMGIT_CACHE_HOME to folders outside of it.",
            )


def reach(settings: Settings) -> Reach:
    """What memgit has written outside vault and store: reports of its own faults, and what it can read again."""
    from memgit.flows.page_files import written_pages
    from memgit.flows.redact import Reach
    from memgit.miners.model.kept import FOLDER, answer_files
    from memgit.sessions.cache import cache_files
    from memgit.tree.known import FOLDER as TREES
    from memgit.tree.known import tree_files

    pages = settings.state_home / PAGES
    written = (path for path in settings.state_home.rglob("*") if path.is_file() and not path.is_relative_to(pages))
    home = settings.cache_home
    caches = (
        path
        for path in (*cache_files(str(home)), *answer_files(home / FOLDER), *tree_files(home / TREES))
        if path.exists()
    )
    return Reach(tuple(sorted(written)), (*caches, *written_pages(pages)))


def show_in_browser(path: Path) -> bool:
    """Open a file in the user's browser; False where there is none."""
    import webbrowser

    try:
        return webbrowser.open(path.as_uri())
    except (webbrowser.Error, OSError):
        return False


def site_at(store: str) -> Site:
    """The site of a store, by its address, that somebody has settled on already: it is not looked for, nor doubted,
    again."""
    from memgit.model.store import Resolution
    from memgit.stores import beads, workspaces

    settings = Settings.of_process(store, None, None)
    site, home = Site(settings), str(settings.home)
    named = beads.address(settings.cwd, store, home) or workspaces.address(settings.cwd, store, settings.cwd, home)
    vars(site)["resolution"] = named or Resolution(store, "named")
    return site


def versions() -> Iterator[Fact]:
    """What runs here, for a report of a fault."""
    import platform

    from memgit import __version__, process
    from memgit.errors import ToolFailed
    from memgit.flows.doctor import Fact
    from memgit.vault.engine import version

    yield Fact("memgit", __version__, str(Path(__file__).parent))
    yield Fact("python", platform.python_version(), sys.executable)
    yield Fact("libgit2", version())
    try:
        said = process.git(["--version"]).out.decode("ascii", "replace").strip().removeprefix("git version ")
        yield Fact("git", said, shutil.which("git") or "")
    except ToolFailed:
        yield Fact("git", "none", "not needed but for check --full, sync and worktrees")


def chosen(found: Sequence[Stray], source: str | None, store: Path) -> Stray:
    """The one vault that is meant. Raises WrongState naming what there is."""
    wanted = [stray for stray in found if source is None or stray.store == os.path.realpath(source)]
    if len(wanted) == 1:
        return wanted[0]
    if not wanted:
        raise WrongState(
            f"No vault was found whose store held what {store} holds and is gone.",
            "The store must be as it was last recorded; `memgit restore` brings that back at its old place.",
        )
    raise WrongState(
        f"Several stores held this: {', '.join(stray.store for stray in wanted)}.", "Name one with --from."
    )


def folder_of_memories(folder: Path, shape: str = "directory") -> DirectoryStore:
    """A reader for any folder that is laid out like a store of a shape is in the vault."""
    from memgit.model.store import Resolution
    from memgit.stores.directory import DirectoryStore

    return DirectoryStore(Resolution(str(folder), "named", shape))


def workshop(settings: Settings, progress: Progress, choices: Choices | None = None) -> Workshop:
    """All that a pass works with."""
    from memgit import process
    from memgit.flows.prepare import PARALLEL, Workshop
    from memgit.miners.offline import OfflineLikeness
    from memgit.sessions.claude import ClaudeTranscripts
    from memgit.stores.locate import project_key
    from memgit.stores.rules import codex_home

    choices, site = (choices or Choices()).filled(settings.configuration), Site(settings)
    transcripts = ClaudeTranscripts(
        site.place.projects_dir,
        key=project_key,
        run=process.run,
        cache_dir=str(settings.cache_home),
        stores=[str(site.live)],
        rollouts=f"{codex_home(settings.env, str(settings.home))}/sessions",
    )
    asked = conversations(choices, settings)
    miner, decider = miners(choices, asked)
    return Workshop(
        store=site.store,
        transcripts=transcripts,
        project=site.place.owner,
        tree=site.tree(),
        miner=miner,
        decider=decider,
        likeness=OfflineLikeness(),
        book=site.book,
        clock=settings.clock,
        progress=progress,
        limits=choices.limits,
        index_from_frontmatter=choices.index_from_frontmatter,
        remove_most=choices.remove_most,
        mask_personal=choices.mask_personal,
        parallel=choices.parallel or PARALLEL,
        pins=settings.configuration.of("prune.pins", tuple),
        account=lambda: tuple(filter(None, (each.account() for each in asked.values()))),
    )


def stores(settings: Settings) -> tuple[Listed, ...]:
    """Every store of this user's agents, each looked at from outside."""
    from memgit.sessions.kept import newest_directories
    from memgit.stores.catalogue import catalogue
    from memgit.vault.known import records

    place, known = Site(settings).place, records(settings.data_home)
    return tuple(catalogue(place, settings.cwd, settings.env, str(settings.home), known, newest_directories))


def every_store(settings: Settings, *, at_project: bool) -> Iterator[tuple[str, Settings] | LeftOut]:
    """Each store that is there with the settings to work in it. With ``at_project`` those are left out that agents do
    not read, and those that cannot be held against a project."""
    from memgit.core.store.catalogue import GONE
    from memgit.flows.every import LeftOut
    from memgit.model.store import Resolution

    for one in stores(settings):
        if one.shape == GONE:
            continue
        if why := one.problem or one.unusable or (one.no_pass if at_project else ""):
            yield LeftOut(one.path, why)
            continue
        here = one.project if one.project and Path(one.project).is_dir() else settings.cwd
        named = Resolution(one.path, one.why, one.shape).address
        yield one.path, replace(settings, cwd=here, store=named, project=here)


def beads_workshop(settings: Settings, progress: Progress, choices: Choices) -> tuple[Workshop, Beads]:
    """All that a sweep works with: the beads of the project here, unless another store of beads is named.

    Raises UsageError for a store of another shape.
    """
    settings = replace(settings, store=settings.store or "beads")
    site = Site(settings)
    if site.resolution.shape != "beads":
        raise UsageError(
            f"{site.resolution.path} is no store of beads, and only those are swept.",
            "For other stores there are `memgit curate`, `audit` and `prune`.",
        )
    return workshop(settings, progress, choices), site._beads.bd


def workshops(settings: Settings, progress: Progress, choices: Choices) -> Iterator[Workshop | tuple[str, str]]:
    """All that a pass over each store of the agent works with, each at its own project: the folder that the store's
    transcripts were recorded in. A store without one comes as its path and the reason."""
    from memgit.sessions.pool import project_folders

    for store, recorded in project_folders(Site(settings).place.projects_dir):
        here = next((folder for folder in recorded if Path(folder).is_dir()), None)
        if here is None:
            named = f"its project {recorded[0]} is not there" if recorded else "no transcript names its project"
            yield store, f"It could not be held against anything: {named}."
            continue
        yield workshop(replace(settings, cwd=here, store=store, project=here), progress, choices)


def conversations(choices: Choices, settings: Settings) -> Mapping[str, Conversation]:
    """The models that mine or decide, with the answers that are kept of them, by the name that was chosen.

    Raises UsageError where there is none of that name.
    """
    from memgit.miners.model.conversation import Conversation
    from memgit.miners.model.kept import FOLDER, KeptAnswers

    kept = KeptAnswers(settings.cache_home / FOLDER)
    names = sorted({choices.mines, choices.decides} - {OFFLINE})
    return {name: Conversation(model(name, choices, settings), kept, choices.mask_personal) for name in names}


def miners(choices: Choices, asked: Mapping[str, Conversation]) -> tuple[Miner, Decider]:
    """Who mines and who decides."""
    from memgit.miners.model.decider import ModelDecider
    from memgit.miners.model.miner import ModelMiner
    from memgit.miners.offline import OfflineDecider, OfflineMiner

    mines, decides = asked.get(choices.mines), asked.get(choices.decides)
    return (
        ModelMiner(mines) if mines else OfflineMiner(),
        ModelDecider(decides) if decides else OfflineDecider(),
    )


def model(name: str, choices: Choices, settings: Settings) -> Model:
    """The way to a model: the one that the user's own agent uses, unless another is named."""
    from memgit import process
    from memgit.miners.model.claude import ClaudeModel
    from memgit.stores.rules import own_model

    match name:
        case "claude":
            return ClaudeModel(process.run, choices.model or own_model(settings.env, str(settings.home)))
        case "api":
            from memgit.miners.model.api import api_model

            url, key_name = settings.chosen(None, "api.url", str), settings.chosen(None, "api.key-name", str)
            return api_model(choices.model or "", url, key_name, settings.env, purse(choices, settings))
        case "host":
            raise UsageError("A host agent mines in three steps.", "See `memgit plan --help`.")
        case _:
            raise UsageError(f"There is no miner {name!r}.", "Choose offline, claude or api.")


def purse(choices: Choices, settings: Settings) -> Purse:
    """What a run may take of an endpoint. Raises UsageError for a bound in money where no price is known."""
    from memgit.miners.model.purse import Prices, Purse

    prices = Prices(settings.chosen(None, "api.price-in", float), settings.chosen(None, "api.price-out", float))
    known = prices if prices.tokens_in or prices.tokens_out else None
    most_cost = settings.chosen(choices.max_cost, "api.max-cost", float) or None
    if most_cost and known is None:
        raise UsageError("A bound in money needs prices.", "Set api.price-in and api.price-out, or use --max-tokens.")
    return Purse(known, settings.chosen(choices.max_tokens, "api.max-tokens", int) or None, most_cost)


def _drops(vault: Vault, header: PassHeader) -> int:
    """How many memories a pass removes without a survivor."""
    from memgit.core.decisions.approval import standing
    from memgit.core.passes.records import load_decisions
    from memgit.model.decision import Kind

    data = vault.record(header.id, "decisions.json")
    decisions = load_decisions(data) if data else ()
    drops = [each for each in standing(decisions, header.kind) or decisions if each.kind is Kind.DROP]
    return sum(len(each.memories) for each in drops)


# --- the worked example ---


def demo(folder: str | None) -> tuple[Example, Settings]:
    """Build the worked example in an empty folder (a temporary one if none is named), and the settings to run it."""
    from tempfile import mkdtemp

    from memgit.demo import NOW, build

    where = Path(folder).absolute() if folder else Path(mkdtemp(prefix="memgit-demo-"))
    where.mkdir(parents=True, exist_ok=True)
    if any(where.iterdir()):
        raise UsageError(f"{where} is not empty.", "Name an empty or new folder.")
    example = build(Path(os.path.realpath(where)), os.environ)
    return example, Settings(example.env, str(example.project), now=NOW)


def prune_terms(settings: Settings, given: Mapping[str, Any], pins: Sequence[str], *, include_stale: bool) -> Terms:
    """What a prune may do: as given, else as configured. Pins of both count."""
    from memgit.core.prune.rules import Terms

    return Terms(
        near=settings.chosen(given.get("near"), "prune.near", float),
        alike=settings.chosen(given.get("alike"), "prune.alike", float),
        window=settings.chosen(given.get("window"), "prune.window", int),
        orphan_days=settings.chosen(given.get("orphan_days"), "prune.orphan-days", int),
        include_stale=include_stale,
        pins=(*pins, *settings.configuration.of("prune.pins", tuple)),
    )


def wishes(settings: Settings, guard: str | None, nudge: str | None, every: int | None) -> Wishes:
    """How the hooks are to work: as given, else as configured."""
    from memgit.flows.hook_lines import Wishes

    return Wishes(
        settings.chosen(guard, "hooks.guard", str),
        settings.chosen(nudge, "hooks.nudge", str),
        settings.chosen(every, "hooks.every", int),
    )


def hook_lines(settings: Settings) -> HookLines:
    """The client's settings as memgit writes hooks there."""
    import memgit
    from memgit.flows.hook_lines import HookLines
    from memgit.stores.rules import config_dir

    here = Path(memgit.__file__).parent
    shipped = (here / "skills", here.parent / "hooks" / "skills")  # installed, and in a checkout
    return HookLines(
        config=Path(config_dir(settings.env, str(settings.home))),
        note=settings.state_home / "hooks" / "installed.json",
        program=_this_program(),
        skills=next((path for path in shipped if path.is_dir()), shipped[0]),
    )


def _this_program() -> tuple[str, ...]:
    """The words that start this memgit from anywhere."""
    started = Path(sys.argv[0])
    if started.stem == "memgit" and (found := shutil.which(started)):
        return (str(Path(found).absolute()),)
    return (sys.executable, "-P", "-m", "memgit")


def pager(settings: Settings) -> str:
    """The command line of the user's pager; empty where he wants none."""
    try:
        own = settings.configuration.settings["look.pager"]
    except UsageError:  # a broken file of settings is not in the way of looking
        own = None
    chosen = str(own.value) if own and own.source != "default" else settings.env.get("PAGER")
    return ("less" if shutil.which("less") else "") if chosen is None else chosen


def difftool(settings: Settings, named: str) -> list[str]:
    """The words of a difftool's command line, for ``own`` those of the user's settings. Raises UsageError."""
    line = settings.configuration.of("look.difftool", str) if named == "own" else named
    try:
        words = shlex.split(line)
    except ValueError:
        words = []
    if not words:
        raise UsageError("No difftool is named.", "Name one with --tool, or set look.difftool in your own memgit.toml.")
    return words


def at_terminal(argv: Sequence[str]) -> int:
    """Run a program of the user's own choice on his terminal; returns its exit code. Raises ToolFailed."""
    from memgit import process

    return process.at_terminal(argv)


def editor(settings: Settings, folder: Path) -> Editor:
    """The user's own editor; the texts that it edits lie in ``folder`` meanwhile."""
    from memgit.console.editor import Editor

    named = settings.env.get("VISUAL") or settings.env.get("EDITOR") or "vi"
    try:
        return Editor(shlex.split(named), folder)
    except ValueError:  # quotes that do not match: then it is one word
        return Editor([named], folder)


def nonce() -> str:
    """A word that nothing written before can hold."""
    return os.urandom(8).hex()


def bug_report_folder() -> Path:
    """Where reports of faults in memgit are written."""
    return Settings(dict(os.environ), "").state_home
