"""What holds of a store of any shape: reading leaves no trace, a pass adopts nothing, undo is exact, nothing gets lost.

A shape is added by a function that makes a live store of some texts, and its name in ``SHAPES``.
"""

from __future__ import annotations

import inspect
import os
import signal
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from memgit import faults
from memgit.errors import StoreChanged
from memgit.files import Journal
from memgit.flows.adopt import adopt, discard
from memgit.flows.desk import Desk
from memgit.flows.observe import snapshot
from memgit.flows.recovery import recover
from memgit.flows.undo import redo, undo
from memgit.memory.fingerprint import fingerprint
from memgit.model.history import OpKind
from memgit.model.store import Resolution, StoreContent
from memgit.ports import StoreReader
from memgit.stores.beads.bd import content_of
from memgit.stores.beads.install import BeadsInstaller
from memgit.stores.directory import DirectoryStore
from memgit.stores.install import Installer
from memgit.stores.sqlite.database import SqliteStore
from memgit.stores.sqlite.install import SqliteInstaller
from memgit.vault import Vault
from tests.beads_world import beads_at
from tests.desks import Ticking, content, desk_over, make_pass, paths_beside, quick_place, read_folder, write
from tests.summary_world import START, add_summaries, make_database, run

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


IDS = {
    name: number for number, name in enumerate(("retry-budget", "deploys", "team/oncall", "tests", "later", "only"), 1)
}


def sqlite(tmp_path: Path) -> Live:
    path, names = tmp_path / "own" / "db.sqlite", {number: name for name, number in IDS.items()}
    store = SqliteStore(Resolution(str(path), "--store", "sqlite"))

    def rows_of(texts: Mapping[str, str]) -> list[dict[str, object]]:
        return [{"id": IDS[name], "event_id": IDS[name], "ts": START, "text": texts[name]} for name in sorted(texts)]

    def put(texts: Mapping[str, str]) -> None:
        with closing(sqlite3.connect(path)) as db:
            kept = dict(db.execute("SELECT id, text FROM summaries").fetchall())
            for row in rows_of(texts):
                if kept.pop(row["id"], None) != row["text"]:
                    db.execute("DELETE FROM summaries WHERE id = ?", (row["id"],))
                    db.execute("DELETE FROM summary_embeddings WHERE summary_id = ?", (row["id"],))
                    add_summaries(db, [row])
            for key in kept:
                db.execute("DELETE FROM summaries WHERE id = ?", (key,))
                db.execute("DELETE FROM summary_embeddings WHERE summary_id = ?", (key,))
            db.commit()

    def content_of_rows(texts: Mapping[str, str]) -> StoreContent:
        number = len(list(tmp_path.glob("wanted-*")))
        made = make_database(tmp_path / f"wanted-{number}" / "db.sqlite", rows_of(texts))
        return SqliteStore(Resolution(str(made), "", "sqlite")).read()

    def desk() -> Desk:
        folder = tmp_path / "vault"
        witness, clock = tmp_path / "witness.json", Ticking(folder)
        vault = Vault.create(folder, str(path), clock=clock, who={"host": "test"}, witness=witness)
        installer = SqliteInstaller(Journal(vault.private / "journal.json"))
        stem = vault.private / "sqlite"
        return replace(
            desk_over(tmp_path / "unused", folder),
            store=store,
            installer=installer,
            free_paths=lambda: paths_beside(stem),
        )

    make_database(path, list(IDS))
    put(OLD)
    return Live(
        desk=desk,
        texts=lambda: {names[key]: text for key, text in run(path, "SELECT id, text FROM summaries")},
        put=put,
        content=content_of_rows,
        traces=lambda: folder_traces(path.parent),
    )


