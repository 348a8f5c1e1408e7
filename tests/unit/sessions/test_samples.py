"""Transcripts that ten versions of the real client wrote, against turns labelled by hand."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memgit.evidence.turns import Entry, resolve
from memgit.model.session import Origin, RecordClass, Role
from memgit.sessions.reader import Part, Reading, read_on, read_tail
from tests.conftest import DATA
from tests.unit.sessions.forge import SILENCE, transcripts

TRANSCRIPTS = DATA / "transcripts"
TURNS: dict[str, list[str]] = json.loads((TRANSCRIPTS / "turns.json").read_text())
SAMPLES = os.environ.get("MEMGIT_SAMPLES")


def read(path: Path) -> Part:
    with path.open("rb") as file:
        return read_tail(read_on(file, Reading()))


def kept(path: Path) -> tuple[Entry, ...]:
    return resolve(read(path).entries).kept


def human(path: Path) -> list[str]:
    return [entry.text for entry in kept(path) if entry.role is Role.USER]


def sessions(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*.jsonl")):
        if "projects" in path.parts and "subagents" not in path.parts and not path.name.startswith("agent-"):
            yield path


def test_every_session_file_is_labelled() -> None:
    assert sorted(path.relative_to(TRANSCRIPTS).as_posix() for path in sessions(TRANSCRIPTS)) == sorted(TURNS)


@pytest.mark.parametrize("version", sorted({name.split("/")[0] for name in TURNS}))
def test_exactly_the_labelled_turns_are_the_humans(version: str) -> None:
    labelled = {name: turns for name, turns in TURNS.items() if name.startswith(f"{version}/")}
    assert {name: human(TRANSCRIPTS / name) for name in labelled} == labelled


@pytest.mark.parametrize("path", sorted(TRANSCRIPTS.rglob("agent-*.jsonl")), ids=lambda path: path.name)
def test_nothing_a_sub_agent_was_told_is_a_humans(path: Path) -> None:
    part = read(path)
    assert resolve(part.entries).kept == ()
    assert part.reading.records[RecordClass.SUBAGENT] > 0


def test_a_prompt_typed_while_the_agent_worked_is_found_once_in_every_version_that_shows_it() -> None:
    queued = {
        name.split("/")[0]: [entry.text for entry in kept(TRANSCRIPTS / name) if entry.origin is Origin.QUEUED]
        for name in TURNS
        if "a prompt queued while you work" in TURNS[name]
    }
    assert queued == {
        version: ["a prompt queued while you work"] for version in ("2.0.77", "2.1.112", "2.1.197", "2.1.332")
    }


def test_newer_clients_tell_programs_from_people() -> None:
    origins = {
        name: {entry.origin for entry in kept(TRANSCRIPTS / name) if entry.role is Role.USER}
        for name in TURNS
        if name.startswith(("2.1.197/", "2.1.260/", "2.1.332/"))
    }
    by_program = {name for name, found in origins.items() if Origin.PROGRAM in found}
    assert all("tui" not in name or TURNS[name][0].startswith("old question") for name in by_program)
    assert all(Origin.TYPED not in found for name, found in origins.items() if "tui" not in name)


@pytest.mark.parametrize(
    ("version", "run"), [("1.0.128", "run1.0.128"), ("2.1.112", "run2.1.112"), ("2.1.332", "run332")]
)
def test_a_fork_gives_only_what_was_said_after_it(version: str, run: str) -> None:
    reader = transcripts(TRANSCRIPTS / version / "projects")
    survey = reader.survey(f"/home/dev/{run}/r/resume", SILENCE)
    turns = [
        [message.text for message in reader.messages(session) if message.role is Role.USER]
        for session in survey.sessions
    ]
    assert ["Fourth question in a fork"] in turns
    assert sum(texts.count("First question: what is here?") for texts in turns) == 1


def test_a_session_of_worktree_option_is_matched_to_its_project() -> None:
    survey = transcripts(TRANSCRIPTS / "2.1.332" / "projects").survey("/home/dev/run332/r/wt-main", SILENCE)
    assert {(one.id[:8], one.provenance.value) for one in survey.sessions} == {
        ("00000020", "current-project"),
        ("00000022", "current-project"),  # started in a sub-directory
        ("00000023", "matched-worktree"),
    }
    assert [worktree.path for worktree in survey.worktrees] == ["/home/dev/run332/r/wt-main/.claude/worktrees/feat.one"]


@pytest.mark.skipif(not SAMPLES, reason="MEMGIT_SAMPLES names no folder of further transcripts")
def test_further_samples_are_read_whole_and_hold_no_machine_text() -> None:
    looked_at = 0
    for path in sessions(Path(SAMPLES or "")):
        part = read(path)
        assert part.reading.broken == 0, path
        for text in human(path):
            assert not text.startswith(("<", "[Request", "Caveat", "Base directory", "This session is being")), path
        looked_at += 1
    assert looked_at > 0, f"no transcripts under {SAMPLES}"
