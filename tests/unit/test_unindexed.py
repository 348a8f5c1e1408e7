"""A store of a shape that has no index is whole without one: none is missed, and none is made."""

from __future__ import annotations

from memgit.core.review.dossier import Picture
from memgit.memory.apply import apply, size_of
from memgit.memory.health import health
from memgit.memory.index_edit import drift_of
from memgit.memory.memory import status
from memgit.model.decision import Decision, Kind, Said
from memgit.model.store import INDEX, StoreContent, StoreFile, StoreStatus
from memgit.rulings.settle import index_repair
from memgit.vault import snapshot as manifest

DATED = StoreFile("2026-05-02.md", b"The deploy window is 30 minutes.\n")
STORE = StoreContent({DATED.path: DATED}, indexed=False)
SHORTER = Decision(
    "M1",
    Kind.REPLACE,
    "a later session shortens it",
    (Said("s", "15 minutes"),),
    memories=("2026-05-02",),
    results=("2026-05-02",),
    writes={DATED.path: b"The deploy window is 15 minutes.\n"},
)


def test_it_counts_as_present_and_lacks_nothing() -> None:
    assert status(STORE) is StoreStatus.PRESENT
    assert not [finding for finding in health(STORE) if "index" in finding.what]
    assert drift_of(STORE).is_clean
    assert index_repair(STORE) is None


def test_a_pass_gives_it_no_index() -> None:
    after = apply(STORE, [SHORTER], time_ns=0)
    assert list(after.files) == [DATED.path]
    assert after.files[DATED.path].data == b"The deploy window is 15 minutes.\n"
    assert not after.indexed


def test_its_picture_speaks_of_memories_alone() -> None:
    listed = StoreContent({INDEX: StoreFile(INDEX, b"- one\n"), **STORE.files})
    assert str(Picture(size_of(STORE), size_of(STORE))) == "1 -> 1 memories"
    assert str(Picture(size_of(listed), size_of(listed))).startswith("1 -> 1 memories; index 1 of 200 lines")


def test_the_vault_remembers_that_there_is_none() -> None:
    assert not manifest.decode(manifest.encode(manifest.manifest_of(STORE))).indexed
    assert manifest.decode(manifest.encode(manifest.manifest_of(StoreContent()))).indexed
