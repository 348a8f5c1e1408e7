"""Several memgits and an agent on one store at once: nothing that was ever there is lost."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memgit.flows.observe import snapshot
from memgit.memory.fingerprint import fingerprint
from memgit.stores.install import Way
from tests.crash.verbs import desk_in
from tests.desks import NEW, OLD, like, make_pass, quick_place, read_folder, write

REPOSITORY = Path(__file__).parents[2]
PROCESSES = ("adopt", "undo", "redo", "discard", "restore", "snapshot")


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    with quick_place(tmp_path) as place:
        write(place / "agent" / "memory", OLD)
        yield place


def start(root: Path, verb: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.crash.verbs", str(root), Way.EXCHANGE.value, verb]
    return subprocess.Popen(command, cwd=REPOSITORY, env=dict(os.environ), stderr=subprocess.PIPE)


def test_verbs_that_race_with_each_other_and_an_agent_lose_nothing(root, pytestconfig):
    store = root / "agent" / "memory"
    desk = desk_in(root, Way.EXCHANGE)
    for number in range(3):
        make_pass(desk, like(read_folder(store), {**NEW, "round.md": f"{number}\n"}))
    rounds = 8 if pytestconfig.getoption("--whole", default=False) else 1
    written = 0
    for _ in range(rounds):
        running = [start(root, verb) for verb in PROCESSES for _ in range(2)]
        while any(process.poll() is None for process in running):
            written += 1
            agent_writes(store, f"agent-{written % 5}.md", f"{written}\n")
        for process in running:
            said = process.communicate()[1].decode()
            assert "Traceback" not in said, said
    snapshot(desk)
    recorded = list(desk.vault.operations())
    assert recorded[0].fingerprint == fingerprint(read_folder(store))
    for operation in recorded:
        if operation.store:
            assert fingerprint(desk.vault.store_at(operation)) == operation.fingerprint
    assert [each.number for each in recorded] == list(range(len(recorded), 0, -1))
    assert desk.installer.journal.read() is None


def agent_writes(store: Path, name: str, text: str) -> None:
    """Write as the client does: a file aside, then a rename. The store may be exchanged in between."""
    aside = store / f".{name}.tmp"
    try:
        aside.write_text(text)
        aside.replace(store / name)
    except FileNotFoundError:
        return
