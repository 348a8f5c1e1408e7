"""A redaction cut short anywhere: the vault is wholly the old or wholly the new one, and the new one holds nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from memgit.evidence.redaction import redaction
from memgit.flows.observe import snapshot
from memgit.flows.recovery import recover
from memgit.flows.undo import undo
from memgit.model.history import OpKind
from memgit.vault import Standing
from tests.crash.redact_world import SECRET, desk_in, prepare
from tests.desks import quick_place

REPOSITORY = Path(__file__).parents[2]


@dataclass(frozen=True)
class Stage:
    """A world with a secret that can be set up again and again at the same place."""

    root: Path
    template: Path

    def set_up(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(self.template, self.root, symlinks=True)

    def act(self, fault: str, verb: str = "redact") -> int:
        command = [sys.executable, "-m", "tests.crash.redact_world", str(self.root), verb]
        environment = {**os.environ, "MEMGIT_FAULT": fault}
        return subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, timeout=60).returncode

    def points(self, verb: str = "redact") -> list[str]:
        listing = self.root.parent / "points"
        listing.unlink(missing_ok=True)
        self.act(f"list:{listing}", verb)
        return listing.read_text().splitlines() if listing.exists() else []


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    with quick_place(tmp_path_factory.mktemp("redact")) as place:
        stage = Stage(place / "world", place / "template")
        prepare(stage.root)
        shutil.copytree(stage.root, stage.template, symlinks=True)
        yield stage


@pytest.fixture(scope="module")
def points(stage):
    stage.set_up()
    return stage.points()


def sampled(points: list[str], whole: bool, action: str = "kill") -> list[int]:
    """Every point; or the first of each kind for a kill, the last for an error."""
    if whole:
        return list(range(1, len(points) + 1))
    named = [(name.partition(":")[0], number) for number, name in enumerate(points, 1)]
    return sorted(dict(named[::-1] if action == "kill" else named).values())


def holds_it(root: Path) -> list[str]:
    """Where the secret stands below a folder, objects of a vault unpacked."""
    secret = redaction([SECRET])
    found = [str(path) for path in root.rglob("*") if path.is_file() and secret.touches(path.read_bytes())]
    objects = desk_in(root).vault.objects
    names = {*objects.loose(), *objects.packed()}
    return found + [oid for oid in names if secret.touches(objects.read_any(oid)[1])]


def check(root: Path, where: str) -> str:
    """The verdict, the same for every point; says which of the two the vault is."""
    desk = desk_in(root)
    recover(desk)
    vault = desk.vault
    assert [problem.what for problem in vault.problems(full=False)] == [], where
    assert vault.check_witness() is Standing.OK, where
    beside = {path.name for path in (root / "data").iterdir()} - {"witness.json.new"}  # is written over next time
    assert beside == {"vault", "witness.json"}, where
    new = any(operation.kind is OpKind.REDACT for operation in vault.operations())
    assert all(vault.store_at(operation) for operation in vault.operations() if operation.store), where
    found = holds_it(root)
    if new:
        assert found == [], where
    else:
        assert {path for path in found if len(path) == 40}, where
        assert str(root / "agent/memory/token.md") in found, where
    return "new" if new else "old"


def goes_on(root: Path, where: str) -> None:
    desk = desk_in(root)
    undo(desk)
    (desk.live / "next.md").write_text("next")
    snapshot(desk)
    assert desk.vault.store_at(desk.vault.head()).files["next.md"].data == b"next", where


def test_the_points_cover_every_step(points):
    assert set(points) >= {
        "history written anew",
        "refs of the new history set",
        "private files carried over",
        "the new vault is declared proven",
        "vaults swapped",
        "the other vault removed",
        "a file outside the vault cleaned",
        "the superseded copy removed",
    }


@pytest.mark.parametrize("action", ["kill", "error"])
def test_cut_short_anywhere_it_is_wholly_done_or_not_at_all(stage, points, action, request):
    outcomes = []
    for number in sampled(points, request.config.getoption("--whole"), action):
        stage.set_up()
        code = stage.act(f"{action}:{number}")
        where = f"{action} at {number} ({points[number - 1]})"
        assert code == -9 or action == "error", where
        outcomes.append(check(stage.root, where))
        goes_on(stage.root, where)
    assert set(outcomes) == {"old", "new"}
    assert outcomes == sorted(outcomes, reverse=True)  # old before some point, new from there on


def test_its_recovery_can_be_cut_short_too(stage, points, request):
    whole = request.config.getoption("--whole")
    after = points.index("vaults swapped") + 1
    for number in range(after, len(points) + 1, 1 if whole else 17):
        cut(stage, number)
        recovery = stage.points("recover")
        for second in sampled(recovery, whole)[:: 1 if whole else 3]:
            cut(stage, number)
            stage.act(f"kill:{second}", "recover")
            where = f"recovery of point {number} killed at {second} ({recovery[second - 1]})"
            assert check(stage.root, where) == "new"


def cut(stage: Stage, number: int) -> None:
    stage.set_up()
    stage.act(f"kill:{number}")


def test_killed_between_two_renames_any_command_finds_the_new_vault(stage):
    stage.set_up()
    code = (
        "import sys; from pathlib import Path; from memgit import files, faults\n"
        "from tests.crash.redact_world import *\n"
        "def no(*_): raise files.Unsupported('not here')\n"
        "files.exchange = no\n"
        "from memgit.vault import renewal\n"
        "def stop(name):\n"
        "    if name == 'the old vault moved away': raise SystemExit(9)\n"
        "renewal.point = stop\n"
        "root = Path(sys.argv[1]); redact(desk_in(root), Given(SECRET), reach(root), really=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, stage.root], cwd=REPOSITORY, capture_output=True, timeout=60)
    assert done.returncode == 9, done.stderr
    assert not (stage.root / "data/vault").exists()
    assert check(stage.root, "between two renames") == "new"
    goes_on(stage.root, "between two renames")
