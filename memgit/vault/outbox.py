"""Which refs go to a remote, and under which names, given what is there already: only ever forward."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum

from memgit.errors import ToolFailed
from memgit.model.travel import Sending
from memgit.vault.objects import Objects
from memgit.vault.refs import BRANCHES, HEADS, KEEPS, LOG, MACHINES, STORE, STORES
from memgit.vault.transaction import is_ancestor


class Stand(StrEnum):
    """How a remote's ref stands to one's own."""

    SAME = "same"
    BEHIND = "behind"  # or not there
    AHEAD = "ahead"
    OTHER = "other"


class Outbox:
    """Chooses what goes. ``listing`` are the remote's refs; ``notes`` collects what was kept back and why."""

    def __init__(self, objects: Objects, machine: str, listing: Mapping[str, str]) -> None:
        self._objects = objects
        self._machine = machine
        self._listing = listing
        self.notes: list[str] = []

    def send(self, ref: str, target: str, with_log: bool) -> Iterator[Sending]:
        """What to push of one ref of this vault. Raises ToolFailed where this machine's name is another's there."""
        for name in self._names(ref, with_log):
            match self._stand(name, target):
                case Stand.BEHIND:
                    yield Sending(name, target)
                case Stand.AHEAD if name.startswith(HEADS):
                    self.notes.append(f"The remote's branch {name.removeprefix(HEADS)} goes on from what is here.")
                case Stand.AHEAD | Stand.OTHER:
                    yield from self._elsewhere(name, target)

    def _names(self, ref: str, with_log: bool) -> Iterator[str]:
        own = f"{MACHINES}{self._machine}/"
        if ref == LOG and with_log:
            yield f"{own}ops"
        elif ref == STORE:
            yield f"{own}store"
            yield f"{STORES}{self._machine}"
        elif ref.startswith(KEEPS):
            yield f"{own}keep/{ref.removeprefix(KEEPS)}"
        elif ref.startswith(BRANCHES):
            yield ref

    def _stand(self, name: str, target: str) -> Stand:
        there = self._listing.get(name)
        if there == target:
            return Stand.SAME
        if there is None:
            return Stand.BEHIND
        if not self._objects.has_history(there):
            return Stand.OTHER  # never fetched, or none: it cannot be one's own earlier state
        if is_ancestor(self._objects, there, target):
            return Stand.BEHIND
        return Stand.AHEAD if is_ancestor(self._objects, target, there) else Stand.OTHER

    def _elsewhere(self, name: str, target: str) -> Iterator[Sending]:
        """Where a ref goes whose name is taken: a candidate below this machine's name, any other nowhere."""
        if not name.startswith(BRANCHES):
            raise ToolFailed(
                f"The remote has other history under {name} than this vault; nothing was pushed or overwritten.",
                f"If it was redacted here, delete the former there: git push REMOTE --delete {name}",
            )
        other = f"{BRANCHES}{self._machine}/{name.removeprefix(BRANCHES)}"
        if self._stand(other, target) is Stand.BEHIND:
            yield Sending(other, target)
