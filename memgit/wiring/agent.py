"""What is written into the settings of the agent's client."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from memgit.wiring.settings import Settings

if TYPE_CHECKING:
    from memgit.agent.installing.lines import HookLines, Wishes


def wishes(settings: Settings, guard: str | None, nudge: str | None, every: int | None) -> Wishes:
    """How the hooks are to work: as given, else as configured."""
    from memgit.agent.installing.lines import Wishes

    return Wishes(
        settings.chosen(guard, "hooks.guard", str),
        settings.chosen(nudge, "hooks.nudge", str),
        settings.chosen(every, "hooks.every", int),
    )


def hook_lines(settings: Settings) -> HookLines:
    """The client's settings as memgit writes hooks there."""
    import memgit
    from memgit.agent.installing.lines import HookLines

    here = Path(memgit.__file__).parent
    shipped = (here / "skills", here.parent / "hooks" / "skills")  # installed, and in a checkout
    return HookLines(
        config=Path(settings.client.folder),
        note=settings.state_home / "hooks" / "installed.json",
        program=_this_program(),
        skills=next((path for path in shipped if path.is_dir()), shipped[0]),
    )


def _this_program() -> tuple[str, ...]:
    """The words that start this memgit from anywhere."""
    started = Path(sys.argv[0])
    if started.stem == "memgit" and (found := shutil.which(started)):
        return (str(Path(found).absolute()),)
    return (sys.executable, "-P", "-m", "memgit")
