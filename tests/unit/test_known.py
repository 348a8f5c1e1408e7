"""What is remembered of a search spares reading, and never changes what is found."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import pytest

from memgit.tree import known as knowing
from memgit.tree import scan as scanning
from memgit.tree.known import Known, KnownTrees, Mark, mark, search, tree_files

LATER = 10_000_000_000  # nanoseconds after which a file is no longer young


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that a search opened."""
    names: list[str] = []
    read = scanning._read_file

    def noted(path: str, name: str, reader: scanning._Reader) -> bool:
        names.append(name)
        return read(path, name, reader)

    monkeypatch.setattr(scanning, "_read_file", noted)
    return names


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        (root / name).write_text(text)


def listed(root: Path, *order: str, after: int = LATER) -> dict[str, Mark]:
    now = time.time_ns() + after
    return {
        name: mark((root / name).lstat(), now)
        for name in order or sorted(path.name for path in root.iterdir() if not path.is_dir())
    }


def found(root: Path, texts: list[str], known: Known, *order: str) -> tuple[dict[str, str], Known]:
    result, after = search(str(root), listed(root, *order), texts, known)
    return dict(result.found), after


def test_the_same_texts_in_the_same_files_open_nothing(tmp_path: Path, opened: list[str]) -> None:
    write(tmp_path, a="alpha", b="beta")
    first, known = found(tmp_path, ["alpha", "beta", "gone"], Known())
    opened.clear()
    again, after = found(tmp_path, ["alpha", "gone", "beta"], known)
    assert (again, opened) == (first, [])
    assert after == known


def test_only_what_changed_is_opened_and_new_files_count_as_changed(tmp_path: Path, opened: list[str]) -> None:
    write(tmp_path, a="alpha", b="beta", c="x")
    _, known = found(tmp_path, ["alpha", "beta", "gamma"], Known())
    write(tmp_path, b="one\nbeta gamma", d="gamma")
    opened.clear()
    assert found(tmp_path, ["alpha", "beta", "gamma"], known)[0] == {"alpha": "a:1", "beta": "b:2", "gamma": "b:2"}
    assert opened == ["b", "d"]


def test_a_new_text_is_looked_for_in_all_files(tmp_path: Path, opened: list[str]) -> None:
    write(tmp_path, a="alpha", b="beta")
    _, known = found(tmp_path, ["alpha"], Known())
    opened.clear()
    assert found(tmp_path, ["alpha", "other", "beta"], known)[0] == {"alpha": "a:1", "beta": "b:1"}
    assert opened == ["a", "b"]


def test_a_text_that_its_file_lost_is_looked_for_in_the_others(tmp_path: Path) -> None:
    write(tmp_path, a="alpha", b="alpha", c="alpha")
    _, known = found(tmp_path, ["alpha"], Known())
    write(tmp_path, a="gone")
    assert found(tmp_path, ["alpha"], known)[0] == {"alpha": "b:1"}


def test_a_text_whose_file_went_is_looked_for_in_the_others(tmp_path: Path) -> None:
    write(tmp_path, a="alpha", b="alpha")
    _, known = found(tmp_path, ["alpha"], Known())
    (tmp_path / "a").unlink()
    assert found(tmp_path, ["alpha"], known)[0] == {"alpha": "b:1"}


def test_a_changed_file_before_the_first_place_becomes_the_first(tmp_path: Path) -> None:
    write(tmp_path, a="x", b="alpha", c="x")
    _, known = found(tmp_path, ["alpha"], Known())
    write(tmp_path, a="alpha", c="alpha")
    assert found(tmp_path, ["alpha"], known)[0] == {"alpha": "a:1"}


def test_in_another_order_another_file_is_the_first(tmp_path: Path) -> None:
    write(tmp_path, a="alpha", b="alpha")
    _, known = found(tmp_path, ["alpha"], Known(), "a", "b")
    assert found(tmp_path, ["alpha"], known, "b", "a")[0] == {"alpha": "b:1"}


