"""What holds of a store of any shape: reading leaves no trace, a pass adopts nothing, undo is exact, a kill loses nothing.

A shape is added by a function that makes a live store of some texts, and its name in ``SHAPES``.
"""

from __future__ import annotations

import inspect
import os
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from memgit import faults
from memgit.core.store.bead_keys import content_of
from memgit.core.store.fingerprint import fingerprint
from memgit.errors import StoreChanged
from memgit.files import Journal
from memgit.flows.desk import Desk, recover
from memgit.flows.lifecycle import adopt, discard, redo, snapshot, undo
from memgit.model.passes import OpKind
from memgit.model.store import StoreContent
from memgit.ports import StoreReader
from memgit.stores.beads_install import BeadsInstaller
from memgit.vault import Vault
from tests.beads_world import beads_at
from tests.desks import Ticking, content, desk_over, make_pass, paths_beside, quick_place, read_folder, write

OLD = {"retry-budget": "Three tries.", "deploys": "On Tuesdays.", "team/oncall": "Mira."}
NEW = {"retry-budget": "Five tries, with a pause.", "tests": "Run them first.", "team/oncall": "Mira."}


@dataclass(frozen=True)
class Live:
    """A live store. ``texts`` gives what its users see, ``put`` writes as one of them does, ``content`` makes the
    store that has some texts, ``traces`` tells every byte and time that a reader could have changed."""

    desk: Callable[[], Desk]
    texts: Callable[[], dict[str, str]]
    put: Callable[[Mapping[str, str]], None]
    content: Callable[[Mapping[str, str]], StoreContent]
    traces: Callable[[], object]


def folder_traces(folder: Path) -> object:
    paths = sorted((folder, *folder.rglob("*")))
    return [
        (str(path), path.read_bytes() if path.is_file() else sorted(each.name for each in path.iterdir()),
         path.stat().st_mtime_ns if path.is_file() else 0, path.stat().st_mode)
        for path in paths
    ]  # fmt: skip


def directory(tmp_path: Path) -> Live:
    store = tmp_path / "memory"

    def files_of(texts: Mapping[str, str]) -> dict[str, str]:
        index = "".join(f"- [{name}]({name}.md) — a hook\n" for name in sorted(texts))
        return {"MEMORY.md": index, **{f"{name}.md": text for name, text in texts.items()}}

    def put(texts: Mapping[str, str]) -> None:
        for path in store.rglob("*.md"):
            path.unlink()
        write(store, files_of(texts))

    def texts() -> dict[str, str]:
        found = read_folder(store).files.values()
        return {file.path.removesuffix(".md"): file.data.decode() for file in found if file.path != "MEMORY.md"}

    store.mkdir()
    put(OLD)
    return Live(
        desk=lambda: desk_over(store, tmp_path / "vault"),
        texts=texts,
        put=put,
        content=lambda wanted: content(files_of(wanted)),
        traces=lambda: folder_traces(store),
    )


def beads(tmp_path: Path) -> Live:
    made = beads_at(tmp_path / "project", OLD)

    def desk() -> Desk:
        folder = tmp_path / "vault"
        clock, store = Ticking(folder), made.store()
        witness = tmp_path / "witness.json"
        vault = Vault.create(folder, str(made.folder), clock=clock, who={"host": "test"}, witness=witness)
        installer = BeadsInstaller(store, read_folder, Journal(vault.private / "journal.json"))
        stem = vault.private / "beads"
        return replace(
            desk_over(tmp_path / "unused", folder),
            store=store,
            installer=installer,
            free_paths=lambda: paths_beside(stem),
        )

    return Live(
        desk=desk,
        texts=lambda: made.memories,
        put=made.put,
        content=content_of,
        traces=lambda: folder_traces(made.folder),
    )


SHAPES = {"directory": directory, "beads": beads}


@pytest.fixture(params=SHAPES)
def live(request, tmp_path):
    return SHAPES[request.param](tmp_path)


def test_reading_leaves_no_trace(live):
    reader = live.desk().store
    before = live.traces()
    assert reader.fingerprint() == fingerprint(reader.read())
    assert live.traces() == before


def test_a_reader_has_nothing_to_write_with(live):
    public = {name for name, _ in inspect.getmembers(StoreReader) if not name.startswith("_")}
    own = {name for name, member in inspect.getmembers(type(live.desk().store), callable) if not name.startswith("_")}
    assert own <= public


