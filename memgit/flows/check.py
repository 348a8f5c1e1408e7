"""``check``: is the live store what is recorded of it, is the record whole, and is the store in good health."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from memgit import files
from memgit.agent.installing.lines import HookLines
from memgit.errors import MemgitError, StoreChanged, UsageError
from memgit.flows.desk import store_at
from memgit.flows.status import unacknowledged, unfinished
from memgit.memory.apply import changes
from memgit.memory.file_names import concerns, mount_of, mounts
from memgit.memory.fingerprint import fingerprint, original_digest
from memgit.memory.health import Earlier, health
from memgit.memory.health import no_record as no_earlier
from memgit.model.history import OVERWRITTEN, Operation
from memgit.model.verification import Area, Finding

if TYPE_CHECKING:
    from memgit.flows.desk import Desk
    from memgit.model.store import StoreContent
    from memgit.model.verification import Look
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
    known: Collection[str],
    earlier: Earlier,
    *,
    full: bool = False,
) -> Checked:
    """Look at the store, and have somebody look at its ``record`` and what is ``around`` it. Nothing is written.
    ``known`` are names that links may lead to beside memories, ``earlier`` gives the former texts of a file."""
    content, recorded = store.read(), tuple(record())
    damaged = any(finding.damage for finding in recorded)  # then reading on here might never end
    findings = (*recorded, *health(content, known, no_earlier if damaged else earlier), *around(content))
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


# --- doctor ---
# ``doctor``: where everything is and how that was found, what is wrong, and the command that mends it.


@dataclass(frozen=True)
class Fact:
    """One thing that memgit works with: its name, what it is, and how that was found."""

    name: str
    value: str
    how: str = ""


@dataclass(frozen=True)
class Diagnosis:
    """Everything that a report of a fault needs to say, and what is wrong."""

    facts: tuple[Fact, ...]
    findings: tuple[Finding, ...]

    @property
    def damaged(self) -> bool:
        return any(finding.damage for finding in self.findings)


@dataclass(frozen=True)
class Mended:
    """What a repair did. ``kept`` is the copy of the vault as it was (None where nothing was wrong); ``before`` and
    ``after`` are what was wrong."""

    kept: Path | None
    done: tuple[str, ...]
    before: tuple[Finding, ...]
    after: tuple[Finding, ...]


Damages = Callable[[], Sequence[Finding]]
"""Looks at the vault, every object of it, and returns what is damaged."""


def mend(vault: Path, damages: Damages, repair: Callable[[], tuple[str, ...]]) -> Mended:
    """Repair a damaged vault after a copy of it was put beside it. Raises what the repair raises; the copy stays."""
    before = tuple(damages())
    if not before:
        return Mended(None, (), (), ())
    kept = files.free_name(vault.with_name(f".{vault.name}.damaged"))
    files.copy_tree(vault, kept)
    done = repair()
    return Mended(kept, done, before, tuple(damages()))


def size_of(vault: Path) -> Fact:
    """How much a vault takes: bytes, loose objects and packs."""
    sizes = [path.stat().st_size for path in vault.rglob("*") if path.is_file()]
    loose = sum(1 for _ in vault.glob("objects/[0-9a-f][0-9a-f]/*"))
    packs = sum(1 for _ in vault.glob("objects/pack/*.pack"))
    return Fact("vault size", f"{sum(sizes):,} bytes in {len(sizes):,} files ({loose:,} loose objects, {packs} packs)")


def hooks_fact(lines: HookLines) -> Fact:
    """Which of memgit's hooks the client runs."""
    try:
        standing = lines.standing()
    except UsageError:
        return Fact("hooks", "not known", str(lines.settings))
    if standing.events:
        return Fact("hooks", ", ".join(standing.events), standing.settings)
    if standing.plugin:
        return Fact("hooks", "those of the plugin", str(lines.config / "plugins"))
    return Fact("hooks", "none; `memgit hooks install` shows what it would add", standing.settings)


def idle_hooks(lines: HookLines) -> Iterator[Finding]:
    """What keeps hooks that are installed from running, or from being told."""
    try:
        standing = lines.standing()
    except UsageError as error:
        yield Finding(Area.PLACE, f"{lines.settings}: {error.message}", error.hint)
        return
    if standing.switched_off and (standing.events or standing.plugin):
        what = f"{standing.settings} switches all hooks off (disableAllHooks), memgit's too."
        yield Finding(Area.PLACE, what, "Take that line out, or `memgit hooks uninstall --yes`.")
    if standing.events and not standing.program_found:
        what = f"Not all hooks in {standing.settings} find their memgit."
        yield Finding(Area.PLACE, what, "`memgit hooks install --yes` writes them again.")


def places_at_risk(places: Mapping[str, Path], *, one_sync: bool) -> Iterator[Finding]:
    """What the file systems of these places cannot promise; ``places`` are by what they are to memgit."""
    table = _mountinfo()
    for name, place in places.items():
        for sentence in concerns(str(place), mount_of(str(place), mounts(table)), one_sync=one_sync):
            area = Area.STORE if name == "store" else Area.VAULT
            yield Finding(area, f"The {name}: {sentence}", _remedy(name))


def _remedy(name: str) -> str:
    if name == "store":
        return "memgit copes; the vault keeps every state."
    return "Set MEMGIT_DATA_HOME and MEMGIT_STATE_HOME to folders on a local disk."


def _mountinfo() -> str:
    try:
        return Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""
