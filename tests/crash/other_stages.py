"""Worlds of their own for verbs that reach beyond one store, or leave it alone: redact, sync, hooks and so on."""

from __future__ import annotations

from pathlib import Path

from memgit.agent.installing.lines import Wishes
from memgit.core.passes.message import report_of
from memgit.flows.adopt import adopt
from memgit.flows.candidate import kept_outcome
from memgit.flows.desk import Desk
from memgit.flows.observe import snapshot
from memgit.flows.recovery import recover
from memgit.flows.sync import export, import_
from memgit.flows.undo import undo
from memgit.memory.fingerprint import fingerprint
from memgit.model.decision import Approval, Kind
from memgit.model.passes import Outcome
from memgit.rulings.standing import is_decidable, is_question
from memgit.stores.install import Way
from memgit.vault.log import Standing
from tests.crash import redact_world, test_redact_crash, test_sync_crash
from tests.crash.driver import Driver
from tests.crash.stages import Stage, assert_everything_can_be_brought_back
from tests.crash.verbs import VERBS, curate, decide, desk_in, hooks, machine, plan, show_prune, site_of
from tests.desks import OLD, read_folder, write


class RedactStage(Stage):
    """A vault with a leaked secret: afterwards it is wholly the old one or wholly the new one."""

    def prepare(self) -> None:
        redact_world.prepare(self.root)

    def judge(self, old: str, new: str, where: str) -> str:
        found = test_redact_crash.check(self.root, where)
        test_redact_crash.goes_on(self.root, where)
        return found

    @property
    def desk(self) -> Desk:
        return redact_world.desk_in(self.root)


class SyncStage(Stage):
    """Two machines and a remote: one's own history is as before, and the next sync completes it."""

    @property
    def store(self) -> Path:
        return self.root / "one" / "agent" / "memory"

    @property
    def desk(self) -> Desk:
        return machine(self.root, "one")

    def prepare(self) -> None:
        test_sync_crash.prepare(self.root)

    def judge(self, old: str, new: str, where: str) -> str:
        test_sync_crash.assert_whole(self.root, where)
        return "old"


class ImportStage(SyncStage):
    """The same two machines, and the other's history in a file."""

    def prepare(self) -> None:
        super().prepare()
        export(machine(self.root, "two"), self.root / "two.bundle")

    def judge(self, old: str, new: str, where: str) -> str:
        test_sync_crash.assert_whole(self.root, where)
        import_(self.desk, self.root / "two.bundle")
        fetched = self.desk.vault.transport.fetched("bundle-two")
        assert machine(self.root, "two").vault.head().commit in fetched.values(), where
        return "old"


class ExportStage(SyncStage):
    """The same two machines; the file is there wholly or not at all, and an export to another one still works."""

    def judge(self, old: str, new: str, where: str) -> str:
        test_sync_crash.assert_whole(self.root, where)
        file, again = self.root / "one.bundle", self.root / "again.bundle"
        is_there = file.exists()
        for each in (again,) if is_there else (file, again):
            export(self.desk, each)
        for each in (file, again):
            import_(machine(self.root, "two"), each)
        assert not list(self.root.glob(".*.part")), where
        return "new" if is_there else "old"


class RelinkStage(Stage):
    """A store that was moved, and a vault was begun where it is now: no alarm, and the next relink, or the next command
    that writes, has all that was recorded at the old place."""

    @property
    def store(self) -> Path:
        return self.root / "moved" / "memory"

    @property
    def desk(self) -> Desk:
        return site_of(self.root, "moved").new_desk()

    def prepare(self) -> None:
        (self.root / "project").mkdir()
        for texts in (OLD, {"more.md": "More.\n"}):
            write(self.root / "old" / "memory", texts)
            snapshot(site_of(self.root, "old").new_desk())
        (self.root / "old").rename(self.root / "moved")
        snapshot(self.desk)

    def judge(self, old: str, new: str, where: str) -> str:
        assert self.mark() == old == new, where
        desk = site_of(self.root, "moved").desk_or_none()
        assert desk is None or desk.vault.check_witness() is not Standing.BEHIND, where
        is_linked = not site_of(self.root, "moved").strays_found()
        if not is_linked:
            site_of(self.root, "moved").relink(None)
        snapshot(self.desk)
        site, desk = site_of(self.root, "moved"), self.desk
        assert site.strays_found() == (), where
        assert desk.vault.store == str(self.store), where
        assert desk.vault.check_witness() is Standing.OK, where
        assert len(list(desk.vault.operations())) >= 3, where
        assert_everything_can_be_brought_back(desk, where)
        return "new" if is_linked else "old"


