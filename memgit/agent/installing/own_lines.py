"""The lines that ``memgit hooks install`` writes into the client's settings, and how they are known again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

MARK = "--via settings"
"""Stands in every line that memgit writes into settings; a plugin's lines say ``--via plugin``."""


def is_own(command: object) -> bool:
    """Whether memgit wrote a command line."""
    return isinstance(command, str) and MARK in command and " hook " in command


def commands(settings: Mapping[str, object], event: str) -> Iterator[str]:
    """The command lines that settings run at an event, whatever else they hold."""
    hooks = settings.get("hooks")
    groups = hooks.get(event) if isinstance(hooks, dict) else None
    for group in groups if isinstance(groups, list) else ():
        lines = group.get("hooks") if isinstance(group, dict) else None
        for line in lines if isinstance(lines, list) else ():
            if isinstance(line, dict) and isinstance(line.get("command"), str):
                yield line["command"]
