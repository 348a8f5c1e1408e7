"""Killed, out of space, or let down by the system at any point of any verb: the store is wholly one or the other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from memgit.stores.install import Way
from tests.crash.driver import BUG, HUNG, Driver
from tests.crash.stages import CASES, KILLED, Stage, judge, named, sampled
from tests.crash.verbs import VERBS, desk_in
from tests.desks import quick_place

SAMPLES = {"kill": 4, "ENOSPC": 2, "EIO": 1, "EINTR": 1}
"""What happens at a point, and at how many points of each case unless the whole matrix is asked for."""


@pytest.fixture(scope="module")
def driver() -> Iterator[Driver]:
    with Driver() as running:
        yield running


@pytest.fixture
def stage(request: pytest.FixtureRequest, tmp_path: Path, driver: Driver) -> Iterator[Stage]:
    verb, way = request.param
    with quick_place(tmp_path) as place:
        yield Stage(place, verb, way, driver).make()


@pytest.fixture
def whole(pytestconfig: pytest.Config) -> bool:
    return bool(pytestconfig.getoption("--whole", default=False))


@pytest.mark.parametrize("stage", CASES, indirect=True, ids=named)
def test_cut_short_anywhere_the_store_is_old_or_new_and_the_next_command_works(stage, whole):
    points = stage.points()
    stage.set_up()
    old, new = stage.mark(), stage.outcome()
    tried = ((action, at) for action, most in SAMPLES.items() for at in sampled(len(points), whole, most))
    for action, number in tried:
        stage.set_up()
        code = stage.act(f"{action}:{number}")
        where = f"{action} at {number} ({points[number - 1]})"
        assert code == KILLED if action == "kill" else code not in (BUG, HUNG), where
        judge(stage, old, new, where)


@pytest.mark.parametrize("stage", [("adopt", way) for way in Way], indirect=True, ids=named)
def test_recovery_can_be_cut_short_too(stage, whole):
    points = stage.points()
    stage.set_up()
    old, new = stage.mark(), stage.outcome()
    for number in one_per_state(stage, range(1, len(points) + 1, 1 if whole else 5)):
        cut(stage, number)
        recovery = stage.points("recover")
        for second in sampled(len(recovery), whole, 2):
            cut(stage, number)
            stage.act(f"kill:{second}", "recover")
            judge(stage, old, new, f"recovery of point {number} killed at {second} ({recovery[second - 1]})")


def cut(stage: Stage, number: int) -> None:
    stage.set_up()
    stage.act(f"kill:{number}")


def one_per_state(stage: Stage, numbers: Iterable[int]) -> list[int]:
    """One point for each distinct state on disk that has something to recover."""
    first: dict[str, int] = {}
    for number in numbers:
        cut(stage, number)
        if state := state_on_disk(stage):
            first.setdefault(state, number)
    return sorted(first.values())


def state_on_disk(stage: Stage) -> str:
    """What tells one state that needs recovery from another; empty where nothing is under way."""
    journal = stage.root / "vault/v/memgit/journal.json"
    if not journal.exists():
        return ""
    phase = json.loads(journal.read_bytes())["phase"]
    listing = sorted(path.name for path in stage.store.parent.iterdir())
    operations = sum(1 for _ in desk_in(stage.root, stage.way).vault.operations())
    return f"{phase} {listing} {operations} {stage.mark()}"


def test_every_verb_of_the_matrix_passes_points(tmp_path):
    assert {verb for verb, _ in CASES} <= VERBS.keys()