def test_a_change_that_leaves_size_and_time_of_writing_as_they_were_is_seen(tmp_path: Path) -> None:
    write(tmp_path, a="alpha")
    _, known = found(tmp_path, ["alpha", "omega"], Known())
    before = (tmp_path / "a").stat()
    write(tmp_path, a="omega")
    os.utime(tmp_path / "a", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert found(tmp_path, ["alpha", "omega"], known)[0] == {"omega": "a:1"}


@pytest.mark.parametrize("age", [-LATER, 0, 1_000_000_000])
def test_a_file_that_changed_just_before_it_was_listed_is_read_again(tmp_path: Path, age: int) -> None:
    write(tmp_path, a="alpha")
    assert listed(tmp_path, after=age) == {"a": b""}


def test_a_file_that_could_not_be_read_is_not_known(tmp_path: Path, opened: list[str]) -> None:
    write(tmp_path, b="alpha")
    (tmp_path / "a").symlink_to("b")
    _, known = found(tmp_path, ["alpha", "gone"], Known())
    opened.clear()
    found(tmp_path, ["alpha", "gone"], known)
    assert opened == ["a"]


def test_a_file_that_is_too_large_is_said_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanning, "LARGEST", 2 << 20)
    write(tmp_path, large="x" * (3 << 20), small="alpha")
    files = listed(tmp_path)
    first, known = search(str(tmp_path), files, ["alpha", "gone"], Known())
    again, _ = search(str(tmp_path), files, ["alpha", "gone"], known)
    assert (first.skipped, again.skipped) == (("large",), ("large",))


# --- on disk ---


def kept(tmp_path: Path, texts: list[str], name: str = "project") -> tuple[KnownTrees, str, Known]:
    root = tmp_path / name
    root.mkdir()
    write(root, a="alpha\nbeta", b="x")
    (root / os.fsdecode(b"caf\xe9")).write_text("latin")
    trees, (_, known) = KnownTrees(tmp_path / "cache" / "trees"), found(root, texts, Known())
    trees.keep(str(root), known, texts)
    return trees, str(root), known


def test_what_is_known_comes_back_as_it_was(tmp_path: Path) -> None:
    trees, root, known = kept(tmp_path, ["alpha", "beta", "latin", "gone", "größe 漢", "\ud800", "a\0b", ""])
    assert known.places == {
        "alpha": "a:1", "beta": "a:2", "latin": "caf\udce9:1", "gone": "", "größe 漢": "", "\ud800": ""
    }  # fmt: skip
    assert trees.load(root) == known
    assert list(trees.load(root).marks) == list(known.marks)


def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    trees, _, _ = kept(tmp_path, ["alpha"])
    (file,) = tree_files(trees.folder)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (file, trees.folder)] == [0o600, 0o700]


@pytest.mark.parametrize("at", [0, 20, 33, 60, -1])
def test_one_wrong_byte_and_nothing_is_believed(tmp_path: Path, at: int) -> None:
    trees, root, _ = kept(tmp_path, ["alpha"])
    (file,) = tree_files(trees.folder)
    data = bytearray(file.read_bytes())
    data[at] ^= 1
    file.write_bytes(data)
    assert trees.load(root) == Known()


@pytest.mark.parametrize("data", [b"", b"x", b"\0" * 100])
def test_a_broken_file_is_made_anew(tmp_path: Path, data: bytes) -> None:
    trees, root, known = kept(tmp_path, ["alpha"])
    (file,) = tree_files(trees.folder)
    file.write_bytes(data)
    assert trees.load(root) == Known()
    trees.keep(root, known, ["alpha"])
    assert trees.load(root) == known


def test_what_is_known_of_one_tree_is_not_believed_of_another(tmp_path: Path) -> None:
    trees, root, _ = kept(tmp_path, ["alpha"])
    (file,) = tree_files(trees.folder)
    file.rename(trees._path("/elsewhere"))
    assert (trees.load(root), trees.load("/elsewhere")) == (Known(), Known())


def test_a_folder_that_cannot_be_written_costs_only_the_convenience(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    trees, root, _ = kept(tmp_path, ["alpha"])
    assert trees.load(root) == Known()


def test_too_many_texts_are_cut_to_those_asked_for_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trees, root, known = kept(tmp_path, ["alpha"])
    monkeypatch.setattr(knowing, "MOST_BYTES", 1000)
    trees.keep(root, Known(known.marks, {"old" * 500: "", **known.places}), ["alpha"])
    assert trees.load(root) == known


def test_a_tree_that_is_too_large_is_not_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(knowing, "MOST_BYTES", 10)
    trees, _, _ = kept(tmp_path, ["alpha"])
    assert tree_files(trees.folder) == ()


def test_the_trees_that_were_searched_last_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(knowing, "MOST_TREES", 2)
    for number in range(3):
        trees, root, known = kept(tmp_path, ["alpha"], f"project{number}")
        os.utime(trees._path(root), (number, number))
    trees.keep(root, known, ["alpha"])
    assert [bool(trees.load(str(tmp_path / f"project{number}")).marks) for number in range(3)] == [False, True, True]
