"""A file of lines that one process at a time adds to: nothing added is lost, nothing half-added is read."""

from __future__ import annotations

import stat

import pytest

from memgit import faults
from memgit.files import Notebook, Taken


@pytest.fixture
def path(tmp_path):
    return tmp_path / "reviews" / "2026-11-29.1.jsonl"


@pytest.fixture
def notebook(path):
    held = Notebook.open(path)
    yield held
    held.close()


def test_lines_come_back_in_the_order_in_which_they_were_added(path):
    held = Notebook.open(path)
    held.add(b"one")
    held.add(b"two")
    held.close()
    again = Notebook.open(path)
    assert again.lines() == [b"one", b"two"]
    again.close()


def test_only_the_owner_can_read_it(notebook, path):
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_second_one_is_refused_while_the_first_is_held(notebook, path):
    with pytest.raises(Taken):
        Notebook.open(path)


def test_an_empty_one_goes_when_it_is_closed(path):
    Notebook.open(path).close()
    assert not path.exists()


def test_a_line_cut_short_as_it_was_written_goes_and_the_next_is_whole(path):
    path.parent.mkdir()
    path.write_bytes(b"one\ntw")
    held = Notebook.open(path)
    held.add(b"three")
    assert held.lines() == [b"one", b"three"]
    held.close()


def test_on_a_full_disk_nothing_is_added(notebook):
    notebook.add(b"one")
    faults.arm("ENOSPC:1")
    try:
        with pytest.raises(OSError, match="No space left"):
            notebook.add(b"two")
    finally:
        faults.arm("")
    assert notebook.lines() == [b"one"]


def test_one_that_was_put_in_its_place_is_not_written_to(notebook, path):
    notebook.add(b"one")
    other = path.with_name("other")
    other.write_bytes(b"cleaned\n")
    other.replace(path)  # as a redaction does
    with pytest.raises(FileNotFoundError, match="replaced meanwhile"):
        notebook.add(b"two")
    assert path.read_bytes() == b"cleaned\n"


def test_what_is_cleared_is_gone(notebook):
    notebook.add(b"one")
    notebook.clear()
    notebook.add(b"two")
    assert notebook.lines() == [b"two"]
