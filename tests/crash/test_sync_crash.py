"""A sync or an import cut short anywhere: one's own history is as before, and the next sync does the rest."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memgit.flows.observe import snapshot
from memgit.flows.sync import sync
from memgit.vault.integrity import check
from tests.desks import NEW, OLD, desk_over, like, make_pass, quick_place, write

REPOSITORY = Path(__file__).parents[2]
SCRIPT = """
import sys
from pathlib import Path
from memgit.flows.sync import export, import_, sync
from tests.desks import desk_over
root, verb = Path(sys.argv[1]), sys.argv[2]
desk = desk_over(root / "one" / "agent" / "memory", root / "one" / "data" / "vault")
if verb == "sync":
    sync(desk, str(root / "remote.git"), lambda *_: True)
else:
    export(desk, root / "all.bundle")
"""


def machine(root: Path, name: str, held: dict[str, str]):
    write(root / name / "agent" / "memory", held)
    return desk_over(root / name / "agent" / "memory", root / name / "data" / "vault")


def prepare(root: Path) -> None:
    """A remote with the history of two machines, of which the first has gone on and so has the second."""
    subprocess.run(["git", "init", "--quiet", "--bare", str(root / "remote.git")], check=True)
    one, two = machine(root, "one", OLD), machine(root, "two", NEW)
    for desk in (one, two, one):
        snapshot(desk)
        sync(desk, str(root / "remote.git"), lambda *_: True)
    for desk in (one, two):
        make_pass(desk, like(desk.store.read(), {**NEW, "more.md": "More.\n"}))
    sync(two, None, lambda *_: True)


def act(root: Path, verb: str, fault: str) -> int:
    env = {**os.environ, "PYTHONPATH": str(REPOSITORY), "MEMGIT_FAULT": fault}
    return subprocess.run([sys.executable, "-c", SCRIPT, root, verb], env=env, capture_output=True).returncode


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    with quick_place(tmp_path_factory.mktemp("sync")) as place:
        prepare(place / "world")
        shutil.copytree(place / "world", place / "template", symlinks=True)
        yield place


def set_up(stage: Path) -> Path:
    shutil.rmtree(stage / "world")
    shutil.copytree(stage / "template", stage / "world", symlinks=True)
    return stage / "world"


@pytest.mark.parametrize("verb", ["sync", "export"])
@pytest.mark.parametrize("action", ["kill", "error"])
def test_cut_short_anywhere_ones_own_is_whole_and_the_next_one_completes_it(stage, verb, action, request):
    root = set_up(stage)
    listing = stage / "points"
    listing.unlink(missing_ok=True)
    assert act(root, verb, f"list:{listing}") == 0
    points = listing.read_text().splitlines()
    last = {name.partition(":")[0]: number for number, name in enumerate(points, 1)}
    whole = request.config.getoption("--whole")
    for number in range(1, len(points) + 1) if whole else sorted(last.values()):
        root = set_up(stage)
        act(root, verb, f"{action}:{number}")
        assert_whole(root, f"{action} at {number} ({points[number - 1]})")


def assert_whole(root: Path, where: str) -> None:
    desk = desk_over(root / "one" / "agent" / "memory", root / "one" / "data" / "vault")
    before = desk.vault.head()
    assert [problem.what for problem in check(desk.vault, full=True)] == [], where
    done = sync(desk, None, lambda *_: True)
    assert len(done.machines) == 1, where
    assert desk.vault.head() == before, where
    two = desk_over(root / "two" / "agent" / "memory", root / "two" / "data" / "vault")
    fetched = desk.vault.transport.fetched("origin")
    assert fetched[f"machines/{done.machines[0]}/ops"] == two.vault.head().commit, where
    there = desk.vault.transport.listing(str(root / "remote.git"))
    assert there[f"refs/memgit/machines/{done.machine}/ops"] == desk.vault.head().commit, where
    assert [problem.what for problem in check(desk.vault, full=True)] == [], where


def test_the_points_cover_every_step(stage):
    root, listing = set_up(stage), stage / "points"
    listing.unlink(missing_ok=True)
    act(root, "sync", f"list:{listing}")
    assert set(listing.read_text().splitlines()) >= {"objects fetched", "fetched refs set", "pushed"}
