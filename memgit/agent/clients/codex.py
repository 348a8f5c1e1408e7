"""Codex: one store for all projects, which its own agent keeps in the background, and sessions by date.

Measured on 0.171. It runs the hooks of Claude Code's plugins too, gives them almost the same events, and takes no
answer that holds a field it does not know.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping

from memgit.agent.clients.client import Client, Fields, Found, Hook, Setup
from memgit.reading import beginning

STORES = ("memories_v2", "memories")
"""Its stores, the newer layout first."""

_FIRST_LINE = 1 << 20
"""Bytes in which the first line of a session's record ends: it holds the client's whole instructions."""


class CodexSetup(Setup):
    def __init__(self, cwd: str, env: Mapping[str, str], home: str) -> None:
        super().__init__(cwd, env, home)
        self.folder = folder(env, home)
        self.sessions = os.path.join(self.folder, "sessions")

    def stores(self, owner: str, common: str | None) -> Iterator[Found]:  # noqa: ARG002
        paths = [os.path.join(self.folder, name) for name in STORES]
        first = next((path for path in paths if os.path.isdir(path)), paths[0])
        yield first, "Codex's own folder", None

    def further(self, root: str) -> Iterator[tuple[str, str, str]]:  # noqa: ARG002
        yield from ((os.path.join(self.folder, name), "Codex", "codex") for name in STORES)

    @property
    def off(self) -> str:
        """Its memories are off until its settings switch them on."""
        import tomllib

        path = os.path.join(self.folder, "config.toml")
        try:
            features = tomllib.loads(beginning(path).decode("utf-8", "replace")).get("features")
        except (ValueError, RecursionError):
            features = None
        is_on = isinstance(features, dict) and features.get("memories") is True
        return "" if is_on else f"features.memories is not on in {path}"


def folder(env: Mapping[str, str], home: str) -> str:
    """Its own folder."""
    return env.get("CODEX_HOME") or os.path.join(home, ".codex")


class Codex(Client):
    name = "codex"
    title = "Codex"
    keeps = True
    writes_alone = True
    marks = (
        "CODEX_CI",
        "CODEX_SANDBOX",
        "CODEX_SANDBOX_NETWORK_DISABLED",
        "CODEX_THREAD_ID",
    )
    session_mark = "CODEX_THREAD_ID"
    instructions = ("AGENTS.md", "AGENTS.override.md")
    file = "hooks.json"
    hooks = (
        Hook("SessionStart", "session-start", 15, "startup|resume|clear|compact"),
        Hook("UserPromptSubmit", "user-prompt-submit", 15),
        Hook("PreToolUse", "pre-tool-use", matcher="Bash|apply_patch"),
        Hook("PostToolUse", "post-tool-use", matcher="Bash|apply_patch"),
        Hook("SessionEnd", "session-end", 3),
        Hook("PreCompact", "pre-compact"),
    )

    def setup(self, cwd: str, env: Mapping[str, str], home: str) -> Setup:
        return CodexSetup(cwd, env, home)

    def is_host(self, fields: Fields, env: Mapping[str, str], home: str) -> bool:
        """By where the session is recorded. The agent that keeps its memories has no record, and works in them."""
        own = os.path.realpath(folder(env, home)) + os.sep
        places = [fields.get("transcript_path"), fields.get("cwd")]
        return any(isinstance(path, str) and os.path.realpath(path).startswith(own) for path in places)

    def is_attended(self, fields: Fields, env: Mapping[str, str]) -> bool:  # noqa: ARG002
        path = fields.get("transcript_path")
        try:
            head = json.loads(beginning(path, _FIRST_LINE).partition(b"\n")[0]) if isinstance(path, str) else {}
            source = head["payload"]["source"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return False
        return isinstance(source, str) and source != "exec"


CLIENT = Codex()
