"""The only writer of ordinary files: what it makes is exact, private, whole, and nobody else's is touched."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from memgit import files
from memgit.errors import Damaged, UsageError
from memgit.files import Journal, Unsupported
from memgit.model.store import StoreContent, StoreFile
from tests.desks import content, read_folder


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "place"
    folder.mkdir()
    return folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_private_and_replaced_whole(place):
    path = place / "report.md"
    files.write_atomic(path, b"one")
    files.write_atomic(path, b"two")
    assert path.read_bytes() == b"two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert names(place) == ["report.md"]


def test_a_write_that_fails_leaves_the_old_file_and_no_other(place):
    (place / "folder").mkdir()
    (place / "folder" / "inside").touch()
    with pytest.raises(OSError, match="directory"):
        files.write_atomic(place / "folder", b"x")
    assert names(place) == ["folder"]


def test_a_store_is_built_exactly(place):
    odd = os.fsdecode(b"caf\xe9.md")
    built = StoreContent(
        {
            ".hidden": StoreFile(".hidden", b"", 0o100600, 7_000_000_000),
            odd: StoreFile(odd, b"\r\n\0", 0o100755, 8_000_000_000),
            "link": StoreFile("link", b"../else/where", 0o120777, 9_000_000_000),
            "team/a.md": StoreFile("team/a.md", b"a", 0o100644, 1_000_000_001),
        },
        folders=("empty/inside",),
    )
    files.build_tree(place / "store", built)
    assert read_folder(place / "store") == built
    assert stat.S_IMODE((place / "store").stat().st_mode) == 0o700
    assert names(place) == ["store"]


def test_folders_take_the_modes_that_they_have_in_the_store_they_follow(place):
    (place / "old/team").mkdir(parents=True)
    (place / "old").chmod(0o755)
    (place / "old/team").chmod(0o750)
    files.build_tree(place / "new", content({"team/a.md": "", "more/b.md": ""}), like=place / "old")
    modes = {name: stat.S_IMODE((place / "new" / name).stat().st_mode) for name in (".", "team", "more")}
    assert modes == {".": 0o755, "team": 0o750, "more": 0o700}


def test_building_never_replaces_a_folder(place):
    (place / "store").mkdir()
    with pytest.raises(FileExistsError):
        files.build_tree(place / "store", content({"a.md": ""}))
    assert names(place) == ["store"]


def test_building_that_fails_leaves_nothing(place):
    with pytest.raises(OSError, match="too long"):
        files.build_tree(place / "store", content({"a.md": "", "b" * 300: ""}))
    assert names(place) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [("Foo.md", "foo.md"), ("caf\u00e9.md", "cafe\u0301.md"), ("Team/a.md", "team/b.md"), ("\u1e9e.md", "ss.md")],
)
def test_names_that_some_file_systems_take_for_one_are_refused_by_name(place, one, other):
    first, second = one.partition("/")[0], other.partition("/")[0]
    with pytest.raises(UsageError) as refusal:
        files.build_tree(place / "store", content({one: "", other: ""}))
    assert repr(first) in refusal.value.message
    assert repr(second) in refusal.value.message
    assert names(place) == []


def test_names_known_to_live_side_by_side_are_built(place):
    both = content({"Foo.md": "1", "foo.md": "2"})
    files.build_tree(place / "store", both, apart=both.files)
    assert len(names(place / "store")) == 2


def test_an_exchange_swaps_folders_that_hold_something(place):
    for name in ("a", "b"):
        (place / name / name).mkdir(parents=True)
    files.exchange(place / "a", place / "b")
    assert names(place / "a") == ["b"]


def test_a_rename_never_replaces(place):
    for name in ("a", "b"):
        (place / name).mkdir()
    with pytest.raises(FileExistsError):
        files.rename_noreplace(place / "a", place / "b")


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="no second file system")
@pytest.mark.parametrize("how", [files.exchange, files.rename_noreplace, files.rename])
def test_another_file_system_is_unsupported_not_a_failure(place, how):
    other = Path("/dev/shm") / f"memgit-{os.getpid()}-{how.__name__}"
    (place / "a").mkdir()
    if how is files.exchange:
        other.mkdir()
    try:
        with pytest.raises(Unsupported):
            how(place / "a", other)
    finally:
        files.remove_folder(other)


def test_removing_refuses_a_link_and_a_home(place, world):
    (place / "target").mkdir()
    (place / "link").symlink_to(place / "target")
    for path in (place / "link", world.home, Path("/")):
        with pytest.raises(UsageError, match="left alone"):
            files.remove_tree(path)
    assert (place / "target").is_dir()


def test_removing_what_is_not_there_is_fine(place):
    files.remove_tree(place / "nothing")


def test_a_free_name_counts_dangling_links_as_taken(place):
    (place / "x").symlink_to(place / "nowhere")
    assert files.free_name(place / "x").name == "x-2"


def test_a_journal_keeps_names_that_are_no_text(place):
    journal = Journal(place / "journal.json")
    assert journal.read() is None
    journal.write({"live": os.fsdecode(b"/caf\xe9")})
    assert journal.read() == {"live": os.fsdecode(b"/caf\xe9")}
    journal.close()
    journal.close()
    assert names(place) == []


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff"])
def test_a_damaged_journal_is_said_to_be_damaged(place, data):
    (place / "journal.json").write_bytes(data)
    with pytest.raises(Damaged, match="cannot be read"):
        Journal(place / "journal.json").read()


def test_what_a_killed_process_of_the_same_number_left_is_in_nobody_s_way(place: Path) -> None:
    """In a container every run may have the number 1."""
    half = place / f".memory-candidate-REPORT.md.{os.getpid()}.tmp"
    half.write_bytes(b"ha")
    files.write_atomic(place / "memory-candidate-REPORT.md", b"whole")
    assert [each.name for each in place.iterdir()] == ["memory-candidate-REPORT.md"]
    half.write_bytes(b"ha")
    files.remove_leftovers(place, "memory")
    assert not half.exists()


def test_writing_a_file_sweeps_what_dead_processes_left_of_it_and_nothing_else(place: Path) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    left = place / f".settings.json.{dead.pid}.tmp"
    kept = [
        place / f".settings.json.{os.getppid()}.tmp",  # alive: it may still be writing
        place / f".other.json.{dead.pid}.tmp",
        place / f"settings.json.{dead.pid}.tmp",
        place / ".settings.json.tmp",
    ]
    for each in (left, *kept):
        each.write_bytes(b"ha")
    files.write_atomic(place / "settings.json", b"{}")
    assert not left.exists()
    assert all(each.exists() for each in kept)
    files.remove_half_written(place)
    assert [each for each in kept if not each.exists()] == [kept[1]]
