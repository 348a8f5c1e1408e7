"""Worlds in which a verb is about to run, and the verdict on what is left of them when it was cut short."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memgit.errors import StoreChanged
from memgit.flows.adopt import adopt, discard
from memgit.flows.desk import Desk
from memgit.flows.observe import snapshot
from memgit.flows.recovery import recover
from memgit.flows.undo import redo, restore, undo
from memgit.memory.fingerprint import NO_STORE, fingerprint
from memgit.model.history import PassState
from memgit.stores.install import Way
from tests.crash.driver import Driver
from tests.crash.verbs import desk_in
from tests.desks import NEW, OLD, like, make_pass, read_folder, write

KILLED = -9
BEFORE_RECOVERY: Mapping[Way, set[str]] = {Way.EXCHANGE: set(), Way.RENAMES: {NO_STORE}, Way.IN_PLACE: set()}
"""What else may be found before recovery: no store at all between two renames, a mixture while changing in place."""

CASES: tuple[tuple[str, Way], ...] = (
    ("init", Way.EXCHANGE),
    ("snapshot", Way.EXCHANGE),
    ("curate", Way.EXCHANGE),
    *(("adopt", way) for way in Way),
    ("adopt-built", Way.EXCHANGE),
    ("merge", Way.EXCHANGE),
    *(("adopt-merged", way) for way in (Way.EXCHANGE, Way.IN_PLACE)),
    ("discard", Way.EXCHANGE),
    *(("undo", way) for way in Way),
    ("redo", Way.EXCHANGE),
    *(("restore", way) for way in Way),
    ("remember", Way.IN_PLACE),
    ("forget", Way.IN_PLACE),
)
"""Every verb that changes something, by each way to install that makes a difference to it."""


def named(case: tuple[str, Way]) -> str:
    return f"{case[0]}-{case[1]}".replace(" ", "-")


@dataclass(frozen=True)
class Stage:
    """A world ready for a verb, which can be set up again and again at the same place."""

    place: Path
    verb: str
    way: Way
    driver: Driver

    @property
    def root(self) -> Path:
        return self.place / "root"

    @property
    def template(self) -> Path:
        return self.place / "template"

    @property
    def store(self) -> Path:
        return self.root / "agent" / "memory"

    def make(self) -> Stage:
        """Build the world for the first time."""
        for folder in (self.root, self.template):
            shutil.rmtree(folder, ignore_errors=True)
        self.root.mkdir(parents=True)
        self.prepare()
        shutil.copytree(self.root, self.template, symlinks=True)
        return self

    def prepare(self) -> None:
        """Bring the world to where the verb has something to do."""
        prepare(self)

    def judge(self, old: str, new: str, where: str) -> str:
        """The verdict on a world in which the verb was cut short; raises AssertionError with ``where``."""
        return judge(self, old, new, where)

    @property
    def desk(self) -> Desk:
        return desk_in(self.root, self.way)

    def check(self, where: str) -> None:
        """Fails unless the vault is whole, to the last object, without any repair but that of a recovery."""
        assert [problem.what for problem in self.desk.vault.problems(full=True)] == [], where

    def set_up(self) -> None:
        shutil.rmtree(self.root)
        shutil.copytree(self.template, self.root, symlinks=True)

    def act(self, fault: str = "", verb: str = "") -> int:
        """Run the verb in a process of its own; its exit code, or the signal that ended it as a negative number."""
        return self.driver.run(self.root, self.way, verb or self.verb, fault).code

    def points(self, verb: str = "") -> list[str]:
        """The names of the points that the verb passes, from the world as it is."""
        listing = self.place / "points"
        listing.unlink(missing_ok=True)
        self.act(f"list:{listing}", verb)
        return listing.read_text().splitlines() if listing.exists() else []

    def outcome(self) -> str:
        """The fingerprint of the live store when nothing goes wrong."""
        self.set_up()
        assert self.act() in (0, StoreChanged.code), self.verb
        mark = self.mark()
        self.set_up()
        return mark

    def mark(self) -> str:
        return fingerprint(read_folder(self.store))


def prepare(stage: Stage) -> None:
    """Bring the world to where the verb has something to do."""
    write(stage.store, OLD)
    write(stage.store / ".obsidian", {"app.json": "{}"})
    (stage.root / "project").mkdir()
    if stage.verb == "init":
        return
    desk = desk_in(stage.root, stage.way)
    snapshot(desk)
    if stage.verb == "curate":
        return
    if stage.verb == "snapshot":
        write(stage.store, {"more.md": "More.\n"})
        return
    header = make_pass(desk, like(desk.store.read(), NEW))
    if stage.verb == "adopt-built":  # the candidate's folder cannot go live as it is
        write(Path(header.paths.candidate) / ".obsidian", {"app.json": "{}"})
    if stage.verb in ("undo", "redo", "restore"):
        adopt(desk, header.id)
    if stage.verb == "redo":
        undo(desk)
    if stage.verb in ("merge", "adopt-merged"):
        write(stage.store, {"more.md": "More.\n"})
    if stage.verb == "adopt-merged":
        offered = stage.act(verb="adopt")
        assert offered == StoreChanged.code


def judge(stage: Stage, old: str, new: str, where: str) -> str:
    """The verdict, the same for every point; says which of the two the store turned out to be."""
    found = stage.mark()
    assert found in {old, new} | BEFORE_RECOVERY[stage.way] or stage.way is Way.IN_PLACE, where
    desk = stage.desk
    recover(desk)
    stage.check(where)
    settled = stage.mark()
    assert settled in (old, new), where
    assert (stage.store / ".obsidian/app.json").read_text() == "{}", where
    assert_everything_can_be_brought_back(desk, where)
    assert_the_next_command_works(stage, where)
    assert_no_litter(stage, where)
    return ("old" if settled == old else "new") if found in (old, new) else "recovered"


def assert_everything_can_be_brought_back(desk: Desk, where: str) -> None:
    for operation in desk.vault.operations():
        if operation.store:
            assert fingerprint(desk.vault.store_at(operation)) == operation.fingerprint, where


def assert_the_next_command_works(stage: Stage, where: str) -> None:
    desk = desk_in(stage.root, stage.way)
    snapshot(desk)
    if stage.verb in ("merge", "adopt-merged"):
        waiting = [header for header in desk.vault.passes() if header.state is PassState.READY]
        discard(desk, waiting[0].id) if waiting else undo(desk)
        return
    restore(desk, "op2")
    assert (stage.store / "retry-budget.md").read_text() == OLD["retry-budget.md"], where
    assert not (stage.store / "tests.md").exists(), where
    for header in desk.vault.passes():
        if header.state in (PassState.READY, PassState.UNDONE):
            adopt(desk, header.id)
            assert stage.mark() == fingerprint(desk.vault.content(header.candidate)), where
            undo(desk)
            redo(desk)


def assert_no_litter(stage: Stage, where: str) -> None:
    """Beside the store: the store, one superseded copy at most, and what a waiting pass owns."""
    found = sorted(path.name for path in stage.store.parent.iterdir() if path != stage.store)
    superseded = [name for name in found if "-superseded" in name]
    assert len(superseded) <= 1, (where, found)
    assert [name for name in found if name.endswith((".tmp", "-unfinished", "-staged", "-aside"))] == [], (where, found)
    private = {path.name for path in (stage.root / "vault/v/memgit").iterdir()}
    assert not any(name.startswith("journal") or name.endswith(".tmp") for name in private), (where, private)


def sampled(count: int, whole: bool, most: int) -> list[int]:
    """Numbers from 1 to ``count``: all of them, or so many spread evenly: first and last, or the middle one alone."""
    if whole or count <= most:
        return list(range(1, count + 1))
    if most == 1:
        return [(count + 1) // 2]
    return sorted({1 + round(step * (count - 1) / (most - 1)) for step in range(most)})
