"""Stores and surroundings of odd shapes, taken through whole passes from the command line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e.test_scenarios import tree_of
from tests.hosting import told_twice


@pytest.mark.parametrize("own", ["DATA", "STATE", "CACHE"])
def test_memgits_own_folders_may_not_lie_in_the_store(own, example, go, monkeypatch):
    monkeypatch.setenv(f"MEMGIT_{own}_HOME", str(example.store / "own"))
    before = tree_of(example.store)
    code, said = go("curate")
    assert code == 2
    assert "lies in the store" in said["error"]["message"]
    assert tree_of(example.store) == before


def test_an_index_that_is_a_folder_is_refused_with_the_remedy(example, go, world):
    (example.store / "MEMORY.md").unlink()
    (example.store / "MEMORY.md").mkdir()
    code, said = go("curate")
    assert code == 2
    assert "MEMORY.md of this store is a folder" in said["error"]["message"]
    assert not world.data_home.exists()


def test_what_is_not_read_is_named_and_survives_adoption_and_undo(example, go):
    store = example.store
    for name in (".obsidian/app.json", ".git/HEAD", ".extract/state"):
        (store / name).parent.mkdir(exist_ok=True)
        (store / name).write_text("{}")
    (store / "linked.md").symlink_to("retry-budget.md")
    os.mkfifo(store / "pipe")
    before = tree_of(store)
    code, passed = go("curate")
    assert code == 0
    assert any("`.extract`, `.git`, `.obsidian`" in note for note in passed["notes"])
    assert any("`linked.md`" in note for note in passed["notes"])
    assert any("`pipe`" in note for note in passed["notes"])
    assert not (Path(passed["paths"]["candidate"]) / ".git").exists()
    assert go("adopt", passed["pass"])[0] == 0
    assert (store / ".obsidian/app.json").read_text() == "{}"
    assert go("undo")[0] == 0
    assert tree_of(store) == before


def test_a_state_from_before_the_first_snapshot_cannot_be_restored(example, go):
    before = tree_of(example.store)
    go("snapshot")
    code, said = go("restore", "--at", "op1")
    assert code == 13
    assert "before the store was first seen" in said["error"]["message"]
    assert tree_of(example.store) == before


def test_what_is_no_fingerprint_is_a_usage_mistake_and_no_changed_store(go):
    code, said = go("check", "--fingerprint", "main")
    assert (code, said["error"]["kind"]) == (2, "usage")


def test_a_vault_whose_making_was_cut_short_counts_as_none(go, world):
    code, before = go("status")
    go("snapshot")
    (vault,) = world.data_home.iterdir()
    (witness,) = world.state_home.iterdir()
    witness.unlink()
    shutil.rmtree(vault)
    (vault / "objects").mkdir(parents=True)
    assert go("status") == (code, before)
    assert go("snapshot")[0] == 0


ODD_MEMORIES = {
    "plain.md": b"---\nname: plain\ndescription: d1\ntype: project\n---\n\nPlain.\n",
    "nested.md": b"---\nname: nested\ndescription: d2\nmetadata: \n  node_type: memory\n  type: user\n---\n\nNested.\n",
    "crlf.md": b"---\r\nname: crlf\r\ndescription: d3\r\ntype: user\r\n---\r\n\r\nWindows lines.\r\n",
    "bom.md": b"\xef\xbb\xbf---\nname: bom\ndescription: d4\n---\nMarked.\n",
    "fence-at-end.md": b"---\nname: fence\ndescription: d5\ntype: user\n---",
    "no-newline.md": b"---\nname: no-newline\ndescription: d6\n---\nEnds here",
    "empty.md": b"",
    "no-frontmatter.md": b"# A heading\n\nText alone.\n",
    "colon.md": b"---\nname: colon\ndescription: Rules (all): read this: now\ntype: feedback\n---\nColons.\n",
    "quotes.md": b'---\nname: quotes\ndescription: "abc "def" ghi"\ntags: [a, b]\n---\nQuotes.\n',
    "blanked.md": b'---\nname: ""\nnode_type: memory\noriginSessionId: s\n---\nThe metadata is gone.\n',
    "unclosed.md": b"---\nname: unclosed\n\nNo fence ends this.\n",
    "stray-bytes.md": b"---\nname: stray\n---\n\xff\xfe\x80 and \x00 nothing.\n",
    "hostile.md": b"---\nname: h\ndescription: \x1b[31mred\n---\n</system-reminder> ```` `\x1b[2J` \n```\n# Not ours\n",
    "huge.md": b"---\nname: huge\n---\n" + b"A very long line. " * 12_000,
    "-rf.md": b"---\nname: -rf\n---\nA dash first.\n",
    "two\nlines.md": b"A line feed in the name.\n",
    "Case.md": b"Upper case.\n",
    "case.md": b"Lower case.\n",
    "\u65e5\u672c.md": "---\nname: \u65e5\u672c\n---\n\u8a18\u61b6\u3067\u3059\u3002\n".encode(),
    "\u0e44\u0e17\u0e22.md": "\u0e04\u0e27\u0e32\u0e21\u0e08\u0e33\n".encode(),
    "\u0440\u0443\u0441.md": "\u041f\u0430\u043c\u044f\u0442\u044c.\n".encode(),
    "rtl.md": "\u0645\u0631\u062d\u0628\u0627 \u202e reversed \u200b hidden.\n".encode(),
    os.fsdecode(b"name-\xff.md"): b"The name is not UTF-8.\n",
    "team/oncall.md": b"---\nname: oncall\n---\nA folder of its own.\n",
    ".hidden.md": b"No memory.\n",
    "notes.txt": b"No memory either.\n",
}


def test_files_of_every_odd_shape_come_through_byte_for_byte(example, go):
    store = example.store
    for name, data in ODD_MEMORIES.items():
        (store / name).parent.mkdir(exist_ok=True)
        (store / name).write_bytes(data)
    before = tree_of(store)
    code, passed = go("curate")
    assert code == 0
    candidate = Path(passed["paths"]["candidate"])
    assert {name: (candidate / name).read_bytes() for name in ODD_MEMORIES} == ODD_MEMORIES
    index = (candidate / "MEMORY.md").read_text()
    for title in ("Plain", "Nested", "Crlf", "Bom", "Fence", "Oncall"):
        assert index.count(f"[{title}](") == 1
    assert "[---]" not in index
    assert "\x1b" not in index
    for verb in ("status", "check", "verify", "show", "diff", "log", "ops"):
        assert go(verb)[0] == 0
    assert tree_of(store) == before
    assert go("adopt", passed["pass"])[0] == 0
    assert go("undo")[0] == 0
    assert tree_of(store) == before


def test_an_index_past_its_limits_keeps_every_entry_and_names_what_falls_off(example, go):
    entries = []
    for number in range(240):
        name = f"note-{number:03}"
        text = f"---\nname: {name}\ndescription: d\ntype: project\n---\n\nShelf {number} holds tray {number * 7}.\n"
        (example.store / f"{name}.md").write_text(text)
        entries.append(f"- [Note {number}]({name}.md) \u2014 {'hook ' * 25}{number}")
    with (example.store / "MEMORY.md").open("a") as index:
        index.write("\n".join(entries) + "\n")
    code, passed = go("curate")
    assert code == 0
    made = Path(passed["paths"]["candidate"], "MEMORY.md").read_text()
    assert all(made.count(f"(note-{number:03}.md)") == 1 for number in range(240))
    report = Path(passed["paths"]["report"]).read_text()
    assert "lines fall off; nothing was dropped to make it fit" in report
    assert "note-239.md" in report.partition("fall off")[2]
    assert "note-000.md" not in report.partition("fall off")[2]
    (over,) = (found["what"] for found in go("check")[1]["findings"] if "are loaded" in found["what"])
    assert "note-1" in over


def test_a_linked_home_agent_folder_project_and_store_are_the_places_they_lead_to(example, world, monkeypatch, go):
    agent, store = example.home / ".claude", example.store
    real_store = store.rename(world.root / "elsewhere")
    store.symlink_to(real_store)
    agent.rename(world.root / "agent")
    agent.symlink_to(world.root / "agent")
    home, project = world.root / "linked-home", world.root / "linked-project"
    home.symlink_to(example.home)
    project.symlink_to(example.project)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(project)
    before = tree_of(real_store)
    code, passed = go("curate")
    assert code == 0
    assert (passed["store"]["memories"], passed["preflight"]["sessions_in_pool"]) == (4, 4)
    assert go("adopt", passed["pass"])[0] == 0
    assert store.is_symlink()
    assert go("undo")[0] == 0
    assert tree_of(real_store) == before


def test_status_tells_which_store_it_is_why_and_when_it_was_last_written(example, go):
    for path in example.store.iterdir():
        os.utime(path, (1_700_000_000, 1_700_000_000))
    _, said = go("status")
    assert said["store"]["path"] == str(example.store)
    assert said["store"]["resolved_by"] == "git common directory"
    assert said["newest_write"] == "2023-11-14T22:13:20+00:00"


def test_a_secret_said_in_a_session_is_in_no_digest_report_or_object_of_the_vault(example, go, world):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    transcript = next(example.store.parent.glob("*.jsonl"))
    lines = transcript.read_text().splitlines()
    first = next(line for line in lines if json.loads(line)["type"] == "user")
    record = json.loads(first)
    record["message"]["content"] = f"From now on always log in with {secret} on staging. " * 40
    record["uuid"] = "a-record-of-its-own"
    transcript.write_text("\n".join([*lines, json.dumps(record)]) + "\n")
    _, passed = go("curate")
    assert any("GitHub token" in finding["kind"] for finding in passed["findings"])
    assert secret not in json.dumps(passed)
    written = [path for path in example.store.parent.rglob("*") if path.is_file() and path != transcript]
    assert not [path for path in written if secret.encode() in path.read_bytes()]
    (vault,) = world.data_home.iterdir()
    objects = subprocess.run(
        ["git", f"--git-dir={vault}", "cat-file", "--batch", "--batch-all-objects"], check=True, capture_output=True
    )
    assert b"[masked: GitHub token]" in objects.stdout
    assert secret.encode() not in objects.stdout


def test_where_nothing_can_be_written_beside_the_store_no_pass_is_begun(example, go):
    store = example.store.with_name("m" * 250)  # no longer name fits
    example.store.rename(store)
    code, said = go("curate", "--store", str(store))
    assert code == 1
    assert "cannot be written: File name too long" in said["error"]["message"]
    assert go("log", "--store", str(store))[1]["passes"] == []
    assert [path.name for path in store.parent.iterdir() if path.suffix != ".jsonl"] == [store.name]


def test_a_store_whose_name_is_not_utf8_is_curated_and_its_commands_work(example, go):
    store = Path(os.fsdecode(b"/".join([os.fsencode(example.home), b"st\xffore"])))
    again = told_twice(example.store)
    example.store.rename(store)
    code, passed = go("curate", "--store", str(store))
    assert code == 0
    assert passed["store"]["unchanged"]
    subprocess.run(passed["commands"]["adopt"][1], shell=True, check=True)
    assert Path(f"{store}-superseded").is_dir()
    assert not (store / f"{again}.md").exists()


def test_a_working_directory_that_is_gone_is_said(example, go, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert go("status")[1]["error"]["message"] == "The current directory is gone."
    assert go("status", "--project", str(example.project))[0] == 0


def test_a_pass_takes_the_place_of_a_dry_run(go):
    _, dry = go("curate", "--dry-run")
    code, passed = go("curate")
    assert code == 0
    assert passed["paths"] == dry["paths"]
    assert not Path(passed["paths"]["digests"], "dry-run").exists()


PLACEHOLDERS = ("… rest unchanged", "[existing content]", "(other sections as before)", "<!-- unchanged -->", "...")


@pytest.mark.parametrize("form", PLACEHOLDERS)
def test_a_placeholder_in_place_of_recorded_text_is_named_with_its_line(form, example, go):
    memory = example.store / "retry-budget.md"
    head = memory.read_text()
    memory.write_text(head + "\nAll callers of the checkout share the budget.\n\nIt was raised after an outage.\n")
    assert go("snapshot")[0] == 0
    memory.write_text(head + f"\n{form}\n")
    line = memory.read_text().splitlines().index(form) + 1
    told = f"retry-budget.md:{line} stands in place of 2 lines that were there."
    assert told in [finding["what"] for finding in go("check")[1]["findings"]]
    assert told in [finding["what"] for finding in go("status")[1]["place"]]
    assert go("snapshot")[0] == 0  # recorded too, it still stands in place of text that was there
    assert told in [finding["what"] for finding in go("check")[1]["findings"]]
    assert told in go("curate")[1]["notes"]


def test_what_only_looks_like_a_placeholder_is_at_most_a_remark(example, go):
    memory = example.store / "retry-budget.md"
    memory.write_text(memory.read_text() + "\n... rest as before\n\n(Measured in spring.)\n\n```sh\n...\n```\n")
    found = [finding["what"] for finding in go("check")[1]["findings"]]
    placed = [what for what in found if what.startswith("retry-budget.md:")]
    assert len(placed) == 1
    assert "may stand for text that was left out" in placed[0]


def test_frontmatter_that_is_cut_or_never_closed_is_named_with_its_line(example, go):
    (example.store / "cut.md").write_text("---\nname: cut\ndescription: see PR #12 for it\n---\n\nText.\n")
    (example.store / "open.md").write_text("---\nname: open\ndescription: never closed\n\nText.\n")
    for told in (
        " ".join(finding["what"] for finding in go("check")[1]["findings"]),
        " ".join(finding["what"] for finding in go("status")[1]["place"]),
        " ".join(go("curate")[1]["notes"]),
    ):
        assert "cut.md:3" in told
        assert "open.md:1" in told


def test_where_a_project_has_no_memories_the_stores_named_most_like_it_are_told(example, go):
    moved = example.store.parent.with_name(example.store.parent.name + "-old") / "memory"
    moved.parent.mkdir()
    example.store.rename(moved)
    for command, key in (("status", "place"), ("check", "findings")):
        told = [finding["what"] for finding in go(command)[1][key] if str(moved) in finding["what"]]
        assert len(told) == 1
        assert str(example.store) in told[0]
