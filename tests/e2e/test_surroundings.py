"""Which store a project's agents use, and what else lies around: told by status and check, written by neither."""

from __future__ import annotations

import json
import os
import subprocess
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memgit.stores.rules import project_key
from tests.desks import write

ORIGIN = "7f2a9c14-0000-4000-8000-000000000001"
NOTE = "---\nname: note\ndescription: a note\nmetadata:\n  type: project\n---\n\nText.\n"


def place(said: dict) -> list[str]:
    """What was found around the store."""
    return [each["what"] for each in said.get("findings", said.get("place", [])) if each["area"] == "place"]


@pytest.fixture
def looked(go):
    """What was found around the store, which two commands tell alike."""

    def both(*more: str) -> list[str]:
        found, checked = (place(go(verb, *more)[1]) for verb in ("status", "check"))
        assert found == checked
        return found

    return both


def laid(folder: Path, texts: dict[str, str]) -> Path:
    write(folder, texts)
    return folder


@pytest.fixture
def inside(example) -> Path:
    """A store in the project itself, beside the one that the client keeps."""
    return laid(example.project / ".claude" / "memory", {"MEMORY.md": "- [Note](note.md) — x\n", "note.md": NOTE})


def test_a_store_that_is_alone_is_nothing_to_tell(example, looked):
    assert looked() == []


def test_status_says_which_store_agents_use_and_how_it_was_found(example, inside, go):
    used = go("status")[1]["used_by_agents"]
    assert used == {
        "path": str(example.store),
        "rule": "git common directory",
        "off": "",
        "sentence": "Agents of this project read and write this store, found by git common directory.",
    }


def test_a_store_in_the_project_is_told_as_one_that_agents_do_not_read(example, inside, looked):
    (found,) = looked()
    assert found == (
        f"Further memories of this project are in {inside} (the project's own .claude/memory), which agents do not "
        "read."
    )


@pytest.mark.parametrize("name", ["CLAUDE.md", ".claude/settings.json", "AGENTS.md"])
def test_the_file_that_sends_agents_there_is_named(example, inside, looked, name):
    write(example.project, {name: json.dumps({"see": "read .claude/memory/MEMORY.md first"})})
    (found,) = looked()
    assert f"the client does not read them by itself, {name} sends agents there" in found


def test_a_store_that_agents_do_not_use_is_told_with_the_one_that_they_do(example, inside, looked):
    assert looked("--store", str(inside)) == [
        f"Agents of this project read and write {example.store}, found by git common directory."
    ]


@pytest.mark.parametrize(
    ("setting", "env"),
    [
        ('{"autoMemoryEnabled": false}', {}),
        ("{}", {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}),
        ("{}", {"CLAUDE_CODE_REMOTE": "1"}),
    ],
)
def test_memory_that_is_switched_off_is_told(example, looked, monkeypatch, setting, env):
    (example.project / ".claude").mkdir()
    (example.project / ".claude" / "settings.json").write_text(setting)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    (found,) = looked()
    assert found.startswith("Agents of this project read and write no store by themselves: it is switched off (")


