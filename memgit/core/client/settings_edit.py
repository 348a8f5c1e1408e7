"""The client's settings file with memgit's hooks put in or taken out, all else as it was: text in, text out."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from memgit.core.client.own_lines import is_own
from memgit.errors import UsageError

Settings = dict[str, Any]

_HINT = "Mend it by hand first; nothing has been written."
BOM = "\ufeff"


def read_settings(text: str) -> Settings:
    """The settings of a file; an empty file has none. Raises UsageError for what is no JSON object of settings."""
    try:
        value = json.loads(text.removeprefix(BOM) or "{}", object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"The settings are no JSON that can be changed safely: {error}.", _HINT) from None
    if not isinstance(value, dict):
        raise UsageError("The settings are no JSON object.", _HINT)
    hooks = value.get("hooks", {})
    if not isinstance(hooks, dict) or not all(isinstance(groups, list) for groups in hooks.values()):
        raise UsageError('The settings\' "hooks" are not lists of hooks by event.', _HINT)
    return value


def _unique(pairs: Sequence[tuple[str, Any]]) -> Settings:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def with_hooks(text: str, groups: Mapping[str, Mapping[str, Any]]) -> str:
    """The file with one group of hooks for each event, in place of those that memgit put there before."""
    settings = read_settings(text)
    if _own(settings) == {event: [group] for event, group in groups.items()}:
        return text
    settings = _without_own(settings)
    hooks = dict(settings.get("hooks", {}))
    for event, group in groups.items():
        hooks[event] = [*hooks.get(event, ()), dict(group)]
    return _written({**settings, "hooks": hooks}, text)


def without_hooks(text: str) -> str:
    """The file without memgit's hooks, and without the lists that were there only for them."""
    settings = read_settings(text)
    left = _without_own(settings)
    return text if left == settings else _written(left, text)


def _without_own(settings: Settings) -> Settings:
    if "hooks" not in settings:
        return settings
    hooks = {event: [left for group in groups for left in _left(group)] for event, groups in settings["hooks"].items()}
    kept = {event: groups for event, groups in hooks.items() if groups or not settings["hooks"][event]}
    if kept or not settings["hooks"]:
        return {**settings, "hooks": kept}
    return {name: value for name, value in settings.items() if name != "hooks"}


def _own(settings: Settings) -> dict[str, list[Any]]:
    """The groups that hold lines of memgit's, by event."""
    hooks = settings.get("hooks", {})
    found = {event: [group for group in groups if has_own(group)] for event, groups in hooks.items()}
    return {event: groups for event, groups in found.items() if groups}


def _left(group: Any) -> tuple[Any, ...]:
    """A group without memgit's lines; nothing where nothing else was in it."""
    if not has_own(group):
        return (group,)
    others = [line for line in group["hooks"] if not _is_own(line)]
    return ({**group, "hooks": others},) if others else ()


def has_own(group: Any) -> bool:
    """Whether a group of hooks holds a line of memgit's."""
    lines = group.get("hooks") if isinstance(group, dict) else None
    return isinstance(lines, list) and any(_is_own(line) for line in lines)


def _is_own(line: Any) -> bool:
    return isinstance(line, dict) and is_own(line.get("command"))


def _written(settings: Settings, like: str) -> str:
    """The settings in the file's own style: indentation, line ends, BOM, and its end."""
    body = like.removeprefix(BOM)
    indented = re.search(r"\n([ \t]+)\S", body)
    compact = bool(body.strip()) and "\n" not in body.strip()
    text = json.dumps(
        settings,
        ensure_ascii=False,
        indent=None if compact else indented[1] if indented else 2,
        separators=(",", ":") if compact and '": ' not in body else None,
    )
    ending = "" if body.strip() and not body.endswith("\n") else "\n"
    whole = (BOM if like.startswith(BOM) else "") + text + ending
    return whole.replace("\n", "\r\n") if "\r\n" in body else whole
