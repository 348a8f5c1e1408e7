"""The refs that the operation log determines: set after each operation, put right when they are not as it says."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path

from memgit import files
from memgit.errors import MemgitError
from memgit.faults import point
from memgit.vault.layout import explained
from memgit.vault.log import Log
from memgit.vault.objects import Objects
from memgit.vault.refs import STRAYS, all_refs, is_derived
from memgit.vault.transaction import Draft, is_ancestor


class DerivedRefs:
    """The refs that the newest operation determines. A mark in the vault's folder says how far they have followed."""

    def __init__(self, git_dir: Path, mark: Path, objects: Objects, log: Log) -> None:
        self._git_dir = git_dir
        self._mark = mark
        self._objects = objects
        self._log = log

    def follow(self, draft: Draft, tip: str) -> None:
        """Set what a published draft changed. What fails now is made good by the next writing command."""
        from memgit.vault import engine

        with contextlib.suppress(MemgitError, *engine.FAILURES):
            if draft.parents and draft.parents[0] != self.marked():
                self.repair()
                return
            engine.set_refs(self._git_dir, draft.refs)
            point("derived refs set")
            self._done(tip)

    def catch_up(self) -> None:
        """Repair them if they are not as the newest operation says: it may have been cut short before it set them."""
        tip = self._log.tip()
        if tip and (self.marked() != tip or self.wrong()):
            self.repair()

    def marked(self) -> str | None:
        """The operation up to which they are done."""
        try:
            return self._mark.read_text("ascii").strip()
        except (OSError, ValueError):
            return None

    def wrong(self) -> dict[str, str | None]:
        """The derived refs that are not as recorded, each with the target it should have (None: it should not be)."""
        tip = self._log.tip()
        wanted = self._log.refs(tip) if tip else {}
        actual = all_refs(self._git_dir)
        names = {name for name in actual if is_derived(name)} | set(wanted)
        return {
            name: wanted.get(name)
            for name in sorted(names)
            if (name in actual, actual.get(name)) != (name in wanted, wanted.get(name))
        }

    def repair(self) -> tuple[str, ...]:
        """Put them right and return the names of those that were wrong. Commits of others are kept as strays."""
        from memgit.vault import engine

        tip = self._log.tip()
        wrong = self.wrong()
        with explained(self._git_dir, engine.FAILURES):
            engine.set_refs(self._git_dir, {**self._strays(tip, wrong), **wrong})
            point("derived refs repaired")
            if tip:
                self._done(tip)
        return tuple(wrong)

    def _strays(self, tip: str | None, wrong: Mapping[str, str | None]) -> dict[str, str | None]:
        actual = all_refs(self._git_dir)
        targets = {target for name in wrong if (target := actual.get(name))}
        return {STRAYS + target[:16]: target for target in sorted(targets) if self._is_stray(tip, target)}

    def _is_stray(self, tip: str | None, target: str) -> bool:
        if self._objects.fault(target):
            return False
        return tip is None or not is_ancestor(self._objects, target, tip)

    def _done(self, tip: str) -> None:
        files.replace_file(self._mark, f"{tip}\n".encode())
        point("mark set")
