from __future__ import annotations

import os
from pathlib import Path

from memgit.agent.hooks.published import read_live
from memgit.memory.fingerprint import fingerprint
from tests.desks import OLD, read_folder, write


def odd_store(root: Path) -> Path:
    write(root, OLD)
    (root / ".obsidian").mkdir()
    (root / ".obsidian" / "app.json").write_text("{}")
    (root / ".hidden.md").write_text("x")
    (root / "empty").mkdir()
    (root / "link.md").symlink_to("retry-budget.md")
    (root / "folder-link").symlink_to("team")
    os.mkfifo(root / "pipe")
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    Path(os.fsdecode(os.fsencode(str(root)) + b"/caf\xe9.md")).write_bytes(b"\xff\x00")
    return root


def test_the_hook_s_reading_has_the_fingerprint_of_the_store_s_own(tmp_path: Path) -> None:
    root = odd_store(tmp_path / "store")

    assert read_live(str(root)).fingerprint == fingerprint(read_folder(root))


def test_a_store_that_is_not_there_has_the_mark_of_absence(tmp_path: Path) -> None:
    assert read_live(str(tmp_path / "none")).fingerprint == fingerprint(read_folder(tmp_path / "none"))
