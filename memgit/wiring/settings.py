"""What the command line, the environment and the settings files say."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from memgit.agent.hooks.place import home_of, own_home
from memgit.errors import UsageError
from memgit.model.times import time_of_text

if TYPE_CHECKING:
    from memgit.agent.clients.client import Setup
    from memgit.core.configuration import Configuration
    from memgit.model.session import Limits

T = TypeVar("T")


PAGES = "pages"
"""Folder in the state folder for pages that were opened, and for notes of where others were written."""


@dataclass(frozen=True)
class Settings:
    """Everything that is known before anything is looked at. ``store``, ``project`` and ``now`` are as typed."""

    env: Mapping[str, str]
    cwd: str
    store: str | None = None
    project: str | None = None
    now: str | None = None

    @classmethod
    def of_process(cls, store: str | None, project: str | None, now: str | None) -> Settings:
        """The settings of this process. Raises UsageError for a project that is no directory or a ``now`` that is
        no time."""
        here = os.path.realpath(project) if project else _current_directory()
        if not Path(here).is_dir():
            raise UsageError(f"{project} is no directory.", "Name an existing project with --project.")
        if now is not None:
            parse_time(now)
        return cls(dict(os.environ), here, store, project, now)

    @property
    def home(self) -> Path:
        return Path(home_of(self.env))

    @property
    def data_home(self) -> Path:
        """Where vaults are kept."""
        return self._own("MEMGIT_DATA_HOME", "XDG_DATA_HOME", ".local/share")

    @property
    def state_home(self) -> Path:
        """Where witnesses are kept: outside the vaults, so that one put back to an older state is noticed."""
        return self._own("MEMGIT_STATE_HOME", "XDG_STATE_HOME", ".local/state")

    @property
    def cache_home(self) -> Path:
        """Where parsed transcripts are kept; may be deleted at any time."""
        return self._own("MEMGIT_CACHE_HOME", "XDG_CACHE_HOME", ".cache")

    @property
    def config_home(self) -> Path:
        """Where the user's own ``memgit.toml`` is."""
        return self._own("MEMGIT_CONFIG_HOME", "XDG_CONFIG_HOME", ".config")

    @cached_property
    def configuration(self) -> Configuration:
        """What environment and files set. Read when first asked for, so that a broken file stops only what needs it."""
        from memgit import config_files
        from memgit.core.configuration import configuration

        return configuration(config_files.files(self.config_home, Path(self.cwd)), self.env)

    def chosen(self, given: T | None, name: str, kind: type[T]) -> T:
        """What the command line says or, where it says nothing, the configuration."""
        return self.configuration.of(name, kind) if given is None else given

    def _own(self, own: str, xdg: str, default: str) -> Path:
        return Path(own_home(self.env, str(self.home), own, xdg, default))

    def rule(self, own: str, xdg: str) -> str:
        """How a folder of memgit's own was found."""
        return next((name for name in (own, xdg) if self.env.get(name)), "the default")

    @cached_property
    def clock(self) -> Callable[[], datetime]:
        if self.now is None:
            return lambda: datetime.now(UTC)
        moment = parse_time(self.now)
        return lambda: moment

    @cached_property
    def client(self) -> Setup:
        """The client whose store a project has unless something says otherwise, as it is set up here."""
        from memgit.agent.clients import main_client

        return main_client().setup(self.cwd, self.env, str(self.home))

    def session(self, named: str = "") -> str:
        """The agent's session that calls, or the one that is named; empty outside of any."""
        from memgit.agent.clients import calling_session

        return named or calling_session(self.env)

    @property
    def who(self) -> dict[str, str]:
        """Who runs memgit, for the lock and the operation log; nothing else of the environment is kept."""
        facts = {"host": platform.node(), "pid": str(os.getpid()), "command": " ".join(sys.argv[1:])[:200]}
        session = self.session()
        return facts | ({"session": session} if session else {})


def _current_directory() -> str:
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        raise UsageError("The current directory is gone.", "Go to one that exists, or name --project.") from None


def parse_time(text: str) -> datetime:
    """An ISO 8601 time; without a zone it is UTC. Raises UsageError naming what was given."""
    moment = time_of_text(text)
    if moment is None:
        raise UsageError(f"{text!r} is no time.", "Give an ISO 8601 time, like 2026-11-29T12:00:00Z.")
    return moment


# --- choices ---
# What a pass lets its caller choose.

OFFLINE = "offline"


@dataclass(frozen=True)
class Choices:
    """What a pass lets its caller choose. None is what the caller left to the configuration."""

    token_budget: int | None = None
    session_cap: int | None = None
    miner: str | None = None
    index: str | None = None
    remove_most: bool = False
    mask_personal: bool = False
    decider: str | None = None
    model: str | None = None
    parallel: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None

    @property
    def mines(self) -> str:
        """Who proposes."""
        return self.miner or OFFLINE

    @property
    def decides(self) -> str:
        """Who decides: the one who proposes, unless another is chosen."""
        return self.decider or self.mines

    @property
    def limits(self) -> Limits:
        from memgit.model.session import Limits

        given = {"token_budget": self.token_budget, "session_cap": self.session_cap}
        return Limits(**{name: value for name, value in given.items() if value is not None})

    @property
    def index_from_frontmatter(self) -> bool:
        if self.index not in (None, "own", "frontmatter"):
            raise UsageError(f"--index {self.index} is unknown.", "Choose own or frontmatter.")
        return self.index == "frontmatter"

    def filled(self, configured: Configuration) -> Choices:
        """These choices with what the configuration says where nothing was chosen."""
        left: dict[str, Any] = {
            field: configured.settings[name].value for field, name in CONFIGURED.items() if getattr(self, field) is None
        }
        return replace(self, **left)


CONFIGURED: Mapping[str, str] = {
    "token_budget": "pass.token-budget",
    "session_cap": "pass.session-cap",
    "miner": "pass.miner",
    "decider": "pass.decider",
    "model": "pass.model",
    "parallel": "pass.parallel",
    "index": "pass.index",
}
"""Each choice that a file may make, with its key there."""
