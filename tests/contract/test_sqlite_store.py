"""A database of summaries: read without a trace, changed in one transaction, given back row for row."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memgit import faults
from memgit.core.summaries.form import SUPERSEDES, edges, row_of
from memgit.errors import Damaged, MemgitError, StoreChanged, UsageError
from memgit.files import Journal
from memgit.memory.apply import apply
from memgit.memory.fingerprint import fingerprint
from memgit.memory.health import suspicious
from memgit.memory.memory import memories
from memgit.model.decision import Decision, Kind
from memgit.model.store import Resolution, StoreContent
from memgit.stores.registry import named
from memgit.stores.sqlite import database as sqlite_store
from memgit.stores.sqlite import workspace_databases
from memgit.stores.sqlite.database import SqliteStore, connect
from memgit.stores.sqlite.install import SqliteInstaller
from tests.summary_world import DAY, START, add_summaries, dump, listing, make_database, run, search

TEXTS = ("The cache is cleared at noon.", "The cache is cleared at noon, daily.", "Retries stop after three.")
NOON_NS = 1_795_953_600_000_000_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_database(tmp_path / "own" / "db.sqlite", TEXTS)


def read(path: Path) -> StoreContent:
    return SqliteStore(Resolution(str(path), "--store", "sqlite")).read()


def installer(path: Path, wait: float = 0.2) -> SqliteInstaller:
    folder = path.parents[1] / "private"
    folder.mkdir(exist_ok=True)
    return SqliteInstaller(Journal(folder / "journal.json"), wait)


def install(path: Path, content: StoreContent) -> None:
    made = installer(path)
    made.install(path, read(path), content, {})
    made.close()


def merge(kept: str, *gone: str) -> Decision:
    paths = frozenset(f"{name}.md" for name in gone)
    return Decision("M1", Kind.MERGE, "copies", memories=(kept, *gone), results=(kept,), removes=paths)


def drop(*names: str) -> Decision:
    return Decision("M1", Kind.DROP, "gone", memories=names, removes=frozenset(f"{name}.md" for name in names))


def after(path: Path, *decisions: Decision) -> StoreContent:
    return apply(read(path), decisions, time_ns=NOON_NS)


# --- reading ---


def test_a_summary_is_a_memory_with_its_text_and_its_time(path):
    first = memories(read(path))[0]
    assert (first.id, first.body, first.modified.isoformat()) == (
        "000/1",
        "The cache is cleared at noon.",
        "2026-05-28T20:27:40+00:00",
    )


def test_reading_an_idle_database_in_write_ahead_mode_makes_nothing_beside_it(path):
    before = listing(path.parent)
    assert list(before) == ["db.sqlite"]
    read(path)
    assert listing(path.parent) == before


def test_what_a_writer_has_only_logged_is_read_and_nothing_beside_it_changes(path):
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        add_summaries(writer, ["Only in the log."])
        writer.commit()
        before = listing(path.parent)
        assert {"db.sqlite", "db.sqlite-wal", "db.sqlite-shm"} == before.keys()
        assert "Only in the log." in [memory.body for memory in memories(read(path))]
        assert listing(path.parent) == before


def test_a_daemon_that_writes_while_a_copy_is_read_does_not_hold_the_reading_up(path, monkeypatch):
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        add_summaries(writer, ["First."])
        writer.commit()
        later = iter(range(20))

        def while_open(address: str) -> sqlite3.Connection:
            add_summaries(writer, [f"Later, {next(later)}."])
            writer.commit()
            return connect(address)

        monkeypatch.setattr(sqlite_store, "connect", while_open)
        store = SqliteStore(Resolution(str(path), "--store", "sqlite"))
        assert [memory.body for memory in memories(store.read())] == [*TEXTS, "First."]
        assert [memory.body for memory in memories(store.read())] == [*TEXTS, "First.", "Later, 0."]


def test_a_transaction_that_was_cut_short_is_read_as_never_begun(tmp_path):
    path = make_database(tmp_path / "own" / "db.sqlite", TEXTS, wal=False)
    before = dump(path)
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA cache_size = 1")
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE summaries SET text = text || hex(zeroblob(20000))")
        crashed = tmp_path / "crashed" / "db.sqlite"
        shutil.copytree(path.parent, crashed.parent)
    assert (crashed.parent / "db.sqlite-journal").stat().st_size > 0
    seen = listing(crashed.parent)
    assert [memory.body for memory in memories(read(crashed))] == list(TEXTS)
    assert listing(crashed.parent) == seen
    assert dump(crashed) == before


def test_superseded_summaries_are_no_memories_and_pinned_ones_say_so(path):
    run(path, "INSERT INTO summary_supersedes VALUES (2, 1, 0.97, 5)")
    run(path, "UPDATE summaries SET pinned_at = 9 WHERE id = 3")
    assert [(memory.id, memory.pinned) for memory in memories(read(path))] == [("000/2", False), ("000/3", True)]


@pytest.mark.parametrize(
    "value", [b"\xff\x00blob", 'lone "quote" \\', "a\x00b", "line\r\nend\n\n", "---\nx: 1\n---\n", ""]
)
def test_any_text_and_any_kind_of_value_comes_through(tmp_path, value):
    path = make_database(
        tmp_path / "own" / "db.sqlite", [{"text": value, "confidence": float("inf"), "tokens_in": 2**62}]
    )
    run(path, "UPDATE summaries SET model = CAST(x'ff41' AS TEXT)")
    file = read(path).files["000/1.md"]
    row = row_of(file)
    assert (row["text"], row["confidence"], row["tokens_in"], row["model"]) == (value, float("inf"), 2**62, "\udcffA")


def test_the_kind_of_a_secret_is_told_and_where_it_is(tmp_path):
    path = make_database(tmp_path / "own" / "db.sqlite", ["Use AKIAZ7QW3MNB5VXC2DLP for the bucket."])
    found = suspicious(read(path))
    assert [(each.place, each.line > 1) for each in found] == [("000/1.md", True)]
    assert "AKIAZ7QW3MNB5VXC2DLP" not in repr(found)


def test_another_schema_is_refused_with_what_was_found(tmp_path):
    other = tmp_path / "other.sqlite"
    run(other, "CREATE TABLE notes(id INTEGER, body TEXT)")
    with pytest.raises(MemgitError, match=r"it has no table summaries\. Tables found: notes"):
        read(other)
    run(other, "CREATE TABLE summaries(id INTEGER, words TEXT)")
    with pytest.raises(MemgitError, match=r"its table summaries has no column ts, text.*that table has id, words"):
        read(other)


@pytest.mark.parametrize(
    ("data", "said"), [(b"", "is no SQLite database"), (b"# notes\n" * 9, "is no SQLite database")]
)
def test_what_is_no_database_is_refused(tmp_path, data, said):
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(MemgitError, match=said):
        read(tmp_path / "x")


def test_a_broken_database_is_called_so(path):
    data = bytearray(path.read_bytes())
    data[100:3000] = b"\xff" * 2900
    path.write_bytes(data)
    with pytest.raises(Damaged, match="cannot be read"):
        read(path)


# --- changing ---


def test_what_is_merged_stays_as_a_row_that_another_supersedes(path):
    rows, events = dump(path)["summaries"], dump(path)["events"]
    install(path, after(path, merge("000/2", "000/1")))
    assert dump(path)["summaries"] == rows
    assert dump(path)["events"] == events
    [(newer, older, cosine, ts)] = run(path, "SELECT * FROM summary_supersedes")
    assert (newer, older, ts) == (2, 1, 1_795_953_600_000)
    assert cosine == pytest.approx(6 / (6 * 7) ** 0.5)
    assert [memory.id for memory in memories(read(path))] == ["000/2", "000/3"]


def test_what_goes_takes_its_vector_its_edges_and_its_superseded_copies_along_and_comes_back_exactly(path):
    run(path, "INSERT INTO summary_supersedes VALUES (2, 1, 0.97, 5)")
    for ends in (("summary", "2", "summary", "3"), ("event", "1", "file", "a.py")):
        run(path, "INSERT INTO provenance_edges(ts, from_kind, from_id, to_kind, to_id, edge_type)"
            " VALUES (1, ?, ?, ?, ?, 'similar_to')", *ends)  # fmt: skip
    before, content = dump(path), read(path)
    install(path, after(path, drop("000/2")))
    now = dump(path)
    assert [row[1][1] for row in now["summaries"]] == [3]
    assert (len(now["summary_embeddings"]), now["summary_supersedes"], len(now["provenance_edges"])) == (1, [], 1)
    assert search(path, "cache") == []
    install(path, content)
    assert dump(path) == before
    assert search(path, "cache") == [1, 2]


def test_a_reworded_summary_is_found_by_its_new_words_only(path):
    content = read(path)
    file = content.files["000/3.md"]
    worded = replace(file, data=file.data.replace(b"three", b"five tries"))
    install(path, replace(content, files={**content.files, file.path: worded}))
    assert (search(path, "five"), search(path, "three")) == ([3], [])


def test_a_database_without_edges_lets_merged_rows_go(tmp_path):
    path = make_database(tmp_path / "own" / "db.sqlite", TEXTS)
    run(path, "DROP TABLE summary_supersedes")
    before = dump_without_edges(path)
    content = read(path)
    install(path, after(path, merge("000/2", "000/1")))
    assert run(path, "SELECT id FROM summaries") == [(2,), (3,)]
    install(path, content)
    assert dump_without_edges(path) == before


def dump_without_edges(path: Path) -> list[list[tuple[object, ...]]]:
    return [run(path, f"SELECT rowid, * FROM {name}") for name in ("summaries", "summary_embeddings")]


def test_ids_that_are_texts_and_tables_without_row_numbers_come_back_too(tmp_path):
    path = tmp_path / "own" / "db.sqlite"
    path.parent.mkdir()
    run(path, "CREATE TABLE summaries(id TEXT PRIMARY KEY, ts TEXT, text TEXT)")
    run(path, "CREATE TABLE summary_supersedes(newer_id TEXT, older_id TEXT, ts TEXT, PRIMARY KEY(newer_id, older_id))"
        " WITHOUT ROWID")  # fmt: skip
    for key in ("zeta", "Alpha", "7", "../up", "é"):
        run(path, "INSERT INTO summaries VALUES (?, '2026-03-04T05:06:07Z', ?)", key, f"It is {key}.")
    ids = {memory.body: memory.id for memory in memories(read(path))}
    assert all(".." not in name and len(name.split("/")) == 2 for name in ids.values())
    content = read(path)
    gone = (ids["It is Alpha."], ids["It is é."])
    install(path, after(path, merge(ids["It is zeta."], *gone)))
    found = run(path, "SELECT newer_id, older_id, ts FROM summary_supersedes")
    assert found == [("zeta", "Alpha", "2026-11-29T12:00:00.000Z"), ("zeta", "é", "2026-11-29T12:00:00.000Z")]
    install(path, content)
    assert fingerprint(read(path)) == fingerprint(content)


# --- what forbids it ---

HOLDER = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("wal", [True, False])
def test_a_writer_that_keeps_the_lock_is_waited_for_and_then_named(tmp_path, wal):
    path = make_database(tmp_path / "own" / "db.sqlite", TEXTS, wal=wal)
    before, content = read(path), after(path, drop("000/3"))
    with subprocess.Popen([sys.executable, "-c", HOLDER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        with pytest.raises(MemgitError, match=rf"Another program \(.*process {other.pid}\) kept .* for 0\.1 seconds"):
            installer(path, 0.1).install(path, before, content, {})
        other.stdin.close()
    assert fingerprint(read(path)) == fingerprint(before)
    assert not installer(path).journal.path.exists()


def test_a_database_that_was_written_to_is_left_as_it_is(path):
    before, content = read(path), after(path, drop("000/3"))
    run(path, "UPDATE summaries SET text = 'Another one.' WHERE id = 1")
    with pytest.raises(StoreChanged):
        installer(path).install(path, before, content, {})
    assert run(path, "SELECT count(*) FROM summaries") == [(3,)]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("000/3.md", b"row:", b"description: better\nrow:"),
        ("000/3.md", b"  id: 3\n", b"  id: 30\n"),
        ("000/3.md", b'  model: "small"', b"  model: small"),
        ("000/3.md", b"row:", b"pinned: true\nrow:"),
        ("summaries.json", b"prompt_hash", b"prompt"),
        ("edges/provenance.jsonl", b"", b"not a line\n"),
        ("embeddings/0000.bin", b"\x00\x00\x00", b"\x00\x00\x09"),
    ],
)
def test_a_candidate_that_no_database_can_hold_is_refused_by_name(path, name, old, new):
    before, content = dump(path), read(path)
    file = content.files[name]
    broken = replace(file, data=file.data.replace(old, new, 1) if old else new)
    with pytest.raises(UsageError, match=name):
        install(path, replace(content, files={**content.files, name: broken}))
    assert dump(path) == before


def test_a_memory_that_no_event_stands_behind_is_refused(path):
    content = read(path)
    new = replace(content.files["000/3.md"], path="new.md", data=b"---\nname: new\n---\n\nA new fact.\n")
    with pytest.raises(UsageError, match=r"cannot hold new\.md: it names no row"):
        install(path, replace(content, files={**content.files, "new.md": new}))


def test_rows_of_a_table_that_memgit_does_not_know_are_never_orphaned(path):
    run(path, "CREATE TABLE stars(id INTEGER PRIMARY KEY, summary INTEGER REFERENCES summaries(id))")
    run(path, "INSERT INTO stars VALUES (1, 3)")
    before = dump(path)
    with pytest.raises(MemgitError, match="Rows of stars would be left"):
        install(path, after(path, drop("000/3")))
    assert dump(path) == before


def test_out_of_space_at_any_point_the_database_is_wholly_old_or_new(path, tmp_path):
    before, content = read(path), after(path, merge("000/2", "000/1"), drop("000/3"))
    listed = tmp_path / "points"
    scratch = tmp_path / "scratch" / "own" / "db.sqlite"
    shutil.copytree(path.parent, scratch.parent)
    faults.arm(f"list:{listed}")
    try:
        installer(scratch).install(scratch, before, content, {})
        for number in range(1, len(listed.read_text().splitlines()) + 1):
            copy = tmp_path / str(number) / "own" / "db.sqlite"
            shutil.copytree(path.parent, copy.parent)
            faults.arm(f"ENOSPC:{number}")
            try:
                installer(copy).install(copy, before, content, {})
                expected = content
            except MemgitError:
                expected = before
            faults.arm("")
            assert fingerprint(read(copy)) == fingerprint(expected)
    finally:
        faults.arm("")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_read_only_database_is_refused_before_anything_is_begun(path):
    path.chmod(0o400)
    with pytest.raises(MemgitError, match="is read-only"):
        installer(path).refuse_unwritable(path)


# --- finding it ---


def test_the_database_of_a_workspace_is_found_by_the_hash_of_its_real_path(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    assert workspace_databases(str(root), str(tmp_path)) == ()
    with pytest.raises(UsageError, match="No database of summaries is kept"):
        named(str(root), "sqlite", str(root), str(tmp_path))
    key = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:12]
    made = make_database(tmp_path / ".siftcoder" / "main" / "workspaces" / key / "db.sqlite", TEXTS)
    found = named(str(root), "sqlite", str(root), str(tmp_path))
    assert (found.path, found.shape, found.address) == (str(made), "sqlite", f"sqlite:{made}")
    make_database(tmp_path / ".siftcoder" / "other" / "workspaces" / key / "db.sqlite", TEXTS)
    with pytest.raises(UsageError, match="Several databases are kept for this workspace"):
        named(str(root), "sqlite", str(root), str(tmp_path))


def test_a_named_database_may_be_a_file_or_the_folder_it_lies_in(path):
    here = str(path.parent)
    assert named(here, "sqlite:db.sqlite", here, here).path == str(path)
    assert named(here, f"sqlite:{here}", here, here).path == str(path)
    assert named(here, "elsewhere", here, here) is None
    with pytest.raises(UsageError, match="There is no database"):
        named(here, "sqlite:none.db", here, here)


def test_edges_are_read_with_their_numbers(path):
    run(path, "INSERT INTO summary_supersedes VALUES (2, 1, 0.5, 7)")
    assert edges(read(path), SUPERSEDES) == ({"rowid": 1, "newer_id": 2, "older_id": 1, "cosine": 0.5, "ts": 7},)


def test_times_are_what_the_rows_say(tmp_path):
    path = make_database(
        tmp_path / "own" / "db.sqlite", [{"text": "a", "ts": START // 1000}, {"text": "b", "ts": START + DAY}]
    )
    days = [f"{memory.modified:%Y-%m-%d}" for memory in memories(read(path))]
    assert days == ["2026-05-28", "2026-05-29"]
