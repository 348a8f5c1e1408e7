"""Claude Code: its own rules, as measured on its releases (2.1.260 and 2.1.332), for where a project's memory is."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping

from memgit.agent.clients.client import Answer, Client, Fields, Found, Further, Hook, Setup
from memgit.evidence.entrypoints import is_program
from memgit.reading import small_text
from memgit.stores.rules import AGENT_MEMORY, at_home, default_store, named_folder

Settings = Mapping[str, object]

RETENTION_DEFAULT = 30
"""Days after which it deletes transcripts, as its makers document it."""

_DISABLE = "CLAUDE_CODE_DISABLE_AUTO_MEMORY"
_INSTRUCTIONS = "CLAUDE_CODE_DISABLE_CLAUDE_MDS"
_BARE = ("CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE", _INSTRUCTIONS)
"""Variables under which no memory is read, whatever else is said."""
_FROM_PROJECTS = frozenset((_DISABLE, _INSTRUCTIONS))
"""All of these variables that it takes from the settings of a project."""
_OVERRIDE = "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE"
_REMOTE = "CLAUDE_CODE_REMOTE"
_REMOTE_DIRECTORY = "CLAUDE_CODE_REMOTE_MEMORY_DIR"
_CONFIG = "CLAUDE_CONFIG_DIR"
_KEY = "CLAUDE_CODE_PROJECT_DIR_NAME"

_MANAGED = {
    "darwin": "/Library/Application Support/ClaudeCode",
    "win32": r"C:\Program Files\ClaudeCode",
}.get(sys.platform, "/etc/claude-code")
"""Where an administrator's settings are."""


class ClaudeSetup(Setup):
    """What its settings come to in one folder; they are read once.

    The files, each stronger than the one before: the user's, the project's, the project's local, the administrator's.
    Their ``env`` blocks are stronger than the environment, but from a project few variables are taken.
    """

    def __init__(self, cwd: str, env: Mapping[str, str], home: str) -> None:
        super().__init__(cwd, env, home)
        self.folder = env.get(_CONFIG) or os.path.join(home, ".claude")
        user, path = self._users()
        moved = _variables(user).get(_CONFIG)
        if moved:
            self.folder = moved
            named, path = self._users()
            user = {**user, **named, "env": {**_variables(user), **_variables(named)}}
        project = os.path.join(cwd, ".claude")
        self._files: list[tuple[str, Settings, bool]] = [(path, user, False)]
        for name in _PROJECT_FILES:
            path = os.path.join(project, name)
            self._files.append((path, _settings(path), True))
        self._files += ((path, _settings(path), False) for path in _managed())
        self.sessions = os.path.join(self.folder, "projects")
        self.skills = os.path.join(self.folder, "skills")

    def _users(self) -> tuple[Settings, str]:
        path = os.path.join(self.folder, "settings.json")
        return _settings(path), path

    def _variable(self, name: str) -> tuple[str, str]:
        """What a variable is for it, and where that is said."""
        for path, settings, is_project in reversed(self._files):
            value = _variables(settings).get(name)
            if value is not None and not (is_project and name not in _FROM_PROJECTS):
                return value, f"{name} in the env of {path}"
        return self.env.get(name, ""), f"{name} in the environment"

    # --- where memories are ---

    def stores(self, owner: str, common: str | None) -> Iterator[Found]:
        """The directories that the environment or settings name, then the one that the project's path leads to."""
        override, where = self._variable(_OVERRIDE)
        if os.path.isabs(override):
            rule = f"environment ({_OVERRIDE})" if where.endswith("the environment") else f"settings ({where})"
            yield os.path.normpath(override), rule, None
        for path, settings, is_project in reversed(self._files):
            directory = _named_directory(settings, self.home)
            if directory and is_project:
                shown = f".claude/{os.path.basename(path)}"
                doubt = f"The project's own {shown} names this directory; a cloned repository can do that."
                yield directory, f"project settings ({shown}, autoMemoryDirectory)", doubt
            elif directory:
                whose = "user settings" if path.startswith(self.folder) else path
                yield directory, f"{whose} (autoMemoryDirectory)", None
        if remote := self._variable(_REMOTE_DIRECTORY)[0]:
            store = default_store(os.path.join(remote, "projects"), owner)
            yield os.path.normpath(os.path.join(self.cwd, store)), f"environment ({_REMOTE_DIRECTORY})", None
        key = named_folder(self.env)
        rule = "git common directory" if common else "current directory"
        yield default_store(self.sessions, owner, key), f"environment ({_KEY})" if key else rule, None

    def further(self, root: str) -> Iterator[Further]:
        """The stores of sub-agents, in the user's folder and in the project."""
        folders = (os.path.join(self.folder, AGENT_MEMORY[0]), *(f"{root}/.claude/{name}" for name in AGENT_MEMORY))
        for folder in dict.fromkeys(folders):
            yield from ((os.path.join(folder, name), f"sub-agent {name}", "") for name in sorted(_names(folder)))

    # --- whether it uses them ---

    @property
    def off(self) -> str:
        for name in _BARE:
            value, where = self._variable(name)
            if _is_yes(value):
                return where
        value, where = self._variable(_DISABLE)
        if _is_yes(value) or _is_no(value):
            return where if _is_yes(value) else ""
        if _is_yes(self.env.get(_REMOTE, "")) and not self._variable(_REMOTE_DIRECTORY)[0]:
            return f"{_REMOTE} in the environment"
        for path, settings, _ in reversed(self._files):
            wish = settings.get("autoMemoryEnabled")
            if isinstance(wish, bool):
                return "" if wish else f"autoMemoryEnabled in {path}"
        return ""

    @property
    def retention(self) -> tuple[int, bool]:
        days = self._files[0][1].get("cleanupPeriodDays")
        if isinstance(days, int) and not isinstance(days, bool) and days >= 0:
            return days, True
        return RETENTION_DEFAULT, False

    @property
    def model(self) -> str:
        named = self._files[0][1].get("model")
        return self._variable("ANTHROPIC_MODEL")[0] or (named if isinstance(named, str) else "")


