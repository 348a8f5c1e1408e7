"""Remember, killed at any point: after recovery the store holds the fact wholly or not at all, and undo still works."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memgit.flows import observe, recovery, undo
from memgit.flows.extract import remember
from memgit.model.fact import Fact
from tests.desks import OLD, desk_over, quick_place, read_folder, texts, write

REPOSITORY = Path(__file__).parents[2]
SAMPLE = 6
"""Points tried unless the whole matrix is asked for."""
FACT = Fact("on-call-rota", "Mira is on call", "project", "Mira is on call in weeks with an even number.")
WITH_FACT = {
    **OLD,
    "MEMORY.md": OLD["MEMORY.md"] + "- [On Call Rota](on-call-rota.md) — Mira is on call\n",
    "on-call-rota.md": f"---\nname: on-call-rota\ndescription: Mira is on call\ntype: project\n---\n\n{FACT.body}\n",
}
ACT = """
import sys
from pathlib import Path
from tests.crash.test_remember_crash import FACT, desk_in
from memgit.flows.extract import remember
remember(desk_in(Path(sys.argv[1])), [FACT], "s-1")
"""


def desk_in(root: Path):
    return desk_over(root / "agent" / "memory", root / "vault" / "v")


def act(root: Path, fault: str) -> None:
    environment = {**os.environ, "MEMGIT_FAULT": fault, "PYTHONPATH": str(REPOSITORY)}
    subprocess.run([sys.executable, "-c", ACT, str(root)], env=environment, capture_output=True, timeout=60)


def set_up(root: Path) -> None:
    shutil.rmtree(root, ignore_errors=True)
    write(root / "agent" / "memory", OLD)
    observe.snapshot(desk_in(root))


@pytest.mark.parametrize("fault", ["kill", "error"])
def test_a_fact_is_there_wholly_or_not_at_all(fault: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    with quick_place(tmp_path) as place:
        root = place / "case"
        set_up(root)
        act(root, f"list:{place / 'points'}")
        points = (place / "points").read_text().splitlines()
        assert texts(read_folder(root / "agent" / "memory")) == WITH_FACT
        step = 1 if request.config.getoption("--whole") else max(1, len(points) // SAMPLE)

        for number in range(1, len(points) + 1, step):
            set_up(root)
            act(root, f"{fault}:{number}")
            desk = desk_in(root)
            recovery.recover(desk)
            found = texts(read_folder(desk.live))
            assert found in (OLD, WITH_FACT), f"{number}: {points[number - 1]}"
            assert [path.name for path in desk.live.parent.iterdir()] == ["memory"]
            remember(desk, [FACT], "s-2")
            assert texts(read_folder(desk.live)) == WITH_FACT
            undo.undo(desk)
            assert texts(read_folder(desk.live)) == OLD
