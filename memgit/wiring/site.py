"""One project and its store: what the settings lead to, looked up once."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memgit.errors import MemgitError, UsageError, WrongState
from memgit.wiring.agent import hook_lines
from memgit.wiring.settings import Settings
from memgit.wiring.tools import _configuration_facts, _configuration_faults, chosen, versions

if TYPE_CHECKING:
    from memgit.files import Journal
    from memgit.flows.check import Diagnosis, Fact, Mended, Part
    from memgit.flows.desk import Desk, Done
    from memgit.flows.record import PassBook
    from memgit.memory.stores import Surroundings
    from memgit.model.history import PassHeader
    from memgit.model.store import Resolution, StoreContent
    from memgit.model.verification import Finding, MemoryCheck
    from memgit.ports import Beads, StoreInstaller, StoreReader, WorkingTree
    from memgit.stores.directory import DirectoryStore
    from memgit.stores.locate import ProjectPlace, RunGit
    from memgit.vault import Vault
    from memgit.vault.moved import Stray


@dataclass(frozen=True)
class Site:
    """One project and its store: what the settings lead to, looked up once."""

    settings: Settings

    @cached_property
    def _git(self) -> RunGit:
        """Git, asked each question once: the place of a project and that of its store begin with the same one."""
        from memgit import process

        return cache(process.git)

    @cached_property
    def place(self) -> ProjectPlace:
        from memgit.stores.locate import place

        return place(self.settings.cwd, self.settings.env, str(self.settings.home), self._git)

    @cached_property
    def resolution(self) -> Resolution:
        """Where the store is.

        Raises UsageError for one that was named, is not there and was never recorded: a name that is mistyped. One
        that was recorded and is gone can still be looked at and brought back.
        """
        from memgit.stores.locate import locate

        settings = self.settings
        found = locate(settings.cwd, settings.env, str(settings.home), settings.store, self._git)
        if found.needs_confirmation:
            raise UsageError(
                f"The store {found.path} was not used. {found.needs_confirmation}",
                f"If it is the right one, say so with --store {found.path}",
            )
        _refuse_own_folders_in(Path(os.path.realpath(found.path)), settings)
        if settings.store is not None and found.is_folder:
            _refuse_unknown(found.path, settings)
        return found

    @cached_property
    def store(self) -> StoreReader:
        from memgit import process
        from memgit.stores.registry import KINDS

        if kind := KINDS.get(self.resolution.shape):
            return kind.reader(self.resolution, process.run)
        from memgit.stores.directory import DirectoryStore

        return DirectoryStore(self.resolution)

    @property
    def beads(self) -> Beads | None:
        """The beads beside the memories of a store of beads; None for any other store."""
        from memgit.stores.beads.bd import BeadsStore

        return self.store.bd if isinstance(self.store, BeadsStore) else None

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
        """The store's vault, made if it is not there; what hooks noted before is brought into it."""
        from memgit.agent.hooks.spool import take_over
        from memgit.vault import Vault

        folder, settings = self.vault_folder, self.settings
        vault = Vault.create(folder, str(self.live), clock=settings.clock, who=settings.who, witness=self._witness)
        take_over(str(settings.state_home / "hooks" / folder.name), str(vault.private))
        return vault

    @property
    def book(self) -> PassBook:
        from memgit.flows.record import PassBook

        return PassBook(lambda: self.made_vault, self.beside, self._recover, self.new_desk)

    def answered(self) -> frozenset[str]:
        """The keys of what a person has answered in earlier passes; nothing where there was none."""
        return frozenset(each.key for each in self.book.rejections()) if self.vault_folder.exists() else frozenset()

    def _recover(self) -> tuple[str, ...]:
        """Finish what an earlier command left cut short; what was done about it, in sentences."""
        from memgit.flows.recovery import recover

        desk = self.desk_or_none()
        done = recover(desk) if desk else None
        return (done.did, *done.notes) if done else ()

    def earlier(self, path: str) -> Iterator[bytes]:
        """The former texts of a file of the store, newest first; none where nothing, or nothing whole, is recorded."""
        with suppress(MemgitError):
            desk = self.desk_or_none()
            for _, _, data in desk.vault.history(path) if desk else ():
                if data is not None:
                    yield data

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
        from memgit.memory.memory import memories
        from memgit.memory.stores import Surroundings, cited
        from memgit.sessions.pool import kept, oldest
        from memgit.stores.locate import NEAREST, unfinished
        from memgit.stores.used import known_projects, misplaced, other_stores, readers, used

        settings, place, home = self.settings, self.place, str(self.settings.home)
        path, rule = used(place, settings.cwd, settings.env, home)
        days, chosen = settings.client.retention or (0, False)
        store = memories(content)
        there = kept(place.projects_dir, cited(store).keys())
        homes, keys = known_projects(place)
        whose = readers(str(self.live), self.resolution.shape)
        return Surroundings(
            store=str(self.live),
            used=path,
            rule=rule,
            off=settings.client.off,
            others=() if whose else other_stores(place, self.resolution.others, {str(self.live), path}),
            days=days,
            chosen=chosen,
            written={session: each.written for session, each in there.items()},
            misplaced=tuple(
                misplaced(store, homes, keys, {session: each.cwd for session, each in there.items()}, home)
            ),
            readers=whose,
            oldest=oldest(str(Path(self.place.default_store).parent)),
            refusal=place.refusal,
            unfinished=tuple(unfinished(str(self.live))),
            near=tuple(path for path, rule in self.resolution.others if rule == NEAREST),
        )

    def callables(self) -> frozenset[str]:
        """The names of skills and the like, which texts name as they name memories."""
        from memgit.stores.rules import callables

        return callables(self.place.root, self.settings.client.folder)

    def place_findings(self, content: StoreContent) -> Iterator[Finding]:
        """What there is to know of that."""
        from memgit.memory.memory import memories
        from memgit.memory.stores import surrounding_findings

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
        from memgit.files import can_sync_at_once
        from memgit.flows.check import Diagnosis, check, idle_hooks, places_at_risk

        places = {"store": self.live, "vault": self.vault_folder, "witness": self.settings.state_home}
        findings = (
            *_configuration_faults(self.settings),
            *idle_hooks(hook_lines(self.settings)),
            *places_at_risk(places, one_sync=can_sync_at_once()),
            *check(
                self.store,
                lambda: self.record_findings(full=False, seconds=None),
                self.place_findings,
                (),
                self.earlier,
            ).findings,
        )
        return Diagnosis(tuple(self._facts()), findings)

    def unread(self) -> str:
        """That no agent reads this store by itself, in a sentence; empty where one does."""
        from memgit.model.store import ABSENT

        return self.surroundings(ABSENT).unread

    def _facts(self) -> Iterator[Fact]:
        from memgit.flows.check import Fact, hooks_fact, size_of

        settings, found = self.settings, self.resolution
        yield from versions()
        yield Fact("project", self.place.root, "--project" if settings.project else "the folder it was called in")
        yield Fact("store", found.path, found.rule)
        if str(self.live) != found.path:
            yield Fact("store's real path", str(self.live), "links followed")
        yield Fact("agent's projects", self.place.projects_dir, "the agent's own setting or its default")
        days, chosen = settings.client.retention or (0, False)
        yield Fact("transcripts", f"deleted after {days} days", "your settings" if chosen else "the agent's default")
        off = settings.client.off
        yield Fact("memory", f"switched off ({off})" if off else "on", "the agent's settings and environment")
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
        from memgit.flows.check import mend
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
        from memgit.model.verification import Area, Finding

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
        """The path that the names of a pass's files are derived from: never in a folder that somebody records or
        synchronises, nor where the client of an agent takes each folder for one of its own."""
        from memgit.stores.locate import watched
        from memgit.stores.rules import is_among_others

        if not self.resolution.is_folder:
            return self.vault_folder / "memgit" / self.resolution.shape
        live = str(self.live)
        apart = self.resolution.shape == "codex" or is_among_others(live) or watched(live)
        return self.vault_folder / "memgit" / self.live.name if apart else self.live

    def tree(self, *apart: Path) -> WorkingTree:
        """The working tree without memgit's own files, a store that lies in it, and what else is to be ``apart``."""
        from memgit.tree.git import open_tree
        from memgit.tree.known import FOLDER, KnownTrees

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

        config = Path(self.settings.client.folder)
        return Desk(
            store=self.store,
            vault=vault,
            installer=self._installer(Journal(vault.private / "journal.json")),
            clock=self.settings.clock,
            free_paths=self.book.free_paths,
            sessions=lambda: live_sessions(config, self.place.root, self.settings.env),
            narrow=self._narrow,
            drops=lambda header: _drops(vault, header),
            caller=self.settings.session() or None,
        )

    def _installer(self, journal: Journal) -> StoreInstaller:
        def read(folder: Path) -> StoreContent:
            return folder_of_memories(folder, self.resolution.shape).read()

        from memgit import process
        from memgit.stores.registry import KINDS

        if kind := KINDS.get(self.resolution.shape):
            return kind.installer(self.store, read, journal, process.run)
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
        from memgit.flows.look import verified

        return verified(content, self.tree())


