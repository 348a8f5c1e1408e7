"""GitHub Copilot in the terminal: a file of hooks of one's own, events and fields as an editor's agent has them.

Measured on 1.0.102. Its memories lie with its makers, so its sessions are given the project's store.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from memgit.agent.clients.client import Answer, Client, Fields, Hook, Setup


class CopilotSetup(Setup):
    def __init__(self, cwd: str, env: Mapping[str, str], home: str) -> None:
        super().__init__(cwd, env, home)
        self.folder = env.get("COPILOT_HOME") or os.path.join(home, ".copilot")
        self.sessions = os.path.join(self.folder, "session-state")


class Copilot(Client):
    name = "copilot"
    title = "GitHub Copilot"
    marks = ("COPILOT_CLI",)
    instructions = (".github/copilot-instructions.md",)
    file = "hooks/memgit.json"
    head: Mapping[str, object] = {"version": 1}
    hooks = (
        Hook("SessionStart", "session-start", 15),
        Hook("UserPromptSubmit", "user-prompt-submit", 15),
        Hook("PreToolUse", "pre-tool-use"),
        Hook("PostToolUse", "post-tool-use"),
        Hook("SessionEnd", "session-end"),
    )

    def setup(self, cwd: str, env: Mapping[str, str], home: str) -> Setup:
        return CopilotSetup(cwd, env, home)

    def is_host(self, fields: Fields, env: Mapping[str, str], home: str) -> bool:  # noqa: ARG002
        project = env.get("COPILOT_PROJECT_DIR")
        return bool(project) and project == fields.get("cwd")

    def worded(self, event: str, answer: Answer) -> Mapping[str, object] | None:
        """It takes context at the top of the answer alone."""
        if answer.kind in ("tell", "add"):
            return {"additionalContext": answer.model}
        return super().worded(event, answer)

    def line(self, hook: Hook, command: str) -> Mapping[str, object]:
        return {"type": "command", "command": command, "timeoutSec": hook.seconds}


CLIENT = Copilot()
