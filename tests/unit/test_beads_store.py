"""A beads store is files in between: its keys are spelled by paths, its values are bytes, and bd is not believed."""

from __future__ import annotations

import pytest

from memgit.errors import Damaged, MemgitError, StoreChanged, ToolFailed, Unfinished, UsageError
from memgit.memory.shapes import key_of, path_of
from memgit.model.store import StoreContent, StoreFile
from memgit.stores.beads.bd import content_of, values_of
from memgit.stores.registry import named
from tests.beads_world import beads_at
from tests.desks import content, texts

KEYS = {
    "retry-budget": "retry-budget.md",
    "team/oncall": "team/oncall.md",
    "Two words": "Two%20words.md",
    "MEMORY": "%4DEMORY.md",
    ".hidden": "%2Ehidden.md",
    "a/../b": "a%2F..%2Fb.md",
    "a//b": "a%2F%2Fb.md",
    "a.md/b": "a.md%2Fb.md",
    "100%/x": "100%25/x.md",
    "größe": "gr%C3%B6%C3%9Fe.md",
    "line\nbreak": "line%0Abreak.md",
}


@pytest.mark.parametrize(("key", "path"), KEYS.items())
def test_a_key_is_spelled_by_a_path_and_read_back(key, path):
    assert path_of(key) == path
    assert key_of(path) == key


@pytest.mark.parametrize("key", ["x" * 700, "ü" * 300, "a/" + "." * 500 + "b", "x" * 199 + ".y" * 40])
def test_a_long_key_is_cut_into_parts_that_every_file_system_takes(key):
    path = path_of(key)
    assert key_of(path) == key
    assert max(map(len, path.split("/"))) <= 203
    assert not any(part.startswith(".") for part in path.split("/"))


@pytest.mark.parametrize("path", ["note.txt", ".md", "%6Eote.md", "a%2Fb.md", "MEMORY.md", "gr\u00f6sse.md"])
def test_a_path_that_no_key_has_spells_none(path):
    assert key_of(path) is None


FORMS = {
    "bare": '{"a": "one", "schema_version": 1}',
    "in an envelope": '{"data": {"a": "one"}, "schema_version": 1}',
    "without a version": '{"a": "one"}',
}


class Said:
    """A program that says one thing."""

    def __init__(self, out: str, code: int = 0) -> None:
        self.code, self.out, self.err, self.complaint = code, out.encode(), b"", "locked"

    def __call__(self, *_: object, **__: object) -> Said:
        return self


@pytest.mark.parametrize("out", FORMS.values(), ids=FORMS)
def test_the_schemas_version_is_no_memory(out):
    from memgit.stores.beads.bd import Bd

    assert Bd("/p/.beads", Said(out)).memories() == {"a": "one"}


def test_a_memory_called_like_the_version_is_one():
    from memgit.stores.beads.bd import Bd

    assert Bd("/p/.beads", Said('{"schema_version": "is text", "data": "too"}')).memories() == {
        "schema_version": "is text",
        "data": "too",
    }


@pytest.mark.parametrize("out", ["", "No memories", "[]", "null", '{"a": 1}', '{"a": {"b": "c"}}', "\ufeff{"])
def test_what_is_no_list_of_memories_is_never_an_empty_store(out):
    from memgit.stores.beads.bd import Bd

    with pytest.raises(ToolFailed) as failed:
        Bd("/p/.beads", Said(out)).memories()
    assert "bd memories" in failed.value.message


@pytest.mark.parametrize("form", ["", "old", "items"])
def test_beads_and_types_are_read_in_each_form_that_bd_has_printed(tmp_path, form):
    made = beads_at(tmp_path / "p", {})
    memories = {"schema_version": "mine", "a": "one"} if not form else {"a": "one"}
    beads = [{"id": f"bd-{n}", "title": f"Note {n}", "labels": ["kb"], "status": "open"} for n in range(60)]
    made.put(memories, beads)
    (made.project / "bd-form").write_text(form)
    bd = made.store().bd
    assert len(bd.beads("kb")) == 60
    assert [bead["id"] for bead in bd.titled("Note 5")] == ["bd-5"]
    assert {"research", "chore"} <= bd.kinds()
    assert bd.state() == "branch main, commit 7v3k9qd0t1"
    assert bd.memories() == made.memories


