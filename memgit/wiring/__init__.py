"""From settings to concrete adapters: the only place that reads the environment, the clock and the home folder.

Adapters are imported where they are built, so that a command pays only for what it uses.
"""

from __future__ import annotations

from memgit.wiring.agent import demo, hook_lines, mcp_server, wishes
from memgit.wiring.settings import OFFLINE, PAGES, Choices, Settings, parse_time
from memgit.wiring.site import Site, folder_of_memories, site_at
from memgit.wiring.tools import (
    at_terminal,
    browser,
    bug_report_folder,
    difftool,
    editor,
    model_at_hand,
    nonce,
    pager,
    reach,
)
from memgit.wiring.workshops import (
    beads_workshop,
    conversations,
    every_store,
    miners,
    prune_terms,
    stores,
    workshop,
    workshops,
)

__all__ = [
    "OFFLINE",
    "PAGES",
    "Choices",
    "Settings",
    "Site",
    "at_terminal",
    "beads_workshop",
    "browser",
    "bug_report_folder",
    "conversations",
    "demo",
    "difftool",
    "editor",
    "every_store",
    "folder_of_memories",
    "hook_lines",
    "mcp_server",
    "miners",
    "model_at_hand",
    "nonce",
    "pager",
    "parse_time",
    "prune_terms",
    "reach",
    "site_at",
    "stores",
    "wishes",
    "workshop",
    "workshops",
]
