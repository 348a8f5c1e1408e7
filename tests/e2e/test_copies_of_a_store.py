"""Two partial copies of one store, each with what the other lacks: read whole, curated and adopted apart, and told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.test_scenarios import tree_of

SUBJECTS = (
    "invoice rounding", "login throttle", "map tiles", "search ranking", "nightly export", "photo upload",
    "print layout", "sync conflicts", "tax tables", "voice memos", "widget cache", "zone files",
)  # fmt: skip
EXPORT = b'{"id":"bd-1","title":"Keep","status":"open","issue_type":"task"}\n{"id":"bd-2","title":"x"}'


def log(number: int, **relations: str) -> str:
    """One session's log as a memory, with relations of the kind that some tools keep."""
    subject = SUBJECTS[number % len(SUBJECTS)]
    kept = "".join(f"{key}: {value}\n" for key, value in relations.items())
    return (
        f"---\nname: Session {number} on {subject}\ndescription: What session {number} did about {subject}\n"
        f"type: project\n{kept}---\n\nSession {number} settled {subject} after {number + 2} attempts.\n"
    )


LOGS = {
    "session-00": log(0, relates_to="[session-01, session-04]"),
    "session-01": log(1, superseded_by="session-05"),
    "session-02": log(2, relates_to="\n  - session-00\n  - session-09.md"),
    "session-03": log(3),
    "session-04": log(4, relates_to="none"),
    "session-05": log(5, supersedes='"session-01"'),
    "session-06": log(6, relates_to="[[session-03]]"),
    "session-07": log(7),
    "session-08": log(8),
    "session-09": log(9, superseded_by="~"),
}
FIRST, SECOND = sorted(LOGS)[:8], sorted(LOGS)[3:]


def copy_at(folder: Path, names: list[str], listed: list[str]) -> Path:
    folder.mkdir(parents=True)
    for name in names:
        (folder / f"{name}.md").write_text(LOGS[name])
    (folder / "MEMORY.md").write_text("".join(f"- [{name}]({name}.md) — a session\n" for name in listed))
    return folder


@pytest.fixture
def copies(example) -> tuple[Path, Path]:
    """Two copies: the index of the first lists what it lacks, that of the second lacks what it has."""
    projects = example.store.parents[1]
    first = copy_at(projects / "-home-dev-desk/memory", FIRST, [*FIRST, "session-08"])
    second = copy_at(projects / "-home-dev-laptop/memory", SECOND, SECOND[1:])
    (second / "issues.jsonl").write_bytes(EXPORT)
    return first, second


def test_copies_of_one_store_name_each_other_and_no_third(go, copies, example):
    first, second = map(str, copies)
    _, answered = go("stores")
    found = {one["path"]: one for one in answered["stores"]}
    assert found[first]["overlaps"] == [{"path": second, "shared": 5}]
    assert found[second]["overlaps"] == [{"path": first, "shared": 5}]
    assert found[str(example.store)]["overlaps"] == []
    assert f"5 of its 8 memories in common with {second}" in found[first]["concerns"][0]
    assert (found[first]["drift"], found[second]["drift"]) == (
        {"orphans": 0, "dead": 1, "doubles": 0},
        {"orphans": 1, "dead": 0, "doubles": 0},
    )


def test_files_of_the_same_names_and_other_content_are_no_copy(go, copies):
    first, second = copies
    for path in second.glob("session-*.md"):
        path.write_text(path.read_text() + "Something else altogether.\n")
    _, answered = go("stores")
    assert [one["overlaps"] for one in answered["stores"] if one["path"] == str(first)] == [[]]


def test_each_copy_is_read_whole_curated_and_adopted_by_itself(go, copies):
    first, second = copies
    before = {path: tree_of(path) for path in copies}
    for store, names in ((first, FIRST), (second, SECOND)):
        code, passed = go("curate", "--store", store)
        assert (code, passed["store"]["memories"]) == (0, len(names))
        assert set(passed["verification"]) == set(names)
        other = second if store is first else first
        adopted = go("adopt", passed["pass"], "--store", store)
        assert adopted[0] == 0
        assert tree_of(other) == before[other]
        before[store] = tree_of(store)
        assert {path.stem for path in store.glob("session-*.md")} == set(names)
        for name in names:
            assert (store / f"{name}.md").read_text() == LOGS[name]
    assert (second / "issues.jsonl").read_bytes() == EXPORT
    assert "session-03" in (second / "MEMORY.md").read_text()


def test_what_leads_nowhere_is_told_and_kept(go, copies):
    first, second = copies
    told = {store: Path(go("curate", "--store", store)[1]["paths"]["report"]).read_text() for store in copies}
    assert "1 relation in relates_to to memories that are not here, kept as they are" in told[first]
    assert "`session-02` to `session-09.md`" in told[first]
    assert "session-08" in told[first]
    assert "1 relation in supersedes" in told[second]
    assert "`session-05` to `session-01`" in told[second]
    assert "Exports of another tool are no memories; kept byte for byte: `issues.jsonl`." in told[second]


@pytest.mark.parametrize("named", ["{}", "sqlite:{}", "beads:{}"])
def test_an_export_named_as_a_store_is_refused_with_the_remedy(go, copies, named):
    export = copies[1] / "issues.jsonl"
    code, answer = go("curate", "--store", named.format(export))
    assert code == 2
    assert (
        "a file of records, a line each, as tools export what they keep; it is no store" in answer["error"]["message"]
    )
    assert "Import it with the tool that wrote it" in answer["error"]["hint"]
    assert export.read_bytes() == EXPORT


def test_an_export_beside_memories_without_an_index_makes_them_no_transcripts(go, example):
    store = example.home / "notes"
    store.mkdir()
    (store / "session-00.md").write_text(LOGS["session-00"])
    (store / "summaries.ndjson").write_bytes(EXPORT)
    (store / "issues.jsonl").write_bytes(EXPORT)
    code, passed = go("audit", "--dry", "--store", store)
    assert (code, passed["store"]["memories"]) == (0, 1)


def test_a_relation_that_a_pass_would_leave_without_its_memory_is_told(hosted, example):
    index = example.store / "MEMORY.md"
    (example.store / "ledger.md").write_text(log(3, relates_to="[retry-budget, retries-are-capped]"))
    index.write_text(index.read_text() + "- [ledger](ledger.md) — a session\n")
    passed = hosted()
    (merge,) = (one for one in passed["decisions"] if one["kind"] == "merge")
    (gone,) = set(merge["memories"]) - set(merge["results"])
    assert f"ledger names {gone} in relates_to, which would go." in passed["notes"]