COMPLAINTS = {
    "as JSON": ('{"data": {"error": "listing: no such\\ntable."}, "schema_version": 1}', "", "listing: no such table"),
    "as JSON of an older one": ('{"error": "listing: locked", "schema_version": 1}', "", "listing: locked"),
    "before a hint": ("", "Error: it is frozen\nHint: wait\n", "it is frozen"),
    "as nothing but a line": ("", "frozen\n", "locked"),
}


@pytest.mark.parametrize(("out", "err", "told"), COMPLAINTS.values(), ids=COMPLAINTS)
def test_what_bd_complains_of_is_told_wherever_it_says_it(out, err, told):
    from memgit.stores.beads.bd import Bd

    ran = Said(out, code=1)
    ran.err = err.encode()
    with pytest.raises(ToolFailed) as failed:
        Bd("/p/.beads", ran).memories()
    assert failed.value.message == f"`bd memories` failed with exit code 1: {told}."


def test_where_no_history_is_told_of_the_engine_is_and_else_nothing(tmp_path):
    made = beads_at(tmp_path / "p", {})
    made.fail("vc *")
    assert made.store().bd.state() == "Dolt engine: embedded (in-process, no server)"
    made.fail("vc *", "dolt *", "types *")
    assert made.store().bd.state() == ""
    assert made.store().bd.kinds() == frozenset()


def test_values_come_byte_for_byte_and_the_store_has_no_index(tmp_path):
    memories = {"a": "one <b> & é\n", "b/c": '@type=semantic:lesson\nwith "quotes" \\ and\ttabs'}
    found = beads_at(tmp_path / "p", memories).store().read()
    assert texts(found) == {"a.md": memories["a"], "b/c.md": memories["b/c"]}
    assert not found.indexed


@pytest.mark.parametrize("how", ["fail", "hang", "lie"])
def test_a_bd_that_fails_hangs_or_says_nothing_is_a_failed_tool(tmp_path, how):
    beads = beads_at(tmp_path / "p", {"a": "one"})
    beads.fail(f"memories * {how}")
    with pytest.raises(ToolFailed):
        beads.store(timeout=0.5).read()


def test_a_missing_bd_is_named(tmp_path, monkeypatch):
    beads = beads_at(tmp_path / "p", {})
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolFailed, match="program bd was not found"):
        beads.store().read()


def at(here, address):
    return named(str(here), address, str(here), "/home")


def test_an_address_names_the_project_its_folder_or_the_project_here(tmp_path):
    folder = beads_at(tmp_path / "p", {}).folder
    (tmp_path / "p" / "src").mkdir()
    found = [at(tmp_path, text) for text in ("beads:p", "beads:p/.beads", f"beads:{folder}")]
    found.append(at(tmp_path / "p" / "src", "beads"))
    assert {one.path for one in found if one} == {str(folder)}
    assert found[0].address == f"beads:{folder}"
    assert at(tmp_path, "memory") is None


def test_an_address_without_a_beads_folder_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"no \.beads folder in elsewhere"):
        at(tmp_path, "beads:elsewhere")


# --- installing ---

OLD = {"a": "one", "b": "two", "c": "three"}
NEW = {"a": "one", "b": "two and a half", "d": "- four"}


@pytest.fixture
def beads(tmp_path):
    return beads_at(tmp_path / "p", OLD)


@pytest.fixture
def private(tmp_path):
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


def test_what_is_new_comes_first_and_what_goes_last(beads, private):
    installer = beads.installer(private)
    installed = installer.install(beads.folder, content_of(OLD), content_of(NEW), {"verb": "adopt"})
    installer.close()
    assert (installed.way, beads.memories) == ("bd commands", NEW)
    changing = [call for verb in ("remember", "forget") for call in beads.calls(verb)]
    assert changing == [
        ["remember", "--key=d", "--", "- four"],
        ["remember", "--key=b", "--", "two and a half"],
        ["forget", "--", "c"],
    ]
    assert list(private.iterdir()) == []


def test_a_store_that_has_moved_is_left_alone(beads, private):
    beads.put({**OLD, "e": "five"})
    with pytest.raises(StoreChanged):
        beads.installer(private).install(beads.folder, content_of(OLD), content_of(NEW), {})
    assert beads.memories == {**OLD, "e": "five"}
    assert list(private.iterdir()) == []


