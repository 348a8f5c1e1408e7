"""Killed, or out of space, at any point of any verb: the store is wholly one or the other, and all goes on."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from memgit.core.fingerprint import NO_STORE, fingerprint
from memgit.flows.lifecycle import adopt, discard, recover, redo, restore, snapshot, undo
from memgit.model.passes import PassState
from memgit.stores.install import Way
from tests.crash.verbs import VERBS, desk_in
from tests.desks import NEW, OLD, like, make_pass, quick_place, read_folder, write

REPOSITORY = Path(__file__).parents[2]
SAMPLE = 4
"""Points tried of each case unless the whole matrix is asked for."""
KILLED = -9
BEFORE_RECOVERY: Mapping[Way, set[str]] = {Way.EXCHANGE: set(), Way.RENAMES: {NO_STORE}, Way.IN_PLACE: set()}
"""What else may be found before recovery: no store at all between two renames, a mixture while changing in place."""


@dataclass(frozen=True)
class Stage:
    """A world ready for a verb, which can be set up again and again at the same place."""

    root: Path
    template: Path
    verb: str
    way: Way

    @property
    def store(self) -> Path:
        return self.root / "agent" / "memory"

    def set_up(self) -> None:
        shutil.rmtree(self.root)
        shutil.copytree(self.template, self.root, symlinks=True)

    def keep(self) -> None:
        shutil.rmtree(self.template, ignore_errors=True)
        shutil.copytree(self.root, self.template, symlinks=True)

    def act(self, fault: str = "", verb: str = "") -> int:
        command = [sys.executable, "-m", "tests.crash.verbs", str(self.root), self.way.value, verb or self.verb]
        environment = {**os.environ, "MEMGIT_FAULT": fault}
        return subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, timeout=60).returncode

    def points(self, verb: str = "") -> list[str]:
        listing = self.root / "points"
        self.act(f"list:{listing}", verb)
        found = listing.read_text().splitlines() if listing.exists() else []
        self.set_up()
        return found

    def mark(self) -> str:
        return fingerprint(read_folder(self.store))


def prepare(stage: Stage) -> None:
    """Bring the world to where the verb has something to do."""
    write(stage.store, OLD)
    write(stage.store / ".obsidian", {"app.json": "{}"})
    desk = desk_in(stage.root, stage.way)
    snapshot(desk)
    if stage.verb == "snapshot":
        write(stage.store, {"more.md": "More.\n"})
        return
    header = make_pass(desk, like(desk.store.read(), NEW))
    if stage.verb in ("undo", "redo", "restore"):
        adopt(desk, header.id)
    if stage.verb == "redo":
        undo(desk)
    if stage.verb == "merge":
        write(stage.store, {"more.md": "More.\n"})


@pytest.fixture
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    verb, way = request.param
    with quick_place(tmp_path) as place:
        stage = Stage(place / "root", place / "template", verb, way)
        stage.root.mkdir()
        prepare(stage)
        stage.keep()
        yield stage


def sampled(points: list[str], whole: bool) -> list[int]:
    """Numbers of the points to try; first and last are always among them."""
    numbers = list(range(1, len(points) + 1))
    return numbers if whole else sorted({numbers[round(i * (len(numbers) - 1) / (SAMPLE - 1))] for i in range(SAMPLE)})


@pytest.fixture
def whole(pytestconfig: pytest.Config) -> bool:
    return bool(pytestconfig.getoption("--whole", default=False))


CASES = [
    *(("adopt", way) for way in Way),
    *(("undo", way) for way in Way),
    ("redo", Way.EXCHANGE),
    *(("restore", way) for way in (Way.RENAMES, Way.IN_PLACE)),
    ("discard", Way.EXCHANGE),
    ("merge", Way.EXCHANGE),
    ("snapshot", Way.EXCHANGE),
]


@pytest.mark.parametrize("stage", CASES, indirect=True, ids=lambda case: "-".join(case).replace(" ", "-"))
@pytest.mark.parametrize("action", ["kill", "error"])
def test_cut_short_anywhere_the_store_is_old_or_new_and_the_next_command_works(stage, action, whole):
    points = stage.points()
    old, new = stage.mark(), outcome(stage)
    for number in sampled(points, whole):
        stage.set_up()
        code = stage.act(f"{action}:{number}")
        where = f"{action} at {number} ({points[number - 1]})"
        assert code == KILLED or action == "error", where
        check(stage, old, new, where)


@pytest.mark.parametrize(
    "stage", [("adopt", way) for way in Way], indirect=True, ids=lambda case: case[1].replace(" ", "-")
)
def test_recovery_can_be_cut_short_too(stage, whole):
    points = stage.points()
    old, new = stage.mark(), outcome(stage)
    for number in one_per_state(stage, range(1, len(points) + 1, 1 if whole else 5)):
        cut(stage, number)
        recovery = recovery_points(stage, number)
        for second in sampled(recovery, whole) if recovery else ():
            cut(stage, number)
            stage.act(f"kill:{second}", "recover")
            check(stage, old, new, f"recovery of point {number} killed at {second} ({recovery[second - 1]})")


def cut(stage: Stage, number: int) -> None:
    stage.set_up()
    stage.act(f"kill:{number}")


def recovery_points(stage: Stage, number: int) -> list[str]:
    listing = stage.root.parent / "recovery-points"
    listing.unlink(missing_ok=True)
    stage.act(f"list:{listing}", "recover")
    return listing.read_text().splitlines() if listing.exists() else []


def one_per_state(stage: Stage, numbers: Iterable[int]) -> list[int]:
    """One point for each distinct state on disk that has something to recover."""
    first: dict[str, int] = {}
    for number in numbers:
        cut(stage, number)
        journal = stage.root / "vault/v/memgit/journal.json"
        if journal.exists():
            phase = json.loads(journal.read_bytes())["phase"]
            listing = sorted(path.name for path in stage.store.parent.iterdir())
            operations = sum(1 for _ in desk_in(stage.root, stage.way).vault.operations())
            first.setdefault(f"{phase} {listing} {operations} {stage.mark()}", number)
    return sorted(first.values())


def outcome(stage: Stage) -> str:
    """The fingerprint of the live store when nothing goes wrong."""
    stage.act()
    mark = stage.mark()
    stage.set_up()
    return mark


def check(stage: Stage, old: str, new: str, where: str) -> None:
    """The verdict, the same for every point."""
    assert stage.mark() in {old, new} | BEFORE_RECOVERY[stage.way] or stage.way is Way.IN_PLACE, where
    desk = desk_in(stage.root, stage.way)
    recover(desk)
    assert stage.mark() in (old, new), where
    assert (stage.store / ".obsidian/app.json").read_text() == "{}", where
    for operation in desk.vault.operations():
        if operation.store:
            assert fingerprint(desk.vault.store_at(operation)) == operation.fingerprint, where
    assert_the_next_command_works(stage, where)
    assert_no_litter(stage, where)


def assert_the_next_command_works(stage: Stage, where: str) -> None:
    desk = desk_in(stage.root, stage.way)
    if stage.verb == "merge":
        waiting = [header for header in desk.vault.passes() if header.state is PassState.READY]
        assert waiting, where
        discard(desk, waiting[0].id)
        return
    snapshot(desk)
    restore(desk, "op2")
    assert (stage.store / "retry-budget.md").read_text() == OLD["retry-budget.md"], where
    assert not (stage.store / "tests.md").exists(), where
    for header in desk.vault.passes():
        if header.state in (PassState.READY, PassState.UNDONE):
            adopt(desk, header.id)
            assert (stage.store / "tests.md").exists(), where
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


def test_every_verb_of_the_matrix_passes_points(tmp_path):
    assert {verb for verb, _ in CASES} <= VERBS.keys()