def folder(shape: str, beside: Mapping[str, str], path: str) -> Callable[[Path], Live]:
    """A folder of a shape without an index, with files that no pass changes ``beside`` the memories: staged where no
    client takes it for a store."""

    def made(tmp_path: Path) -> Live:
        store = tmp_path / path
        reader = DirectoryStore(Resolution(str(store), "--store", shape))

        def files_of(texts: Mapping[str, str]) -> dict[str, str]:
            return {**{f"{name}.md": text for name, text in texts.items()}, **visible}

        def put(texts: Mapping[str, str]) -> None:
            for each in store.rglob("*.md"):
                each.unlink()
            write(store, files_of(texts))

        def texts() -> dict[str, str]:
            found = reader.read().files.values()
            assert all((store / name).read_text() == text for name, text in beside.items())
            return {file.path.removesuffix(".md"): file.data.decode() for file in found if file.path not in beside}

        def desk() -> Desk:
            plain = desk_over(store, tmp_path / "vault")
            private = plain.vault.private
            installer = Installer(
                lambda folder: replace(read_folder(folder), indexed=False),
                Journal(private / "journal.json"),
                aside=private,
            )
            stem = private / store.name
            return replace(plain, store=reader, installer=installer, free_paths=lambda: paths_beside(stem))

        visible = {name: text for name, text in beside.items() if not name.startswith(".")}
        write(store, {**files_of(OLD), **beside})
        return Live(
            desk=desk,
            texts=texts,
            put=put,
            content=lambda wanted: content(files_of(wanted), indexed=False),
            traces=lambda: folder_traces(store),
        )

    return made


SHAPES = {
    "directory": directory,
    "notes": folder("notes", {}, "project/docs/memory"),
    "sub-agent": folder("notes", {}, ".claude/agent-memory/reviewer"),
    "codex": folder(
        "codex", {"memory_summary.md": "v1\n\n- Short.\n", ".git/HEAD": "ref: refs/heads/main\n"}, "memories"
    ),
    "beads": beads,
    "sqlite": sqlite,
}


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


def ended_with(fault: str, work: Callable[[], object]) -> int:
    """How a process ends that does some work with a fault armed."""
    child = os.fork()
    if child == 0:
        faults.arm(fault)
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1]


Work = tuple[Live, Callable[[], object]]
"""A store, and what is to be done to it."""


def adopting(shape: str, folder: Path) -> Work:
    folder.mkdir()
    live = SHAPES[shape](folder)
    header = make_pass(live.desk(), live.content(NEW))
    return live, lambda: adopt(live.desk(), header.id)


def undoing(shape: str, folder: Path) -> Work:
    live, adopted = adopting(shape, folder)
    adopted()
    return live, lambda: undo(live.desk())


VERBS = {"adopt": (adopting, OLD, NEW, undo), "undo": (undoing, NEW, OLD, redo)}
"""What is killed, the texts before and after it, and what takes it back."""


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("shape", SHAPES)
def test_killed_at_any_point_the_store_is_wholly_old_or_new_after_a_recovery(shape, verb, tmp_path, request):
    with quick_place(tmp_path) as place:
        kill_at_each_point(shape, verb, place, whole=request.config.getoption("--whole"))


def points_of(shape: str, verb: str, folder: Path) -> list[str]:
    begun, *_ = VERBS[verb]
    _, work = begun(shape, folder)
    listing = folder / "points"
    assert ended_with(f"list:{listing}", work) == 0
    return listing.read_text().splitlines()


def kill_at_each_point(shape: str, verb: str, place: Path, *, whole: bool) -> None:
    begun, before, after, back = VERBS[verb]
    points = points_of(shape, verb, place / "counted")
    step = 1 if whole else max(1, len(points) // 6)
    telling = {n for n, name in enumerate(points, start=1) if name in ("bd", "before-bd", "exchange", "database")}
    seen = set()
    for number in sorted({*range(1, len(points) + 1, step), *sorted(telling)[1:6]}):
        live, work = begun(shape, place / str(number))
        first = fingerprint(live.desk().store.read())
        assert os.WTERMSIG(ended_with(f"kill:{number}", work)) == signal.SIGKILL
        desk = live.desk()
        recover(desk)
        found = live.texts()
        assert found in (before, after), f"killed at point {number}, {points[number - 1]}"
        seen.add(found == after)
        assert not desk.installer.journal.path.exists()
        if found == before:
            assert fingerprint(desk.store.read()) == first
            work()
        assert live.texts() == after
        back(live.desk())
        assert live.texts() == before
        assert fingerprint(live.desk().store.read()) == first
    assert seen == {True, False}
