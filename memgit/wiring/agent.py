"""What is written into the settings of the agent's client."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from memgit.errors import UsageError
from memgit.wiring.settings import Settings

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from memgit.agent.installing.lines import HookLines, Wishes
    from memgit.demo import Example


def wishes(settings: Settings, guard: str | None, nudge: str | None, every: int | None) -> Wishes:
    """How the hooks are to work: as given, else as configured."""
    from memgit.agent.installing.lines import Wishes

    return Wishes(
        settings.chosen(guard, "hooks.guard", str),
        settings.chosen(nudge, "hooks.nudge", str),
        settings.chosen(every, "hooks.every", int),
    )


def hook_lines(settings: Settings, named: str = "") -> HookLines:
    """A client's settings as memgit writes hooks there. Raises UsageError for a client that memgit does not know."""
    import memgit
    from memgit.agent.clients import NAMES, client_named, main_client
    from memgit.agent.installing.lines import HookLines

    if named and named not in NAMES:
        raise UsageError(f"{named!r} is no client that memgit knows.", f"Choose one of {', '.join(NAMES)}.")
    client = client_named(named) if named else main_client()
    setup = client.setup(settings.cwd, settings.env, str(settings.home))
    here = Path(memgit.__file__).parent
    shipped = (here / "skills", here.parent / "hooks" / "skills")  # installed, and in a checkout
    suffix = "" if client is main_client() else f"-{client.name}"
    return HookLines(
        config=Path(setup.folder),
        note=settings.state_home / "hooks" / f"installed{suffix}.json",
        program=_this_program(),
        skills=next((path for path in shipped if path.is_dir()), shipped[0]),
        client=client,
        into=Path(setup.skills),
    )


def mcp_server(settings: Settings) -> MCPServer:
    """The server of tools for this project. Raises UsageError where the SDK is not installed."""
    try:
        from memgit.agent.mcp_server import server
    except ModuleNotFoundError as missing:
        raise UsageError(
            f"`memgit mcp` needs the official SDK of the protocol ({missing.name} is not installed).",
            "pip install 'memgit-curator[mcp]'",
        ) from None
    given = {"--store": settings.store, "--now": settings.now}
    return server(settings.cwd, [word for option, value in given.items() if value for word in (option, value)])


def _this_program() -> tuple[str, ...]:
    """The words that start this memgit from anywhere."""
    started = Path(sys.argv[0])
    if started.stem == "memgit" and (found := shutil.which(started)):
        return (str(Path(found).absolute()),)
    return (sys.executable, "-P", "-m", "memgit")


# --- example ---
# The worked example.


def demo(folder: str | None) -> tuple[Example, Settings]:
    """Build the worked example in an empty folder (a temporary one if none is named), and the settings to run it."""
    from tempfile import mkdtemp

    from memgit.demo import NOW, build

    where = Path(folder).absolute() if folder else Path(mkdtemp(prefix="memgit-demo-"))
    where.mkdir(parents=True, exist_ok=True)
    if any(where.iterdir()):
        raise UsageError(f"{where} is not empty.", "Name an empty or new folder.")
    example = build(Path(os.path.realpath(where)), os.environ)
    return example, Settings(example.env, str(example.project), now=NOW)
