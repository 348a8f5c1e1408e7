"""What is around memgit: the user's pager, editor, difftool and browser, and what memgit has left where."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memgit.caller import is_person, refuse_programs
from memgit.errors import UsageError, WrongState
from memgit.wiring.settings import PAGES, Settings

if TYPE_CHECKING:
    from memgit.flows.check import Fact
    from memgit.flows.redact import Reach
    from memgit.model.verification import Finding
    from memgit.vault.moved import Stray


def reach(settings: Settings) -> Reach:
    """What memgit has written outside vault and store: reports of its own faults, and what it can read again."""
    from memgit.flows.page import written_pages
    from memgit.flows.redact import Reach
    from memgit.miners.model.conversation import FOLDER, answer_files
    from memgit.sessions.cache import cache_files
    from memgit.tree.known import FOLDER as TREES
    from memgit.tree.known import tree_files

    pages = settings.state_home / PAGES
    written = (path for path in settings.state_home.rglob("*") if path.is_file() and not path.is_relative_to(pages))
    home = settings.cache_home
    caches = (
        path
        for path in (*cache_files(str(home)), *answer_files(home / FOLDER), *tree_files(home / TREES))
        if path.exists()
    )
    return Reach(tuple(sorted(written)), (*caches, *written_pages(pages)))


def browser(settings: Settings) -> Callable[[Path], bool]:
    """What opens a file in the user's browser and says whether there is one. Raises UsageError where no person called,
    before there is anything to open."""
    from memgit import process

    refuse_programs("A browser", settings.env)
    return lambda path: process.in_browser(path.as_uri())


def pager(settings: Settings) -> str:
    """The command line of the user's pager; empty where he wants none, and where no person reads."""
    if not is_person(settings.env):
        return ""
    try:
        own = settings.configuration.settings["look.pager"]
    except UsageError:  # a broken file of settings is not in the way of looking
        own = None
    chosen = str(own.value) if own and own.source != "default" else settings.env.get("PAGER")
    return ("less" if shutil.which("less") else "") if chosen is None else chosen


def difftool(settings: Settings, named: str) -> list[str]:
    """The words of a difftool's command line, for ``own`` those of the user's settings. Raises UsageError, also where
    no person called."""
    refuse_programs("The difftool", settings.env)
    line = settings.configuration.of("look.difftool", str) if named == "own" else named
    try:
        words = shlex.split(line)
    except ValueError:
        words = []
    if not words:
        raise UsageError("No difftool is named.", "Name one with --tool, or set look.difftool in your own memgit.toml.")
    return words


def at_terminal(argv: Sequence[str]) -> int:
    """Run a program of the user's own choice on his terminal; returns its exit code. Raises ToolFailed."""
    from memgit import process

    return process.at_terminal(argv)


def editor(settings: Settings) -> list[str]:
    """The words of the user's own editor's command line."""
    named = settings.env.get("VISUAL") or settings.env.get("EDITOR") or "vi"
    try:
        return shlex.split(named)
    except ValueError:  # quotes that do not match: then it is one word
        return [named]


_ENDPOINTS = {11434: "Ollama", 8080: "llama.cpp", 1234: "LM Studio"}
"""Where programs that run models on this machine listen unless told otherwise."""

_KNOCK = 0.05  # seconds: loopback answers at once or not at all


def model_at_hand(settings: Settings) -> str:
    """How a model that is at hand would read the sessions too, in a sentence; empty where there is none. Only whether
    something listens on this machine is looked at; nothing is sent."""
    if shutil.which("claude", path=settings.env.get("PATH")):
        return "`memgit curate --miner claude` has your own claude command read the sessions and decide."
    for port, name in _ENDPOINTS.items():
        with socket.socket() as probe:
            probe.settimeout(_KNOCK)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return (
                    f"{name} seems to listen here: `memgit config --example` shows api.url, then "
                    "`memgit curate --miner api --model openai:NAME` has it read the sessions and decide."
                )
    return ""


def nonce() -> str:
    """A word that nothing written before can hold."""
    return os.urandom(8).hex()


def bug_report_folder() -> Path:
    """Where reports of faults in memgit are written."""
    return Settings(dict(os.environ), "").state_home


# --- facts ---
# What is told of this machine and of memgit on it.


def _configuration_facts(settings: Settings) -> Iterator[Fact]:
    """The files of settings; what is wrong with them is a finding, for a doctor does not fall ill itself."""
    from memgit.flows.check import Fact

    try:
        for file in settings.configuration.files:
            yield Fact(f"{file.owner} configuration", file.path, "none there" if file.data is None else "read")
    except UsageError:
        yield Fact("configuration", "cannot be used")


def _configuration_faults(settings: Settings) -> Iterator[Finding]:
    from memgit.model.verification import Area, Finding

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
