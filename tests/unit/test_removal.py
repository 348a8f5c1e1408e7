"""A folder that memgit removes is gone, or recognisably on its way: never a half that passes for a whole."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from memgit import files
from memgit.flows.adopt import adopt, discard
from memgit.flows.observe import snapshot
from memgit.flows.recovery import recover
from memgit.flows.undo import restore
from tests.desks import NEW, OLD, desk_over, like, make_pass, write


def fail_once(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The first removal of a folder whose path holds ``name`` ends in the middle, as on a failing disk."""
    real = shutil.rmtree

    def removing(folder: Path) -> None:
        if name in str(folder):
            monkeypatch.setattr(shutil, "rmtree", real)
            next(path for path in Path(folder).rglob("*") if path.is_file()).unlink()
            raise OSError(errno.EIO, "Input/output error")
        real(folder)

    monkeypatch.setattr(shutil, "rmtree", removing)


def test_a_folder_that_was_removed_in_part_has_lost_its_name(tmp_path, monkeypatch):
    write(tmp_path / "folder", OLD)
    fail_once(monkeypatch, "folder")
    with pytest.raises(OSError, match="Input/output"):
        files.remove_tree(tmp_path / "folder")
    assert not (tmp_path / "folder").exists()
    files.remove_tree(tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir() if path.name != "world"] == []


def test_a_superseded_copy_that_was_removed_in_part_does_not_stay_for_ever(tmp_path, monkeypatch):
    """Found by an injected EIO: the half was taken for something that the vault does not hold, and kept."""
    store = tmp_path / "agent" / "memory"
    write(store, OLD)
    desk = desk_over(store, tmp_path / "vault" / "v")
    snapshot(desk)
    adopt(desk, make_pass(desk, like(desk.store.read(), NEW)).id)
    os.utime(store.with_name("memory-superseded") / "deploys.md", ns=(1, 1))  # so that it does not go live again itself
    fail_once(monkeypatch, "superseded")
    with pytest.raises(Exception, match="cut short"):
        restore(desk, "op2")
    recover(desk)
    assert sorted(path.name for path in store.parent.iterdir()) == ["memory", "memory-superseded-2"]


def test_what_is_left_of_a_candidate_goes_with_the_next_command(tmp_path, monkeypatch):
    """Found by an injected EIO: the pass was over, and half of its folder stayed under another name."""
    store = tmp_path / "agent" / "memory"
    write(store, OLD)
    desk = desk_over(store, tmp_path / "vault" / "v")
    new = make_pass(desk, like(desk.store.read(), NEW))
    fail_once(monkeypatch, "candidate")
    discard(desk, new.id)
    assert ".memory-candidate.memgit-unfinished" in {path.name for path in store.parent.iterdir()}
    write(store.parent / ".memory-team.memgit-unfinished", {"a.md": "of another store\n"})
    snapshot(desk)
    assert sorted(path.name for path in store.parent.iterdir()) == [".memory-team.memgit-unfinished", "memory"]


def test_a_report_that_a_dead_process_was_writing_goes_and_that_of_a_living_one_stays(tmp_path):
    """Found by a kill at the system calls of curate: one file more was left by each."""
    dead, alive = (tmp_path / f".memory-candidate-2-REPORT.md.{pid}.tmp" for pid in (4194303, os.getppid()))
    other = tmp_path / ".notes.md.4194303.tmp"
    for path in (dead, alive, other):
        path.touch()
    files.remove_leftovers(tmp_path, "memory")
    assert [path.exists() for path in (dead, alive, other)] == [False, True, True]
