"""How does a large store with a long history feel? ``python -m tests.bench.scale [--whole]`` prints the figures.

Small by default (1,000 memories, 40 passes); ``--whole`` is 10,000 memories and 1,000 passes. Each pass changes five
memories and is adopted; passes go through the vault's own transactions, so that no folder is laid out a thousand times.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from memgit.flows.check import check, record_parts
from memgit.flows.desk import Desk
from memgit.flows.observe import snapshot
from memgit.flows.status import status
from memgit.flows.undo import redo, restore, undo
from memgit.memory.fingerprint import fingerprint
from memgit.model.history import Mode, OpKind, PassHeader, PassKind, PassState, Paths
from memgit.model.store import StoreContent, StoreFile
from memgit.model.verification import Finding
from tests.desks import desk_over, quick_place, write

CHANGED = 5
"""Memories that one pass changes."""
BODY = "The retry budget of the checkout service is {}; Mira raised it after the outage in autumn.\n" * 6


@dataclass(frozen=True)
class Figure:
    """One thing that was measured."""

    name: str
    value: float
    unit: str

    def __str__(self) -> str:
        return f"{self.name:<44} {self.value:>12,.1f} {self.unit}"


def memory(number: int, version: int = 0) -> str:
    head = f"---\nname: fact-{number}\ndescription: fact {number}\ntype: project\n---\n\n"
    return head + BODY.format(*[f"{number}.{version}"] * 6)


def fill(store: Path, memories: int) -> None:
    index = "".join(f"- [Fact {number}](fact-{number}.md) — fact {number}\n" for number in range(memories))
    write(store, {f"fact-{number}.md": memory(number) for number in range(memories)} | {"MEMORY.md": index})


def adopted_pass(desk: Desk, content: StoreContent, number: int) -> StoreContent:
    """Record a pass that changes some memories, and its adoption; the store as it is then."""
    total = len(content.files) - 1
    paths = [f"fact-{(number * CHANGED + each) % total}.md" for each in range(CHANGED)]
    new = {path: StoreFile(path, memory(int(path[5:-3]), number).encode()) for path in paths}
    result = replace(content, files={**content.files, **new})
    head = desk.vault.head()
    assert head is not None
    assert head.store is not None
    with desk.vault.transaction(OpKind.PASS, f"curate {number}") as change:
        pass_id = change.new_pass_id()
        commit = change.put_candidate(pass_id, result, f"curate: pass {number}\n\nA report.\n", head.store)
        header = PassHeader(
            pass_id, PassKind.CURATE, Mode.CURATE, PassState.READY, desk.clock(), head.store, commit, Paths("", "", "")
        )
        change.put_header(header)
        change.put_record(pass_id, "pass.json", b'{"pass": "%d"}' % number)
    with desk.vault.transaction(OpKind.ADOPT, f"adopt {pass_id}", pass_id=pass_id) as change:
        change.fast_forward_store(commit, fingerprint(result))
        change.put_header(replace(header, state=PassState.ADOPTED))
    return result


def measure(place: Path, memories: int, passes: int) -> Iterator[Figure]:
    """Build the store and its history, and time what people do with it."""
    store = place / "agent" / "memory"
    fill(store, memories)
    desk = desk_over(store, place / "vault" / "v")
    yield timed("first snapshot", lambda: snapshot(desk))
    content = desk.store.read()
    began = time.process_time()
    for number in range(1, passes + 1):
        content = adopted_pass(desk, content, number)
    yield Figure("one pass and its adoption, in the vault", (time.process_time() - began) / passes * 1000, "ms of CPU")
    newest = {path: file.data.decode() for path, file in content.files.items()}
    write(store, {path: text for path, text in newest.items() if (store / path).read_text() != text})
    yield timed("snapshot", lambda: snapshot(desk))
    yield timed("snapshot, nothing changed", lambda: snapshot(desk))
    yield timed("status", lambda: status(desk))
    yield timed("log", desk.vault.passes)
    yield timed("ops", lambda: list(desk.vault.operations()))
    yield timed("check", lambda: checked(desk, full=False))
    yield timed("undo of the last pass", lambda: undo(desk))
    yield timed("redo", lambda: redo(desk))
    yield timed("restore of the first state", lambda: restore(desk, "op2"))
    yield timed("check --full", lambda: checked(desk, full=True))
    size, held = (
        sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        for folder in (desk.vault.folder, store)
    )
    yield Figure("the store", held / 1e6, "MB")
    yield Figure("the vault", size / 1e6, "MB")
    yield Figure("files in the vault", sum(path.is_file() for path in desk.vault.folder.rglob("*")), "")
    yield Figure("bytes of the vault for each pass", size / passes, "")


def checked(desk: Desk, *, full: bool) -> tuple[Finding, ...]:
    """What `check` finds, its vault part in this process; damage must not be among it."""
    parts = record_parts(desk, full=full)
    found = (each for part in parts for each in part.look())
    result = check(desk.store, lambda: found, lambda _: (), (), lambda _: (), full=full)
    assert not result.damaged, result.findings
    return result.findings


def timed(name: str, act: Callable[[], object]) -> Figure:
    began = time.process_time()
    act()
    return Figure(name, (time.process_time() - began) * 1000, "ms of CPU")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--whole", action="store_true", help="10,000 memories and 1,000 passes")
    parser.add_argument("--memories", type=int)
    parser.add_argument("--passes", type=int)
    chosen = parser.parse_args()
    memories = chosen.memories or (10_000 if chosen.whole else 1_000)
    passes = chosen.passes or (1_000 if chosen.whole else 40)
    print(f"{memories:,} memories, {passes:,} passes")
    with tempfile.TemporaryDirectory() as otherwise, quick_place(Path(otherwise)) as place:
        for figure in measure(place, memories, passes):
            print(figure, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
