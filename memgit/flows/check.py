"""``check``: is the live store what is recorded of it, is the record whole, and is the store in good health."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from memgit.errors import MemgitError, StoreChanged, UsageError
from memgit.flows.desk import store_at
from memgit.flows.look import unacknowledged, unfinished
from memgit.memory.apply import changes
from memgit.memory.fingerprint import fingerprint, original_digest
from memgit.memory.health import health
from memgit.model.finding import Area, Finding
from memgit.model.history import OVERWRITTEN, Operation

if TYPE_CHECKING:
    from memgit.flows.desk import Desk
    from memgit.model.finding import Look
    from memgit.model.store import StoreContent
    from memgit.ports import StoreReader


@dataclass(frozen=True)
class Checked:
    """The live store's fingerprint and what was found; ``full`` says whether every object of the vault was read."""

    path: str
    fingerprint: str
    findings: tuple[Finding, ...]
    full: bool = False

    @property
    def damaged(self) -> bool:
        return any(finding.damage for finding in self.findings)


def check(
    store: StoreReader,
    record: Callable[[], Iterable[Finding]],
    around: Callable[[StoreContent], Iterable[Finding]],
    known: Collection[str] = (),
    *,
    full: bool = False,
) -> Checked:
    """Look at the store, and have somebody look at its ``record`` and what is ``around`` it. Nothing is written.
    ``known`` are names that links may lead to beside memories."""
    content = store.read()
    findings = (*record(), *health(content, known), *around(content))
    return Checked(store.resolution.path, fingerprint(content), findings, full)


def check_fingerprint(store: StoreReader, expected: str) -> str:
    """The live store's digest, of the kind of ``expected``. Raises StoreChanged when it differs, and UsageError for
    what is no digest."""
    if not re.fullmatch(r"(?:blake3|sha256):[0-9a-f]{64}|absent", expected):
        raise UsageError(f"{expected!r} is no fingerprint.", "Give it as `memgit status` prints it.")
    content = store.read()
    actual = original_digest(content) if expected.startswith("sha256:") else fingerprint(content)
    if actual != expected:
        raise StoreChanged(
            f"The store {store.resolution.path} is {actual}, not {expected}.", "A candidate made from it is unsafe."
        )
    return actual


def no_record() -> tuple[Finding, ...]:
    """What there is to say of a store without a vault."""
    return (Finding(Area.VAULT, "Nothing is recorded of this store yet.", "`memgit snapshot` records it."),)


@dataclass(frozen=True)
class Part:
    """One part of looking at a vault. Where a ``vital`` one finds something, nothing after it is looked at."""

    name: str
    look: Callable[[], Iterable[Finding]]
    vital: bool = False


def record_parts(desk: Desk, *, full: bool) -> tuple[Part, ...]:
    """The parts of looking at a store's vault, in order: what can be said soonest, and costs most, comes first."""
    looks = desk.vault.looks(full=full)
    integrity = [Part(look.name, partial(_problems, look), look.vital) for look in looks]
    return (
        Part("unfinished operations", lambda: _unfinished(desk)),
        *(part for part in integrity if part.vital),
        Part("store against record", lambda: _against_store(desk)),
        *(part for part in integrity if not part.vital),
    )


def _unfinished(desk: Desk) -> Iterator[Finding]:
    if what := unfinished(desk):
        yield Finding(Area.VAULT, f"An operation was cut short ({what}).", "`memgit recover` finishes it.", damage=True)


def _against_store(desk: Desk) -> Iterator[Finding]:
    live = desk.store.read()
    found = changes(store_at(desk, desk.vault.head(), like=live), live)
    if found:
        yield Finding(
            Area.STORE, f"Changed since it was last recorded: {found.sentence(8)}.", "`memgit snapshot` records it."
        )
    yield from map(_unacknowledged, unacknowledged(desk))


def _unacknowledged(operation: Operation) -> Finding:
    if over := operation.details.get(OVERWRITTEN):
        former = f"`memgit restore --at op{operation.number - 1} FILE` brings the former text back"
        what = f"{operation.id}: one worktree's session wrote over another's: {over}."
        return Finding(Area.STORE, what, f"{former}; `memgit ack` takes note.")
    what = f"{operation.id}, not by memgit: {operation.subject}."
    return Finding(Area.STORE, what, "`memgit ack` takes note of it.")


def _problems(look: Look) -> Iterator[Finding]:
    for problem in look.problems():
        kept = f"What can be brought back: {problem.restorable}." if problem.restorable else ""
        repair = f"To repair: `{problem.repair}`." if problem.repair else ""
        yield Finding(Area.VAULT, f"{problem.what}.", " ".join(filter(None, (kept, repair))), damage=True)


def unreadable(error: MemgitError) -> Finding:
    """A vault, or a part of one, that could not be looked at because of this error."""
    return Finding(Area.VAULT, error.message, error.hint, damage=True)
