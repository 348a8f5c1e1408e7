"""Worlds of their own for the verbs that reach beyond one store: redact and sync."""

from __future__ import annotations

from pathlib import Path

from memgit.stores.install import Way
from tests.crash import redact_world, test_redact_crash, test_sync_crash
from tests.crash.driver import Driver
from tests.crash.stages import Stage


class RedactStage(Stage):
    """A vault with a leaked secret: afterwards it is wholly the old one or wholly the new one."""

    def prepare(self) -> None:
        redact_world.prepare(self.root)

    def judge(self, old: str, new: str, where: str) -> str:
        found = test_redact_crash.check(self.root, where)
        test_redact_crash.goes_on(self.root, where)
        return found


class SyncStage(Stage):
    """Two machines and a remote: one's own history is as before, and the next sync completes it."""

    @property
    def store(self) -> Path:
        return self.root / "one" / "agent" / "memory"

    def prepare(self) -> None:
        test_sync_crash.prepare(self.root)

    def judge(self, old: str, new: str, where: str) -> str:
        test_sync_crash.assert_whole(self.root, where)
        return "old"


OTHERS: dict[str, type[Stage]] = {"redact": RedactStage, "sync": SyncStage}


def stage_of(place: Path, case: tuple[str, Way], driver: Driver) -> Stage:
    """The world of a case."""
    return OTHERS.get(case[0], Stage)(place, *case, driver)
