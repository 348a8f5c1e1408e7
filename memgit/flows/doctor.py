"""``doctor``: where everything is and how that was found, what is wrong, and the command that mends it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memgit import files
from memgit.agent.installing.lines import HookLines
from memgit.errors import UsageError
from memgit.memory.file_names import concerns, mount_of, mounts
from memgit.model.finding import Area, Finding


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