def _refuse_unknown(path: str, settings: Settings) -> None:
    """A store that somebody named is there, or was once recorded: a mistyped name makes no new one."""
    from memgit.vault import vault_folder

    real = os.path.realpath(path)
    if not os.path.lexists(path) and not vault_folder(settings.data_home, real).exists():
        raise UsageError(
            f"There is no store {real!r}, and none was ever recorded there.",
            "`memgit stores` lists the stores there are. To begin a new one, make its folder first.",
        )


def _refuse_own_folders_in(store: Path, settings: Settings) -> None:
    """Nothing may be written into the store that is read, not even memgit's own records."""
    for own in (settings.data_home, settings.state_home, settings.cache_home):
        if Path(os.path.realpath(own)).is_relative_to(store):
            raise UsageError(
                f"memgit's own folder {own} lies in the store {store}.",
                "Set MEMGIT_DATA_HOME, MEMGIT_STATE_HOME and MEMGIT_CACHE_HOME to folders outside of it.",
            )


def site_at(store: str) -> Site:
    """The site of a store, by its address, that somebody has settled on already: it is not looked for, nor doubted,
    again."""
    from memgit.model.store import Resolution
    from memgit.stores.registry import named

    settings = Settings.of_process(store, None, None)
    site, home = Site(settings), str(settings.home)
    found = named(settings.cwd, store, settings.cwd, home)
    vars(site)["resolution"] = found or Resolution(store, "named")
    return site


def folder_of_memories(folder: Path, shape: str = "directory") -> DirectoryStore:
    """A reader for any folder that is laid out like a store of a shape is in the vault."""
    from memgit.model.store import Resolution
    from memgit.stores.directory import DirectoryStore

    return DirectoryStore(Resolution(str(folder), "named", shape))


def _drops(vault: Vault, header: PassHeader) -> int:
    """How many memories a pass removes without a survivor."""
    from memgit.flows.candidate import decisions_of
    from memgit.model.decision import Kind
    from memgit.rulings.standing import standing

    decisions = decisions_of(vault, header.id)
    drops = [each for each in standing(decisions, header.kind) or decisions if each.kind is Kind.DROP]
    return sum(len(each.memories) for each in drops)
