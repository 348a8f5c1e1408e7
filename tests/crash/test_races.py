"""Many processes and an agent on one store at once: every state and everything that the agent wrote is there."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

from memgit.flows.observe import snapshot
from memgit.flows.recovery import recover
from memgit.memory.fingerprint import fingerprint
from memgit.model.store import StoreContent
from memgit.stores.install import Way
from memgit.vault.integrity import check
from tests.crash.verbs import desk_in
from tests.desks import OLD, quick_place, read_folder, write

REPOSITORY = Path(__file__).parents[2]


def start(root: Path, seed: int, rounds: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.crash.racer", str(root), str(seed), str(rounds)]
    return subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


class Agent(threading.Thread):
    """Writes a new memory again and again as the client does: a file aside, then a rename."""

    def __init__(self, store: Path) -> None:
        super().__init__()
        self.store = store
        self.wrote: list[str] = []
        self.over = threading.Event()

    def run(self) -> None:
        number = 0
        while not self.over.wait(0.08):
            number += 1
            name = f"agent-{number}.md"
            aside = self.store / f".{name}.tmp"
            try:
                aside.write_text(f"{number}\n")
                aside.replace(self.store / name)
            except FileNotFoundError:
                continue  # the store was exchanged in between; a client says that it could not write
            self.wrote.append(name)


def own(store: StoreContent) -> dict[str, bytes]:
    """A store without what the agent wrote."""
    files = store.files.items()
    return {path: file.data for path, file in files if not path.startswith(("agent-", ".agent-"))}


def test_nothing_is_lost_among_many_processes_and_an_agent(tmp_path, pytestconfig, capsys):
    whole = bool(pytestconfig.getoption("--whole", default=False))
    processes, rounds = (16, 25) if whole else (6, 5)
    with quick_place(tmp_path) as root:
        store = root / "agent" / "memory"
        write(store, OLD)
        snapshot(desk_in(root, Way.EXCHANGE))
        agent = Agent(store)
        agent.start()
        racers = [start(root, seed, rounds) for seed in range(processes)]
        said = [racer.communicate(timeout=600) for racer in racers]
        agent.over.set()
        agent.join()
        ended = Counter[str]()
        for out, err in said:
            assert err == ""
            ended.update({kind: int(count) for kind, count in (each.split("=") for each in out.split())})
        with capsys.disabled():
            how = ", ".join(f"{count} {kind}" for kind, count in ended.most_common())
            print(f"\n{processes} processes x {rounds} commands, the agent wrote {len(agent.wrote)} memories: {how}")
        verdict(root, agent.wrote)


def verdict(root: Path, wrote: list[str]) -> None:
    desk = desk_in(root, Way.EXCHANGE)
    recover(desk)
    live = read_folder(desk.live)
    recorded = [desk.vault.store_at(each) for each in desk.vault.operations() if each.store]
    assert own(live) in [own(each) for each in recorded]
    snapshot(desk)
    operations = list(desk.vault.operations())
    assert [each.number for each in operations] == list(range(len(operations), 0, -1))
    stores = {each.id: desk.vault.store_at(each) for each in operations if each.store}
    assert [each.id for each in operations if each.store and fingerprint(stores[each.id]) != each.fingerprint] == []
    assert operations[0].fingerprint == fingerprint(read_folder(desk.live))
    kept = {path for each in stores.values() for path in each.files}
    assert [name for name in wrote if name not in kept] == []
    assert check(desk.vault, full=True) == ()
    assert desk.installer.journal.read() is None
    assert [
        each.name for each in os.scandir(root / "agent") if "unfinished" in each.name or "staged" in each.name
    ] == []
