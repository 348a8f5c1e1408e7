"""Gemini CLI: groups of hooks in its settings, events of its own names, time limits in milliseconds.

Measured on 0.61. What it remembers are instructions of its own, so its sessions are given the project's store. It
announces a compression with every turn, so nothing hangs on that.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from memgit.agent.clients.client import Client, Fields, Hook, Setup

_WRITING = "run_shell_command|write_file|replace"


class GeminiSetup(Setup):
    def __init__(self, cwd: str, env: Mapping[str, str], home: str) -> None:
        super().__init__(cwd, env, home)
        self.folder = os.path.join(env.get("GEMINI_CLI_HOME") or home, ".gemini")
        self.sessions = os.path.join(self.folder, "tmp")


class Gemini(Client):
    name = "gemini"
    title = "Gemini CLI"
    marks = ("GEMINI_CLI",)
    session_mark = "GEMINI_SESSION_ID"
    instructions = ("GEMINI.md",)
    file = "settings.json"
    hooks = (
        Hook("SessionStart", "session-start", 15),
        Hook("BeforeAgent", "user-prompt-submit", 15),
        Hook("BeforeTool", "pre-tool-use", matcher=_WRITING),
        Hook("AfterTool", "post-tool-use", matcher=_WRITING),
        Hook("SessionEnd", "session-end"),
    )

    def setup(self, cwd: str, env: Mapping[str, str], home: str) -> Setup:
        return GeminiSetup(cwd, env, home)

    def is_host(self, fields: Fields, env: Mapping[str, str], home: str) -> bool:  # noqa: ARG002
        session = fields.get("session_id")
        return bool(session) and session == env.get("GEMINI_SESSION_ID")

    def line(self, hook: Hook, command: str) -> Mapping[str, object]:
        line = {"name": f"memgit {hook.verb}", "type": "command", "command": command, "timeout": hook.seconds * 1000}
        return {**({"matcher": hook.matcher} if hook.matcher else {}), "hooks": [line]}


CLIENT = Gemini()