def test_the_environment_can_switch_it_on_again(example, looked, monkeypatch):
    (example.project / ".claude").mkdir()
    (example.project / ".claude" / "settings.json").write_text('{"autoMemoryEnabled": false}')
    monkeypatch.setenv("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "0")
    assert looked() == []


def test_the_store_of_a_linked_worktree_is_told(example, looked, tmp_path):
    tree = tmp_path / "tree"
    subprocess.run(["git", "worktree", "add", "-q", str(tree)], cwd=example.project, check=True, capture_output=True)
    stranded = laid(example.store.parents[1] / project_key(os.path.realpath(tree)) / "memory", {"note.md": NOTE})
    (found,) = looked()
    assert found == (
        f"Further memories of this project are in {stranded} (the store of a linked worktree), which agents do not "
        "read."
    )


def test_a_twin_under_another_key_is_told(example, looked):
    own = example.store.parent.name
    twin = laid(example.store.parents[1] / own.replace("-", "_", 1) / "memory", {"note.md": NOTE})
    (found,) = looked()
    assert str(twin) in found


# --- transcripts that the agent is about to delete ---


@pytest.fixture
def cite(example):
    """Makes a memory come from a session whose transcript was last written so many days before now."""

    def made(days: float, memory: str = "retry-budget") -> None:
        path = example.store / f"{memory}.md"
        path.write_text(path.read_text().replace("---\n", f"---\noriginSessionId: {ORIGIN}\n", 1))
        transcript = example.store.parent / f"{ORIGIN}.jsonl"
        transcript.write_text("")
        then = (datetime.fromisoformat(example.now) - timedelta(days=days)).timestamp()
        os.utime(transcript, (then, then))

    return made


def test_a_cited_transcript_that_goes_within_a_week_is_told_with_its_memories(example, looked, cite):
    cite(25)
    (found,) = looked()
    assert found == (
        "The agent deletes transcripts after 30 days (its default). Within a week that of 1 session that memories "
        "cite is due: retry-budget."
    )


def test_a_cited_transcript_with_time_left_is_nothing_to_tell(example, looked, cite):
    cite(20)
    assert looked() == []


def test_the_user_s_own_period_counts(example, go, cite):
    (example.home / ".claude" / "settings.json").write_text('{"cleanupPeriodDays": 90}')
    cite(25)
    _, said = go("status")
    assert place(said) == []
    assert (said["transcripts"]["days"], said["transcripts"]["chosen"]) == (90, True)


def test_a_transcript_that_no_memory_cites_is_nothing_to_tell(example, looked):
    then = (datetime.fromisoformat(example.now) - timedelta(days=29)).timestamp()
    for transcript in example.store.parent.glob("*.jsonl"):
        os.utime(transcript, (then, then))
    assert looked() == []


# --- memories of another project ---


def other_project(example, name: str) -> Path:
    """Another project that the agent has a folder for."""
    folder = example.project.parent / name
    folder.mkdir()
    (example.store.parents[1] / project_key(str(folder))).mkdir()
    return folder


def test_a_memory_that_came_from_a_session_of_another_project_is_named(example, looked):
    folder = other_project(example, "billing")
    record = json.dumps({"type": "user", "sessionId": ORIGIN, "cwd": str(folder)})
    (example.store.parents[1] / project_key(str(folder)) / f"{ORIGIN}.jsonl").write_text(record + "\n")
    path = example.store / "retry-budget.md"
    path.write_text(path.read_text().replace("---\n", f"---\noriginSessionId: {ORIGIN}\n", 1))
    assert looked() == [f"Memories that may belong to another project: retry-budget (its session ran in {folder})."]


def test_a_session_in_a_subfolder_is_this_project_s(example, looked):
    folder = example.project / "docs"
    key = example.store.parents[1] / project_key(str(folder))
    key.mkdir()
    (key / f"{ORIGIN}.jsonl").write_text(json.dumps({"type": "user", "cwd": str(folder)}) + "\n")
    path = example.store / "retry-budget.md"
    path.write_text(path.read_text().replace("---\n", f"---\noriginSessionId: {ORIGIN}\n", 1))
    assert looked() == []


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("Its rates are in {other}/config/rates.yaml.", True),
        ("Rates come from {other}/config/rates.yaml and go into {own}/config/rates.yaml.", False),
        ("The log is /var/log/checkout.log.", False),
        ("It is built in {own}/docs.", False),
        ("See {above}/notes.txt.", False),
    ],
)
def test_a_memory_that_names_another_project_s_folder_and_nothing_here_is_named(example, looked, text, is_named):
    folder = other_project(example, "billing")
    body = text.format(other=folder, own=example.project, above=example.project.parent)
    laid(example.store, {"rates.md": NOTE.replace("note\n", "rates\n", 1).replace("Text.", body)})
    with (example.store / "MEMORY.md").open("a") as index:
        index.write("- [Rates](rates.md) — where\n")
    named = [f"Memories that may belong to another project: rates (it names {folder})."]
    assert looked() == (named if is_named else [])


def test_a_store_of_which_most_names_are_unknown_here_is_told_by_an_audit_and_keeps_every_memory(example, go):
    for number in range(5):
        body = f"The job reads `src/warehouse/load_{number}.py` and `WAREHOUSE_QUEUE_{number}`."
        laid(example.store, {f"job-{number}.md": NOTE.replace("note\n", f"job-{number}\n", 1).replace("Text.", body)})
    _, audited = go("audit")
    told = go("show", audited["pass"])[1]
    (line,) = [each for each in told["remarks"]["Inventory"] if "may belong to another project" in each]
    assert line == (
        "6 of 8 memories that name something name nothing that this repository or its history knows (`job-0`, `job-1`, "
        "`job-2`, `job-3`, `job-4` and 1 more): they may belong to another project. Nothing is proposed for that."
    )
    assert not [each for each in audited["decisions"] if any("job-" in name for name in each["memories"])]


def test_memories_whose_session_is_gone_and_the_oldest_transcript_to_go_are_told(go, example):
    sessions = sorted(example.store.parent.glob("*.jsonl"))
    origin = f"---\nname: a\ndescription: d\nmetadata:\n  type: project\n  originSessionId: {ORIGIN}\n---\n\nText.\n"
    (example.store / "a.md").write_text(origin)
    now = datetime.fromisoformat(example.now)
    for session in sessions:
        os.utime(session, (now.timestamp(), now.timestamp()))
    told = " ".join(go("status")[1]["transcripts"]["told"])
    assert f"The sessions that 1 memory came from are gone: a ({ORIGIN[:8]})." in told
    assert "oldest" not in told
    old = (now - timedelta(days=28, hours=12)).timestamp()
    os.utime(sessions[0], (old, old))
    assert "The oldest of this project goes within 2 days" in " ".join(go("status")[1]["transcripts"]["told"])


def test_what_git_refuses_and_a_merge_in_the_middle_are_told(go, example, looked):
    (example.project / ".git" / "config").write_text("[core\n")
    (refused,) = looked()
    assert refused.startswith("Git does not read this repository; the store was found by its files. It says: ")
