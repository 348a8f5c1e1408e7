"""The client's settings file with memgit's hooks put in or taken out, every other character as it was."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memgit.agent.installing.json_text import BOM, Path, inserted, removed
from memgit.agent.installing.own_lines import is_own
from memgit.errors import UsageError

Settings = dict[str, Any]

_HINT = "Mend it by hand first; nothing has been written."


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


def with_hooks(text: str, groups: Mapping[str, Mapping[str, Any]], head: Mapping[str, Any] | None = None) -> str:
    """The file with one group of hooks for each event, in place of those that memgit put there before. A new file
    begins with ``head``."""
    if _own(read_settings(text)) == {event: [group] for event, group in groups.items()}:
        return text
    text = without_hooks(text)
    if not text.strip(BOM + " \t\r\n"):
        return _new(text, {**(head or {}), "hooks": {event: [group] for event, group in groups.items()}})
    for event, group in groups.items():
        text = _with_group(text, event, group)
    return text


def _new(text: str, settings: Settings) -> str:
    return (BOM if text.startswith(BOM) else "") + json.dumps(settings, ensure_ascii=False, indent=2) + "\n"


def _with_group(text: str, event: str, group: Mapping[str, Any]) -> str:
    hooks = read_settings(text).get("hooks")
    if hooks is None:
        return inserted(text, (), {event: [group]}, "hooks")
    if event not in hooks:
        return inserted(text, ("hooks",), [group], event)
    return inserted(text, ("hooks", event), group)


def without_hooks(text: str) -> str:
    """The file without memgit's hooks, and without the lists that were there only for them."""
    for path in reversed(list(_own_paths(read_settings(text)))):
        text = removed(text, path)
    return text


def _own_paths(settings: Settings) -> Iterator[Path]:
    """What is to be taken out, in the order of the file; nothing of it lies in another."""
    hooks = settings.get("hooks", {})
    paths = {event: list(_own_in(event, groups)) for event, groups in hooks.items()}
    if hooks and all(found == [("hooks", event)] for event, found in paths.items()):
        yield ("hooks",)
        return
    for found in paths.values():
        yield from found


def _own_in(event: str, groups: Sequence[Any]) -> Iterator[Path]:
    """The same of one event: all of it, whole groups, or single lines of a group."""
    if groups and not any(_left(group) for group in groups):
        yield ("hooks", event)
        return
    for number, group in enumerate(groups):
        if not _left(group):
            yield ("hooks", event, number)
        elif has_own(group):
            lines = enumerate(group["hooks"])
            yield from (("hooks", event, number, "hooks", at) for at, line in lines if _is_own(line))


def _own(settings: Settings) -> dict[str, list[Any]]:
    """The groups that hold lines of memgit's, by event."""
    hooks = settings.get("hooks", {})
    found = {event: [group for group in groups if has_own(group)] for event, groups in hooks.items()}
    return {event: groups for event, groups in found.items() if groups}


def _left(group: Any) -> tuple[Any, ...]:
    """A group without memgit's lines; nothing where nothing else was in it."""
    if not has_own(group):
        return (group,)
    others = [line for line in group.get("hooks", ()) if not _is_own(line)]
    return ({**group, "hooks": others},) if others else ()


def has_own(group: Any) -> bool:
    """Whether a group of hooks holds a line of memgit's, or is one: some clients have lines without groups."""
    lines = group.get("hooks", [group]) if isinstance(group, dict) else None
    return isinstance(lines, list) and any(_is_own(line) for line in lines)


def _is_own(line: Any) -> bool:
    return isinstance(line, dict) and is_own(line.get("command"))
