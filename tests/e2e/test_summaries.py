"""A database of summaries, from the command line: what a prune tells, does, and takes back."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from memgit.cli import run as run_command
from tests.summary_world import DAY, HITS, START, add_summaries, dump, listing, make_database, run, search, vector

NOW = "2026-07-01T12:00:00Z"
NOW_MS = 1_782_907_200_000
TEXTS = (
    "Fixed the null check in the middleware by returning early when the token header is missing.",
    "Fixed the null check in the middleware, by returning early when the **token header** is missing!",
    "The deploy window is 30 minutes on the staging cluster.",
    "The deploy window is 15 minutes on the staging cluster.",
    "The validator in `src/legacy/auth.py` runs before the router sees a token.",
    {"text": "Pinned: the linter runs before each push.", "pinned_at": 1},
)


@pytest.fixture
def project(world) -> Path:
    folder = world.root / "project"
    folder.mkdir()
    (folder / "README.md").write_text("A project.\n")
    return folder


def workspace(world, project: Path, texts=TEXTS, more: str = "") -> Path:
    key = hashlib.sha256(os.fsencode(os.path.realpath(project))).hexdigest()[:12]
    path = world.home / ".siftcoder" / "main" / "workspaces" / key / "db.sqlite"
    return make_database(path, texts, more=more)


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    err: str


@pytest.fixture
def on(project, monkeypatch, capsys):
    """Runs a command on the database of the project's workspace, in this process."""
    monkeypatch.chdir(project)

    def run_it(verb: str, *args: str) -> Said:
        code = run_command([verb, "--store", "sqlite", *args])
        return Said(code, *capsys.readouterr())

    return run_it


@pytest.fixture
def prune(on):
    def run_it(*args: str):
        found = on("prune", "-v", "--now", NOW, *args)
        assert found.code == 0, found
        return found

    return run_it


def test_a_report_writes_nothing_beside_the_database(world, project, prune):
    path = workspace(world, project)
    before, rows = listing(path.parent), dump(path)
    before = listing(path.parent)
    told = prune().out
    assert "Inventoried 6 memories.\n" in told
    assert "Copies: 1" in told
    assert "Pinned, exempt from everything: 1." in told
    assert "memgit prune --confirm --store sqlite" in told
    assert listing(path.parent) == before
    assert dump(path) == rows


def test_where_searches_are_not_counted_no_orphan_is_proposed_and_it_is_said(world, project, prune):
    workspace(world, project)
    assert "Orphans: none proposed; the database does not count searches" in prune().out


def test_a_confirmed_prune_supersedes_and_an_undo_gives_every_row_back(world, project, prune, on):
    path = workspace(world, project)
    before = dump(path)
    prune()
    prune("--confirm")
    assert run(path, "SELECT newer_id, older_id FROM summary_supersedes") == [(2, 1)]
    assert dump(path)["summaries"] == before["summaries"]
    assert on("undo").code == 0
    assert dump(path) == before
    assert on("redo").code == 0
    assert run(path, "SELECT count(*) FROM summary_supersedes") == [(1,)]


def test_what_the_daemon_adds_does_not_void_a_report_and_a_text_that_it_changes_does(world, project, prune):
    path = workspace(world, project)
    prune()
    run(path, "UPDATE summaries SET text = text || ' Twice.' WHERE id IN (1, 2)")
    assert "What could be pruned has changed since the last report" in prune("--confirm").out
    with closing(sqlite3.connect(path)) as daemon:
        windows = ("The pump runs for 7 minutes at night.", "The pump runs for 8 minutes at night.")
        add_summaries(daemon, [{"text": each, "ts": START} for each in windows])
        daemon.commit()
    assert prune("--confirm").out.startswith("Adopted pass ")
    assert run(path, "SELECT newer_id, older_id FROM summary_supersedes") == [(2, 1)]
    assert len(run(path, "SELECT text FROM summaries WHERE id > 6")) == 2


def test_a_contradiction_is_told_once_with_its_edge_and_never_settled(world, project, prune):
    path = workspace(world, project)
    run(path, "INSERT INTO provenance_edges(ts, from_kind, from_id, to_kind, to_id, edge_type)"
        " VALUES (1, 'summary', '3', 'summary', '4', 'contradicts')")  # fmt: skip
    told = prune().out
    assert "Contradictions surfaced: 1" in told
    assert "an edge calls them contradictory" in told
    prune("--confirm")
    assert search(path, "deploy") == [3, 4]


