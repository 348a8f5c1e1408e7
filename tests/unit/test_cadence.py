"""When status says that a pass is worth a run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memgit.core.passes.cadence import Use, asked_since, caught_twice, hints, of_this_week
from memgit.model.decision import Decision, Kind
from memgit.model.history import Mode, PassHeader, PassKind, PassState, Paths

NOW = datetime(2026, 6, 30, tzinfo=UTC)
FRESH, OLD = NOW - timedelta(days=3), NOW - timedelta(days=200)


def passed(kind: PassKind, days: int, state: PassState = PassState.READY) -> PassHeader:
    when = NOW - timedelta(days=days)
    return PassHeader("p", kind, Mode.CURATE, state, when, None, None, Paths("", "", ""))


def named(use: Use) -> list[str]:
    return [verb for hint in hints(use, NOW) for verb in ("audit", "prune") if f"`memgit {verb}`" in hint]


def test_a_long_index_asks_for_an_audit_and_many_memories_for_a_prune():
    assert named(Use(31, 25, FRESH)) == ["audit", "prune"]
    assert named(Use(30, 19, FRESH)) == []


def test_what_was_run_this_month_is_not_asked_for_again():
    assert named(Use(60, 60, FRESH, (passed(PassKind.AUDIT, 5), passed(PassKind.PRUNE, 29)))) == []
    assert named(Use(60, 60, FRESH, (passed(PassKind.AUDIT, 31), passed(PassKind.PRUNE, 5)))) == ["audit"]


def test_an_archived_project_is_left_alone():
    assert named(Use(200, 400, OLD)) == []
    assert named(Use(200, 400, None)) == []


def test_a_big_refactor_asks_for_an_audit_and_a_small_one_does_not():
    assert named(Use(5, 5, FRESH, files_gone=25)) == ["audit"]
    assert named(Use(5, 5, FRESH, files_gone=24)) == []
    assert named(Use(5, 5, OLD, files_gone=400)) == []


def test_what_was_moved_before_the_last_audit_or_over_a_month_ago_is_not_asked_for():
    assert asked_since([passed(PassKind.AUDIT, 4), passed(PassKind.CURATE, 1)], NOW) == NOW - timedelta(days=4)
    assert asked_since([passed(PassKind.AUDIT, 90)], NOW) == NOW - timedelta(days=30)


def test_a_memory_found_wrong_in_two_adopted_passes_of_a_week_asks_for_an_audit():
    wrong, other = (Decision("M1", kind, "x", memories=("deploy", "b")) for kind in (Kind.REPLACE, Kind.MERGE))
    assert caught_twice([[wrong], [wrong]]) == ("b", "deploy")
    assert caught_twice([[wrong, wrong], [other]]) == ()
    assert named(Use(5, 5, FRESH, corrected=("deploy",))) == ["audit"]


def test_only_passes_of_this_week_that_were_adopted_count():
    adopted, late = passed(PassKind.CURATE, 6, PassState.ADOPTED), passed(PassKind.CURATE, 8, PassState.ADOPTED)
    assert of_this_week([adopted, late, passed(PassKind.CURATE, 1)], NOW) == (adopted,)