@pytest.mark.parametrize("rule", ["remember 1", "remember 2", "forget 1", "memories 2", "memories 3", "memories 4"])
def test_one_failing_command_is_got_over(beads, private, rule):
    beads.fail(rule)
    installer = beads.installer(private)
    installer.install(beads.folder, content_of(OLD), content_of(NEW), {})
    assert beads.memories == NEW


@pytest.mark.parametrize("rule", ["remember 1 lie", "forget 1 lie"])
def test_a_command_that_only_claims_success_is_found_out_and_repeated(beads, private, rule):
    beads.fail(rule)
    beads.installer(private).install(beads.folder, content_of(OLD), content_of(NEW), {})
    assert beads.memories == NEW


def test_where_bd_can_not_forget_all_is_put_back(beads, private):
    changed = {"a": "one more", "b": "two"}
    beads.fail("forget *")
    with pytest.raises(ToolFailed, match="database is locked"):
        beads.installer(private).install(beads.folder, content_of(OLD), content_of(changed), {})
    assert beads.memories == OLD
    assert list(private.iterdir()) == []


def test_where_nothing_works_any_more_a_recovery_goes_on_later(beads, private):
    beads.fail("remember 2", "remember 3", "forget *")
    installer = beads.installer(private)
    with pytest.raises(Unfinished, match="could not be taken back"):
        installer.install(beads.folder, content_of(OLD), content_of(NEW), {"verb": "adopt"})
    assert set(OLD) <= set(beads.memories)
    beads.fail()
    recovered = installer.recover()
    assert recovered is not None
    assert (recovered.intent, recovered.installed.way) == ({"verb": "adopt"}, "bd commands")
    assert beads.memories == NEW


def test_what_somebody_writes_meanwhile_is_kept_and_named(beads, private):
    beads.fail("remember 2", "remember 3", "forget *")
    installer = beads.installer(private)
    with pytest.raises(Unfinished):
        installer.install(beads.folder, content_of(OLD), content_of(NEW), {})
    beads.put({**beads.memories, "c": "three, by somebody else"})
    beads.fail()
    recovered = installer.recover()
    assert recovered.installed.kept == ("c",)
    assert beads.memories == {**NEW, "c": "three, by somebody else"}


@pytest.mark.parametrize(
    ("file", "why"),
    [
        (StoreFile("e.md", b"\xff"), "not UTF-8"),
        (StoreFile("e.md", b" \n"), "empty"),
        (StoreFile("e.md", b"a\0b"), "NUL"),
        (StoreFile("e.md", b"x" * 65_536), "longer than 65,535 bytes"),
        (StoreFile(f"{'k' * 150}/{'k' * 96}.md", b"x"), "longer than 245 characters"),
        (StoreFile("e.txt", b"x"), "no memory of a beads store"),
        (StoreFile("e.md", b"target", 0o120777), "no memory of a beads store"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_bd_can_not_keep_is_refused_before_anything_is_written(beads, private, file, why):
    odd = StoreContent({file.path: file}, indexed=False)
    with pytest.raises(UsageError, match=why):
        beads.installer(private).install(beads.folder, content_of(OLD), odd, {})
    assert "remember" not in beads.verbs
    assert list(private.iterdir()) == []


def test_a_read_only_database_is_refused(beads, private):
    beads.folder.chmod(0o500)
    try:
        with pytest.raises(MemgitError, match="is read-only"):
            beads.installer(private).refuse_unwritable(beads.folder)
    finally:
        beads.folder.chmod(0o700)


def test_a_strange_journal_is_damage(beads, private):
    (private / "journal.json").write_text('{"phase": "dancing"}')
    with pytest.raises(Damaged):
        beads.installer(private).recover()


def test_a_candidates_folder_is_read_without_modes(beads, private):
    folder = private / "candidate"
    folder.mkdir()
    (folder / "a.md").write_text("one")
    (folder / "a.md").chmod(0o600)
    assert beads.installer(private).read(folder) == content_of({"a": "one"})


def test_values_of_is_the_way_back():
    assert values_of(content_of(OLD)) == OLD
    assert values_of(content({})) == {}
