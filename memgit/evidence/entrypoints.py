"""Who sits at an entry point of a client: standard library only, because hooks ask too."""

from __future__ import annotations

import re

_PROGRAM = re.compile(r"sdk\b|sdk[-_]|github[-_]action|bench|mcp\b|ci\b", re.IGNORECASE)


def is_program(entrypoint: str) -> bool:
    """Whether a program drives the client there. All others are places where people type: terminals, editors, desktop
    and remote front ends."""
    return _PROGRAM.match(entrypoint) is not None
