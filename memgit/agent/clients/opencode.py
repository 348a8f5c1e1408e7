"""OpenCode: no hooks but plugins, so a small one (``opencode.js``) calls memgit at the same points.

Measured on 1.18. It has no memories of its own, so its sessions are given the project's store.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from memgit.agent.clients.client import Client, Hook, Setup


class OpenCodeSetup(Setup):
    def __init__(self, cwd: str, env: Mapping[str, str], home: str) -> None:
        super().__init__(cwd, env, home)
        base = env.get("XDG_CONFIG_HOME", "")
        self.folder = os.path.join(base if os.path.isabs(base) else os.path.join(home, ".config"), "opencode")


class OpenCode(Client):
    name = "opencode"
    title = "OpenCode"
    marks = ("OPENCODE", "OPENCODE_CLIENT")
    file = "plugins/memgit.js"
    plugin = "opencode.js"
    hooks = (
        Hook("session.created", "session-start", 15),
        Hook("tool.execute.before", "pre-tool-use"),
        Hook("tool.execute.after", "post-tool-use"),
        Hook("session.idle", "session-end"),
    )

    def setup(self, cwd: str, env: Mapping[str, str], home: str) -> Setup:
        return OpenCodeSetup(cwd, env, home)


CLIENT = OpenCode()
