"""Applying decisions: what they name changes, everything else stays byte for byte."""

from __future__ import annotations

import stat
from dataclasses import replace

from memgit.memory.apply import apply
from memgit.model.decision import Approval, Decision, Kind
from memgit.model.store import ABSENT, StoreContent, StoreFile

NOW = 2_000_000_000
INDEX = b"# Memory index\n\nProse stays.\n\n- [A](a.md) - own words\n- [B](team/b.md) - hook\n"


def memory(path: str, text: str = "x", mode: int = 0o100600) -> StoreFile:
    data = f"---\nname: {path[:-3]}\ndescription: about {path}\n---\n\n{text}\n".encode()
    return StoreFile(path, data, mode, mtime_ns=7)


FILES = (
    StoreFile("MEMORY.md", INDEX, 0o100600, 5),
    memory("a.md"),
    memory("team/b.md"),
    StoreFile("notes.bin", b"\x00\xff", 0o100755, 3),
    StoreFile("link.md", b"a.md", stat.S_IFLNK | 0o777, 4),
)
STORE = StoreContent({file.path: file for file in sorted(FILES, key=lambda file: file.path)}, ("empty",), (".git",))


def drop(*paths: str) -> Decision:
    return Decision("M1", Kind.DROP, "gone", removes=frozenset(paths))


def add(path: str, data: bytes) -> Decision:
    return Decision("M2", Kind.ADD, "new", writes={path: data})


def test_nothing_decided_changes_nothing() -> None:
    assert apply(STORE, [], time_ns=NOW) == STORE


def test_a_reject_changes_nothing() -> None:
    assert apply(STORE, [replace(drop("a.md"), kind=Kind.REJECT)], time_ns=NOW) == STORE


def test_what_the_user_rejected_or_deferred_is_not_applied() -> None:
    for approval in (Approval.REJECTED, Approval.DEFERRED):
        assert apply(STORE, [replace(drop("a.md"), approval=approval)], time_ns=NOW) == STORE


def test_a_dropped_file_goes_with_its_index_entry_and_nothing_else() -> None:
    after = apply(STORE, [drop("a.md")], time_ns=NOW)
    assert set(STORE.files) - set(after.files) == {"a.md"}
    assert after.files["MEMORY.md"] == StoreFile(
        "MEMORY.md", b"# Memory index\n\nProse stays.\n\n- [B](team/b.md) - hook\n", 0o100600, NOW
    )
    for path in ("team/b.md", "notes.bin", "link.md"):
        assert after.files[path] == STORE.files[path]
    assert (after.folders, after.foreign) == (("empty",), (".git",))


def test_a_folder_that_loses_its_last_file_stays() -> None:
    assert apply(STORE, [drop("team/b.md")], time_ns=NOW).folders == ("empty", "team")


def test_a_folder_that_gets_a_file_is_no_empty_one() -> None:
    after = apply(STORE, [add("empty/c.md", memory("empty/c.md").data)], time_ns=NOW)
    assert after.folders == ()


def test_a_new_file_has_the_usual_mode_and_the_time_of_the_pass() -> None:
    after = apply(STORE, [add("c.md", memory("c.md").data)], time_ns=NOW)
    assert (after.files["c.md"].mode, after.files["c.md"].mtime_ns) == (0o100600, NOW)
    assert b"(c.md)" in after.files["MEMORY.md"].data
    assert list(after.files) == sorted(after.files)


def test_a_changed_file_keeps_its_mode() -> None:
    changed = Decision("M1", Kind.REPLACE, "newer", writes={"a.md": memory("a.md", "y").data})
    after = apply(STORE, [changed], time_ns=NOW)
    assert (after.files["a.md"].mode, after.files["a.md"].mtime_ns) == (0o100600, NOW)


def test_a_file_written_with_its_own_bytes_keeps_its_time() -> None:
    same = Decision("M1", Kind.MERGE, "copies", writes={"a.md": STORE.files["a.md"].data})
    assert apply(STORE, [same], time_ns=NOW) == STORE


def test_an_absent_store_comes_into_being() -> None:
    after = apply(ABSENT, [add("c.md", memory("c.md").data)], time_ns=NOW)
    assert after.exists
    assert {path: file.mode for path, file in after.files.items()} == {"MEMORY.md": 0o100644, "c.md": 0o100644}


def test_an_index_less_store_gets_an_index_and_keeps_its_files() -> None:
    bare = replace(STORE, files={path: file for path, file in STORE.files.items() if path != "MEMORY.md"})
    after = apply(bare, [], time_ns=NOW)
    assert {path: file for path, file in after.files.items() if path != "MEMORY.md"} == bare.files
    assert b"(team/b.md)" in after.files["MEMORY.md"].data
