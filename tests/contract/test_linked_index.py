"""An index behind a link: read through it as agents read it, kept as a link, and never written through."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from memgit.agent.hooks.published import read_live, read_written
from memgit.errors import WrongState
from memgit.flows.adopt import adopt
from memgit.flows.observe import snapshot
from memgit.flows.recovery import recover
from memgit.flows.undo import restore, undo
from memgit.memory.fingerprint import fingerprint
from memgit.memory.memory import status
from memgit.model import store as vocabulary
from memgit.model.store import INDEX, StoreContent, StoreFile, StoreStatus
from memgit.stores import directory as linked_index
from memgit.stores.install import WAYS, Way, _read_back
from memgit.stores.linked_index import text_behind
from tests.crash.verbs import desk_in
from tests.desks import NEW, OLD, content, desk_over, like, make_pass, quick_place, read_folder, texts, write

REPOSITORY = Path(__file__).parents[2]
TEXT = OLD[INDEX]
SAME_INDEX = {**OLD, "deploys.md": OLD["deploys.md"].replace("Tuesdays.", "Fridays.")}
"""The same store after a decision that leaves the index as it is."""


def put_behind_link(store: Path, form: str, text: str = TEXT) -> str:
    """Make the index of a store a link of some form to a file with a text; its target."""
    (store / INDEX).unlink(missing_ok=True)
    root = store.parent
    file = root / "dot files" / "index.md"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    match form:
        case "absolute":
            target = str(file)
        case "relative":
            target = f"../{file.parent.name}/{file.name}"
        case "in the store":
            write(store, {"team/index.txt": text})
            target = "team/index.txt"
        case _:
            (root / "again").unlink(missing_ok=True)
            (root / "again").symlink_to(file)
            target = "../again"
    (store / INDEX).symlink_to(target)
    return target


FORMS = ["absolute", "relative", "in the store", "in two steps"]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    folder = tmp_path / "agent" / "memory"
    write(folder, OLD)
    return folder


# --- reading ---


@pytest.mark.parametrize("form", FORMS)
def test_the_text_behind_the_link_is_the_index(store: Path, form: str) -> None:
    plain = read_folder(store)
    target = put_behind_link(store, form)
    found = read_folder(store)

    assert found.index is not None
    assert (found.index.data, found.index.is_link, found.index.link) == (TEXT.encode(), False, os.fsencode(target))
    assert status(found) is StoreStatus.PRESENT
    if form != "in the store":
        assert fingerprint(found) == fingerprint(plain)


@pytest.mark.parametrize("form", FORMS)
def test_the_look_at_a_session_s_start_sees_the_same_store(store: Path, form: str) -> None:
    put_behind_link(store, form)

    assert read_live(str(store)).fingerprint == fingerprint(read_folder(store))
    assert read_written(str(store), INDEX) == TEXT.encode()


def nothing(place: Path) -> None:
    """Nothing is there."""


def folder(place: Path) -> None:
    place.mkdir()


def pipe(place: Path) -> None:
    os.mkfifo(place)


def device(place: Path) -> None:
    place.symlink_to("/dev/zero")


def loop(place: Path) -> None:
    place.symlink_to(place)


def endless(place: Path) -> None:
    place.write_bytes(b"")
    os.truncate(place, 1 << 40)


def made_up_as_it_is_read(place: Path) -> None:
    place.symlink_to("/proc/self/environ")


NO_TEXTS = [nothing, folder, pipe, device, loop, endless, made_up_as_it_is_read]


@pytest.mark.parametrize("make", NO_TEXTS)
def test_what_is_no_ordinary_file_is_no_index_and_keeps_nobody_waiting(store: Path, make) -> None:
    make(store.parent / "odd")
    (store / INDEX).unlink()
    (store / INDEX).symlink_to("../odd")
    found = read_folder(store)

    assert found.index is not None
    assert (found.index.is_link, found.index.data, found.index_text) == (True, b"../odd", b"")
    assert status(found) is StoreStatus.INDEX_LESS
    assert read_live(str(store)).fingerprint == fingerprint(found)


def test_a_link_of_another_name_is_not_followed(store: Path) -> None:
    (store / "linked.md").symlink_to("deploys.md")
    (store / "team" / INDEX).symlink_to("oncall.md")
    found = read_folder(store)

    assert found.files["linked.md"].is_link
    assert found.files[f"team/{INDEX}"].is_link


def test_a_text_that_changes_as_it_is_read_is_read_again(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_behind_link(store, "absolute")
    file, reads = store.parent / "dot files" / "index.md", iter(range(100))
    read = linked_index.read_file

    def written_to(link: str, most: int):
        found = read(link, most)
        if next(reads) == 0:
            file.write_text("- [New](deploys.md) — another text\n")
        return found

    monkeypatch.setattr(linked_index, "read_file", written_to)
    assert read_folder(store).index_text == b"- [New](deploys.md) \xe2\x80\x94 another text\n"


def test_the_name_of_the_index_is_one() -> None:
    assert linked_index.NAME == vocabulary.INDEX


# --- values ---


def test_what_is_put_in_the_place_of_a_link_is_an_ordinary_file() -> None:
    for file in (StoreFile(INDEX, b"../x", 0o120777), StoreFile(INDEX, b"text", link=b"../x")):
        changed = file.holding(b"new")
        assert (changed.data, changed.is_link, changed.link, changed.mode) == (b"new", False, b"", 0o100644)
    assert StoreFile("a.md", b"", 0o100600, 5).holding(b"new", 7) == StoreFile("a.md", b"new", 0o100600, 7)


# --- installing ---


@dataclass(frozen=True)
class World:
    """A store whose index is a link, and a desk to which one way to install is open."""

    root: Path
    way: Way
    target: str

    @property
    def store(self) -> Path:
        return self.root / "agent" / "memory"

    @property
    def desk(self):
        return desk_in(self.root, self.way)

    def link(self) -> str:
        return os.readlink(self.store / INDEX)  # noqa: PTH115 - as it is written


@pytest.fixture
def linked(tmp_path: Path) -> Iterator[Callable[[Way, str], World]]:
    with quick_place(tmp_path) as place:

        def made(way: Way, form: str = "relative") -> World:
            root = place / "root"
            write(root / "agent" / "memory", OLD)
            return World(root, way, put_behind_link(root / "agent" / "memory", form))

        yield made


def decided(world: World, texts_: dict[str, str]) -> str:
    """A pass that waits with a store of these texts."""
    return make_pass(world.desk, like(read_folder(world.store), texts_)).id


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("form", ["absolute", "relative", "in two steps"])
def test_the_link_stays_where_its_text_is_what_was_decided(linked, way: Way, form: str) -> None:
    world = linked(way, form)
    done = adopt(world.desk, decided(world, SAME_INDEX))

    assert world.link() == world.target
    assert texts(read_folder(world.store)) == SAME_INDEX
    assert (world.store / INDEX).read_text() == TEXT
    if done.superseded:
        assert not (done.superseded / INDEX).is_symlink()
        assert texts(read_folder(done.superseded)) == OLD
    assert done.notes == ()


@pytest.mark.parametrize("way", WAYS)
def test_undo_and_restore_keep_the_link_too(linked, way: Way) -> None:
    world = linked(way)
    adopted = adopt(world.desk, decided(world, SAME_INDEX)).operation
    undo(world.desk)
    assert (world.link(), texts(read_folder(world.store))) == (world.target, OLD)
    restore(world.desk, adopted.id)
    assert (world.link(), texts(read_folder(world.store))) == (world.target, SAME_INDEX)


@pytest.mark.parametrize("way", WAYS)
def test_another_index_is_refused_by_name_with_a_remedy_that_works_as_printed(linked, way: Way) -> None:
    world = linked(way)
    pass_id = decided(world, NEW)
    with pytest.raises(WrongState, match=r"MEMORY\.md is a link to \.\./dot files/index\.md") as refused:
        adopt(world.desk, pass_id)
    assert (world.link(), texts(read_folder(world.store))) == (world.target, OLD)
    assert not world.desk.installer.journal.path.exists()

    mend = refused.value.hint.partition("(")[2].rpartition(")")[0]
    subprocess.run(["sh", "-c", mend], check=True)
    adopt(world.desk, pass_id)
    assert texts(read_folder(world.store)) == NEW
    assert (world.root / "agent" / "dot files" / "index.md").read_text() == TEXT


def test_a_store_without_an_index_is_refused_too_where_that_is_a_link(linked) -> None:
    world = linked(Way.EXCHANGE)
    pass_id = decided(world, {path: text for path, text in OLD.items() if path != INDEX})
    with pytest.raises(WrongState, match="is a link"):
        adopt(world.desk, pass_id)
    assert world.link() == world.target


@pytest.mark.parametrize("way", WAYS)
def test_what_was_decided_is_adopted_once_the_user_has_put_it_behind_the_link_and_the_link_stays(linked, way) -> None:
    world = linked(way)
    pass_id = decided(world, NEW)
    (world.root / "agent" / "dot files" / "index.md").write_text(NEW[INDEX])
    adopt(world.desk, pass_id)
    assert (world.link(), texts(read_folder(world.store))) == (world.target, NEW)


@pytest.mark.parametrize("way", WAYS)
def test_killed_at_any_point_the_store_is_the_old_or_the_new_one_and_its_index_the_link(linked, way: Way) -> None:
    world = linked(way)
    decided(world, SAME_INDEX)
    kept, listing = world.root.with_name("kept"), world.root / "points"
    subprocess.run(["cp", "-a", str(world.root), str(kept)], check=True)
    _cut_short(world, f"list:{listing}")
    points = listing.read_text().splitlines()
    assert len(points) > 5
    for number in range(1, len(points) + 1, 1 if way is Way.EXCHANGE else 3):
        subprocess.run(["rm", "-rf", str(world.root)], check=True)
        subprocess.run(["cp", "-a", str(kept), str(world.root)], check=True)
        _cut_short(world, f"kill:{number}")
        recover(world.desk)
        found = texts(read_folder(world.store))
        assert found in (OLD, SAME_INDEX), points[number - 1]
        assert world.link() == world.target, points[number - 1]
    subprocess.run(["rm", "-rf", str(kept)], check=True)


def _cut_short(world: World, fault: str) -> None:
    command = [sys.executable, "-m", "tests.crash.verbs", str(world.root), world.way.value, "adopt"]
    subprocess.run(command, cwd=REPOSITORY, env={**os.environ, "MEMGIT_FAULT": fault}, capture_output=True)


def test_a_store_whose_copies_lie_elsewhere_keeps_a_relative_link(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root / "agent" / "memory", OLD)
    target = put_behind_link(root / "agent" / "memory", "relative")
    desk = desk_over(root / "agent" / "memory", root / "vault" / "v")
    aside = tmp_path / "deeper" / "aside"
    aside.mkdir(parents=True)
    desk = replace(desk, installer=replace(desk.installer, aside=aside))
    done = adopt(desk, make_pass(desk, like(read_folder(desk.live), SAME_INDEX)).id)

    assert os.readlink(desk.live / INDEX) == target  # noqa: PTH115
    assert texts(read_folder(desk.live)) == SAME_INDEX
    assert done.superseded is not None
    assert texts(read_folder(done.superseded)) == OLD
    assert done.notes == ()


def test_the_vault_holds_the_text_and_a_change_behind_the_link_is_a_change(store: Path, tmp_path: Path) -> None:
    put_behind_link(store, "absolute")
    desk = desk_over(store, tmp_path / "vault" / "v")
    snapshot(desk)
    (store.parent / "dot files" / "index.md").write_text(NEW[INDEX])
    done = snapshot(desk)
    held: StoreContent = desk.vault.content(done.operation.store)  # type: ignore[union-attr, arg-type]

    assert "MEMORY.md" in done.did
    assert held.index == StoreFile(INDEX, NEW[INDEX].encode(), held.index.mode, held.index.mtime_ns)  # type: ignore[union-attr]
    assert content(NEW).index_text == held.index_text


def test_the_index_is_read_back_as_agents_read_it_and_what_is_otherwise_is_said(store: Path) -> None:
    decided_ = read_folder(store)
    assert _read_back(store, decided_) == ()
    (store / INDEX).write_text("- [New](new.md) — written meanwhile\n")
    assert _read_back(store, decided_) == (
        "MEMORY.md holds something else already: it was written to as this was done.",
    )
    (store / INDEX).unlink()
    (store / INDEX).symlink_to("the text of an index")
    (said,) = _read_back(store, decided_)
    assert "cannot be read as an index now" in said


@pytest.mark.parametrize("make", NO_TEXTS)
def test_reading_what_is_no_text_gives_nothing(tmp_path: Path, make) -> None:
    make(tmp_path / "odd")
    assert text_behind(str(tmp_path / "odd")) is None
