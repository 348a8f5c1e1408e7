"""What is told of this machine and of memgit on it."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memgit.errors import UsageError, WrongState
from memgit.wiring.settings import Settings

if TYPE_CHECKING:
    from memgit.flows.check import Fact
    from memgit.model.finding import Finding
    from memgit.vault.moved import Stray


def _configuration_facts(settings: Settings) -> Iterator[Fact]:
    """The files of settings; what is wrong with them is a finding, for a doctor does not fall ill itself."""
    from memgit.flows.check import Fact

    try:
        for file in settings.configuration.files:
            yield Fact(f"{file.owner} configuration", file.path, "none there" if file.data is None else "read")
    except UsageError:
        yield Fact("configuration", "cannot be used")


def _configuration_faults(settings: Settings) -> Iterator[Finding]:
    from memgit.model.finding import Area, Finding

    try:
        _ = settings.configuration
    except UsageError as error:
        yield Finding(Area.PLACE, error.message, error.hint)


def versions() -> Iterator[Fact]:
    """What runs here, for a report of a fault."""

    from memgit import __version__, process
    from memgit.errors import ToolFailed
    from memgit.flows.check import Fact
    from memgit.vault.engine import version

    yield Fact("memgit", __version__, str(Path(__file__).parent))
    yield Fact("python", platform.python_version(), sys.executable)
    yield Fact("libgit2", version())
    try:
        said = process.git(["--version"]).out.decode("ascii", "replace").strip().removeprefix("git version ")
        yield Fact("git", said, shutil.which("git") or "")
    except ToolFailed:
        yield Fact("git", "none", "not needed but for check --full, sync and worktrees")


def chosen(found: Sequence[Stray], source: str | None, store: Path) -> Stray:
    """The one vault that is meant. Raises WrongState naming what there is."""
    wanted = [stray for stray in found if source is None or stray.store == os.path.realpath(source)]
    if len(wanted) == 1:
        return wanted[0]
    if not wanted:
        raise WrongState(
            f"No vault was found whose store held what {store} holds and is gone.",
            "The store must be as it was last recorded; `memgit restore` brings that back at its old place.",
        )
    raise WrongState(
        f"Several stores held this: {', '.join(stray.store for stray in wanted)}.", "Name one with --from."
    )