def test_a_pass_adopts_nothing_and_a_discard_neither(live):
    desk = live.desk()
    header = make_pass(desk, live.content(NEW))
    assert live.texts() == OLD
    discard(desk, header.id)
    assert live.texts() == OLD


def test_adopting_gives_the_new_store_and_undo_the_old_one_exactly(live):
    desk = live.desk()
    before = desk.store.read()
    header = make_pass(desk, live.content(NEW))
    adopt(desk, header.id)
    assert live.texts() == NEW
    undo(desk)
    assert live.texts() == OLD
    assert fingerprint(desk.store.read()) == fingerprint(before)
    redo(desk)
    assert live.texts() == NEW


def test_a_write_after_the_adopt_survives_its_undo(live):
    desk = live.desk()
    adopt(desk, make_pass(desk, live.content(NEW)).id)
    live.put({**live.texts(), "later": "Written since."})
    undo(desk)
    assert live.texts() == {**OLD, "later": "Written since."}


def test_a_store_that_moved_is_not_overwritten_and_a_merge_waits(live):
    desk = live.desk()
    header = make_pass(desk, live.content(NEW))
    live.put({**OLD, "later": "Written meanwhile."})
    with pytest.raises(StoreChanged):
        adopt(desk, header.id)
    assert live.texts() == {**OLD, "later": "Written meanwhile."}
    merged = next(each for each in desk.vault.passes() if each.id != header.id)
    adopt(desk, merged.id)
    assert live.texts() == {**NEW, "later": "Written meanwhile."}


def test_what_others_write_is_recorded_and_comes_back(live):
    desk = live.desk()
    snapshot(desk)
    live.put({"only": "This one."})
    snapshot(desk)
    states = [desk.vault.store_at(each) for each in desk.vault.operations() if each.store]
    assert desk.vault.head().kind is OpKind.EXTERNAL
    assert live.texts() == {"only": "This one."}
    assert any(b"Three tries." in file.data for state in states for file in state.files.values())


def test_emptying_a_store_can_be_taken_back(live):
    desk = live.desk()
    adopt(desk, make_pass(desk, live.content({})).id)
    assert live.texts() == {}
    undo(desk)
    assert live.texts() == OLD


def adopted_until(fault: str, live: Live, pass_id: str) -> int:
    """How a process ends that adopts a pass with a fault armed."""
    child = os.fork()
    if child == 0:
        faults.arm(fault)
        code = 1
        try:
            adopt(live.desk(), pass_id)
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1]


def points_of(shape: str, folder: Path) -> list[str]:
    folder.mkdir()
    live, listing = SHAPES[shape](folder), folder / "points"
    header = make_pass(live.desk(), live.content(NEW))
    assert adopted_until(f"list:{listing}", live, header.id) == 0
    return listing.read_text().splitlines()


@pytest.mark.parametrize("shape", SHAPES)
def test_killed_at_any_point_the_store_is_wholly_old_or_new_after_a_recovery(shape, tmp_path, request):
    with quick_place(tmp_path) as place:
        kill_at_each_point(shape, place, whole=request.config.getoption("--whole"))


def kill_at_each_point(shape: str, place: Path, *, whole: bool) -> None:
    points = points_of(shape, place / "counted")
    step = 1 if whole else max(1, len(points) // 6)
    telling = {n for n, name in enumerate(points, start=1) if name in ("bd", "before-bd", "exchange")}
    seen = set()
    for number in sorted({*range(1, len(points) + 1, step), *sorted(telling)[1:6]}):
        folder = place / str(number)
        folder.mkdir()
        live = SHAPES[shape](folder)
        header = make_pass(live.desk(), live.content(NEW))
        assert os.WTERMSIG(adopted_until(f"kill:{number}", live, header.id)) == signal.SIGKILL
        desk = live.desk()
        recover(desk)
        found = live.texts()
        assert found in (OLD, NEW), f"killed at point {number}, {points[number - 1]}"
        seen.add(len(found["retry-budget"]))
        assert not desk.installer.journal.path.exists()
        if found == OLD:
            adopt(desk, header.id)
        assert live.texts() == NEW
        undo(desk)
        assert live.texts() == OLD
    assert len(seen) == 2
