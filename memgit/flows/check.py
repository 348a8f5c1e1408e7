"""``check``: is the live store what is recorded of it, is the record whole, and is the store in good health."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgit.core.changes import changes
from memgit.core.fingerprint import fingerprint, original_digest
from memgit.core.health import health
from memgit.errors import MemgitError, StoreChanged, UsageError
from memgit.flows.desk import store_at
from memgit.flows.look import unacknowledged, unfinished
from memgit.model.finding import Area, Finding

if TYPE_CHECKING:
    from memgit.flows.desk import Desk
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


def check(store: StoreReader, desk: Desk | None, *, full: bool = False) -> Checked:
    """Look at the store and, where there is one, at its vault. Nothing is written."""
    content = store.read()
    recorded = _vault(desk, content, full) if desk else _no_vault()
    return Checked(store.resolution.path, fingerprint(content), (*recorded, *health(content)), full)


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


def _no_vault() -> tuple[Finding, ...]:
    return (Finding(Area.VAULT, "Nothing is recorded of this store yet.", "`memgit snapshot` records it."),)


def _vault(desk: Desk, content: StoreContent, full: bool) -> Iterator[Finding]:
    if what := unfinished(desk):
        yield Finding(Area.VAULT, f"An operation was cut short ({what}).", "`memgit recover` finishes it.", damage=True)
    yield from _integrity(desk, full)
    try:
        found = changes(store_at(desk, desk.vault.head()), content)
        if found:
            yield Finding(
                Area.STORE, f"Changed since it was last recorded: {found.sentence(8)}.", "`memgit snapshot` records it."
            )
        for each in unacknowledged(desk):
            yield Finding(Area.STORE, f"{each.id}, not by memgit: {each.subject}.", "`memgit ack` takes note of it.")
    except MemgitError as error:
        yield Finding(Area.VAULT, error.message, error.hint, damage=True)


def _integrity(desk: Desk, full: bool) -> Iterator[Finding]:
    for problem in desk.vault.problems(full=full):
        kept = f"What can be brought back: {problem.restorable}." if problem.restorable else ""
        repair = f"To repair: `{problem.repair}`." if problem.repair else ""
        yield Finding(Area.VAULT, f"{problem.what}.", " ".join(filter(None, (kept, repair))), damage=True)
