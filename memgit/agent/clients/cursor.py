"""Cursor: a file of hooks with a line for each, events and fields of its own names. By its documentation, not tried.

It keeps no memories in files, so its sessions are given the project's store. It also runs the hooks of Claude Code's
settings, with events of its own.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from memgit.agent.clients.client import Answer, Client, Fields, Hook, Setup


class CursorSetup(Setup):
    def __init__(self, cwd: str, env: Mapping[str, str], home: str) -> None:
        super().__init__(cwd, env, home)
        self.folder = os.path.join(home, ".cursor")


class Cursor(Client):
    name = "cursor"
    title = "Cursor"
    marks = ("CURSOR_AGENT",)
    instructions = (".cursorrules",)
    file = "hooks.json"
    head: Mapping[str, object] = {"version": 1}
    hooks = (
        Hook("sessionStart", "session-start", 15),
        Hook("beforeSubmitPrompt", "user-prompt-submit", 15),
        Hook("preToolUse", "pre-tool-use", matcher="Shell|Write|Delete"),
        Hook("postToolUse", "post-tool-use", matcher="Shell|Write|Delete"),
        Hook("sessionEnd", "session-end"),
        Hook("preCompact", "pre-compact"),
    )

    def setup(self, cwd: str, env: Mapping[str, str], home: str) -> Setup:
        return CursorSetup(cwd, env, home)

    def is_host(self, fields: Fields, env: Mapping[str, str], home: str) -> bool:  # noqa: ARG002
        return "cursor_version" in fields

    def read(self, fields: Fields) -> Fields:
        roots = fields.get("workspace_roots")
        folder = roots[0] if isinstance(roots, list) and roots else ""
        session = fields.get("session_id") or fields.get("conversation_id")
        return {**fields, "session_id": session, "cwd": fields.get("cwd") or folder}

    def worded(self, event: str, answer: Answer) -> Mapping[str, object] | None:  # noqa: ARG002
        match answer.kind:
            case "tell" | "add":
                return {"additional_context": answer.model}
            case "hold":
                return {"continue": False, "user_message": answer.user}
            case _:
                return None

    def line(self, hook: Hook, command: str) -> Mapping[str, object]:
        line = {"command": command, "timeout": hook.seconds}
        return {**line, "matcher": hook.matcher} if hook.matcher else line


CLIENT = Cursor()
