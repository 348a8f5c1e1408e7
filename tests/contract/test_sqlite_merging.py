"""A daemon goes on writing while a candidate waits: its rows and those of the pass are both kept."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from memgit.files import Journal
from memgit.memory.apply import apply
from memgit.memory.fingerprint import fingerprint
from memgit.memory.merge import merge3
from memgit.model.decision import Decision, Kind
from memgit.model.store import Resolution, StoreContent
from memgit.stores.sqlite.database import SqliteStore
from memgit.stores.sqlite.install import SqliteInstaller
from tests.summary_world import make_database, run

TEXTS = ("One valve.", "One valve, twice.", "Two pumps.", "Two pumps, twice.")
MERGED = Decision(
    "M1", Kind.MERGE, "", memories=("000/2", "000/1"), results=("000/2",), removes=frozenset({"000/1.md"})
)
DROPPED = Decision("M1", Kind.DROP, "", memories=("000/3",), removes=frozenset({"000/3.md"}))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_database(tmp_path / "own" / "db.sqlite", TEXTS)


def read(path: Path) -> StoreContent:
    return SqliteStore(Resolution(str(path), "--store", "sqlite")).read()


def install(path: Path, content: StoreContent) -> None:
    SqliteInstaller(Journal(path.parents[1] / "journal.json")).install(path, read(path), content, {})


def edges(path: Path) -> list[tuple[int, ...]]:
    return run(path, "SELECT rowid, newer_id, older_id FROM summary_supersedes ORDER BY rowid")


def test_edges_of_both_sides_are_kept_under_numbers_of_their_own(path):
    base = read(path)
    candidate = apply(base, [MERGED], time_ns=10**18)
    run(path, "INSERT INTO summary_supersedes VALUES (4, 3, 0.96, 5)")
    merged = merge3(base, read(path), candidate)
    assert merged.conflicts == ()
    install(path, merged.content)
    assert edges(path) == [(1, 4, 3), (2, 2, 1)]


def test_taking_an_edge_back_leaves_the_daemons_own(path):
    base = read(path)
    candidate = apply(base, [MERGED], time_ns=10**18)
    install(path, candidate)
    run(path, "INSERT INTO summary_supersedes VALUES (4, 3, 0.96, 5)")
    back = merge3(candidate, read(path), base)
    assert back.conflicts == ()
    install(path, back.content)
    assert edges(path) == [(2, 4, 3)]


def test_a_vector_made_anew_survives_the_return_of_a_removed_one(path):
    base = read(path)
    candidate = apply(base, [DROPPED], time_ns=10**18)
    install(path, candidate)
    run(path, "UPDATE summary_embeddings SET vec = zeroblob(1536) WHERE summary_id = 1")
    back = merge3(candidate, read(path), base)
    assert back.conflicts == ()
    install(path, back.content)
    assert run(path, "SELECT summary_id, hex(vec) = hex(zeroblob(1536)) FROM summary_embeddings") == [
        (1, 1), (2, 0), (3, 0), (4, 0),
    ]  # fmt: skip


def test_one_vector_changed_on_both_sides_is_a_conflict(path, tmp_path):
    base = read(path)
    other = tmp_path / "other" / "db.sqlite"
    shutil.copytree(path.parent, other.parent)
    run(path, "UPDATE summary_embeddings SET vec = zeroblob(8) WHERE summary_id = 1")
    run(other, "UPDATE summary_embeddings SET vec = zeroblob(4) WHERE summary_id = 1")
    assert [each.path for each in merge3(base, read(path), read(other)).conflicts] == ["embeddings/0000.bin"]
    assert fingerprint(read(path)) != fingerprint(read(other))
