"""One memory's story over passes, decisions taken back and edits by others."""

from __future__ import annotations

import pytest


@pytest.fixture
def lived(go, hosted, example):
    """The example's store after an adoption, its undo, and an edit that memgit did not make."""
    passed = hosted()
    go("adopt", passed["pass"])
    go("undo")
    memory = example.store / "deploy-window.md"
    memory.write_text(memory.read_text() + "\nAsk Mira first.\n")
    go("snapshot")
    go("remember", "deploy-owner", "-d", "Mira owns the deploys", "-b", "Mira owns the deploys.", "--session", "s-77")
    return passed["pass"]


def turns(found: dict) -> list[tuple[str, str, str | None]]:
    return [(each["turn"], each["kind"], each["decision"] and each["decision"]["id"]) for each in found["events"]]


def test_a_replaced_memory_tells_of_the_pass_the_undo_and_the_edit(go, lived):
    code, found = go("history", "deploy-window")
    assert code == 0
    assert turns(found) == [
        ("found", "snapshot", None),
        ("replaced", "adopt", "M1"),
        ("restored", "undo", None),
        ("changed", "external", None),
    ]
    replaced = found["events"][1]
    assert replaced["pass"] == lived
    assert replaced["decision"]["quote"].startswith("We moved the deploy window to 15 minutes")
    assert found["live"] is True


def test_a_merged_memory_names_where_it_went_and_where_from(go, lived):
    (away,) = [each for each in go("history", "retries-are-capped")[1]["events"] if each["turn"] == "merged away"]
    (into,) = [each for each in go("history", "retry-budget")[1]["events"] if each["turn"] == "merged"]
    assert (away["others"], into["others"]) == (["retry-budget"], ["retries-are-capped"])
    assert away["operation"] == into["operation"]


def test_a_memory_that_a_session_recorded_names_the_session(go, lived):
    (created,) = go("history", "deploy-owner.md")[1]["events"]
    assert (created["turn"], created["kind"], created["session"]) == ("created", "remember", "s-77")


def test_an_unknown_name_is_answered_with_near_ones(go, lived):
    code, found = go("history", "deploy-windw")
    assert (code, found["error"]["message"]) == (13, "No memory deploy-windw was ever recorded.")
    assert found["error"]["hint"].startswith("Did you mean deploy-window")


@pytest.mark.parametrize("name", ["../../etc/passwd", "a\nb", "\x1b[31m", "", ".git/config", "MEMORY", "-"])
def test_a_name_that_is_no_memory_is_refused(go, lived, name):
    code, found = go("history", "--", name)
    assert code in (2, 13)
    assert "error" in found


def test_the_story_is_told_in_lines_that_a_program_can_search(example, go, lived, memgit):
    shown = memgit("history", "deploy-window", cwd=example.project, env=example.env).out.splitlines()
    assert shown[0] == "deploy-window (in the store)"
    assert "  op2  There when the store was first recorded" in shown[1]
    assert f"  Replaced by a newer value by M1 of pass {lived}: " in shown[2]
    assert shown[3].startswith("    session aec3f868 — “We moved the deploy window to 15 minutes")