_PROJECT_FILES = ("settings.json", "settings.local.json")


def _managed() -> Iterator[str]:
    """The administrator's files, weakest first."""
    yield os.path.join(_MANAGED, "managed-settings.json")
    folder = os.path.join(_MANAGED, "managed-settings.d")
    yield from (os.path.join(folder, name) for name in sorted(_names(folder)) if name.endswith(".json"))


def _settings(path: str) -> Settings:
    """A settings file's values; none where it is missing or broken, as the client has it."""
    text = small_text(path)
    try:
        values = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def _variables(settings: Settings) -> dict[str, str]:
    """What a settings file puts into the environment."""
    block = settings.get("env")
    pairs: Iterable[tuple[str, object]] = block.items() if isinstance(block, dict) else ()
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in pairs}


def _is_yes(value: str) -> bool:
    return value.strip().lower() in ("1", "true", "yes", "on")


def _is_no(value: str) -> bool:
    return value.strip().lower() in ("0", "false", "no", "off")


def _named_directory(settings: Settings, home: str) -> str | None:
    """The directory that settings name, if the client takes it: absolute or ``~/…``, and not the root."""
    named = settings.get("autoMemoryDirectory")
    if not isinstance(named, str) or "\0" in named or not (named.startswith("~/") or os.path.isabs(named)):
        return None
    path = os.path.normpath(at_home(named, home))
    return None if path == os.path.splitdrive(path)[0] + os.sep else path


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


# --- its hooks ---


class Claude(Client):
    """Its settings hold groups of hooks by event. A `Stop` hook's context gives the model one more turn without the
    screen calling it a problem."""

    name = "claude"
    title = "Claude Code"
    keeps = True
    marks = (
        "CLAUDECODE",
        "CLAUDE_CODE",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDE_PID",
    )
    session_mark = "CLAUDE_CODE_SESSION_ID"
    instructions = (
        "CLAUDE.md",
        "CLAUDE.local.md",
        ".claude/CLAUDE.md",
        *(f".claude/{name}" for name in _PROJECT_FILES),
    )
    file = "settings.json"
    hooks = (
        Hook("SessionStart", "session-start", 15, "startup|resume|clear|compact"),
        Hook("UserPromptSubmit", "user-prompt-submit", 15),
        Hook("PreToolUse", "pre-tool-use", matcher="Bash|PowerShell"),
        Hook("PostToolUse", "post-tool-use", matcher="Write|Edit|MultiEdit|Bash|PowerShell"),
        Hook("PostToolUseFailure", "post-tool-use", matcher="Bash|PowerShell"),
        Hook("Stop", "stop"),
        Hook("SessionEnd", "session-end"),
        Hook("PreCompact", "pre-compact"),
    )

    def setup(self, cwd: str, env: Mapping[str, str], home: str) -> Setup:
        return ClaudeSetup(cwd, env, home)

    def is_host(self, fields: Fields, env: Mapping[str, str], home: str) -> bool:  # noqa: ARG002
        session = fields.get("session_id")
        return bool(session) and session == env.get("CLAUDE_CODE_SESSION_ID")

    def is_attended(self, fields: Fields, env: Mapping[str, str]) -> bool:  # noqa: ARG002
        return not is_program(env.get("CLAUDE_CODE_ENTRYPOINT", ""))

    def worded(self, event: str, answer: Answer) -> Mapping[str, object] | None:
        if answer.kind == "go on":
            return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": answer.model}}
        return super().worded(event, answer)


CLIENT = Claude()
