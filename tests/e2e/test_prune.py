"""A prune from the command line: a report that changes nothing, a confirmation that does what was shown, and undo."""

from __future__ import annotations

import json
import os
import subprocess
from datetime import datetime, timedelta

import pytest

from tests.e2e.test_scenarios import tree_of

BODY = "The webhook signature is checked against the raw body. A parsed body has other white space and never matches."


@pytest.fixture
def example(render_scenario):
    return render_scenario("quiet-library")


@pytest.fixture
def run(memgit, example):
    """``run(*arguments)`` in the example's project, at the example's time."""
    return lambda *arguments, **more: memgit(
        *arguments, "--now", example.now, cwd=example.project, env=example.env, **more
    )


def write(example, name: str, body: str, days: int, extra: str = "") -> None:
    """A memory of the example's store, listed in its index, written so many days before now."""
    path = example.store / f"{name}.md"
    path.write_text(
        f"---\nname: {name}\ndescription: about {name.partition('-')[0]}s\ntype: project\n{extra}---\n\n{body}\n"
    )
    moment = (datetime.fromisoformat(example.now) - timedelta(days=days)).timestamp()
    os.utime(path, (moment, moment))
    with (example.store / "MEMORY.md").open("a") as index:
        index.write(f"- [{name}]({name}.md) — it\n")


def recall(example, *names: str, days: int = 5) -> None:
    """A session in which the agent read these memories; it also shows that transcripts reach back far enough."""
    start = datetime.fromisoformat(example.now) - timedelta(days=90)
    read = datetime.fromisoformat(example.now) - timedelta(days=days)
    base = {"cwd": str(example.project), "sessionId": "5d0c2a11-0000-4000-8000-00000000000f", "version": "2.1.212"}
    rows = [
        {
            **base,
            "type": "user",
            "uuid": "u0",
            "timestamp": start.isoformat(),
            "message": {"role": "user", "content": "hi"},
        }
    ]
    for number, name in enumerate(names):
        call = {
            "type": "tool_use",
            "id": f"t{number}",
            "name": "Read",
            "input": {"file_path": f"{example.store}/{name}.md"},
        }
        message = {"role": "assistant", "content": [call]}
        rows.append(
            {**base, "type": "assistant", "uuid": f"a{number}", "timestamp": read.isoformat(), "message": message}
        )
    path = example.store.parent / "5d0c2a11-0000-4000-8000-00000000000f.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))


@pytest.fixture
def untidy(example):
    """A store with a copy, an orphan, a stale memory, a pinned one and memories in use."""
    write(example, "webhook-old", BODY, 90)
    write(example, "webhook-new", BODY, 10)
    write(example, "sitemap-idea", "Somebody wanted a sitemap for the documentation pages.", 200)
    write(example, "kept-idea", "Somebody wanted a dark theme for the documentation pages.", 200, "pinned: true\n")
    kept = {path.stem for path in example.store.glob("*.md")} - {"MEMORY", "sitemap-idea", "kept-idea", "webhook-old"}
    recall(example, *sorted(kept))
    return example


def test_a_report_counts_with_examples_and_changes_nothing(run, untidy):
    before, project = tree_of(untidy.store), tree_of(untidy.project)
    shown = run("prune", "-v").out
    for row in (
        "Inventoried 16 memories across 6 sessions.",
        "Copies: 1",
        "Orphans: 1",
        "Pinned, exempt from everything: 1.",
        "  let these go           memgit prune --confirm",
        "  say yes to a question  memgit prune --confirm --take M3",
    ):
        assert row in shown.splitlines(), shown
    assert "Recommended prune count: 2 (1 duplicate + 1 orphan); 0 stale flagged but retained" in shown
    assert tree_of(untidy.store) == before
    assert tree_of(untidy.project) == project


def test_a_confirmation_does_what_was_shown_and_one_undo_takes_it_back(run, untidy):
    before, project = tree_of(untidy.store), tree_of(untidy.project)
    run("prune")
    done = run("prune", "--confirm")
    assert done.code == 0, done.err
    assert "merged away 1, deleted 1; 16 memories" in done.out
    names = {path.stem for path in untidy.store.glob("*.md")}
    assert "webhook-new" in names
    assert not names & {"webhook-old", "sitemap-idea"}
    assert "kept-idea" in names
    assert "webhook-old" not in (untidy.store / "MEMORY.md").read_text()
    assert tree_of(untidy.project) == project
    assert [each for each in run("prune", "--json").json["decisions"] if each["standing"] == "taken"] == []
    assert run("undo").code == 0
    assert tree_of(untidy.store) == before


def test_without_a_report_of_this_store_a_confirmation_shows_one_and_stops(run, untidy):
    before = tree_of(untidy.store)
    first = run("prune", "--confirm")
    assert "No report has been shown yet, so nothing was pruned. This is one." in first.out
    write(untidy, "meanwhile", "Something else was learned meanwhile.", 1)
    second = run("prune", "--confirm")
    assert "The store has changed since the last report, so nothing was pruned. This is a new one." in second.out
    assert set(tree_of(untidy.store)) == {*before, "meanwhile.md"}
    assert run("prune", "--confirm").code == 0
    assert not (untidy.store / "webhook-old.md").exists()


def test_a_confirmation_keeps_to_the_terms_that_were_shown(run, untidy):
    run("prune", "--pin", "webhook-old", "--pin", "sitemap-idea")
    assert "There is nothing to prune without your word." in run("prune", "--confirm").out
    assert (untidy.store / "webhook-old.md").exists()


def test_without_a_signal_of_recall_no_orphan_is_proposed_and_it_is_said(run, example):
    write(example, "sitemap-idea", "Somebody wanted a sitemap for the documentation pages.", 200)
    shown = run("prune", "-v").out
    assert "Orphans: none proposed; no transcript shows a memory being read" in shown
    assert "Recommended prune count: 0 " in shown


def test_stale_memories_are_flagged_and_kept_unless_they_are_asked_for(run, example):
    project = example.project
    git = ("git", "-c", "user.name=D", "-c", "user.email=d@example.org", "-C", str(project))
    (project / "src" / "scratch.rs").write_text("fn scratch() {}\n")
    for step in (
        ("add", "-A"),
        ("commit", "-qm", "Try it"),
        ("rm", "-q", "src/scratch.rs"),
        ("commit", "-qm", "Drop it"),
    ):
        subprocess.run([*git, *step], check=True, env={**example.env}, capture_output=True)
    write(example, "scratch", "The trial of the sweep line is in `src/scratch.rs`.", 60)
    shown = run("prune", "-v").out
    assert "Stale flagged: 1 (kept)" in shown
    assert "1 stale flagged but retained (--include-stale" in shown
    run("prune", "--confirm")
    assert (example.store / "scratch.md").exists()
    assert "(0 duplicates + 0 orphans + 1 stale)" in run("prune", "--include-stale", "-v").out
    assert run("prune", "--confirm").code == 0
    assert not (example.store / "scratch.md").exists()


def test_what_was_rejected_of_another_pass_is_not_pruned(run, untidy):
    audit = run("audit", "--json").json
    merge = next(each["id"] for each in audit["decisions"] if each["kind"] == "merge")
    assert run("approve", audit["pass"], f"reject {merge} - both are linked from the wiki").code == 0
    run("discard", audit["pass"])
    shown = run("prune", "-v").out
    assert "Recommended prune count: 1 (0 duplicates + 1 orphan)" in shown
