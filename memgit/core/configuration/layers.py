"""The values in force, from the strongest source down: environment, project's file, user's file, default.

An option on the command line is stronger than all of them; whoever has one does not ask here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import Any, TypeVar

from memgit.core.configuration.keys import BY_NAME, KEYS, Key, Value, described, taken, written
from memgit.errors import UsageError
from memgit.evidence.findings import printable_name

T = TypeVar("T")


class Owner(StrEnum):
    """Whose file it is. A project's comes with a clone, so it may say less."""

    USER = "user"
    PROJECT = "project"


@dataclass(frozen=True, slots=True)
class File:
    """A configuration file: whose, where, and its bytes (None where there is none)."""

    owner: Owner
    path: str
    data: bytes | None


@dataclass(frozen=True, slots=True)
class Setting:
    """A key's value and what it is from: a file's path, a variable's name, or ``default``."""

    key: Key
    value: Value
    source: str = "default"


@dataclass(frozen=True)
class Configuration:
    """Every key's value, and the files that were looked for."""

    settings: Mapping[str, Setting]
    files: tuple[File, ...] = ()

    def of(self, name: str, kind: type[T]) -> T:
        """The value of a key, whose type the caller knows."""
        value = self.settings[name].value
        assert isinstance(value, kind), name
        return value

    def given(self, name: str) -> bool:
        """Whether anybody has set a key."""
        return self.settings[name].source != "default"


def configuration(files: Sequence[File], env: Mapping[str, str]) -> Configuration:
    """The values in force. ``files`` come weakest first. Raises UsageError naming the file or variable, and the key."""
    settings = {key.name: Setting(key, key.default) for key in KEYS}
    for file in files:
        settings |= {each.key.name: each for each in of_file(file) if _may(each, settings[each.key.name], file.owner)}
    settings |= {setting.key.name: setting for setting in of_environment(env)}
    return Configuration(settings, tuple(files))


def _may(wanted: Setting, held: Setting, owner: Owner) -> bool:
    """Whether a file's value counts: a project may not raise a bound."""
    raises = isinstance(wanted.value, int) and isinstance(held.value, int) and wanted.value > held.value
    return not (owner is Owner.PROJECT and wanted.key.bound and raises)


def of_environment(env: Mapping[str, str]) -> Iterator[Setting]:
    """What variables set; an empty one sets nothing. Raises UsageError."""
    for key in KEYS:
        if text := env.get(key.variable):
            value = taken(key.takes, written(key.takes, text))
            if value is None:
                raise UsageError(f"{key.variable} must be {described(key.takes)}.", f"Mend or unset {key.variable}.")
            yield Setting(key, value, key.variable)


def of_file(file: File) -> Iterator[Setting]:
    """What a file sets. Raises UsageError naming the file and the key."""
    for name, value in _entries(file):
        key = BY_NAME.get(name)
        if key is None:
            raise UsageError(f"{file.path}: there is no key {printable_name(name)}.", _instead(name))
        if file.owner is Owner.PROJECT and key.reserved:
            raise UsageError(
                f"{file.path}: a project may not set {name}, because {key.reserved}.",
                "Take it out there; only your own file may set it (`memgit config --path`).",
            )
        held = taken(key.takes, value)
        if held is None:
            raise UsageError(f"{file.path}: {name} must be {described(key.takes)}.", "Mend the value in that file.")
        yield Setting(key, held, file.path)


def _entries(file: File) -> Iterator[tuple[str, object]]:
    """The keys of a file, with the names of the tables that they stand in."""
    for table, inside in _document(file).items():
        if not isinstance(inside, dict):
            yield table, inside
            continue
        for name, value in inside.items():
            yield f"{table}.{name}", value


def _document(file: File) -> dict[str, Any]:
    import tomllib  # here: most users have no such file

    try:
        return tomllib.loads((file.data or b"").decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise UsageError(f"{file.path} is not UTF-8 text.", "Save it as UTF-8.") from None
    except (RecursionError, ValueError) as error:
        where = str(error)[:120] or "it is nested too deeply"
        raise UsageError(f"{file.path} is no TOML: {where}.", "`memgit config --example` shows a sound file.") from None


def _instead(name: str) -> str:
    """What was probably meant."""
    if name.partition(".")[0] == "store":
        return "A store is named with --store, never by a file."
    near = get_close_matches(name, BY_NAME, n=1)
    meant = f"Did you mean {near[0]}? " if near else ""
    return f"{meant}`memgit config` lists all keys."


def example() -> str:
    """A commented file with every key at its default."""
    lines = ["# memgit.toml: an option or a variable of the environment is stronger than this file."]
    table = ""
    for key in KEYS:
        section, _, name = key.name.partition(".")
        if section != table:
            lines += ["", f"[{section}]"]
            table = section
        alone = " Only in your own file." if key.reserved else ""
        lines += [f"# {key.says}{alone} {key.variable}", f"# {name} = {as_toml(key.default)}"]
    return "\n".join(lines)


def as_toml(value: Value) -> str:
    """A value as a file would say it."""
    match value:
        case str():
            escaped = value.replace("\\", "\\\\").replace('"', '\\"')
            return f'"{escaped}"'
        case tuple():
            return f"[{', '.join(map(as_toml, value))}]"
        case _:
            return str(value)
