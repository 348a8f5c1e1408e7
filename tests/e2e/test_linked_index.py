"""Every command reads an index through its link, as agents do, and none writes there or replaces the link."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

OWN_WORDS = "Read the ops folder first, always."


@pytest.fixture
def linked(example) -> Path:
    """The example's index, with prose of the user's own, behind a relative link; the file that it leads to."""
    index = example.store / "MEMORY.md"
    text = index.read_text()
    file = example.home / "dotfiles" / "index.md"
    file.parent.mkdir()
    file.write_text(f"{text.rstrip()}\n\n{OWN_WORDS}\n")
    index.unlink()
    index.symlink_to(os.path.relpath(file, example.store))
    return file


def as_it_was(example, linked: Path) -> tuple[str, str]:
    return os.readlink(example.store / "MEMORY.md"), linked.read_text()  # noqa: PTH115 - as it is written


def test_a_look_says_nothing_of_an_index_that_agents_can_read(example, go, linked):
    go("snapshot")
    code, found = go("check")
    assert code == 0
    assert not [each for each in found["findings"] if each["area"] == "index"]
    assert go("status")[1]["index"]["lines"] == len(linked.read_text().splitlines())
    assert go("verify")[0] == 0
    (listed,) = [each for each in go("stores")[1]["stores"] if each["path"] == str(example.store)]
    assert listed["loaded"]["lines"] == len(linked.read_text().splitlines())


def test_the_index_is_given_to_clients_that_do_not_load_it(example, linked, memgit):
    assert OWN_WORDS in memgit("inject", cwd=example.project, env=example.env).out


@pytest.mark.parametrize("verb", ["curate", "audit", "prune"])
def test_a_pass_carries_the_text_and_says_that_it_is_behind_a_link(example, go, linked, verb):
    before = as_it_was(example, linked)
    code, found = go(verb)
    assert code == 0
    assert found.get("mode", "curate") == "curate"
    assert as_it_was(example, linked) == before
    if verb == "curate":
        candidate = Path(found["paths"]["candidate"]) / "MEMORY.md"
        assert not candidate.is_symlink()
        assert OWN_WORDS in candidate.read_text()
        assert "its text is read and carried" in Path(found["paths"]["report"]).read_text()
        assert not any(line.startswith("mv ") for line in found["commands"]["adopt"])


def test_adopting_another_index_is_refused_and_goes_on_once_it_is_mended_as_told(example, go, hosted, linked):
    before = as_it_was(example, linked)
    passed = hosted()["pass"]
    code, found = go("adopt", passed)
    assert code == 13
    assert "MEMORY.md is a link to" in found["error"]["message"]
    assert as_it_was(example, linked) == before

    subprocess.run(["sh", "-c", found["error"]["hint"].partition("(")[2].rpartition(")")[0]], check=True)
    assert go("adopt", passed)[0] == 0
    index = example.store / "MEMORY.md"
    assert (index.is_symlink(), OWN_WORDS in index.read_text()) == (False, True)
    assert linked.read_text() == before[1]
    assert go("undo")[0] == 0
    assert index.read_text() == before[1]


def test_adopting_keeps_the_link_once_the_decided_text_is_behind_it(example, go, linked):
    found = go("curate")[1]
    linked.write_text((Path(found["paths"]["candidate"]) / "MEMORY.md").read_text())
    before = as_it_was(example, linked)
    assert go("adopt", found["pass"])[0] == 0
    assert as_it_was(example, linked) == before
    assert not [each for each in go("check")[1]["findings"] if each["area"] == "index"]


REMEMBER = ("remember", "port", "-d", "The port is five", "-b", "It stands.")


@pytest.mark.parametrize("further", [(), ("--dry-run",)])
def test_remembering_a_new_fact_is_refused_before_anything_is_written(example, go, linked, further):
    before = as_it_was(example, linked)
    files = {path.name for path in example.store.iterdir()}
    code, found = go(*REMEMBER, *further)
    assert code == 13
    assert "memgit neither writes through a link nor replaces it" in found["error"]["message"]
    assert as_it_was(example, linked) == before
    assert {path.name for path in example.store.iterdir()} == files


def test_facts_in_a_file_are_refused_the_same_way(example, go, linked, tmp_path):
    facts = tmp_path / "facts.json"
    fact = {"name": "port", "description": "The port is five", "type": "project", "body": "It stands."}
    facts.write_text(json.dumps({"facts": [fact]}))
    before = as_it_was(example, linked)
    assert go("extract", "--facts", str(facts))[0] == 13
    assert as_it_was(example, linked) == before


def test_what_leaves_the_index_as_it_is_is_written_and_the_link_stays(example, go, linked):
    before = as_it_was(example, linked)
    memory = next(path for path in example.store.glob("*.md") if path.name != "MEMORY.md")
    head = memory.read_text().partition("description: ")[2].partition("\n")[0].strip("\"'")
    line = ("remember", "x", "--memory", memory.stem, "-d", head, "-b", "Another text.", "--override", "loses-details")
    code, found = go(*line)
    assert code == 0, found
    assert "Another text." in memory.read_text()
    assert as_it_was(example, linked) == before
    assert go("undo")[0] == 0
    assert "Another text." not in memory.read_text()
    assert as_it_was(example, linked) == before


def test_a_secret_behind_the_link_is_named_and_not_taken_out_there(example, go, linked, tmp_path):
    token = "ghp_" + "a1B2c3D4e5F6a7B8c9D0e1F2a3B4c5D6e7F8"
    linked.write_text(f"{linked.read_text()}\ntoken: {token}\n")
    (tmp_path / "secret").write_text(token)
    go("snapshot")
    code, found = go("redact", "--match", str(tmp_path / "secret"), "--yes")
    assert code == 13
    assert "the secret stands there, where memgit does not write" in found["error"]["message"]
    linked.write_text(linked.read_text().replace(token, "gone"))
    before = as_it_was(example, linked)
    assert go("redact", "--match", str(tmp_path / "secret"), "--yes")[0] == 0
    assert as_it_was(example, linked) == before


def test_the_store_at_a_session_s_start_is_the_one_that_is_recorded(example, go, linked, memgit):
    go("snapshot")
    told = json.dumps({"cwd": str(example.project), "session_id": "s", "source": "startup"})
    env = example.env
    assert (
        "not by a recorded write" not in memgit("hook", "session-start", cwd=example.project, env=env, stdin=told).out
    )
    linked.write_text("- [Other](other.md) — another index\n")
    assert "not by a recorded write" in memgit("hook", "session-start", cwd=example.project, env=env, stdin=told).out


@pytest.mark.parametrize("make", [lambda file: None, Path.mkdir, os.mkfifo], ids=["nothing", "a folder", "a pipe"])
@pytest.mark.parametrize("line", [("curate",), ("audit",), REMEMBER], ids=lambda line: line[0])
def test_a_link_to_no_text_stops_what_would_make_an_index_and_is_named(example, go, linked, line, make):
    linked.unlink()
    make(linked)
    target = os.readlink(example.store / "MEMORY.md")  # noqa: PTH115
    code, found = go(*line)
    assert code == 13
    assert "MEMORY.md is a link to" in found["error"]["message"]
    assert "agents see no index" in found["error"]["message"]
    assert os.readlink(example.store / "MEMORY.md") == target  # noqa: PTH115
    told = go("check")[1]["findings"]
    assert any("is a link to" in each["what"] and "no file can be read" in each["what"] for each in told)


def test_the_command_that_mends_can_be_typed_where_names_have_blanks(tmp_path):
    from memgit.memory.index_edit import mend

    folder = tmp_path / "my store"
    folder.mkdir()
    (tmp_path / "text").write_text("text")
    (folder / "MEMORY.md").symlink_to("../text")
    subprocess.run(["sh", "-c", mend(str(folder))], check=True)
    assert (folder / "MEMORY.md").is_symlink() is False
    assert (folder / "MEMORY.md").read_text() == (tmp_path / "text").read_text() == "text"
    assert shlex.split(mend(str(folder)))[2] == str(folder / "MEMORY.md")
