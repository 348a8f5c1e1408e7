"""``stores`` tells of every store without reading memories, and ``--all`` works on each of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memgit.cli import run
from memgit.stores import catalogue
from memgit.stores.rules import project_key
from tests.unit.sessions.forge import user, write


def store_at(folder: Path, memories: int = 1, index: str | None = None) -> Path:
    folder.mkdir(parents=True)
    for number in range(memories):
        (folder / f"m{number}.md").write_text(f"---\nname: m{number}\ndescription: d\n---\n\nFact {number}.\n")
    lines = "".join(f"- [M{number}](m{number}.md) — d\n" for number in range(memories))
    (folder / "MEMORY.md").write_text(lines if index is None else index)
    return folder


@pytest.fixture
def projects(example) -> Path:
    return example.store.parents[1]


@pytest.fixture
def listed(go):
    """``listed()``: every store by its path."""

    def found() -> dict[str, dict]:
        code, answered = go("stores")
        assert code == 0
        return {one["path"]: one for one in answered["stores"]}

    return found


def test_a_store_is_told_with_its_project_counts_and_limits(listed, example):
    one = listed()[str(example.store)]
    assert (one["shape"], one["project"], one["memories"]) == ("directory", str(example.project), 4)
    assert one["loaded"] == {"lines": 6, "units": 349, "bytes": 0, "over": False}
    assert (one["drift"], one["recorded"], one["last_pass"]) == ({"orphans": 0, "dead": 0, "doubles": 0}, False, None)


def test_the_newest_pass_and_what_became_of_it_stand_beside_the_store(listed, go, example):
    _, passed = go("curate")
    assert listed()[str(example.store)]["last_pass"] == {"pass": passed["pass"], "did": "pass"}
    go("adopt", passed["pass"])
    go("snapshot")
    assert listed()[str(example.store)]["last_pass"] == {"pass": passed["pass"], "did": "adopt"}


def test_every_place_where_agents_keep_stores_is_looked_at(listed, example, projects):
    codex = example.home / ".codex/memories_v2"
    codex.mkdir(parents=True)
    (codex / "memory_summary.md").write_text("v1\n\nShort.\n")
    (example.project / "docs/memory").mkdir(parents=True)
    (example.project / "docs/memory/2026-05-02.md").write_text("Prose.\n")
    elsewhere = example.home / "elsewhere"
    elsewhere.mkdir()
    write(projects / "-elsewhere/s.jsonl", {**user("Hello.", uuid="u"), "cwd": str(elsewhere)})
    expected = {
        str(example.store): "directory",
        str(example.project / "docs/memory"): "notes",
        str(codex): "codex",
        str(store_at(example.project / ".claude/memory")): "directory",
        str(store_at(example.project / ".claude/agent-memory-local/qa")): "directory",
        str(store_at(example.home / ".claude/agent-memory/reviewer", 0, "Prose.\n")): "prose",
        str(store_at(projects / "-elsewhere/memory")): "directory",
    }
    found = listed()
    assert {path: one["shape"] for path, one in found.items()} == expected
    assert found[str(projects / "-elsewhere/memory")]["project"] == str(elsewhere)
    assert found[str(codex)]["loaded"]["bytes"] == 11


def test_what_nobody_reads_any_more_is_named(listed, example, projects):
    odd = example.store.parent.name.replace("-checkout-", "_checkout_")
    twin, lost = store_at(projects / odd / "memory"), store_at(projects / "-lost/memory")
    write(projects / "-lost/s.jsonl", {**user("Hello.", uuid="u"), "cwd": "/nowhere/lost"})
    found = listed()
    assert found[str(example.store)]["kin"] == ""
    assert found[str(twin)]["kin"] == f"a twin of {example.store.parent.name}: the same path under another key"
    assert found[str(lost)]["kin"] == "its project /nowhere/lost is not there"


def test_a_store_that_is_gone_is_told_from_its_record(listed, go, example):
    gone = store_at(example.home / "gone")
    assert go("snapshot", "--store", gone)[0] == 0
    for path in gone.iterdir():
        path.unlink()
    gone.rmdir()
    one = listed()[str(gone)]
    assert (one["shape"], one["recorded"]) == ("gone", True)
    assert "relink" in one["concerns"][0]


def test_a_drifted_index_and_one_over_its_limits_are_concerns(listed, projects):
    index = "".join(f"- [Gone](gone{number}.md) — d\n" for number in range(201))
    one = listed_of(listed, store_at(projects / "-p-app/memory", 2, index))
    assert one["drift"] == {"orphans": 2, "dead": 201, "doubles": 0}
    assert one["loaded"]["over"]
    assert one["concerns"] == [
        "Over what agents are given of it: the rest is never seen.",
        "The index has drifted: 2 not in it, 201 gone, 0 twice.",
    ]


def listed_of(listed, store: Path) -> dict:
    return listed()[str(store)]


def test_a_memory_that_the_index_names_by_its_title_is_no_orphan(listed, projects):
    store = store_at(projects / "-p-app/memory", 0, "- [[Retry budget]] — d\n")
    (store / "rb.md").write_text("---\nname: Retry budget\ndescription: d\n---\n\nThree.\n")
    assert listed_of(listed, store)["drift"] == {"orphans": 0, "dead": 0, "doubles": 0}


def test_memories_are_opened_only_where_an_index_seems_to_have_drifted(go, projects, monkeypatch):
    store_at(projects / "-p-app/memory", 30)
    opened: list[str] = []
    read = catalogue.beginning
    monkeypatch.setattr(catalogue, "beginning", lambda path, *most: opened.append(Path(path).name) or read(path, *most))
    assert go("stores")[0] == 0
    assert set(opened) == {"MEMORY.md"}


def test_hostile_names_and_records_cost_nothing(go, projects, world, capsys):
    store_at(projects / "-p\x1b[31m-app/memory")
    for name, text in (("a", "{"), ("b", "[]"), ("c", '{"store": 7}')):
        (world.data_home / name / "memgit").mkdir(parents=True)
        (world.data_home / name / "memgit/store.json").write_text(text)
    assert go("stores")[0] == 0
    assert run(["stores"]) == 0
    assert "\x1b" not in capsys.readouterr().out


# --- in all of them ---


@pytest.fixture
def second(example, projects) -> Path:
    """A second project with a store, a session and a contradicted memory."""
    folder = example.home / "second"
    folder.mkdir()
    key = project_key(str(folder))
    write(projects / key / "s.jsonl", {**user("Hello there.", uuid="u"), "cwd": str(folder)})
    return store_at(projects / key / "memory")


def test_a_snapshot_of_all_records_each(go, listed, example, second):
    code, every = go("snapshot", "--all")
    assert (code, every["command"], every["left_out"]) == (0, "snapshot", [])
    assert {each["store"] for each in every["results"]} == {str(example.store), str(second)}
    assert all(one["recorded"] for one in listed().values())


def test_a_curation_of_all_works_at_each_project_and_adopts_nothing(go, example, second):
    before = {path: path.read_bytes() for path in (*example.store.iterdir(), *second.iterdir())}
    code, every = go("curate", "--all")
    assert code == 0
    results = {each["store"]: each["result"] for each in every["results"]}
    assert {path: one["preflight"]["sessions_in_pool"] for path, one in results.items()} == {
        str(example.store): 4,
        str(second): 1,
    }
    assert {path: path.read_bytes() for path in before} == before


def test_what_fails_in_one_store_is_told_and_stops_no_other(go, example, second):
    (second / "MEMORY.md").unlink()
    (second / "MEMORY.md").mkdir()
    (second / "MEMORY.md/x.md").write_text("x")
    code, every = go("curate", "--all")
    assert code == 3
    assert [each["store"] for each in every["results"]] == [str(example.store)]
    (left,) = every["left_out"]
    assert (left["store"], left["code"]) == (str(second), 2)
    assert "MEMORY.md of this store is a folder" in left["why"]


def test_a_store_of_no_project_is_left_out_of_passes_with_the_reason(go, example):
    reviewer = store_at(example.home / ".claude/agent-memory/reviewer")
    code, every = go("prune", "--all")
    assert code == 0
    assert every["left_out"] == [
        {
            "store": str(reviewer),
            "why": "Nothing tells which project it belongs to; name it with --store, there.",
            "code": 0,
        }
    ]
    assert str(reviewer) in [each["store"] for each in go("check", "--all")[1]["results"]]


def test_a_check_of_all_ends_with_a_line_for_each_store(example, second, go, capsys):
    go("status")
    assert run(["check", "--all", "--strict"]) == 3
    out = capsys.readouterr().out.splitlines()
    assert "2 stores done, 0 not." in out
    assert f"  {second}: 1 finding" in out


def test_all_and_one_exclude_each_other(go, example):
    assert go("curate", "--all", "--store", example.store)[0] == 2
    assert go("check", "--all", "--fingerprint", "absent")[0] == 2


def test_objects_keep_their_schemas(go, example):
    from jsonschema import Draft202012Validator

    from memgit.core.schemas import schema

    for kind, arguments in (("stores", ["stores"]), ("all", ["snapshot", "--all"])):
        Draft202012Validator(schema(kind)).validate(json.loads(json.dumps(go(*arguments)[1])))


def test_what_only_a_project_names_is_told_and_not_looked_into(listed, example, monkeypatch):
    settings = example.project / ".claude/settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(json.dumps({"autoMemoryDirectory": str(example.home)}))
    looked: list[str] = []
    whole = catalogue._files
    monkeypatch.setattr(catalogue, "_files", lambda folder: looked.append(folder) or whole(folder))
    one = listed()[str(example.home)]
    assert (one["memories"], str(example.home) in looked) == (None, False)


def test_a_database_on_record_elsewhere_is_not_taken_for_gone(listed, example, world):
    database = example.home / "elsewhere/db.sqlite"
    database.parent.mkdir()
    database.write_bytes(b"")
    (world.data_home / "v/memgit").mkdir(parents=True)
    (world.data_home / "v/memgit/store.json").write_text(json.dumps({"store": str(database)}))
    one = listed()[str(database)]
    assert (one["shape"], one["memories"]) == ("sqlite", None)


def test_a_file_among_the_stores_of_sub_agents_is_none(listed, example):
    folder = example.home / ".claude/agent-memory"
    folder.mkdir()
    (folder / "README.md").write_text("Not a store.\n")
    assert list(listed()) == [str(example.store)]
