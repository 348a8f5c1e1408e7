from __future__ import annotations

import os
from pathlib import Path

import pytest

from memgit.tree import scan as scanning
from memgit.tree.scan import scan


def write(root: Path, files: dict[str, bytes]) -> list[str]:
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return list(files)


def test_the_first_place_in_listing_order_is_given_with_its_line(tmp_path: Path) -> None:
    files = write(tmp_path, {"b.txt": b"one\ntwo alpha\nalpha\n", "a.txt": b"alpha beta\n"})
    assert scan(str(tmp_path), files, ["alpha", "beta", "gamma"]).found == {"alpha": "b.txt:2", "beta": "a.txt:1"}


def test_texts_that_overlap_are_all_found(tmp_path: Path) -> None:
    files = write(tmp_path, {"a": b"make deploy --env prod now"})
    texts = ["make deploy", "deploy --env", "--env prod", "--env", "prod now", "make deploy --env prod now", "env"]
    assert scan(str(tmp_path), files, texts).found == dict.fromkeys(texts, "a:1")


def test_a_text_does_not_run_from_one_file_into_the_next(tmp_path: Path) -> None:
    files = write(tmp_path, {"a": b"retry", "b": b" budget", "c": b"s"})
    assert scan(str(tmp_path), files, ["retry budget", "retry", "budget"]).found == {"retry": "a:1", "budget": "b:1"}


@pytest.mark.parametrize("size", [64, 65, 67, 71, 100, 128, 1000])
def test_a_text_is_found_wherever_the_buffer_ends(tmp_path: Path, size: int) -> None:
    found = set()
    for before in range(150):
        files = write(tmp_path, {"a": b"x\n" * before + "é-needle-here é\n".encode() + b"y\n" * 60})
        found.add(
            scan(str(tmp_path), files, ["needle-here"], size).found["needle-here"].removeprefix("a:") == str(before + 1)
        )
    assert found == {True}


@pytest.mark.parametrize("size", [64, 100, 1000])
def test_a_part_of_a_longer_word_is_no_hit_wherever_the_buffer_ends(tmp_path: Path, size: int) -> None:
    for before in range(120):
        files = write(tmp_path, {"a": b"." * before + "xneedle needleé 漢needles ".encode() * 3})
        assert scan(str(tmp_path), files, ["needle"], size).found == {}


def test_binary_files_links_folders_and_missing_files_are_passed_over(tmp_path: Path) -> None:
    write(tmp_path, {"binary": b"\x7fELF\0 alpha", "late-nul": b"." * 9000 + b"\0 beta", "real": b"gamma"})
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    files = ["binary", "folder", "gone", "pipe", "link", "bad\0name", "late-nul", "real"]
    assert scan(str(tmp_path), files, ["alpha", "beta", "gamma"]).found == {"beta": "late-nul:1", "gamma": "real:1"}


def test_a_file_that_is_too_large_is_said_and_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanning, "LARGEST", 5000)
    files = write(tmp_path, {"large": b"alpha\n" * 1000, "small": b"alpha"})
    result = scan(str(tmp_path), files, ["alpha"], 1000)
    assert (result.found, result.skipped) == ({"alpha": "small:1"}, ("large",))


def test_a_text_longer_than_the_buffer_is_found(tmp_path: Path) -> None:
    text = "ab " * 2000 + "c"
    files = write(tmp_path, {"a": b"\n" * 700 + text.encode() + b"\n" * 700})
    assert scan(str(tmp_path), files, [text], 100).found == {text: "a:701"}


def test_empty_and_impossible_texts_are_not_found(tmp_path: Path) -> None:
    files = write(tmp_path, {"a": b"alpha"})
    assert scan(str(tmp_path), files, ["", "a\0b", "\ud800"]).found == {}
    assert scan(str(tmp_path), files, []).found == {}


def test_an_endless_text_is_not_looked_for_and_costs_no_other_its_answer(tmp_path: Path) -> None:
    files = write(tmp_path, {"a": b"alpha " + b"*" * 200_000})
    assert scan(str(tmp_path), files, ["*" * 200_000, "a/" * 100_000, "alpha"]).found == {"alpha": "a:1"}
