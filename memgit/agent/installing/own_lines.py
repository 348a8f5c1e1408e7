"""The lines that ``memgit hooks install`` writes into the client's settings, and how they are known again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

MARK = "--via settings"
"""Stands in every line that memgit writes into settings; a plugin's lines say ``--via plugin``."""


def is_own(command: object) -> bool:
    """Whether memgit wrote a command line."""
    return isinstance(command, str) and MARK in command and " hook " in command


def commands(settings: Mapping[str, object]) -> Iterator[str]:
    """The command lines that settings run at any event, whatever else they hold; a client may have its lines in groups
    or bare."""
    hooks = settings.get("hooks")
    for groups in hooks.values() if isinstance(hooks, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            yield from _commands(group)


def _commands(group: object) -> Iterator[str]:
    lines = group.get("hooks", [group]) if isinstance(group, dict) else None
    for line in lines if isinstance(lines, list) else ():
        if isinstance(line, dict) and isinstance(line.get("command"), str):
            yield line["command"]
