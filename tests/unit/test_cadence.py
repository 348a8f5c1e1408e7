"""When status says that a pass is worth a run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memgit.core.audit.cadence import Use, hints
from memgit.model.passes import Mode, PassHeader, PassKind, PassState, Paths

NOW = datetime(2026, 6, 30, tzinfo=UTC)
FRESH, OLD = NOW - timedelta(days=3), NOW - timedelta(days=200)


def passed(kind: PassKind, days: int) -> PassHeader:
    when = NOW - timedelta(days=days)
    return PassHeader("p", kind, Mode.CURATE, PassState.READY, when, None, None, Paths("", "", ""))


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
