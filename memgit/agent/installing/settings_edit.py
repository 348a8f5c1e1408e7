"""The client's settings file with memgit's hooks put in or taken out, every other character as it was."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PureWindowsPath
from typing import Any

from memgit.errors import UsageError

# --- json text ---
# A JSON text with a value put in or taken out at one place; every other character stays as somebody wrote it.
#
# Texts are whole and valid JSON, with a byte order mark or without. A path leads from the outermost value to one in it,
# by names and positions. What is put in looks like what stands beside it: indentation, line ends, spaces.

BOM = "\ufeff"
Path = Sequence[str | int]

_DECODER = json.JSONDecoder()
_BLANK = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True, slots=True)
class _Entry:
    """A member or element: its name or position, where it starts (a member: its name), and where its value is."""

    at: str | int
    start: int
    value: int
    end: int


def inserted(text: str, path: Path, value: Any, name: str | None = None) -> str:
    """The text with a value added at the end of the container at a path: under a name in an object, else to a list."""
    opening = _value_at(text, path)
    entries = list(_entries(text, opening))
    style = _style(text, opening, entries)
    after = entries[-1].end if entries else opening + 1
    written = style.entry(value, name)
    if entries:
        return f"{text[:after]},{style.before}{written}{text[after:]}"
    closing = _skip(text, after)
    return f"{text[:after]}{style.before}{written}{style.end}{text[closing:]}"


def removed(text: str, path: Path) -> str:
    """The text without the member or element at a path, and without the comma that it needs no longer."""
    opening = _value_at(text, path[:-1])
    entries = list(_entries(text, opening))
    place = next(number for number, entry in enumerate(entries) if entry.at == path[-1])
    if place:
        return text[: entries[place - 1].end] + text[entries[place].end :]
    if len(entries) > 1:
        return text[: entries[0].start] + text[entries[1].start :]
    return text[: opening + 1] + text[_skip(text, entries[0].end) :]


# --- where things are ---


def _value_at(text: str, path: Path) -> int:
    start = _skip(text, len(BOM) if text.startswith(BOM) else 0)
    for step in path:
        start = next(entry.value for entry in _entries(text, start) if entry.at == step)
    return start


def _entries(text: str, opening: int) -> Iterator[_Entry]:
    """The members of the object, or elements of the list, that opens there."""
    is_object, at, number = text[opening] == "{", _skip(text, opening + 1), 0
    while text[at] not in "}]":
        start, name = at, number
        if is_object:
            name, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        _, end = _DECODER.raw_decode(text, at)
        yield _Entry(name, start, at, end)
        number += 1
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


# --- what it looks like ---


@dataclass(frozen=True, slots=True)
class _Style:
    """How a container's entries stand: the blanks before each and before its end, and how values are written there.
    ``unit`` is one step of indentation; None writes all in one line."""

    before: str
    end: str
    unit: str | None
    newline: str
    colon: str
    comma: str

    def entry(self, value: Any, name: str | None) -> str:
        separators = (self.comma if self.unit is None else ",", self.colon)
        written = json.dumps(value, ensure_ascii=False, indent=self.unit, separators=separators)
        if self.unit is not None:
            written = written.replace("\n", self.newline + self.before.rpartition("\n")[2])
        return written if name is None else f"{json.dumps(name, ensure_ascii=False)}{self.colon}{written}"


def _style(text: str, opening: int, entries: Sequence[_Entry]) -> _Style:
    newline = "\r\n" if "\r\n" in text else "\n"
    colon = ": " if '": ' in text or ":" not in text else ":"
    gaps = [text[_skip(text, one.end) + 1 : two.start] for one, two in pairwise(entries)]
    comma = ", " if colon == ": " else ","
    if entries and "\n" not in text[opening : entries[0].start]:
        return _Style(gaps[-1] if gaps and "\n" not in gaps[-1] else comma[1:], "", None, newline, colon, comma)
    if entries:
        before = newline + text[opening + 1 : entries[0].start].rpartition("\n")[2]
        return _Style(before, "", _unit(text), newline, colon, comma)
    if "\n" not in text.strip() and text.strip(BOM + " \t\r\n") != "{}":
        return _Style("", "", None, newline, colon, comma)
    line, unit = text[text.rfind("\n", 0, opening) + 1 : opening], _unit(text)
    indent = line[: _skip(line, 0)].removeprefix(BOM)
    return _Style(f"{newline}{indent}{unit}", f"{newline}{indent}", unit, newline, colon, comma)


def _unit(text: str) -> str:
    """One step of indentation: what the first indented line has."""
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else "  "


# --- command lines ---
# The command lines of hooks, as the shell reads them that the client gives them to.
#
# A hook whose program is gone is silent in the client, so the line of a session's start says it. On Windows a line may
# be read by Git Bash or by ``cmd``, so it keeps to what both understand: double quotes, slashes, ``||``.


def command_line(program: Sequence[str], rest: str) -> str:
    """Runs a program with what else the line holds. The program's first word is an absolute path."""
    if _is_windows(program):
        return " ".join([*(_quoted(word) for word in program), rest])
    return f"{shlex.join(program)} {rest}"


def telling_line(program: Sequence[str], rest: str) -> str:
    """The same, and tells the user where the program is not there."""
    run, gone = command_line(program, rest), _gone(program[0])
    if _is_windows(program):
        return f"{run} || echo {gone.replace('`', '')}"  # plain text, which the model is told
    there = shlex.quote(program[0])
    return f"if [ -x {there} ]; then {run}; else echo {shlex.quote(json.dumps({'systemMessage': gone}))}; fi"


def _is_windows(program: Sequence[str]) -> bool:
    return bool(PureWindowsPath(program[0]).drive)


def _quoted(word: str) -> str:
    word = word.replace("\\", "/")
    return f'"{word}"' if "/" in word or " " in word else word


def _gone(program: str) -> str:
    shown = program.replace("\\", "/") if _is_windows([program]) else program
    return (
        f"memgit is not at {shown} any more, so the memory of this project is neither checked nor recorded. Install it "
        "again, or run `memgit hooks uninstall` with another memgit."
    )


# --- own lines ---
# The lines that ``memgit hooks install`` writes into the client's settings, and how they are known again.

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