def test_what_no_search_found_goes_unless_cited_pinned_found_or_young(world, project, prune, on):
    day = NOW_MS // DAY * DAY
    texts = [
        {"text": "Nobody ever looked for the spinner colour."},
        {"text": "The crane schedule was read a week ago.", "hit_count": 3, "last_hit_at": day - 7 * DAY},
        {"text": "The pump manual was read long ago.", "hit_count": 1, "last_hit_at": START},
        {"text": "Another summary rests on the valve test.", "hit_count": 0},
        {"text": "Keep the pinned rotor note.", "pinned_at": 1},
        {"text": "Yesterday the gasket was replaced.", "ts": day - DAY},
    ]
    path = workspace(world, project, texts, more=HITS)
    run(path, "INSERT INTO provenance_edges(ts, from_kind, from_id, to_kind, to_id, edge_type)"
        " VALUES (1, 'event', '9', 'summary', '4', 'derives_from')")  # fmt: skip
    before = dump(path)
    told = prune("--yes-remove-most").out
    assert "Orphans: 2" in told
    assert "no search found it in 30 days" in told
    prune("--confirm", "--yes-remove-most")
    assert run(path, "SELECT id FROM summaries") == [(2,), (4,), (5,), (6,)]
    assert run(path, "SELECT summary_id FROM summary_embeddings") == [(2,), (4,), (5,), (6,)]
    assert dump(path)["events"] == before["events"]
    on("undo")
    assert dump(path) == before


def test_the_json_of_a_prune_is_the_same_as_of_any_store(world, project, prune):
    workspace(world, project)
    answer = json.loads(prune("--json").out)
    assert answer["schema"] == "memgit.prune/1"


def test_nothing_can_be_added_to_a_database_and_it_is_said(world, project, on):
    path = workspace(world, project)
    before = dump(path)
    fact = ("new-fact", "-d", "Three retries are allowed", "-b", "Three retries are allowed, then it gives up.")
    told = on("remember", *fact)
    assert told.code != 0
    assert "memgit adds none" in told.out + told.err
    assert dump(path) == before


def test_history_diff_check_and_status_work_as_for_any_store(world, project, prune, on):
    workspace(world, project)
    prune()
    prune("--confirm")
    assert "superseded/000/1.summary" in on("diff").out
    assert on("check").code == 0
    assert "hanged since" not in on("status").out
    assert "prune: 1 merge" in on("log").out


def test_without_a_database_of_the_workspace_it_is_said(on):
    told = on("prune")
    assert told.code == 2
    assert "No database of summaries is kept for the workspace" in told.err


# --- what only vectors say ---

APART = "Rejected tokens are answered with 401 and never reach the handler."
WORDED = "Wer sich nicht ausweist, bekommt 401 zu sehen und sonst nichts."


def with_vectors(path: Path, **vectors: bytes) -> Path:
    """The database with other vectors, by the number of the summary (``s1``)."""
    for name, data in vectors.items():
        run(path, "UPDATE summary_embeddings SET vec = ? WHERE summary_id = ?", data, int(name[1:]))
    return path


def test_what_only_vectors_take_for_one_thing_is_a_question_and_nothing_is_merged(world, project, prune):
    path = workspace(world, project, (APART, WORDED, "The linter runs before each push."))
    with_vectors(path, s2=vector(APART), s3=b"\0" * 1536)
    told = prune()
    assert "  - M1  Do 000/1 and 000/2 say the same?\n" in told.out
    assert "Without a vector that can be compared: 1.\n" in told.out
    before = dump(path)
    assert "There is nothing to prune without your word." in prune("--confirm").out
    assert dump(path) == before
    found = json.loads(prune("--json").out)
    assert [(each["memories"], each["standing"]) for each in found["decisions"]] == [(["000/1", "000/2"], "held")]
    assert found["passed_over"] == 1
    prune()
    assert "Adopted pass" in prune("--confirm", "--take", "M1").out
    assert run(path, "SELECT count(*) FROM summary_supersedes") == [(1,)]


def test_a_pinned_summary_is_no_suspect_and_a_superseded_one_neither(world, project, prune):
    texts = ({"text": APART, "pinned_at": 1}, WORDED, "A request with a bad token is turned away.")
    path = with_vectors(workspace(world, project, texts), s2=vector(APART), s3=vector(APART))
    run(path, "INSERT INTO summary_supersedes VALUES (2, 3, 0.96, 5)")
    assert json.loads(prune("--json").out)["decisions"] == []


def test_without_vectors_nothing_is_said_of_them(world, project, prune):
    path = workspace(world, project, (APART, WORDED))
    run(path, "DROP TABLE summary_embeddings")
    assert "vector" not in prune().out
    assert json.loads(prune("--json").out)["passed_over"] == 0


def test_a_host_is_shown_what_only_vectors_nominate(world, project, on):
    with_vectors(workspace(world, project, (APART, WORDED)), s2=vector(APART))
    planned = on("plan", "--kind", "prune")
    assert planned.code == 0
    (brief,) = world.root.rglob("decide-brief.md")
    said = brief.read_text()
    proposed = said.partition("## What memgit proposes")[2]
    assert '"000/1"' in proposed
    assert '"000/2"' in proposed