class HooksStage(Stage):
    """Settings of a client with lines of the user's: they are there as before or with memgit's, and those come out
    again to the last byte."""

    SETTINGS = b'{ "model":"opus",\n\n      "hooks" : {} }\n'

    def prepare(self) -> None:
        write(self.root / "skills", {"curate-memory/SKILL.md": "---\nname: curate-memory\n---\nRun memgit.\n"})
        self._config.mkdir(parents=True)
        hooks(self.root).settings.write_bytes(self.SETTINGS)
        if self.verb == "hooks-out":
            hooks(self.root).install(Wishes())

    @property
    def _config(self) -> Path:
        return self.root / "home" / ".client"

    def judge(self, old: str, new: str, where: str) -> str:
        settings = hooks(self.root).settings
        is_old = settings.read_bytes() == self.SETTINGS
        hooks(self.root).install(Wishes())
        assert hooks(self.root).standing().events, where
        assert not hooks(self.root).installing(Wishes()), where
        hooks(self.root).uninstall()
        assert settings.read_bytes() == self.SETTINGS, where
        assert [each.name for each in self._config.rglob("*")] == [settings.name], where
        assert not any((self.root / "state").iterdir()), where
        return "old" if is_old else "new"

    def check(self, where: str) -> None:
        """There is no vault."""


class PruneStage(Stage):
    """A prune that was shown, and is confirmed."""

    def prepare(self) -> None:
        write(self.store, {**OLD, **{f"{name}.md": TOLD_TWICE.format(name) for name in ("blocks", "rows")}})
        write(self.store / ".obsidian", {"app.json": "{}"})
        (self.root / "project").mkdir()
        snapshot(self.desk)
        show_prune(self.desk)

    def judge(self, old: str, new: str, where: str) -> str:
        assert old != new, where
        return super().judge(old, new, where)


TOLD_TWICE = """---
name: {}
description: rows of the ledger are read in blocks
type: project
---

Rows of the ledger are read in blocks of a thousand, or the loader runs out of memory on the small machines.
"""


class ApproveStage(Stage):
    """A pass with something to answer: afterwards its rulings, its report and its candidate say the same, old or new,
    the live store is as before, and the ruling can be given again and taken over."""

    def prepare(self) -> None:
        desk = self._desk_with_twins()
        curate(desk)  # proposes to merge the two that say the same

    def _desk_with_twins(self) -> Desk:
        write(self.store, {**OLD, **{f"{name}.md": TOLD_TWICE.format(name) for name in ("blocks", "rows")}})
        (self.root / "project").mkdir()
        desk = desk_in(self.root, self.way)
        snapshot(desk)
        return desk

    def judge(self, old: str, new: str, where: str) -> str:
        assert self.mark() == old == new, where
        desk = desk_in(self.root, self.way)
        recover(desk)
        was_ruled = self._agrees(desk, where)
        VERBS[self.verb](desk)
        assert self._agrees(desk, where), where
        header = desk.vault.passes()[0]
        adopt(desk, header.id)
        assert self.mark() == fingerprint(desk.vault.content(header.candidate)), where
        undo(desk)
        assert self.mark() == old, where
        return "new" if was_ruled else "old"

    def _agrees(self, desk: Desk, where: str) -> bool:
        """Whether the verb has been done; record, report, branch and folder must agree on it."""
        header = desk.vault.passes()[0]
        assert header.candidate is not None, where
        outcome = kept_outcome(desk.vault, header)
        candidate = fingerprint(desk.vault.content(header.candidate))
        assert fingerprint(read_folder(Path(header.paths.candidate))) == candidate, where
        assert report_of(desk.vault.message(header.candidate)) in Path(header.paths.report).read_text(), where
        assert outcome.candidate == header.candidate, where
        return self._is_done(outcome, where)

    def _is_done(self, outcome: Outcome, where: str) -> bool:
        asked = (each for each in outcome.decisions if is_decidable(each) and not is_question(each))
        ruled = {each.approval is Approval.APPROVED for each in asked}
        assert len(ruled) == 1, where
        return ruled.pop()


class DecideStage(ApproveStage):
    """A pass to which a host comes back, and takes back what it wanted: the same promises."""

    def prepare(self) -> None:
        desk = self._desk_with_twins()
        plan(desk)
        said = TOLD_TWICE.splitlines()[-1]
        result = {"id": "rows", "name": "rows", "description": "blocks of rows", "type": "project", "body": said}
        quotes = [{"where": f"memory:{name}", "quote": said} for name in ("rows", "blocks")]
        merge = {"kind": "merge", "memories": ["rows", "blocks"], "result": result, "evidence": quotes}
        decide(desk, {**merge, "justification": "the same", "confirm": "read both"})

    def _is_done(self, outcome: Outcome, where: str) -> bool:
        return outcome.decisions[0].kind is Kind.REJECT


OTHERS: dict[str, type[Stage]] = {
    "redact": RedactStage,
    "sync": SyncStage,
    "import": ImportStage,
    "export": ExportStage,
    "relink": RelinkStage,
    "hooks": HooksStage,
    "hooks-out": HooksStage,
    "prune": PruneStage,
    "approve": ApproveStage,
    "decide": DecideStage,
}


def stage_of(place: Path, case: tuple[str, Way], driver: Driver) -> Stage:
    """The world of a case."""
    return OTHERS.get(case[0], Stage)(place, *case, driver)
